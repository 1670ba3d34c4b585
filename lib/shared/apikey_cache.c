/* SPDX-License-Identifier: ISC */
/* API keys that were verified lately, for while the database is away. */
#include "config.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "lib/sys/clock.h"
#include "lib/shared/apikey_cache.h"
#include "lib/shared/shm.h"

#define PROBES ((size_t)32) /* places that a key may be in */
#define CHECK_BITS 24
#define UNTIL_BITS 32 /* in seconds: longer than any machine runs */
#define SCOPE_BITS 8

/*
 * A place is two words that change one by one, so each must be right beside
 * any value of the other: kn_key holds 64 bits of a hash, kn_good 24 others
 * of the same hash, the time until which they are trusted, and the scopes.
 * What a slow writer leaves beside somebody else's key is nobody's.
 */
static struct apikey_slot *find_slot(struct shm *shm, const uint8_t *hash);
static struct apikey_slot *make_slot(
    struct shm *shm, const uint8_t *hash, uint64_t now);
static uint64_t slot_key(const uint8_t *hash);
static uint64_t check_of(const uint8_t *hash);
static uint64_t until_of(uint64_t good);

void
apikey_cache_put(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE],
    unsigned scopes, int64_t left, int64_t ticks)
{
	const uint64_t now = (uint64_t)(ticks / CLOCK_SECOND);
	uint64_t good, until = now + APIKEY_CACHE_TRUST_S;
	struct apikey_slot *kn;

	assert(scopes > 0 && scopes < 1 << SCOPE_BITS);
	if (left < APIKEY_CACHE_TRUST_S * CLOCK_SECOND)
		until = now + (uint64_t)(left < 0 ? 0 : left / CLOCK_SECOND);
	if ((kn = find_slot(shm, hash)) == NULL &&
	    (kn = make_slot(shm, hash, now)) == NULL)
		return;
	good = check_of(hash) << (UNTIL_BITS + SCOPE_BITS) |
	    until << SCOPE_BITS | scopes;

	/* Once a second is often enough to write what all workers read. */
	if (atomic_load(&kn->good) != good)
		atomic_store(&kn->good, good);
}

void
apikey_cache_drop(struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE])
{
	struct apikey_slot *kn = find_slot(shm, hash);

	if (kn != NULL)
		atomic_store(&kn->good, 0);
}

unsigned
apikey_cache_scopes(
    struct shm *shm, const uint8_t hash[CRYPT_SHA256_SIZE], int64_t ticks)
{
	const struct apikey_slot *kn = find_slot(shm, hash);
	const uint64_t good = kn == NULL ? 0 : atomic_load(&kn->good);

	if (good >> (UNTIL_BITS + SCOPE_BITS) != check_of(hash) ||
	    until_of(good) <= (uint64_t)(ticks / CLOCK_SECOND))
		return 0;
	return (unsigned)(good & ((1 << SCOPE_BITS) - 1));
}

/* The place of a key, or NULL. */
static struct apikey_slot *
find_slot(struct shm *shm, const uint8_t *hash)
{
	const uint64_t key = slot_key(hash);
	struct apikey_slot *kn;
	size_t i;

	for (i = 0; i < PROBES; i++) {
		kn = &shm->known[(key + i) % SHM_KEYS];
		if (atomic_load(&kn->key) == key)
			return kn;
	}
	return NULL;
}

/* A place that is free or whose key is trusted no longer, or NULL. */
static struct apikey_slot *
make_slot(struct shm *shm, const uint8_t *hash, uint64_t now)
{
	const uint64_t key = slot_key(hash);
	struct apikey_slot *kn;
	uint64_t was;
	size_t i;

	for (i = 0; i < PROBES; i++) {
		kn = &shm->known[(key + i) % SHM_KEYS];
		was = atomic_load(&kn->key);
		if (was == 0 || until_of(atomic_load(&kn->good)) <= now)
			if (atomic_compare_exchange_strong(&kn->key, &was, key))
				return kn;
	}
	return NULL;
}

/* 64 bits of a hash that nobody can aim, never 0. */
static uint64_t
slot_key(const uint8_t *hash)
{
	uint64_t key;

	memcpy(&key, hash, sizeof(key));
	return key == 0 ? 1 : key;
}

/* And other bits of it, never 0 either. */
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
