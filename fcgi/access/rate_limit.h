/* SPDX-License-Identifier: ISC */
/* Budgets per UTC minute: of one host or, with Redis, of all hosts. */
#ifndef FCGI_ACCESS_RATE_LIMIT_H
#define FCGI_ACCESS_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

struct shm;
struct worker;

enum rate_limit_kind {
	LIMIT_KEY = 1, /* requests by API key; the hash is its SHA-256 */
	LIMIT_LABELS, /* labels by API key, with the same hash */
	LIMIT_LOGIN, /* logins by client address; the hash is
		      * rate_limit_address()'s
		      */
	LIMIT_KIND__MAX
};

/* The result of counting a request. */
struct rate_limit_result {
	bool allowed;
	int64_t limit;
	int64_t remaining; /* after this request */
	int64_t retry_after; /* seconds to the next minute, at least 1 */
};

/*
 * Return whether rate_limit_take() has seen this API key and its slot was not
 * given away since.  Then the key was verified on this host before.
 */
bool rate_limit_known(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE]);

/*
 * Count one request against a limit per minute.  Except with LIMIT_LOGIN, the
 * caller has verified the key, now or before (rate_limit_known()), because
 * slots for unverified keys would let strangers fill the table.  The count is
 * exact however many processes count at the same time.  If the table of keys is
 * full, refuse: a budget may be smaller than its limit, never larger.
 * Strangers with enough addresses can fill the table of logins, so a new
 * address then takes over the slot with the lowest count and is not refused.
 *
 * With Redis, the count and the clock are those of all hosts.  While Redis does
 * not answer, this host continues alone from its own count.
 */
void rate_limit_take(struct worker *w, enum rate_limit_kind kind,
    const uint8_t hash[CRYPT_SHA256_SIZE], int64_t now, int64_t limit,
    struct rate_limit_result *ret);

/* The state of the Redis that holds the budgets. */
enum rate_limit_redis {
	LIMIT_SKIPPED = 1,
	LIMIT_OK,
	LIMIT_DOWN,
	LIMIT_REDIS__MAX
};

/*
 * Check Redis by counting against a budget that no caller has.  A PING is not
 * enough: it succeeds also if Redis is full or a replica.
 */
enum rate_limit_redis rate_limit_redis(struct worker *w);

/*
 * Hash a client address with a secret that all hosts have, so that no address
 * is stored here or in Redis.  Hash the /64 of an IPv6 address, because one
 * client has all of it.
 */
void rate_limit_address(
    const char *secret, const char *address, uint8_t ret[CRYPT_SHA256_SIZE]);

#endif
