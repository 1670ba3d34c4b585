/* SPDX-License-Identifier: ISC */
/* Budgets: fixed windows of a UTC minute, for a host or, by Redis, several. */
#ifndef FCGI_HTTP_RATE_LIMIT_H
#define FCGI_HTTP_RATE_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/crypt.h"

struct shm;
struct worker;

enum rate_limit_kind {
	LIMIT_KEY = 1, /* requests by API key; the hash is the key's SHA-256 */
	LIMIT_LABELS, /* labels by API key, likewise */
	LIMIT_LOGIN, /* logins by client address; the hash is
		      * rate_limit_address()'s
		      */
	LIMIT_KIND__MAX
};

/* How a request stands with its budget. */
struct rate_limit_result {
	bool allowed;
	int64_t limit;
	int64_t remaining; /* after this request */
	int64_t retry_after; /* seconds to the next minute, at least 1 */
};

/*
 * Whether this API key has been seen by rate_limit_take() and not been pushed
 * out since, that is, whether it has been verified on this host before.
 */
bool rate_limit_known(
    const struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE]);

/*
 * Take one request out of a budget of limit a minute.  But for LIMIT_LOGIN
 * the caller has verified the key, now or before (rate_limit_known()): a slot
 * made for whatever a stranger sends would let strangers fill the table.  The
 * count is exact however many processes take at once.  The table of keys
 * refuses when it has no room: a budget may be granted short, never beyond. The
 * table of logins, which strangers can fill from enough addresses, gives the
 * new address the slot of the one that used the least, so that it refuses
 * nobody for what others do.
 *
 * With Redis the count is that of all hosts, and so is the clock.  While it
 * does not answer, this host counts alone, on from what it took itself.
 */
void rate_limit_take(struct worker *w, enum rate_limit_kind kind,
    const uint8_t hash[CRYPT_SHA256_SIZE], int64_t now, int64_t limit,
    struct rate_limit_result *ret);

/* How the Redis that holds the budgets is. */
enum rate_limit_redis {
	LIMIT_SKIPPED = 1,
	LIMIT_OK,
	LIMIT_DOWN,
	LIMIT_REDIS__MAX
};

/*
 * Take from a budget of nobody's, to see whether Redis counts: one that only
 * answers a PING may be full, or a replica.
 */
enum rate_limit_redis rate_limit_redis(struct worker *w);

/*
 * The hash of a client address under a secret that all hosts have, so that no
 * address is stored, neither here nor in Redis; an IPv6 client is its /64,
 * because it owns all of it.
 */
void rate_limit_address(
    const char *secret, const char *address, uint8_t ret[CRYPT_SHA256_SIZE]);

#endif
