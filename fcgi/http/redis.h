/* SPDX-License-Identifier: ISC */
/* Redis, where it may not cost more than its time: one connection a worker. */
#ifndef FCGI_HTTP_REDIS_H
#define FCGI_HTTP_REDIS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct fail;
struct redis;

/* What became of a call. */
enum redis_got {
	REDIS_ANSWERED = 1,
	REDIS_BACK, /* an answer, the first since Redis was lost */
	REDIS_LOST, /* no answer, and nobody of this host knew it before */
	REDIS_FAILED, /* no answer again */
	REDIS_AWAY, /* not tried: Redis was lost a moment ago */
	REDIS_GOT__MAX
};

/*
 * Prepare to talk to the Redis of url (redis_url_parse() takes it) without
 * talking yet.  ca_file holds the certificates that rediss:// trusts, NULL:
 * the system's.  No call takes longer than timeout, in microseconds, whether
 * it finds a connection or has to make one.
 *
 * The breaker is what the workers of a host know together, in the shared
 * region: 0 while Redis answers, else the clock_ticks() until which nobody
 * tries it; then one does, for all.  It and the strings must outlive the
 * whole.  Returns NULL with f set when there is no memory, or no Redis in
 * this build.
 */
struct redis *redis_open(const char *url, const char *ca_file, int64_t timeout,
    _Atomic int64_t *breaker, struct fail *f);

/* Close it; NULL is harmless. */
void redis_close(struct redis *r);

/*
 * Run a script there, with one key and one argument, in one round trip; it
 * answers n integers, written to ret.  Anything else fails the call: no
 * connection, no answer in time, an error of Redis.  The call is not
 * repeated: Redis may have run it, or still run it.  f->why then names the
 * reason and holds no secret.
 */
enum redis_got redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, int64_t *ret, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

#endif
