/* SPDX-License-Identifier: ISC */
/* Fit a logistic regression. */
#ifndef CORE_TRAIN_LOGISTIC_FIT_H
#define CORE_TRAIN_LOGISTIC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;

#define LOGISTIC_FIT_COLUMNS_MAX 128
#define LOGISTIC_FIT_ROUNDS_MAX 100 /* Newton steps before the fit fails */

/* The training data.  Rows with the label LABEL_NONE are ignored. */
struct logistic_fit_rows {
	const double *x; /* n rows of k finite values, one after the other */
	const uint8_t *label; /* n times an enum backtest_label
				 (core/analyse/backtest.h) */
	size_t n;
	size_t k; /* 1 to LOGISTIC_FIT_COLUMNS_MAX */
};

struct logistic_fit_options {
	double l2; /* the penalty, 0 or more; see logistic_fit() */
	double fraud_weight; /* weight of a row of fraud, > 0; legit: 1 */
	double floor; /* of a deviation, as a share of the column's range */
	bool (*stop)(void); /* called before each step; true stops; or NULL */
};

/* The result of a fit. */
struct logistic_fit {
	double bias;
	double weight[LOGISTIC_FIT_COLUMNS_MAX]; /* of unscaled columns */
	double spread[LOGISTIC_FIT_COLUMNS_MAX]; /* standard deviations */
	int64_t fraud; /* rows of fraud that it was fitted to */
	int64_t legit;
	double loss; /* weighted mean of the log loss, plus the penalty */
	int rounds; /* Newton steps */
};

/*
 * Fit P(fraud) = logit_p(bias + sum of weight * x) to rows by maximum
 * likelihood with a penalty: the weighted mean of the rows' logarithmic loss
 * plus l2 / 2 times the sum of the squared weights of the standardized columns
 * (centred, and divided by their standard deviation, or by options->floor times
 * the difference between their largest and least value if that is more).  The
 * floor keeps a column that few rows differ in from getting a large weight at
 * no cost.  The bias has no penalty.  The effect of l2 therefore depends
 * neither on the number of rows nor on the unit of a column.  Other programs
 * call 1 / (l2 * sum of the rows' weights) C.  weight and bias in *ret are for
 * the columns as given.
 *
 * The steps are Newton's (iteratively reweighted least squares: T. Hastie, R.
 * Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd ed.,
 * Springer 2009, 4.4.1).  Each step is halved until the penalized loss does
 * not grow.  The fit ends when a full step changes no standardized weight by
 * more than 1e-9 of the largest weight (or of 1, if all are smaller).  Rows
 * are processed in their order, so equal input gives exactly equal results.
 *
 * A constant column has weight 0.  With l2 > 0, linearly dependent columns
 * share their weight.  With l2 = 0, the fit fails if columns are linearly
 * dependent or separate the classes exactly, because the weights would grow
 * without limit.  It also fails if there are no rows, if all rows are of one
 * class, or if a value is not finite.  Return 0, or -1 with f set (FAIL_INPUT;
 * FAIL_US if the arena is full; FAIL_DENIED if stop() stopped it); *ret is
 * then undefined.
 */
int logistic_fit(struct arena *a, const struct logistic_fit_rows *rows,
    const struct logistic_fit_options *options, struct logistic_fit *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * The weighted mean of the log loss of a fit on rows, without the penalty; NaN
 * if there are no labelled rows.
 */
double logistic_fit_loss(const struct logistic_fit *fit,
    const struct logistic_fit_rows *rows, double fraud_weight);

/* The log odds of one row of k values. */
double logistic_fit_logit(
    const struct logistic_fit *fit, const double *x, size_t k);

#endif
