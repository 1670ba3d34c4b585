/* SPDX-License-Identifier: ISC */
/* Tables of the shared region by hash, whose slots pass from key to key. */
#ifndef LIB_SHARED_HASH_SLOT_H
#define LIB_SHARED_HASH_SLOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HASH_SLOT_PROBES ((size_t)32) /* slots that a key may use */

struct hash_slot {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t word; /* what the table keeps for the key */
};

/* Take 64 bits of a hash, which no caller can choose; never 0. */
uint64_t hash_slot_key(const uint8_t *hash);

/* Find the slot of a key; NULL: none. */
struct hash_slot *hash_slot_find(
    struct hash_slot *table, size_t size, uint64_t key);

/*
 * Find the slot of a key, or give it one that is free or whose word has ended
 * at that time; NULL: none.
 */
struct hash_slot *hash_slot_claim(struct hash_slot *table, size_t size,
    uint64_t key, bool (*has_ended)(uint64_t word, uint64_t now), uint64_t now);

#endif
