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

/* The losses of all marks.  A loss is NaN if there are no marks. */
struct eval_losses {
	int64_t fraud;
	int64_t legit;
	double brier; /* mean of (p - truth) squared (G. Brier, 1950) */
	double log_loss; /* mean of -log of the probability of the truth */
	double accuracy; /* share of events that p >= 0.5 classifies right */
	double mean_p; /* expected share of fraud */
};

/* Measure the losses of n marks. */
void model_eval_losses(
    const struct eval_mark *marks, size_t n, struct eval_losses *ret);

/* How well the order of the marks by z separates fraud from legit events. */
enum eval_measure {
	/*
	 * The area under the ROC curve: the probability that a fraud has a
	 * higher z than a legit event; a tie counts half (J. Hanley, B.
	 * McNeil, Radiology 143, 1982).
	 */
	EVAL_AUC,

	/*
	 * The sum over all thresholds of the precision there times the gain in
	 * recall, without interpolation (W. Su, Y. Yuan, M. Zhu, "A
	 * Relationship between the Average Precision and the Area Under the
	 * ROC Curve", ICTIR 2015).  Equal z are one threshold.
	 */
	EVAL_AVERAGE_PRECISION,

	/*
	 * Card precision at k.  For each day with marks, take the k users with
	 * the highest z of the day, equal z by user number, without the users
	 * found on an earlier day.  The precision of the day is the share of
	 * the k with a fraud on that day; these users are then found.  The
	 * measure is the mean over the days.  (Y.-A. Le Borgne, W. Siblini, B.
	 * Lebichot, G. Bontempi, "Reproducible Machine Learning for Credit Card
	 * Fraud Detection: Practical Handbook", ULB 2022, 4.4.)
	 */
	EVAL_CARDS,
	EVAL_MEASURE__MAX
};

/* The marks in the two orders that the measures need. */
struct eval_order {
	struct eval_mark *ranked; /* by z, highest first */
	size_t n;
	struct eval_mark *daily; /* one a user and day, by day and z */
	size_t n_daily;
};

/*
 * Make an order of n marks, in two arrays of n of the caller, which stay in
 * use.
 */
struct eval_order model_eval_order(const struct eval_mark *marks, size_t n,
    struct eval_mark *ranked, struct eval_mark *daily);

/*
 * Measure an order.  times says how often each user counts, by user number;
 * NULL: once.  k is that of EVAL_CARDS; found is memory for one number a
 * user.  A measure is NaN if it is undefined: because there are no marks, or
 * because all are of one class.
 */
void model_eval_measure(const struct eval_order *o, size_t k,
    const uint32_t *times, uint32_t *found, size_t users,
    double ret[EVAL_MEASURE__MAX]);

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
