/* SPDX-License-Identifier: ISC */
/* Parse REDIS_URL. */
#ifndef LIB_CONF_REDIS_URL_H
#define LIB_CONF_REDIS_URL_H

#include <stdbool.h>
#include <stddef.h>

#define REDIS_SERVERS_MAX 8
#define REDIS_URL_HOST_SIZE 254
#define REDIS_URL_PATH_SIZE 108 /* as in struct sockaddr_un */
#define REDIS_URL_SECRET_SIZE 513

/* A server, by its host and port or by its socket. */
struct redis_server {
	char host[REDIS_URL_HOST_SIZE]; /* name or address; "": path */
	char port[6]; /* "": path */
	char path[REDIS_URL_PATH_SIZE]; /* of a unix socket */
	bool numeric; /* host is an address */
};

struct redis_url {
	struct redis_server server[REDIS_SERVERS_MAX];
	size_t servers; /* at least 1 */
	char user[REDIS_URL_SECRET_SIZE]; /* "": the default user */
	char password[REDIS_URL_SECRET_SIZE]; /* "": none */
	char db[11]; /* decimal; "": the first */
	bool tls;
};

/*
 * Read redis://, rediss:// (TLS) or unix:// into *ret:
 *
 * 	redis://[[user]:password@]host[:port][,host[:port]...][/db]
 * 	unix://[[user]:password@]/path[?db=n]
 *
 * User, password and path may be percent-encoded; an IPv6 address is in
 * brackets.  All servers have the same user, password and db.  Returns 0, or -1
 * with a reason in *ret_why that completes a sentence about the URL.  The
 * reason never shows the URL, which may have a password.
 */
int redis_url_parse(const char *text, struct redis_url *ret,
    const char **ret_why) __attribute__((warn_unused_result));

#endif
