/* SPDX-License-Identifier: ISC */
/*
 * What a velocity has counted for one key: sums in buckets of a sixtieth of the
 * window, or for "distinct" the values with the bucket of the latest event.
 * All numbers are whole, so the order in which events are added makes no
 * difference.
 */
#ifndef CORE_STATE_VELOCITY_STATE_H
#define CORE_STATE_VELOCITY_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/value.h"

struct arena;
struct fail;
struct velocity;

/*
 * An event leaves its window at most one bucket late.  So a state has one
 * bucket more: the current one has only just begun.
 */
#define VELOCITY_BUCKETS 60 /* of a window */
#define VELOCITY_BUCKETS_MAX (VELOCITY_BUCKETS + 1)
#define VELOCITY_DISTINCT_MAX 256 /* different values that are counted */
#define VELOCITY_STATE_PACKED_MAX 4096 /* bytes */

/* A sum that no events of a bucket can exceed. */
__extension__ typedef __int128 velocity_sum;
__extension__ typedef unsigned __int128 velocity_squares;

struct velocity_bucket {
	int64_t index; /* time divided by the width of a bucket */
	uint64_t count;
	velocity_sum sum; /* thousandths */
	velocity_squares squares; /* their squares; at its limit: too large */
	int64_t min;
	int64_t max;
};

struct velocity_distinct {
	uint64_t hash; /* of the value */
	int64_t index; /* of the bucket of its latest event */
};

/* With "distinct" it has values, sorted by hash; otherwise buckets, by index.
 */
struct velocity_state {
	size_t n;
	union {
		struct velocity_bucket bucket[VELOCITY_BUCKETS_MAX];
		struct velocity_distinct distinct[VELOCITY_DISTINCT_MAX];
	};
};

/*
 * Unpack size bytes into *ret; 0 bytes are a state without events.  Return 0,
 * or -1 with f set if the bytes are not a state of this velocity.
 */
int velocity_state_unpack(const struct velocity *v, const void *packed,
    size_t size, struct velocity_state *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* Pack into ret[VELOCITY_STATE_PACKED_MAX], and return the size. */
size_t velocity_state_pack(
    const struct velocity *v, const struct velocity_state *st, uint8_t *ret);

/*
 * Add an event of the time at: its number in thousandths or the hash of its
 * value.  now is the latest time of all events: what has left the window then
 * is dropped, and what is later counts as of now, because the clock was ahead.
 * Of more than VELOCITY_DISTINCT_MAX values the latest are kept.
 */
void velocity_state_add(const struct velocity *v, struct velocity_state *st,
    int64_t at, int64_t now, int64_t number, uint64_t hash);

/*
 * Add the events of another state of the same velocity, which may lose those
 * that have left the window.
 */
void velocity_state_merge(const struct velocity *v, struct velocity_state *st,
    struct velocity_state *other, int64_t now);

/*
 * The value at now: a number.  Without events count, sum and distinct are 0,
 * and others unknown.  The state may lose events that have left the window.
 */
struct value velocity_state_value(
    const struct velocity *v, struct velocity_state *st, int64_t now);

/*
 * How long an event counts at most, in microseconds: the window and a bucket,
 * by which it may leave the window late.  Not of VELOCITY_ALL.
 */
int64_t velocity_span(const struct velocity *v);

/*
 * The time at which a state that was changed at now may be forgotten.  It is
 * rounded up, so that few changes change it.
 */
int64_t velocity_state_expiry(const struct velocity *v, int64_t now);

#endif
