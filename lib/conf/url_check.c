/* SPDX-License-Identifier: ISC */
/* Check the text of URLs that operators give for deliveries. */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/fail.h"
#include "core/event/ip_address.h"
#include "lib/conf/url_check.h"

#define HOST_MAX 253 /* bytes of a name */
#define LABEL_MAX 63
#define PORT_MAX 65535
#define PORT_DIGITS 5

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

/* The host of a URL. */
struct host {
	const char *text;
	size_t size;
	bool address; /* ad is it */
	struct ip_address ad;
};

static const char *after_scheme(const char *url, unsigned flags);
static int split_authority(const char *authority, size_t n, struct host *ret);
static int read_bracketed(const char *text, size_t n, struct host *ret);
static int read_host_name(const char *text, size_t n, struct host *ret);
static bool is_port(const char *text, size_t n);
static bool is_host_name(const char *text, size_t n);
static bool is_local(const struct host *host);

/* The characters of RFC 3986 without "#". */
static const char allowed[] = LETTERS DIGITS "-._~:/?[]@!$&'()*+,;=%";

int
url_check(const char *url, unsigned flags, struct fail *f)
{
	const char *why = url_check_error(url, flags);

	if (why == NULL)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "url", "%s", why);
}

const char *
url_check_error(const char *url, unsigned flags)
{
	const char *authority = after_scheme(url, flags);
	struct host host;
	size_t n;

	if (authority == NULL)
		return (flags & URL_CHECK_HTTP) != 0
		    ? "must begin with https:// or http://"
		    : "must begin with https://";
	if (strlen(url) > URL_CHECK_URL_MAX)
		return "must be at most 2048 bytes";
	if (url[strspn(url, allowed)] != '\0')
		return "must be visible ASCII, percent-encoded where it has "
		       "to be, without a fragment";
	n = strcspn(authority, "/?");
	if (memchr(authority, '@', n) != NULL)
		return "must not hold a user or a password";
	if (split_authority(authority, n, &host) == -1)
		return "must have a host that is a name or an address, and a "
		       "port from 1 to 65535 if any";
	if ((flags & URL_CHECK_PRIVATE) == 0 && is_local(&host))
		return "must have a public host, unless "
		       "ALLOW_PRIVATE_TARGETS is true";
	return NULL;
}

/* Skip the scheme; NULL if it is not allowed. */
static const char *
after_scheme(const char *url, unsigned flags)
{
	if (strncasecmp(url, "https://", 8) == 0)
		return url + 8;
	if ((flags & URL_CHECK_HTTP) != 0 &&
	    strncasecmp(url, "http://", 7) == 0)
		return url + 7;
	return NULL;
}

/* Split an authority of n bytes, without a user, into host and port. */
static int
split_authority(const char *authority, size_t n, struct host *ret)
{
	const char *colon = memrchr(authority, ':', n);
	const char *end = memchr(authority, ']', n);
	size_t size = n;

	if (colon != NULL && (end == NULL || colon > end)) {
		size = (size_t)(colon - authority);
		if (!is_port(colon + 1, n - size - 1))
			return -1;
	}
	return n > 0 && *authority == '['
	    ? read_bracketed(authority, size, ret)
	    : read_host_name(authority, size, ret);
}

/* Read an IPv6 address in brackets; refuse a zone, which is local. */
static int
read_bracketed(const char *text, size_t n, struct host *ret)
{
	char address[IP_ADDRESS_TEXT_SIZE];

	if (n < 2 || text[n - 1] != ']' || n - 2 >= sizeof(address))
		return -1;
	memcpy(address, text + 1, n - 2);
	address[n - 2] = '\0';
	ret->address = true;
	return strchr(address, ':') == NULL
	    ? -1
	    : ip_address_parse(address, &ret->ad);
}

static int
read_host_name(const char *text, size_t n, struct host *ret)
{
	int r;

	if (!is_host_name(text, n))
		return -1;
	ret->text = text;
	ret->size = text[n - 1] == '.' ? n - 1 : n;
	r = ip_address_parse_host(text, n, &ret->ad);
	ret->address = r == 1;
	return r == -1 ? -1 : 0;
}

static bool
is_port(const char *text, size_t n)
{
	unsigned port = 0;
	size_t i;

	if (n == 0 || n > PORT_DIGITS || strspn(text, DIGITS) < n)
		return false;
	for (i = 0; i < n; i++)
		port = 10 * port + (unsigned)(text[i] - '0');
	return port >= 1 && port <= PORT_MAX;
}

/* Whether text is labels of [A-Za-z0-9_-] with dots, also one at the end. */
static bool
is_host_name(const char *text, size_t n)
{
	static const char word[] = LETTERS DIGITS "-_";
	size_t i, size;

	if (n == 0 || n > HOST_MAX)
		return false;
	for (i = 0; i < n; i += size + 1) {
		size = strspn(text + i, word);
		if (size == 0 || size > LABEL_MAX || text[i] == '-' ||
		    text[i + size - 1] == '-' ||
		    (i + size < n && text[i + size] != '.'))
			return false;
	}
	return true;
}

/* Whether a host is certainly this machine or in its network. */
static bool
is_local(const struct host *host)
{
	static const char local[] = "localhost";
	const size_t n = sizeof(local) - 1;
	const char *tail;

	if (host->address)
		return !ip_address_outside(&host->ad);
	if (host->size < n)
		return false;
	tail = host->text + host->size - n;
	return strncasecmp(tail, local, n) == 0 &&
	    (host->size == n || tail[-1] == '.');
}
