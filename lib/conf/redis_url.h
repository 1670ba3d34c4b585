/* SPDX-License-Identifier: ISC */
/* Parse REDIS_URL. */
#ifndef LIB_CONF_REDIS_URL_H
#define LIB_CONF_REDIS_URL_H

#include <stdbool.h>

#define REDIS_URL_HOST_SIZE 254
#define REDIS_URL_PATH_SIZE 108 /* as in struct sockaddr_un */
#define REDIS_URL_SECRET_SIZE 513

struct redis_url {
	char host[REDIS_URL_HOST_SIZE]; /* name or address; "": path */
	char path[REDIS_URL_PATH_SIZE]; /* of a unix socket */
	char port[6];
	char user[REDIS_URL_SECRET_SIZE]; /* "": the default user */
	char password[REDIS_URL_SECRET_SIZE]; /* "": none */
	char db[11]; /* decimal; "": the first */
	bool tls;
	bool numeric; /* host is an address */
};

/*
 * Read redis://, rediss:// (TLS) or unix:// into *ret:
 *
 * 	redis://[[user]:password@]host[:port][/db]
 * 	unix://[[user]:password@]/path[?db=n]
 *
 * User, password and path may be percent-encoded; an IPv6 address is in
 * brackets.  Returns 0, or -1 with a reason in *ret_why that completes a
 * sentence about the URL.  The reason never shows the URL, which may have a
 * password.
 */
int redis_url_parse(const char *text, struct redis_url *ret,
    const char **ret_why) __attribute__((warn_unused_result));

#endif
