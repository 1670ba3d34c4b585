/* SPDX-License-Identifier: ISC */
/* Budgets per UTC minute: of one host or, with Redis, of all hosts. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/access/rate_limit.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/redis_url.h"
#include "lib/net/redis.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define MINUTE (60 * CLOCK_SECOND)
#define COUNT_BITS 31
#define COUNT_MASK ((UINT64_C(1) << COUNT_BITS) - 1)
#define ADDRESS_LABEL "assay login budget\n"
#define NAME_SIZE 64 /* of a Redis key */
#define NAME_BYTES 16 /* of the hash in a Redis key */
#define PROBE_MAX 2147483647

/*
 * How a window works.  The word of its slot has the minute above COUNT_BITS
 * bits of count, and changes by compare-and-swap only, so that no request is
 * lost or counted twice.  A slot of a past minute may be given to another key.
 * A worker that has counted checks the slot's key again: if the slot was given
 * away meanwhile, the new owner has lost one request, and the worker counts
 * again in another slot.  If two workers see a key for the first time at the
 * moment at which an earlier slot of its probe sequence expires, they may use
 * two slots for one minute; from then on the earlier slot counts.
 */
static void take_local(struct shm *shm, enum rate_limit_kind kind,
    const uint8_t hash[CRYPT_SHA256_SIZE], int64_t now, int64_t limit,
    struct rate_limit_result *ret);
static int take_redis(struct worker *w, const char *name, int64_t limit,
    int64_t *ret_count, int64_t *ret_left);
static struct hash_slot *least_used(
    struct hash_slot *table, size_t size, uint64_t key, uint64_t minute);
static bool window_has_ended(uint64_t use, uint64_t minute);
static bool take_from_window(
    struct hash_slot *w, uint64_t minute, uint64_t limit, uint64_t *ret_count);

/*
 * Count one request in Redis.  The clock of Redis decides, so that hosts with
 * different clocks count in the same minute.  The key expires at the end of the
 * minute.  Refused requests are not counted, so that a raised limit takes
 * effect at once.  Each run writes, a refusal the time that the key has, so
 * that a replica never answers.
 */
static const char script[] =
    "local now = tonumber(redis.call('TIME')[1])\n"
    "local left = 60 - now % 60\n"
    "local n = tonumber(redis.call('GET', KEYS[1]) or '0')\n"
    "if n >= tonumber(ARGV[1]) then\n"
    "  n = 0\n"
    "else\n"
    "  n = redis.call('INCR', KEYS[1])\n"
    "end\n"
    "if n <= 1 then\n"
    "  redis.call('PEXPIREAT', KEYS[1], (now + left) * 1000 - 1)\n"
    "end\n"
    "return { n, left }\n";

/* The part of the Redis key for each kind. */
static const char *const redis_names[LIMIT_KIND__MAX] = {
	[LIMIT_KEY] = "key",
	[LIMIT_LABELS] = "label",
	[LIMIT_LOGIN] = "login",
};

bool
rate_limit_known(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE])
{
	return hash_slot_find(shm->key, SHM_KEYS, hash_slot_key(hash)) != NULL;
}

void
rate_limit_take(struct worker *w, enum rate_limit_kind kind,
    const uint8_t hash[CRYPT_SHA256_SIZE], int64_t now, int64_t limit,
    struct rate_limit_result *ret)
{
	char name[NAME_SIZE], hex[2 * NAME_BYTES + 1];
	int64_t count, left;

	/*
	 * Count on this host too, so that it can continue without Redis at any
	 * time.
	 */
	take_local(w->shm, kind, hash, now, limit, ret);
	if (w->redis == NULL)
		return;
	crypt_hex(hash, NAME_BYTES, hex);
	snprintf(
	    name, sizeof(name), "assay:limit:%s:%s", redis_names[kind], hex);
	if (take_redis(w, name, limit, &count, &left) == -1)
		return;
	ret->allowed = count > 0;
	ret->remaining = ret->allowed ? limit - count : 0;
	ret->retry_after = left;
}

enum rate_limit_redis
rate_limit_redis(struct worker *w)
{
	int64_t count, left;

	if (w->redis == NULL)
		return LIMIT_SKIPPED;
	/* The key of a probe, which no caller has. */
	if (take_redis(w, "assay:limit:nobody", PROBE_MAX, &count, &left) == -1)
		return LIMIT_DOWN;
	return LIMIT_OK;
}

void
rate_limit_address(
    const char *secret, const char *address, uint8_t ret[CRYPT_SHA256_SIZE])
{
	uint8_t key[CRYPT_SHA256_SIZE];
	char v4[INET_ADDRSTRLEN];
	struct in6_addr v6;
	const bool is_v6 = inet_pton(AF_INET6, address, &v6) == 1;

	crypt_hmac(secret, strlen(secret), ADDRESS_LABEL,
	    sizeof(ADDRESS_LABEL) - 1, key);
	if (is_v6 && IN6_IS_ADDR_V4MAPPED(&v6))
		address = inet_ntop(AF_INET, &v6.s6_addr[12], v4, sizeof(v4));
	if (is_v6 && !IN6_IS_ADDR_V4MAPPED(&v6))
		crypt_hmac(key, sizeof(key), &v6, 8, ret);
	else
		crypt_hmac(key, sizeof(key), address, strlen(address), ret);
}

/* Count a request in the windows of this host. */
static void
take_local(struct shm *shm, enum rate_limit_kind kind,
    const uint8_t hash[CRYPT_SHA256_SIZE], int64_t now, int64_t limit,
    struct rate_limit_result *ret)
{
	struct hash_slot *table = kind == LIMIT_LOGIN ? shm->login : shm->key;
	const size_t size = kind == LIMIT_LOGIN ? SHM_LOGINS : SHM_KEYS;
	const uint64_t minute = (uint64_t)(now / MINUTE);
	/* The labels of a key have their own slot. */
	const uint64_t key = hash_slot_key(
	    kind == LIMIT_LABELS ? hash + sizeof(uint64_t) : hash);
	uint64_t count = 0;
	struct hash_slot *w;

	assert(kind > 0 && kind < LIMIT_KIND__MAX);
	ret->limit = limit;
	ret->allowed = false;
	do {
		w = hash_slot_claim(table, size, key, window_has_ended, minute);
		if (w == NULL && kind == LIMIT_LOGIN)
			w = least_used(table, size, key, minute);
		if (w == NULL)
			break;
		ret->allowed =
		    take_from_window(w, minute, (uint64_t)limit, &count);
	} while (atomic_load(&w->key) != key);
	ret->remaining = ret->allowed ? limit - (int64_t)count : 0;
	ret->retry_after =
	    (MINUTE - now % MINUTE + CLOCK_SECOND - 1) / CLOCK_SECOND;
}

/*
 * Count a request in Redis: the number of requests in this minute (0: the limit
 * was reached) and the seconds to the next minute.  Log the first failure and
 * the first success after failures.
 */
static int
take_redis(struct worker *w, const char *name, int64_t limit,
    int64_t *ret_count, int64_t *ret_left)
{
	struct redis_integer integers[] = {
		{ .min = 0, .max = limit },
		{ .min = 1, .max = MINUTE / CLOCK_SECOND },
	};
	struct fail f = { 0 };
	const enum redis_got got = redis_eval(
	    w->redis, script, name, limit, integers, nitems(integers), &f);
	const struct redis_server *server = redis_last_server(w->redis);
	const bool answered = got < REDIS_LOST;

	metric_add(w->slot, METRIC_ID_REDIS,
	    answered ? 0 : (got == REDIS_AWAY ? 2 : 1), 0, 1);
	if (got == REDIS_LOST)
		log_error("event=redis_lost host=%s port=%s why=%s",
		    server->host, server->port, f.why);
	if (got == REDIS_MOVED)
		log_warn("event=redis_moved host=%s port=%s", server->host,
		    server->port);
	if (got == REDIS_BACK)
		log_warn("event=redis_recovered host=%s port=%s", server->host,
		    server->port);
	*ret_count = integers[0].value;
	*ret_left = integers[1].value;
	return answered ? 0 : -1;
}

/*
 * Return the slot for a key whose slots are all in use in this minute: give it
 * the slot with the lowest count.  The address that had it starts again at 0
 * with its next login.
 */
static struct hash_slot *
least_used(struct hash_slot *table, size_t size, uint64_t key, uint64_t minute)
{
	struct hash_slot *w, *least;
	uint64_t use, was;
	size_t i;

	do {
		least = &table[key % size];
		for (i = 1; i < HASH_SLOT_PROBES; i++) {
			w = &table[(key + i) % size];
			if ((atomic_load(&w->word) & COUNT_MASK) <
			    (atomic_load(&least->word) & COUNT_MASK))
				least = w;
		}
		use = atomic_load(&least->word);
		was = atomic_load(&least->key);
	} while (!atomic_compare_exchange_strong(&least->key, &was, key));

	/* A request counted meanwhile stays: the new owner has one less. */
	atomic_compare_exchange_strong(
	    &least->word, &use, minute << COUNT_BITS);
	return least;
}

/*
 * Return whether a window belongs to another minute.  A worker whose clock is a
 * moment behind uses the minute that others have begun.
 */
static bool
window_has_ended(uint64_t use, uint64_t minute)
{
	const uint64_t used = use >> COUNT_BITS;

	return used != minute && used != minute + 1;
}

/*
 * Count one request, and begin the minute if it is new.  Return whether the
 * limit allows it; then *ret_count is the count.
 */
static bool
take_from_window(
    struct hash_slot *w, uint64_t minute, uint64_t limit, uint64_t *ret_count)
{
	uint64_t was = atomic_load(&w->word), next;

	do {
		next = was;
		if (window_has_ended(was, minute))
			next = minute << COUNT_BITS;
		*ret_count = (next & COUNT_MASK) + 1;
		if (*ret_count > limit)
			return false;
	} while (!atomic_compare_exchange_weak(&w->word, &was, next + 1));
	return true;
}
