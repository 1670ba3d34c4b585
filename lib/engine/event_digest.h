/* SPDX-License-Identifier: ISC */
/* A short keyed hash of an event: whether two are the same. */
#ifndef LIB_ENGINE_EVENT_DIGEST_H
#define LIB_ENGINE_EVENT_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct event;

#define EVENT_DIGEST_KEY_SIZE ((size_t)32)

/*
 * The digest of an event in its normal form: the order of members, the
 * spelling of numbers, addresses and codes, and fields that are ignored make
 * no difference.  56 bits of an HMAC-SHA256, and the version of the normal
 * form.  a is scratch, and is left as it was.  Never 0, unless the arena is
 * full.
 */
int64_t event_digest(const uint8_t key[EVENT_DIGEST_KEY_SIZE], struct arena *a,
    const struct event *ev);

/*
 * Whether two digests are of different events.  One of another version of the
 * normal form, or 0 (there is none), says nothing: the answer is false.
 */
bool event_digest_differs(int64_t a, int64_t b);

#endif
