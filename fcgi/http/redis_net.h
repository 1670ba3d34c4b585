/* SPDX-License-Identifier: ISC */
/* Bytes to and from Redis, over TCP, TLS or a unix socket, by a deadline. */
#ifndef FCGI_HTTP_REDIS_NET_H
#define FCGI_HTTP_REDIS_NET_H

#include <netdb.h>
#include <openssl/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct fail;
struct redis_url;

/*
 * A connection, or none.  Deadlines are clock_ticks(); what is not done by
 * then fails, and whoever sees a failure closes.  Failures are UNAVAILABLE.
 */
struct redis_net {
	const struct redis_url *url;
	const char *ca_file; /* NULL: the system's */
	int fd; /* -1: no connection */
	SSL_CTX *ctx; /* made when TLS is first needed */
	SSL *ssl; /* NULL: no TLS */
	struct gaicb lookup; /* of the host's name */
	bool lookup_started; /* and it has begun */
};

/* No connection yet; url and ca_file must outlive it. */
void redis_net_init(
    struct redis_net *n, const struct redis_url *url, const char *ca_file);

/*
 * Release all of it.  Returns 0, or -1 when a lookup still goes on, which
 * writes to n: it must then stay where it is.
 */
int redis_net_clear(struct redis_net *n) __attribute__((warn_unused_result));

/*
 * Connect, TLS included.  A name is looked up aside: a lookup that takes
 * longer fails this call and is there for the next.  Returns 0, or -1.
 */
int redis_net_open(struct redis_net *n, int64_t deadline, struct fail *f)
    __attribute__((warn_unused_result));

/* Hang up; harmless without a connection. */
void redis_net_close(struct redis_net *n);

/*
 * Whether there is a connection with nothing to read: before a question that
 * could only be its end, as when Redis was restarted.
 */
bool redis_net_idle(const struct redis_net *n);

/* Send all of it.  Returns 0, or -1. */
int redis_net_send(struct redis_net *n, const char *text, size_t size,
    int64_t deadline, struct fail *f) __attribute__((warn_unused_result));

/* Wait for some bytes and take them.  Returns how many, at least 1, or -1. */
ssize_t redis_net_recv(struct redis_net *n, char *ret, size_t size,
    int64_t deadline, struct fail *f) __attribute__((warn_unused_result));

#endif
