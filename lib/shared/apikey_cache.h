/* SPDX-License-Identifier: ISC */
/* API keys that were verified lately, for while the database is away. */
#ifndef LIB_SHARED_APIKEY_CACHE_H
#define LIB_SHARED_APIKEY_CACHE_H

#include <stdint.h>

#include "lib/sys/crypt.h"

struct shm;

#define APIKEY_CACHE_TRUST_S                                                   \
	300 /* a revoked key is refused after this at last */

/*
 * Remember that the key of this hash was found to be good at ticks, a moment
 * of clock_ticks(), with these scopes (bits, 1 to 255).  left is how long the
 * key itself lasts, in microseconds from then, or INT64_MAX.  Nothing happens
 * when the table is full of keys that are known.
 */
void apikey_cache_put(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE],
    unsigned scopes, int64_t left, int64_t ticks);

/* Forget a key that was found to be no good. */
void apikey_cache_drop(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE]);

/*
 * The scopes of a key that was found to be good in the APIKEY_CACHE_TRUST_S
 * seconds before ticks and has not expired since, else 0.
 */
unsigned apikey_cache_scopes(
    struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE], int64_t ticks);

#endif
