/* SPDX-License-Identifier: ISC */
/* The hosts that a connection string names, to be tried one by one. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "core/base/fail.h"
#include "lib/db/db_host.h"

#define PORT "5432" /* for a host without a port */

/* Indices of the lists in texts of struct db_hosts. */
enum { HOSTS, ADDRESSES, PORTS };

/* A list of libpq, split at its commas. */
struct elements {
	size_t n; /* more than the array has: too many */
	const char *all[DB_HOSTS_MAX];
};

static bool is_readable(const char *url);
static bool is_plain(const PQconninfoOption *opt);
static PQconninfoOption *effective_options(const char *url);
static bool read_lists(const char *url, struct db_hosts *ret);
static bool keep_list(const PQconninfoOption *opt, struct db_hosts *ret);
static bool split_hosts(struct db_hosts *ret);
static void split_list(char *text, struct elements *ret);
static bool names_session(const char *url);

int
db_hosts_read(struct db_hosts *ret, const char *url, struct fail *f)
{
	memset(ret, 0, sizeof(*ret));
	if (is_readable(url) && read_lists(url, ret) && split_hosts(ret)) {
		if (ret->n > 1 && !names_session(url))
			ret->attrs = "read-write";
		return 0;
	}
	db_hosts_clear(ret);
	return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "the connection string of the database cannot be read");
}

void
db_hosts_clear(struct db_hosts *h)
{
	size_t i;

	for (i = 0; i < sizeof(h->texts) / sizeof(h->texts[0]); i++)
		free(h->texts[i]);
	memset(h, 0, sizeof(*h));
}

char *
db_host_option(const char *url, const char *keyword)
{
	PQconninfoOption *options = effective_options(url), *opt;
	char *ret = NULL;

	for (opt = options; opt != NULL && opt->keyword != NULL; opt++)
		if (strcmp(opt->keyword, keyword) == 0 && opt->val != NULL &&
		    *opt->val != '\0')
			ret = strdup(opt->val);
	PQconninfoFree(options);
	return ret;
}

/* Whether libpq can parse a string and its parts look right. */
static bool
is_readable(const char *url)
{
	PQconninfoOption *options, *opt;
	bool readable;

	/* Without these the string is only the name of a database. */
	if (strchr(url, '=') == NULL && strstr(url, "://") == NULL)
		return true;
	options = PQconninfoParse(url, NULL);
	readable = options != NULL;
	for (opt = options; readable && opt->keyword != NULL; opt++)
		readable = opt->val == NULL || is_plain(opt);
	PQconninfoFree(options);
	return readable;
}

/* Whether a part of a connection string looks like such a part. */
static bool
is_plain(const PQconninfoOption *opt)
{
	if (strcmp(opt->keyword, "port") == 0)
		return opt->val[strspn(opt->val, "0123456789,")] == '\0';
	if (strcmp(opt->keyword, "host") == 0)
		return *opt->val == '@' || strchr(opt->val, '@') == NULL;
	return strcmp(opt->keyword, "dbname") != 0 ||
	    strchr(opt->val, '@') == NULL;
}

/*
 * Return the options that libpq uses, after service file and environment, or
 * NULL.  libpq shows them only for a connection.  So start one with an invalid
 * setting, which libpq refuses before it resolves a name or opens a socket.
 */
static PQconninfoOption *
effective_options(const char *url)
{
	static const char *const keys[] = { "dbname", "channel_binding", NULL };
	const char *const values[] = { url, "none of these", NULL };
	PGconn *conn = PQconnectStartParams(keys, values, 1);
	PQconninfoOption *options = conn == NULL ? NULL : PQconninfo(conn);

	PQfinish(conn);
	return options;
}

/* Read the lists of hosts, addresses and ports. */
static bool
read_lists(const char *url, struct db_hosts *ret)
{
	PQconninfoOption *options = effective_options(url), *opt;
	bool done = options != NULL;

	for (opt = options; done && opt->keyword != NULL; opt++)
		done = opt->val == NULL || keep_list(opt, ret);
	PQconninfoFree(options);
	return done;
}

static bool
keep_list(const PQconninfoOption *opt, struct db_hosts *ret)
{
	static const char *const lists[] = {
		[HOSTS] = "host",
		[ADDRESSES] = "hostaddr",
		[PORTS] = "port",
	};
	size_t i;

	for (i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (strcmp(opt->keyword, lists[i]) == 0 && *opt->val != '\0')
			return (ret->texts[i] = strdup(opt->val)) != NULL;
	return true;
}

/*
 * Split the hosts.  For a single host, libpq uses the string unchanged.  With
 * several hosts, each must have a name or an address, and the lists must have
 * equal lengths.
 */
static bool
split_hosts(struct db_hosts *ret)
{
	struct elements hosts, addresses, ports;
	struct db_host *h;
	size_t i;

	split_list(ret->texts[HOSTS], &hosts);
	split_list(ret->texts[ADDRESSES], &addresses);
	split_list(ret->texts[PORTS], &ports);
	ret->n = hosts.n > addresses.n ? hosts.n : addresses.n;
	if (ret->n <= 1) {
		ret->n = 1;
		return true;
	}
	if (ret->n > DB_HOSTS_MAX || (hosts.n > 0 && hosts.n < ret->n) ||
	    (addresses.n > 0 && addresses.n < ret->n) ||
	    (ports.n > 1 && ports.n != ret->n))
		return false;
	for (i = 0; i < ret->n; i++) {
		h = &ret->all[i];
		h->hostaddr = addresses.n == 0 ? NULL : addresses.all[i];
		h->host = hosts.n == 0 || *hosts.all[i] == '\0' ? h->hostaddr
								: hosts.all[i];
		h->port = ports.n == 0 ? PORT : ports.all[ports.n > 1 ? i : 0];
		if (*h->port == '\0')
			h->port = PORT;
		if (h->host == NULL || *h->host == '\0' ||
		    (h->hostaddr != NULL && *h->hostaddr == '\0'))
			return false;
	}
	return true;
}

/* Split a list, which may be NULL, at its commas. */
static void
split_list(char *text, struct elements *ret)
{
	char *element;

	ret->n = 0;
	while ((element = strsep(&text, ",")) != NULL) {
		if (ret->n < DB_HOSTS_MAX)
			ret->all[ret->n] = element;
		if (ret->n <= DB_HOSTS_MAX)
			ret->n++;
	}
}

/* Whether string or environment set target_session_attrs. */
static bool
names_session(const char *url)
{
	PQconninfoOption *options, *opt;
	bool names = getenv("PGTARGETSESSIONATTRS") != NULL;

	options = strchr(url, '=') == NULL && strstr(url, "://") == NULL
	    ? NULL
	    : PQconninfoParse(url, NULL);
	for (opt = options; opt != NULL && opt->keyword != NULL; opt++)
		names = names ||
		    (strcmp(opt->keyword, "target_session_attrs") == 0 &&
			opt->val != NULL);
	PQconninfoFree(options);
	return names;
}
