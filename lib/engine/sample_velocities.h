/* SPDX-License-Identifier: ISC */
/*
 * The velocities of samples.  If a decision did not know a velocity, it is
 * computed from the samples before, as if it had been counted then.
 */
#ifndef LIB_ENGINE_SAMPLE_VELOCITIES_H
#define LIB_ENGINE_SAMPLE_VELOCITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"
#include "core/event/placeholder.h"
#include "core/rule/rule.h"
#include "core/rule/velocity.h"
#include "lib/engine/velocity_history.h"

struct arena;
struct db;
struct fail;
struct rows;
struct sample;
struct str;

#define SAMPLE_START_SIZE 64 /* a time, as the database writes it */

/* Zeroed, nothing is computed; sample_velocities_clear() frees its memory. */
struct sample_velocities {
	struct velocity_history history; /* of those that are computed */
	char start[SAMPLE_START_SIZE]; /* from when on samples are read */
	int64_t start_at; /* the same, microseconds UTC; 0: from the first */
	int64_t requests_since; /* they have fingerprints; 0: all are stored */
	bool whole; /* no older sample is stored */
	struct placeholders placeholders;
	struct velocity_values values; /* of the current sample */

	/* For each velocity of the candidate, the samples with each. */
	struct velocity_origin {
		int64_t recorded;
		int64_t computed;
		int64_t unknown;
	} origin[RULE_VELOCITIES_MAX];
};

/*
 * Choose what is computed for the samples since a time: the velocities of the
 * rulesets that were not complete then.  A ruleset may be NULL.  If max_rows is
 * not 0, about so many of the newest decisions are read for them, but always
 * the samples since that time.  The rulesets live as long as sv.  Return 0, or
 * -1 with f set.
 */
int sample_velocities_choose(struct sample_velocities *sv,
    const struct ruleset *const rulesets[], size_t n, const char *since,
    int64_t max_rows, struct db *db, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/* Whether any is computed. */
bool sample_velocities_any(const struct sample_velocities *sv);

/* Whether one of these reads the fingerprint, which only requests have. */
bool sample_velocities_fingerprint(const struct sample_velocities *sv);

/*
 * Open the cursor "backtest" of the samples of all types in the order of their
 * times.  The column "tested" is true for those of the type since that time.
 * Return 0, or -1 with f set.
 */
int sample_velocities_open(const struct sample_velocities *sv,
    enum event_type type, const char *since, struct db *db, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Set the velocities of a sample that was read from a row of these, if it is
 * tested, and count it for those that follow.  Return 0, or -1 with f set.
 */
int sample_velocities_next(struct sample_velocities *sv, struct sample *sample,
    const struct rows *rows, int row, bool tested, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* Count where the candidate's values of a sample came from. */
void sample_velocities_note(struct sample_velocities *sv,
    const struct ruleset *candidate, const struct sample *sample);

/*
 * Append the member velocities, with the numbers of samples of each velocity of
 * the candidate.
 */
void sample_velocities_json(struct str *s, const struct sample_velocities *sv,
    const struct ruleset *candidate);

void sample_velocities_clear(struct sample_velocities *sv);

#endif
