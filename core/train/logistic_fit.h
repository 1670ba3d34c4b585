/* SPDX-License-Identifier: ISC */
/* Fitting a logistic regression. */
#ifndef CORE_TRAIN_LOGISTIC_FIT_H
#define CORE_TRAIN_LOGISTIC_FIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;

#define LOGISTIC_FIT_COLUMNS_MAX 128
#define LOGISTIC_FIT_ROUNDS_MAX                                                \
	100 /* steps of Newton before it is given up                           \
	     */

/* What is fitted to.  The rows whose label is LABEL_NONE are passed over. */
struct logistic_fit_rows {
	const double *x; /* n rows of k finite values, one after the other */
	const uint8_t *label; /* n times an enum backtest_label
				 (core/analyse/backtest.h) */
	size_t n;
	size_t k; /* 1 to LOGISTIC_FIT_COLUMNS_MAX */
};

struct logistic_fit_options {
	double l2; /* the penalty, 0 or more; see logistic_fit() */
	double fraud_weight; /* how many rows a row of fraud counts as, > 0 */
	bool (*stop)(void); /* asked before each step; NULL: nobody asks */
};

/* What came out. */
struct logistic_fit {
	double bias;
	double
	    weight[LOGISTIC_FIT_COLUMNS_MAX]; /* of the columns as they are */
	double spread[LOGISTIC_FIT_COLUMNS_MAX]; /* their standard deviations */
	int64_t fraud; /* rows it was fitted to */
	int64_t legit;
	double loss; /* the mean of their weighted logarithmic loss */
	int rounds; /* steps that it took */
};

/*
 * Fit P(fraud) = logit_p(bias + sum of weight * x) to rows by maximum
 * likelihood with a penalty: the weighted mean of the rows' logarithmic loss
 * plus l2 / 2 times the sum of the squares of the weights that the columns
 * have when each is centred and divided by its standard deviation.  The bias
 * has no penalty.  So l2 means the same however many rows there are and
 * whatever unit a column has; 1 / (l2 * sum of the rows' weights) is what
 * others call C.  weight and bias are for the columns as they came.
 *
 * The steps are Newton's (iteratively reweighted least squares: T. Hastie, R.
 * Tibshirani, J. Friedman, "The Elements of Statistical Learning", 2nd ed.,
 * Springer 2009, 4.4.1), each halved until the sum above does not grow, until
 * a whole step moves no standardized weight by more than 1e-9 of the largest
 * (or of 1).  Rows are
 * taken in their order: equal input, equal bits.
 *
 * A column that is constant has weight 0.  Columns that follow from each
 * other share what they have to say if l2 > 0, and are refused without it, and
 * so are classes that the columns can tell apart exactly: no weights would be
 * large enough.  Refused as well: no rows, rows of one class only, a value that
 * is not finite.  Returns 0, or -1 with f set (FAIL_INPUT; FAIL_US when a is
 * full; FAIL_DENIED when it was stopped) and *ret not to be used.
 */
int logistic_fit(struct arena *a, const struct logistic_fit_rows *rows,
    const struct logistic_fit_options *options, struct logistic_fit *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * The weighted mean of the logarithmic loss that a fit has on rows, without the
 * penalty; NaN if there are none.
 */
double logistic_fit_loss(const struct logistic_fit *fit,
    const struct logistic_fit_rows *rows, double fraud_weight);

/* The log-odds that a fit gives the k values of one row. */
double logistic_fit_logit(
    const struct logistic_fit *fit, const double *x, size_t k);

#endif
