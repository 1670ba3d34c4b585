/* SPDX-License-Identifier: ISC */
/* API keys verified recently, for use while the database is unreachable. */
#ifndef LIB_SHARED_APIKEY_CACHE_H
#define LIB_SHARED_APIKEY_CACHE_H

#include <stdint.h>

#include "lib/sys/crypt.h"

struct shm;

#define APIKEY_CACHE_TRUST_S 300 /* then a revoked key is refused */

/*
 * Store that the key with this hash was valid at ticks (of clock_ticks()), with
 * these scopes (bits, 1 to 255).  left is the time from then until the key
 * expires, in microseconds, or INT64_MAX.  Do nothing if the table is full of
 * trusted keys.
 */
void apikey_cache_put(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE],
    unsigned scopes, int64_t left, int64_t ticks);

/* Remove a key that is not valid. */
void apikey_cache_drop(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE]);

/*
 * The scopes of a key that was valid within the APIKEY_CACHE_TRUST_S seconds
 * before ticks and has not expired since; else 0.
 */
unsigned apikey_cache_scopes(
    struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE], int64_t ticks);

#endif
