/* SPDX-License-Identifier: ISC */
/* Whether the scores of now still look like those of before. */
#ifndef CORE_ANALYSE_DRIFT_H
#define CORE_ANALYSE_DRIFT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DRIFT_SCORES 101 /* 0 to 100 */
#define DRIFT_BINS 10 /* of ten scores each, the last one of eleven */
#define DRIFT_DECISIONS_MIN 200 /* of each window, to have an index */

/* How many decisions of a window had each score; begins zeroed. */
struct drift_scores {
	int64_t n[DRIFT_SCORES];
	int64_t total;
};

/* Count n decisions of a score, 0 to 100. */
void drift_add(struct drift_scores *ds, int score, int64_t n);

/* The decisions by bins. */
void drift_bins(const struct drift_scores *ds, int64_t ret[DRIFT_BINS]);

/*
 * The population stability index of recent against reference counts: over the
 * bins, the sum of (a - b) * ln(a / b) of their shares a and b of all.  Before
 * that each bin of both is given as much as half a decision is of the smaller
 * of the two, so that an empty one counts, and for little, and all shares are
 * made to add up to 1 again.  0 is no difference, or nothing to compare.
 * Counts are not negative.
 */
double drift_psi(const int64_t *recent, const int64_t *reference, size_t n);

/* Whether both windows have enough decisions for an index. */
bool drift_enough(int64_t recent, int64_t reference);

/*
 * The lowest score that at least this part (above 0, at most 1) of the
 * decisions do not exceed, -1 of none.
 */
int drift_quantile(const struct drift_scores *ds, double part);

/* The mean score, 0 of none. */
double drift_mean(const struct drift_scores *ds);

/* A number as people are shown it, to four decimals. */
double drift_round(double n);

#endif
