/* SPDX-License-Identifier: ISC */
/* The velocities of a history in memory, in place of the database. */
#ifndef LIB_ENGINE_VELOCITY_HISTORY_H
#define LIB_ENGINE_VELOCITY_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/verdict.h"
#include "core/rule/velocity.h"
#include "lib/engine/string_ids.h"

struct arena;
struct fail;
struct signals;

/*
 * Its events are found and counted in the order of their times.  Zeroed, it has
 * no velocities; velocity_history_clear() frees its memory.
 */
struct velocity_history {
	const struct velocity *list[VELOCITIES_MAX]; /* each id once */
	size_t n;
	size_t limit; /* of velocity_history_size(); 0: none */
	struct string_ids keys;
	struct history_state {
		void *packed;
		size_t size;
		int64_t expires; /* it has no events then */
	} * states; /* by number of the key - 1 */
	size_t cap; /* of states */
	size_t packed; /* bytes of all packed states */
};

/*
 * Take a velocity, which must live as long as the history, unless the history
 * already has one with its id.  Return 0, or -1 with f set if there are more
 * than VELOCITIES_MAX.
 */
int velocity_history_take(struct velocity_history *h, const struct velocity *v,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Set *ret to the values of all velocities for an event at now, in arena a.
 * Return 0, or -1 with f set.
 */
int velocity_history_find(struct velocity_history *h,
    const struct velocity_event *ev, int64_t now, const struct signals *sigs,
    struct velocity_values *ret, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Add a decided event.  At the limit, states whose events have left their
 * windows are forgotten; if the others need more than half of it, this fails
 * with INVALID_REQUEST.  Return 0, or -1 with f set.
 */
int velocity_history_count(struct velocity_history *h,
    const struct velocity_event *ev, int64_t now, const struct signals *sigs,
    enum verdict verdict, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/* The memory that it has, in bytes. */
size_t velocity_history_size(const struct velocity_history *h);

/* Forget all states, and free their memory; the velocities stay. */
void velocity_history_clear(struct velocity_history *h);

#endif
