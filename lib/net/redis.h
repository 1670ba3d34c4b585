/* SPDX-License-Identifier: ISC */
/*
 * A client of one Redis, or of several servers of which one is the primary,
 * with a time limit: one connection per worker.
 */
#ifndef LIB_NET_REDIS_H
#define LIB_NET_REDIS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct fail;
struct redis;
struct redis_server;

/* What the clients of a host share; zero at first. */
struct redis_shared {
	_Atomic int64_t retry_at; /* 0 while Redis answers, else the
				     clock_ticks() until which no client tries
				     it; then one tries for all */
	_Atomic int64_t server; /* the one that answered last, by its number */
};

/* The result of a call: answers before failures. */
enum redis_got {
	REDIS_ANSWERED = 1,
	REDIS_MOVED, /* the first answer of another server */
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
 * included.  shared and the strings must outlive the client.  Return NULL with
 * f set if memory is exhausted.
 */
struct redis *redis_open(const char *url, const char *ca_file, int64_t timeout,
    struct redis_shared *shared, struct fail *f);

/* Close the connection and free the client.  NULL is allowed. */
void redis_close(struct redis *r);

/*
 * Run a script with one key and one argument in one round trip, and read its n
 * integers.  Everything else is a failure: no connection, no answer in time, an
 * error of Redis, an integer outside its range.  Then f->why names the reason
 * and contains no secret.
 *
 * A call that must connect tries each server once, beginning with the one that
 * answered last, with an equal share of the time.  A replica refuses a script
 * that writes, so the call finds the primary.  If all fail, f says why the
 * first one did.  No server gets a call twice, because it may have run the
 * script or may still run it.
 */
enum redis_got redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, struct redis_integer *ret, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

/* The server of the last call. */
const struct redis_server *redis_last_server(const struct redis *r);

#endif
