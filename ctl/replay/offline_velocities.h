/* SPDX-License-Identifier: ISC */
/* The velocities of a history in memory, in place of the database. */
#ifndef CTL_REPLAY_OFFLINE_VELOCITIES_H
#define CTL_REPLAY_OFFLINE_VELOCITIES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/verdict.h"
#include "core/rule/velocity.h"
#include "ctl/replay/string_ids.h"

struct arena;
struct event_context;
struct fail;
struct rulebook;
struct signals;

/* Zeroed, it has none; offline_velocities_clear() frees its memory. */
struct offline_velocities {
	const struct velocity *list[VELOCITIES_MAX]; /* each id once */
	size_t n;
	struct string_ids keys;
	struct offline_state {
		void *packed;
		size_t size;
	} * states; /* by number of the key - 1 */
	size_t cap; /* of states */
	struct velocity_values values; /* of the event that is decided */
};

/*
 * Take the velocities of all rulebooks, which are by type.  Return 0, or -1
 * with f set if they have more than VELOCITIES_MAX.
 */
int offline_velocities_take(struct offline_velocities *all,
    const struct rulebook *books, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Set the values for an event in its signals, which live as long as arena a and
 * all.  Return 0, or -1 with f set.
 */
int offline_velocities_find(struct offline_velocities *all,
    const struct event_context *ctx, struct signals *sigs, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* Add a decided event.  Return 0, or -1 with f set. */
int offline_velocities_count(struct offline_velocities *all,
    const struct event_context *ctx, const struct signals *sigs,
    enum verdict verdict, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

void offline_velocities_clear(struct offline_velocities *all);

#endif
