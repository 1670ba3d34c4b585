/* SPDX-License-Identifier: ISC */
/* Parse REDIS_URL. */
#include "config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "lib/conf/redis_url.h"

#define PORT "6379"
#define PORT_MAX 65535
#define DB_MAX 2147483647

/* A piece of the text. */
struct url_piece {
	const char *text;
	size_t size;
};

static int parse_user(
    struct url_piece p, struct redis_url *ret, const char **ret_why);
static int parse_socket(struct url_piece host, const char *rest,
    struct redis_url *ret, const char **ret_why);
static int parse_hosts(struct url_piece hosts, const char *rest,
    struct redis_url *ret, const char **ret_why);
static int parse_host(
    struct url_piece host, struct redis_server *ret, const char **ret_why);
static int parse_port(const char *text, size_t size, struct redis_server *ret);
static int parse_db(const char *text, struct redis_url *ret);
static int copy_number(const char *text, size_t size, long long min,
    long long max, char *ret, size_t ret_size);
static int decode_piece(struct url_piece p, char *ret, size_t ret_size);
static bool is_redis_host(const char *host);
static int refuse_redis_url(const char **ret_why, const char *why);

static const struct {
	const char *prefix;
	bool tls;
	bool socket;
} schemes[] = {
	{ "redis://", false, false },
	{ "rediss://", true, false },
	{ "unix://", false, true },
};

int
redis_url_parse(const char *text, struct redis_url *ret, const char **ret_why)
{
	struct url_piece host, user;
	const char *at, *rest;
	size_t i, n = 0;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < nitems(schemes); i++) {
		n = strlen(schemes[i].prefix);
		if (strncmp(text, schemes[i].prefix, n) == 0)
			break;
	}
	if (i == nitems(schemes))
		return refuse_redis_url(
		    ret_why, "must begin with redis://, rediss:// or unix://");
	ret->tls = schemes[i].tls;

	/* The authority ends at the path; the user ends at its last "@". */
	host.text = text + n;
	host.size = strcspn(host.text, "/?");
	rest = host.text + host.size;
	if ((at = memrchr(host.text, '@', host.size)) != NULL) {
		user.text = host.text;
		user.size = (size_t)(at - user.text);
		if (parse_user(user, ret, ret_why) == -1)
			return -1;
		host.text = at + 1;
		host.size = (size_t)(rest - host.text);
	}
	return schemes[i].socket ? parse_socket(host, rest, ret, ret_why)
				 : parse_hosts(host, rest, ret, ret_why);
}

/* Parse [user]:password. */
static int
parse_user(struct url_piece p, struct redis_url *ret, const char **ret_why)
{
	const char *colon = memchr(p.text, ':', p.size);
	struct url_piece password;

	if (colon == NULL || colon + 1 == p.text + p.size)
		return refuse_redis_url(
		    ret_why, "has no password before the @ ([user]:password@)");
	password.text = colon + 1;
	password.size = (size_t)(p.text + p.size - password.text);
	p.size = (size_t)(colon - p.text);
	if (decode_piece(p, ret->user, sizeof(ret->user)) == -1 ||
	    decode_piece(password, ret->password, sizeof(ret->password)) == -1)
		return refuse_redis_url(ret_why,
		    "has a user or password that is too long or not "
		    "percent-encoded as it should be");
	return 0;
}

/* Parse /path[?db=n]; the host must be empty. */
static int
parse_socket(struct url_piece host, const char *rest, struct redis_url *ret,
    const char **ret_why)
{
	struct url_piece path = { rest, strcspn(rest, "?") };

	if (host.size != 0 || path.size < 2)
		return refuse_redis_url(
		    ret_why, "must name a socket by its absolute path");
	ret->servers = 1;
	if (decode_piece(
		path, ret->server[0].path, sizeof(ret->server[0].path)) == -1)
		return refuse_redis_url(ret_why,
		    "has a path that is longer than 107 bytes or not "
		    "percent-encoded as it should be");
	rest += path.size;
	if (*rest == '\0')
		return 0;
	if (strncmp(rest, "?db=", 4) != 0)
		return refuse_redis_url(
		    ret_why, "has a parameter other than db after the path");
	if (parse_db(rest + 4, ret) == -1)
		return refuse_redis_url(
		    ret_why, "has a db that is not a whole number");
	return 0;
}

/* Parse the servers, which commas separate, and [/db]. */
static int
parse_hosts(struct url_piece hosts, const char *rest, struct redis_url *ret,
    const char **ret_why)
{
	struct url_piece host;
	const char *at = hosts.text;

	do {
		if (ret->servers == REDIS_SERVERS_MAX)
			return refuse_redis_url(
			    ret_why, "has more than 8 servers");
		host.text = at;
		host.size = strcspn(at, ",/?");
		if (parse_host(host, &ret->server[ret->servers++], ret_why) ==
		    -1)
			return -1;
		at = host.text + host.size;
	} while (*at++ == ',');
	if (strchr(rest, '?') != NULL)
		return refuse_redis_url(
		    ret_why, "has parameters, which are not allowed");
	if (*rest == '/' && rest[1] != '\0' && parse_db(rest + 1, ret) == -1)
		return refuse_redis_url(
		    ret_why, "has a db that is not a whole number");
	return 0;
}

/* Parse host[:port]. */
static int
parse_host(
    struct url_piece host, struct redis_server *ret, const char **ret_why)
{
	static const char neither[] =
	    "has a host that is neither a name nor an address";
	const size_t bracket = host.size > 0 && *host.text == '[';
	const char *end = host.text + host.size, *stop;
	struct in6_addr any;

	stop = memchr(host.text, bracket ? ']' : ':', host.size);
	if (bracket && stop == NULL)
		return refuse_redis_url(ret_why, neither);
	if (stop == NULL)
		stop = end;
	host.text += bracket;
	host.size = (size_t)(stop - host.text);
	if (host.size == 0 || host.size >= sizeof(ret->host))
		return refuse_redis_url(
		    ret_why, "has no host, or one that is too long");
	memcpy(ret->host, host.text, host.size);
	ret->numeric =
	    inet_pton(bracket ? AF_INET6 : AF_INET, ret->host, &any) == 1;
	if (!ret->numeric && (bracket || !is_redis_host(ret->host)))
		return refuse_redis_url(ret_why, neither);
	stop += bracket;
	return parse_port(stop, (size_t)(end - stop), ret) == 0
	    ? 0
	    : refuse_redis_url(ret_why, "has a port that is not 1 to 65535");
}

/* Parse [:port]. */
static int
parse_port(const char *text, size_t size, struct redis_server *ret)
{
	if (size == 0) {
		memcpy(ret->port, PORT, sizeof(PORT));
		return 0;
	}
	if (*text != ':')
		return -1;
	return copy_number(
	    text + 1, size - 1, 1, PORT_MAX, ret->port, sizeof(ret->port));
}

static int
parse_db(const char *text, struct redis_url *ret)
{
	return copy_number(
	    text, strlen(text), 0, DB_MAX, ret->db, sizeof(ret->db));
}

/* Copy the digits of a number from min to max. */
static int
copy_number(const char *text, size_t size, long long min, long long max,
    char *ret, size_t ret_size)
{
	long long n;
	size_t i;

	if (size == 0 || size >= ret_size)
		return -1;
	for (i = 0; i < size; i++)
		if (!isdigit((unsigned char)text[i]))
			return -1;
	memcpy(ret, text, size);
	ret[size] = '\0';
	n = strtoll(ret, NULL, 10);
	return n >= min && n <= max ? 0 : -1;
}

/* Decode %XX; -1 for a malformed one, a NUL, or a result that does not fit. */
static int
decode_piece(struct url_piece p, char *ret, size_t ret_size)
{
	char hex[3] = "";
	size_t i, n = 0;
	char c;

	for (i = 0; i < p.size; i++) {
		c = p.text[i];
		if (c == '%') {
			if (i + 2 >= p.size ||
			    !isxdigit((unsigned char)p.text[i + 1]) ||
			    !isxdigit((unsigned char)p.text[i + 2]))
				return -1;
			memcpy(hex, p.text + i + 1, 2);
			c = (char)strtol(hex, NULL, 16);
			i += 2;
		}
		if (c == '\0' || n + 1 == ret_size)
			return -1;
		ret[n++] = c;
	}
	ret[n] = '\0';
	return 0;
}

/* Whether host has only characters of host names. */
static bool
is_redis_host(const char *host)
{
	for (; *host != '\0'; host++)
		if (!isalnum((unsigned char)*host) &&
		    strchr("._-", *host) == NULL)
			return false;
	return true;
}

static int
refuse_redis_url(const char **ret_why, const char *why)
{
	*ret_why = why;
	return -1;
}
