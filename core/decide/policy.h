/* SPDX-License-Identifier: ISC */
/* Policies: bands that map a score to a verdict. */
#ifndef CORE_DECIDE_POLICY_H
#define CORE_DECIDE_POLICY_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/verdict.h"

struct fail;

#define POLICY_BANDS_MAX 101 /* one per score */
#define POLICY_QUEUE_DEFAULT "risk-ops"

enum on_error { ON_ERROR_FAIL_OPEN = 1, ON_ERROR_FAIL_CLOSED, ON_ERROR__MAX };

/* Scores from min to max, both included, get the verdict. */
struct band {
	enum verdict verdict;
	double min;
	double max;
	const char *queue; /* review queue, NULL for the default */
};

struct policy {
	const char *id;
	const char *version;
	enum on_error on_error;
	const struct band *bands; /* ascending */
	size_t n_bands;
};

/*
 * Check that the bands are in ascending order, start at 0, end at 100 and
 * leave no gap and no overlap: each min is one above the max of the previous
 * band, and all are whole numbers.  Return 0, or -1 with f set: POLICY_INVALID
 * with the wrong member in where, such as "bands[2].min".
 */
int policy_check(const struct policy *p, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The band that contains the score; p has passed policy_check().  A score
 * between two bands belongs to the lower one.
 */
const struct band *policy_band(const struct policy *p, double score);

/* The onError verdict for a degraded decision: allow or deny. */
enum verdict policy_degraded(const struct policy *p);

/* The review queue of a band: its own one, or the default. */
const char *policy_queue(const struct band *band);

/*
 * The queue for a review that a watch entry demands: that of the first review
 * band, or the default.
 */
const char *policy_review_queue(const struct policy *p);

/* Names such as "fail_open".  The parser returns 0 if unknown. */
const char *policy_on_error_name(enum on_error e);
enum on_error policy_on_error_parse(const char *name);

#endif
