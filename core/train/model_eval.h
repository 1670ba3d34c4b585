/* SPDX-License-Identifier: ISC */
/* Measure the quality of a classifier. */
#ifndef CORE_TRAIN_MODEL_EVAL_H
#define CORE_TRAIN_MODEL_EVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One event: its prediction and its truth. */
struct eval_mark {
	double z; /* log odds after calibration; finite */
	int64_t day; /* day number; any origin */
	uint32_t user; /* user number, from 0 */
	bool fraud;
};

/*
 * The quality of all marks.  A measure is NaN if it is undefined: because there
 * are no marks, or because all are of one class.
 */
struct eval_quality {
	int64_t fraud;
	int64_t legit;

	/*
	 * The area under the ROC curve: the probability that a fraud has a
	 * higher z than a legit event; a tie counts half (J. Hanley, B.
	 * McNeil, Radiology 143, 1982).
	 */
	double auc;

	/*
	 * The sum over all thresholds of the precision there times the gain in
	 * recall, without interpolation (W. Su, Y. Yuan, M. Zhu, "A
	 * Relationship between the Average Precision and the Area Under the
	 * ROC Curve", ICTIR 2015).  Equal z are one threshold.
	 */
	double average_precision;

	double brier; /* mean of (p - truth) squared (G. Brier, 1950) */
	double log_loss; /* mean of -log of the probability of the truth */
	double accuracy; /* share of events that p >= 0.5 classifies right */
	double mean_p; /* expected share of fraud */
};

/* Measure n marks, and sort them by z, highest first. */
void model_eval_quality(
    struct eval_mark *marks, size_t n, struct eval_quality *ret);

/*
 * Card precision at k.  For each day with marks, take the k users with the
 * highest z of the day, equal z by user number, without the users found on an
 * earlier day.  The precision of the day is the share of the k with a fraud on
 * that day; these users are then found.  Return the mean over the days, or NaN
 * if there are no marks.  found has one zeroed byte per user number.  The
 * order of the marks changes, and marks of one user and day are merged.
 * (Y.-A. Le Borgne, W. Siblini, B. Lebichot, G. Bontempi, "Reproducible
 * Machine Learning for Credit Card Fraud Detection: Practical Handbook", ULB
 * 2022, 4.4.)
 */
double model_eval_cards(
    struct eval_mark *marks, size_t n, size_t k, uint8_t *found);

#define MODEL_EVAL_BINS 10

/* The events with p in [from, to); the last bin includes to. */
struct eval_bin {
	double from;
	double to;
	int64_t events;
	int64_t fraud; /* events that are fraud */
	double mean_p; /* 0 if the bin has no events */
};

/* Sort marks into bins of p, narrower ones for small p. */
void model_eval_bins(const struct eval_mark *marks, size_t n,
    struct eval_bin ret[MODEL_EVAL_BINS]);

#endif
