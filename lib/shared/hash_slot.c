/* SPDX-License-Identifier: ISC */
/* Tables of the shared region by hash, whose slots pass from key to key. */
#include "config.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/shared/hash_slot.h"

uint64_t
hash_slot_key(const uint8_t *hash)
{
	uint64_t key;

	memcpy(&key, hash, sizeof(key));
	return key == 0 ? 1 : key;
}

struct hash_slot *
hash_slot_find(struct hash_slot *table, size_t size, uint64_t key)
{
	size_t i;

	for (i = 0; i < HASH_SLOT_PROBES; i++)
		if (atomic_load(&table[(key + i) % size].key) == key)
			return &table[(key + i) % size];
	return NULL;
}

struct hash_slot *
hash_slot_claim(struct hash_slot *table, size_t size, uint64_t key,
    bool (*has_ended)(uint64_t word, uint64_t now), uint64_t now)
{
	struct hash_slot *slot = hash_slot_find(table, size, key);
	uint64_t was;
	size_t i;

	for (i = 0; slot == NULL && i < HASH_SLOT_PROBES; i++) {
		slot = &table[(key + i) % size];
		was = atomic_load(&slot->key);
		if ((was == 0 || has_ended(atomic_load(&slot->word), now)) &&
		    atomic_compare_exchange_strong(&slot->key, &was, key))
			was = key;

		/* Another worker may have added the same key. */
		if (was != key)
			slot = NULL;
	}
	return slot;
}
