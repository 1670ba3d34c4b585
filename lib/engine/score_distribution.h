/* SPDX-License-Identifier: ISC */
/* The scores of two windows of days, as analytics have counted them. */
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

#define SCORE_DISTRIBUTION_DAYS                                                \
	7 /* of the window, where nobody asks for others */
#define SCORE_DISTRIBUTION_REFERENCE 28 /* of the reference before it */

/* Which days: a window, and the reference that ends where it begins. */
struct score_distribution_days {
	const char *until; /* last day, "2026-11-20"; NULL is yesterday */
	int64_t days;
	int64_t reference;
};

/* UTC days, the first and the last. */
struct score_distribution_span {
	const char *first;
	const char *last;
};

/* What was counted in both. */
struct score_distribution {
	struct score_distribution_days days;
	struct score_distribution_span window;
	struct score_distribution_span reference;
	struct drift_scores recent[EVENT_TYPE__MAX]; /* of the window */
	struct drift_scores before[EVENT_TYPE__MAX]; /* of the reference */
};

/*
 * Read the scores of all event types, by two late statements, the days' texts
 * into arena a.  Returns 0, or -1 with f set.
 */
int score_distribution_read(struct db *db, struct arena *a,
    const struct score_distribution_days *days, struct score_distribution *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * The population stability index of an event type's scores into *ret.  Returns
 * false, with *ret 0, where a window has too few of them.
 */
bool score_distribution_psi(
    const struct score_distribution *po, enum event_type type, double *ret);

/* Begin a JSON object with the two days; who calls goes on and ends it. */
void score_distribution_span_json(
    struct str *s, const struct score_distribution_span *span);

#endif
