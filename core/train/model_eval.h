/* SPDX-License-Identifier: ISC */
/* How good a classifier's answers are. */
#ifndef CORE_TRAIN_MODEL_EVAL_H
#define CORE_TRAIN_MODEL_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One event: what was said of it, and what it was. */
struct eval_mark {
	double z; /* its log-odds after calibration; finite */
	int64_t day; /* counted from anywhere */
	uint32_t user; /* a number from 0 */
	bool fraud;
};

/*
 * Of all marks.  What has no meaning, because there are no marks, or because
 * all are of one class, is NaN.
 */
struct eval_quality {
	int64_t fraud;
	int64_t legit;

	/*
	 * How likely a fraud stands above a legit event, a tie being half of
	 * it: the area under the ROC curve (J. Hanley, B. McNeil, Radiology
	 * 143, 1982).
	 */
	double auc;

	/*
	 * The sum over thresholds of the precision at each times the recall
	 * that it adds, with no interpolation (W. Su, Y. Yuan, M. Zhu, "A
	 * Relationship between the Average Precision and the Area Under the
	 * ROC Curve", ICTIR 2015).  Ties are one threshold.
	 */
	double average_precision;

	double brier; /* mean square of p - truth (G. Brier, 1950) */
	double log_loss; /* mean of -log of what the truth was given */
	double accuracy; /* share that p >= 0.5 tells right */
	double mean_p; /* what was expected; fraud / all is what came */
};

/* Judge n marks, which are put in the order of z, highest first. */
void model_eval_quality(
    struct eval_mark *marks, size_t n, struct eval_quality *ret);

/*
 * Card precision at k: of each day that has marks, the k users whose highest z
 * of the day is highest, those left out that were found on an earlier day; the
 * share of k that has a fraud on the day.  These are then found.  Returns the
 * mean over the days, NaN if there are none, and puts the marks in an order of
 * its own.  Equal z go by user number.  found has a byte for each user number,
 * zeroed.  (Y.-A. Le Borgne, W. Siblini, B. Lebichot, G. Bontempi,
 * "Reproducible Machine Learning for Credit Card Fraud Detection: Practical
 * Handbook", ULB 2022, 4.4.)
 */
double model_eval_cards(
    struct eval_mark *marks, size_t n, size_t k, uint8_t *found);

#define MODEL_EVAL_BINS 10

/* Events whose p is in [from, to), the last also at its end. */
struct eval_bin {
	double from;
	double to;
	int64_t events;
	int64_t fraud; /* of them */
	double mean_p; /* of them; 0 when there are none */
};

/* Sort marks into bins that grow finer where fraud is rare. */
void model_eval_bins(const struct eval_mark *marks, size_t n,
    struct eval_bin ret[MODEL_EVAL_BINS]);

#endif
