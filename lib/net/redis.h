/* SPDX-License-Identifier: ISC */
/* A client of Redis with a time limit: one connection per worker. */
#ifndef LIB_NET_REDIS_H
#define LIB_NET_REDIS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct fail;
struct redis;

/* The result of a call. */
enum redis_got {
	REDIS_ANSWERED = 1,
	REDIS_BACK, /* the first answer since Redis was lost */
	REDIS_LOST, /* the first failure on this host */
	REDIS_FAILED, /* another failure */
	REDIS_AWAY, /* not tried: Redis was lost a moment ago */
	REDIS_GOT__MAX
};

/* An integer of an answer, and what it may be. */
struct redis_integer {
	int64_t min, max, value;
};

/*
 * Make a client of the Redis at url (as redis_url_parse() reads it) without
 * connecting.  ca_file has the certificates that rediss:// trusts; NULL: those
 * of the system.  No call takes longer than timeout microseconds, connecting
 * included.
 *
 * The workers of a host share the breaker in the shared region: 0 while Redis
 * answers, else the clock_ticks() until which no worker tries it; then one
 * tries for all.  The breaker and the strings must outlive the client.  Return
 * NULL with f set if memory is exhausted.
 */
struct redis *redis_open(const char *url, const char *ca_file, int64_t timeout,
    _Atomic int64_t *breaker, struct fail *f);

/* Close the connection and free the client.  NULL is allowed. */
void redis_close(struct redis *r);

/*
 * Run a script with one key and one argument in one round trip, and read its n
 * integers.  Everything else is a failure: no connection, no answer in time, an
 * error of Redis, an integer outside its range.  Then f->why names the reason
 * and contains no secret.  A call is never repeated, because Redis may have run
 * the script or may still run it.
 */
enum redis_got redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, struct redis_integer *ret, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

#endif
