/* SPDX-License-Identifier: ISC */
/* API keys verified recently, for use while the database is unreachable. */
#include "config.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/shared/apikey_cache.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"

#define CHECK_BITS 24
#define UNTIL_BITS 32 /* in seconds: longer than any machine runs */
#define SCOPE_BITS 8

/*
 * The members of a slot change one after the other.  key holds 64 bits of a
 * hash; word holds 24 other bits of the same hash, the time until which the key
 * is trusted, and its scopes.  If a slow writer stores word after another key
 * took the slot, the 24 bits differ, and the slot matches no key.
 */
static struct hash_slot *find_slot(struct shm *shm, const uint8_t *hash);
static bool key_has_expired(uint64_t good, uint64_t now);
static uint64_t check_of(const uint8_t *hash);
static uint64_t until_of(uint64_t good);

void
apikey_cache_put(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE],
    unsigned scopes, int64_t left, int64_t ticks)
{
	const uint64_t now = (uint64_t)(ticks / CLOCK_SECOND);
	uint64_t good, until = now + APIKEY_CACHE_TRUST_S;
	struct hash_slot *kn;

	assert(scopes > 0 && scopes < 1 << SCOPE_BITS);
	if (left < APIKEY_CACHE_TRUST_S * CLOCK_SECOND)
		until = now + (uint64_t)(left < 0 ? 0 : left / CLOCK_SECOND);
	kn = hash_slot_claim(
	    shm->apikeys, SHM_KEYS, hash_slot_key(hash), key_has_expired, now);
	if (kn == NULL)
		return;
	good = check_of(hash) << (UNTIL_BITS + SCOPE_BITS) |
	    until << SCOPE_BITS | scopes;

	/* This changes once a second: do not write more often what all read. */
	if (atomic_load(&kn->word) != good)
		atomic_store(&kn->word, good);
}

void
apikey_cache_drop(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE])
{
	struct hash_slot *kn;

	/* Two workers that stored the key at once may have used two slots. */
	while ((kn = find_slot(shm, hash)) != NULL) {
		atomic_store(&kn->word, 0);
		atomic_store(&kn->key, 0);
	}
}

unsigned
apikey_cache_scopes(
    struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE], int64_t ticks)
{
	const struct hash_slot *kn = find_slot(shm, hash);
	const uint64_t good = kn == NULL ? 0 : atomic_load(&kn->word);

	if (good >> (UNTIL_BITS + SCOPE_BITS) != check_of(hash) ||
	    until_of(good) <= (uint64_t)(ticks / CLOCK_SECOND))
		return 0;
	return (unsigned)(good & ((1 << SCOPE_BITS) - 1));
}

/* Find the slot of a key; NULL: none. */
static struct hash_slot *
find_slot(struct shm *shm, const uint8_t *hash)
{
	return hash_slot_find(shm->apikeys, SHM_KEYS, hash_slot_key(hash));
}

static bool
key_has_expired(uint64_t good, uint64_t now)
{
	return until_of(good) <= now;
}

/* 24 other bits of the hash, never 0. */
static uint64_t
check_of(const uint8_t *hash)
{
	uint64_t check;

	memcpy(&check, hash + sizeof(check), sizeof(check));
	check &= (1 << CHECK_BITS) - 1;
	return check == 0 ? 1 : check;
}

static uint64_t
until_of(uint64_t good)
{
	return good >> SCOPE_BITS & ((UINT64_C(1) << UNTIL_BITS) - 1);
}
