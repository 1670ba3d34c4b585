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

#define PROBES ((size_t)32) /* slots that a key may use */
#define CHECK_BITS 24
#define UNTIL_BITS 32 /* in seconds: longer than any machine runs */
#define SCOPE_BITS 8

/*
 * A slot has two words that change one after the other.  key holds 64 bits of a
 * hash; good holds 24 other bits of the same hash, the time until which the key
 * is trusted, and its scopes.  If a slow writer stores good after another key
 * took the slot, the 24 bits differ, and the slot matches no key.
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

	/* This changes once a second: do not write more often what all read. */
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

/* Find the slot of a key; NULL: none. */
static struct apikey_slot *
find_slot(struct shm *shm, const uint8_t *hash)
{
	const uint64_t key = slot_key(hash);
	struct apikey_slot *kn;
	size_t i;

	for (i = 0; i < PROBES; i++) {
		kn = &shm->apikeys[(key + i) % SHM_KEYS];
		if (atomic_load(&kn->key) == key)
			return kn;
	}
	return NULL;
}

/* Find a slot that is free or whose key has expired; NULL: none. */
static struct apikey_slot *
make_slot(struct shm *shm, const uint8_t *hash, uint64_t now)
{
	const uint64_t key = slot_key(hash);
	struct apikey_slot *kn;
	uint64_t was;
	size_t i;

	for (i = 0; i < PROBES; i++) {
		kn = &shm->apikeys[(key + i) % SHM_KEYS];
		was = atomic_load(&kn->key);
		if (was == 0 || until_of(atomic_load(&kn->good)) <= now)
			if (atomic_compare_exchange_strong(&kn->key, &was, key))
				return kn;
	}
	return NULL;
}

/* 64 bits of the hash, never 0; callers cannot choose them. */
static uint64_t
slot_key(const uint8_t *hash)
{
	uint64_t key;

	memcpy(&key, hash, sizeof(key));
	return key == 0 ? 1 : key;
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
