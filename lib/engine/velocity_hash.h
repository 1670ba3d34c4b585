/* SPDX-License-Identifier: ISC */
/* Keyed hashes of what velocities store: no key or value is stored itself. */
#ifndef LIB_ENGINE_VELOCITY_HASH_H
#define LIB_ENGINE_VELOCITY_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/rule/velocity.h"
#include "lib/engine/event_digest.h"

struct arena;
struct fail;

#define VELOCITY_HASH_SIZE ((size_t)16) /* of a part of a key */
#define VELOCITY_KEY_SIZE (VELOCITY_KEYS_MAX * VELOCITY_HASH_SIZE)

/*
 * Compute the key of an event, n_keys parts of VELOCITY_HASH_SIZE bytes each,
 * with the key of event digests.  The function velocity_hash() of
 * sql/functions/velocities.sql computes the same.  *ret_has is false if the
 * event lacks a part.  a is scratch and is rewound.  Return 0, or -1 if it is
 * full.
 */
int velocity_hash_key(const uint8_t key[EVENT_DIGEST_KEY_SIZE],
    const struct velocity *v, const struct velocity_event *ev, struct arena *a,
    uint8_t ret[VELOCITY_KEY_SIZE], bool *ret_has)
    __attribute__((warn_unused_result));

/*
 * Compute the hash of the value that an item adds to "distinct"; it is 0 with
 * other functions.  a is scratch and is rewound.  Return 0, or -1 with f set
 * if it is full.
 */
int velocity_hash_item(const uint8_t key[EVENT_DIGEST_KEY_SIZE],
    const struct velocity *v, const struct velocity_item *item, struct arena *a,
    uint64_t *ret, struct fail *f) __attribute__((warn_unused_result));

#endif
