/* SPDX-License-Identifier: ISC */
/* Send and receive over TCP, TLS or a unix socket, with a deadline. */
#ifndef LIB_NET_REDIS_NET_H
#define LIB_NET_REDIS_NET_H

#include <netdb.h>
#include <openssl/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fail;
struct redis_server;
struct redis_url;

/*
 * A connection, or none.  Deadlines are times of clock_ticks().  A call that
 * misses its deadline fails; after a failure the caller closes the connection.
 * Failures are UNAVAILABLE.
 */
struct redis_net {
	const struct redis_url *url;
	const struct redis_server *server; /* of the URL */
	const char *ca_file; /* NULL: the certificates of the system */
	int fd; /* -1: not connected */
	SSL_CTX *ctx; /* made at the first use of TLS */
	SSL *ssl; /* NULL: no TLS */
	struct gaicb lookup; /* lookup of the host's name */
	bool lookup_started; /* the lookup is running */
};

/*
 * Initialize for the server of this number, without connecting.  url and
 * ca_file must outlive n.
 */
void redis_net_init(struct redis_net *n, const struct redis_url *url,
    size_t server, const char *ca_file);

/*
 * Free everything.  Return 0, or -1 if a lookup is still running: it writes to
 * n, so n must then stay allocated.
 */
int redis_net_clear(struct redis_net *n) __attribute__((warn_unused_result));

/*
 * Connect to the server, with TLS if the URL asks for it.  The lookup of a name
 * runs asynchronously: if it takes too long, this call fails and the next call
 * uses its result.  Return 0 or -1.
 */
int redis_net_open(struct redis_net *n, int64_t deadline, struct fail *f)
    __attribute__((warn_unused_result));

/* Close the connection, if any. */
void redis_net_close(struct redis_net *n);

/*
 * Return whether there is a connection with nothing to read.  Before a request,
 * readable bytes can only be the end of the connection, for example because
 * Redis was restarted.
 */
bool redis_net_idle(const struct redis_net *n);

/* Send all bytes.  Return 0 or -1. */
int redis_net_send(struct redis_net *n, const char *text, size_t size,
    int64_t deadline, struct fail *f) __attribute__((warn_unused_result));

/* Receive some bytes.  Return how many, at least 1, or -1. */
ssize_t redis_net_recv(struct redis_net *n, char *ret, size_t size,
    int64_t deadline, struct fail *f) __attribute__((warn_unused_result));

#endif
