/* SPDX-License-Identifier: ISC */
/* Compare the distributions of the scores of two windows. */
#ifndef CORE_ANALYSE_DRIFT_H
#define CORE_ANALYSE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRIFT_SCORES 101 /* 0 to 100 */
#define DRIFT_BINS 10 /* of ten scores each, the last one of eleven */
#define DRIFT_DECISIONS_MIN 200 /* in each window; fewer give no index */

/* The number of decisions with each score in a window; zero it first. */
struct drift_scores {
	int64_t n[DRIFT_SCORES];
	int64_t total;
};

/* Count n decisions with a score from 0 to 100. */
void drift_add(struct drift_scores *ds, int score, int64_t n);

/* Count the decisions in each bin. */
void drift_bins(const struct drift_scores *ds, int64_t ret[DRIFT_BINS]);

/*
 * Compute the population stability index of the recent against the reference
 * counts of n bins: the sum of (a - b) * ln(a / b), where a and b are the
 * shares of a bin.  Each share is first raised by half a decision of the
 * smaller window, so that empty bins count little, and then scaled so that the
 * shares add up to 1.  Return 0 if the distributions are equal or a window is
 * empty.  Counts must not be negative.
 */
double drift_psi(const int64_t *recent, const int64_t *reference, size_t n);

/* Whether both windows have enough decisions for an index. */
bool drift_enough(int64_t recent, int64_t reference);

/*
 * The lowest score that at least this part (above 0, at most 1) of the
 * decisions do not exceed, or -1 if there are no decisions.
 */
int drift_quantile(const struct drift_scores *ds, double part);

/* The mean score, or 0 if there are no decisions. */
double drift_mean(const struct drift_scores *ds);

/* Round a number to four decimals, for answers and logs. */
double drift_round(double n);

#endif
