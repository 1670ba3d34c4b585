/* SPDX-License-Identifier: ISC */
/* A short keyed hash of an event, to find out whether two are the same. */
#ifndef LIB_ENGINE_EVENT_DIGEST_H
#define LIB_ENGINE_EVENT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct db;
struct event;
struct fail;

#define EVENT_DIGEST_KEY_SIZE ((size_t)32)

/*
 * Read the key of this database, which never changes; a is scratch.  Return 0,
 * or -1 with f set.
 */
int event_digest_key_read(struct db *db, struct arena *a,
    uint8_t ret[EVENT_DIGEST_KEY_SIZE], struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Compute the digest of a normalized event.  The order of members, the notation
 * of numbers, addresses and codes, and ignored fields make no difference.  A
 * digest has 56 bits of an HMAC-SHA256 and the version of the normal form.  It
 * is 0 only if the arena is full.  a is scratch and is rewound.
 */
int64_t event_digest(const uint8_t key[EVENT_DIGEST_KEY_SIZE], struct arena *a,
    const struct event *ev);

/*
 * Whether two digests show different events.  False if one is 0 (unknown), or
 * if their versions of the normal form differ.
 */
bool event_digest_differs(int64_t a, int64_t b);

#endif
