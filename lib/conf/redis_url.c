/* SPDX-License-Identifier: ISC */
/* What a REDIS_URL says. */
#include "config.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/conf/redis_url.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#define PORT "6379"
#define PORT_MAX 65535
#define DB_MAX 2147483647

/* A piece of the text. */
struct url_piece {
	const char *pi_text;
	size_t pi_size;
};

static int parse_user(
    struct url_piece p, struct redis_url *ret, const char **ret_why);
static int parse_socket(struct url_piece host, const char *rest,
    struct redis_url *ret, const char **ret_why);
static int parse_host(struct url_piece host, const char *rest,
    struct redis_url *ret, const char **ret_why);
static int parse_port(const char *text, size_t size, struct redis_url *ret);
static int parse_db(const char *text, struct redis_url *ret);
static int number(const char *text, size_t size, long long min, long long max,
    char *ret, size_t ret_size);
static int decode(struct url_piece p, char *ret, size_t ret_size);
static bool is_name(const char *host);
static int refuse(const char **ret_why, const char *why);

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
		return refuse(
		    ret_why, "must begin with redis://, rediss:// or unix://");
	ret->ru_tls = schemes[i].tls;

	/* What stands before the path, and in it before the last "@". */
	host.pi_text = text + n;
	host.pi_size = strcspn(host.pi_text, "/?");
	rest = host.pi_text + host.pi_size;
	if ((at = memrchr(host.pi_text, '@', host.pi_size)) != NULL) {
		user.pi_text = host.pi_text;
		user.pi_size = (size_t)(at - user.pi_text);
		if (parse_user(user, ret, ret_why) == -1)
			return -1;
		host.pi_text = at + 1;
		host.pi_size = (size_t)(rest - host.pi_text);
	}
	return schemes[i].socket ? parse_socket(host, rest, ret, ret_why)
				 : parse_host(host, rest, ret, ret_why);
}

/* [user]:password */
static int
parse_user(struct url_piece p, struct redis_url *ret, const char **ret_why)
{
	const char *colon = memchr(p.pi_text, ':', p.pi_size);
	struct url_piece password;

	if (colon == NULL || colon + 1 == p.pi_text + p.pi_size)
		return refuse(
		    ret_why, "has no password before the @ ([user]:password@)");
	password.pi_text = colon + 1;
	password.pi_size = (size_t)(p.pi_text + p.pi_size - password.pi_text);
	p.pi_size = (size_t)(colon - p.pi_text);
	if (decode(p, ret->ru_user, sizeof(ret->ru_user)) == -1 ||
	    decode(password, ret->ru_password, sizeof(ret->ru_password)) == -1)
		return refuse(ret_why,
		    "has a user or password that is too long or not "
		    "percent-encoded as it should be");
	return 0;
}

/* /path[?db=n], with nothing before it. */
static int
parse_socket(struct url_piece host, const char *rest, struct redis_url *ret,
    const char **ret_why)
{
	struct url_piece path = { rest, strcspn(rest, "?") };

	if (host.pi_size != 0 || path.pi_size < 2)
		return refuse(
		    ret_why, "must name a socket by its absolute path");
	if (decode(path, ret->ru_path, sizeof(ret->ru_path)) == -1)
		return refuse(ret_why,
		    "has a path that is longer than 107 bytes or not "
		    "percent-encoded as it should be");
	rest += path.pi_size;
	if (*rest == '\0')
		return 0;
	if (strncmp(rest, "?db=", 4) != 0)
		return refuse(
		    ret_why, "has a parameter other than db after the path");
	if (parse_db(rest + 4, ret) == -1)
		return refuse(ret_why, "has a db that is no whole number");
	return 0;
}

/* host[:port], then [/db]. */
static int
parse_host(struct url_piece host, const char *rest, struct redis_url *ret,
    const char **ret_why)
{
	static const char neither[] =
	    "has a host that is neither a name nor an address";
	const size_t bracket = host.pi_size > 0 && *host.pi_text == '[';
	const char *end = host.pi_text + host.pi_size, *stop;
	struct in6_addr any;

	stop = memchr(host.pi_text, bracket ? ']' : ':', host.pi_size);
	if (bracket && stop == NULL)
		return refuse(ret_why, neither);
	if (stop == NULL)
		stop = end;
	host.pi_text += bracket;
	host.pi_size = (size_t)(stop - host.pi_text);
	if (host.pi_size == 0 || host.pi_size >= sizeof(ret->ru_host))
		return refuse(ret_why, "has no host, or too long a one");
	memcpy(ret->ru_host, host.pi_text, host.pi_size);
	ret->ru_numeric =
	    inet_pton(bracket ? AF_INET6 : AF_INET, ret->ru_host, &any) == 1;
	if (!ret->ru_numeric && (bracket || !is_name(ret->ru_host)))
		return refuse(ret_why, neither);
	stop += bracket;
	if (parse_port(stop, (size_t)(end - stop), ret) == -1)
		return refuse(ret_why, "has a port that is not 1 to 65535");
	if (strchr(rest, '?') != NULL)
		return refuse(ret_why, "has parameters, which mean nothing");
	if (*rest == '/' && rest[1] != '\0' && parse_db(rest + 1, ret) == -1)
		return refuse(ret_why, "has a db that is no whole number");
	return 0;
}

/* [:port] */
static int
parse_port(const char *text, size_t size, struct redis_url *ret)
{
	if (size == 0) {
		memcpy(ret->ru_port, PORT, sizeof(PORT));
		return 0;
	}
	if (*text != ':')
		return -1;
	return number(text + 1, size - 1, 1, PORT_MAX, ret->ru_port,
	    sizeof(ret->ru_port));
}

static int
parse_db(const char *text, struct redis_url *ret)
{
	return number(
	    text, strlen(text), 0, DB_MAX, ret->ru_db, sizeof(ret->ru_db));
}

/* Copy digits that make a number from min to max. */
static int
number(const char *text, size_t size, long long min, long long max, char *ret,
    size_t ret_size)
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

/* Take the %XX out of a piece; -1: a bad one, a NUL, or no room. */
static int
decode(struct url_piece p, char *ret, size_t ret_size)
{
	char hex[3] = "";
	size_t i, n = 0;
	char c;

	for (i = 0; i < p.pi_size; i++) {
		c = p.pi_text[i];
		if (c == '%') {
			if (i + 2 >= p.pi_size ||
			    !isxdigit((unsigned char)p.pi_text[i + 1]) ||
			    !isxdigit((unsigned char)p.pi_text[i + 2]))
				return -1;
			memcpy(hex, p.pi_text + i + 1, 2);
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

/* Letters, digits and what else stands in names of hosts. */
static bool
is_name(const char *host)
{
	for (; *host != '\0'; host++)
		if (!isalnum((unsigned char)*host) &&
		    strchr("._-", *host) == NULL)
			return false;
	return true;
}

static int
refuse(const char **ret_why, const char *why)
{
	*ret_why = why;
	return -1;
}
