/* SPDX-License-Identifier: ISC */
/* The distributions of scores in two windows of days, from analytics. */
#ifndef LIB_ENGINE_SCORE_DISTRIBUTION_H
#define LIB_ENGINE_SCORE_DISTRIBUTION_H

#include <stdbool.h>
#include <stdint.h>

#include "core/analyse/drift.h"
#include "core/event/event.h"

struct arena;
struct db;
struct fail;
struct str;

#define SCORE_DISTRIBUTION_DAYS 7 /* days of the window by default */
#define SCORE_DISTRIBUTION_REFERENCE 28 /* days of the reference by default */

/* The days: a window, and the reference that ends where it begins. */
struct score_distribution_days {
	const char *until; /* last day, "2026-11-20"; NULL: yesterday */
	int64_t days;
	int64_t reference;
};

/* The first and the last day, UTC. */
struct score_distribution_span {
	const char *first;
	const char *last;
};

/* The counts of both windows. */
struct score_distribution {
	struct score_distribution_days days;
	struct score_distribution_span window;
	struct score_distribution_span reference;
	struct drift_scores recent[EVENT_TYPE__MAX]; /* of the window */
	struct drift_scores before[EVENT_TYPE__MAX]; /* of the reference */
};

/*
 * Read the scores of all event types with two late statements; the texts of the
 * days are in arena a.  Returns 0, or -1 with f set.
 */
int score_distribution_read(struct db *db, struct arena *a,
    const struct score_distribution_days *days, struct score_distribution *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Compute the population stability index of an event type.  Returns false with
 * *ret 0 if a window has too few scores.
 */
bool score_distribution_psi(
    const struct score_distribution *po, enum event_type type, double *ret);

/* Begin a JSON object with the two days; the caller ends it. */
void score_distribution_span_json(struct str *s, const char *name,
    const struct score_distribution_span *span);

#endif
