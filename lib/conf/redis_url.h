/* SPDX-License-Identifier: ISC */
/* What a REDIS_URL says. */
#ifndef LIB_CONF_REDIS_URL_H
#define LIB_CONF_REDIS_URL_H

#include <stdbool.h>

#define REDIS_URL_HOST_SIZE 254
#define REDIS_URL_PATH_SIZE 108 /* what a socket's address holds */
#define REDIS_URL_SECRET_SIZE 513

struct redis_url {
	char host[REDIS_URL_HOST_SIZE]; /* name or address; "": path */
	char path[REDIS_URL_PATH_SIZE]; /* of a unix socket */
	char port[6];
	char user[REDIS_URL_SECRET_SIZE]; /* "": the default user */
	char password[REDIS_URL_SECRET_SIZE]; /* "": none is asked for */
	char db[11]; /* decimal; "": the first */
	bool tls;
	bool numeric; /* host is an address */
};

/*
 * Read redis://, rediss:// (TLS) or unix:// into *ret:
 *
 *	redis://[[user]:password@]host[:port][/db]
 *	unix://[[user]:password@]/path[?db=n]
 *
 * User, password and path may be percent-encoded; an IPv6 address stands in
 * brackets.  Returns 0, or -1 with *ret_why the tail of a sentence about the
 * URL, which never quotes it: it holds a password.
 */
int redis_url_parse(const char *text, struct redis_url *ret,
    const char **ret_why) __attribute__((warn_unused_result));

#endif
