/* SPDX-License-Identifier: ISC */
/* Fit a logistic regression. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/analyse/backtest.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/train/logistic_fit.h"
#include "core/train/logit.h"

#define STEP_ENOUGH 1e-9 /* a smaller relative step ends the fit */
#define LOSS_NOISE 1e-13 /* relative growth of a loss due to rounding */
#define PIVOT_LEAST 1e-12 /* a smaller relative pivot: dependent columns */
#define HALVINGS_MAX 40

/*
 * The state of a fit.  There are m parameters: one weight for each column that
 * is not constant, of its standardized values, and last the bias.
 */
struct fit_work {
	const struct logistic_fit_rows *rows;
	const struct logistic_fit_options *options;
	size_t m;
	size_t *column; /* by parameter: its column; none for the bias */
	double *mean; /* by parameter: the mean of its column */
	double *scale; /* by parameter: what its column is divided by */
	double total; /* the sum of the rows' weights */
	double *z; /* one standardized row, followed by a 1 */
	double *now; /* the parameters */
	double *next; /* the parameters after a part of the step */
	double *step;
	double *slope; /* the gradient */
	double *curve; /* the Hessian, m by m; only its lower half is used */
};

static int count_fit_classes(
    struct fit_work *w, struct logistic_fit *ret, struct fail *f);
static int standardize_columns(
    struct fit_work *w, struct logistic_fit *ret, struct fail *f);
static int column_of(
    struct fit_work *w, size_t j, struct logistic_fit *ret, struct fail *f);
static int allocate_work(struct arena *a, struct fit_work *w, struct fail *f);
static int minimize_loss(
    struct fit_work *w, struct logistic_fit *ret, struct fail *f);
static const double *step_parameters(const struct fit_work *w, double share);
static double measure_penalized_loss(
    const struct fit_work *w, const double *at);
static double measure_row(const struct fit_work *w, double eta, bool fraud);
static int solve_cholesky(const struct fit_work *w);
static bool is_small(const struct fit_work *w);
static void fold_scaling(const struct fit_work *w, struct logistic_fit *ret);

int
logistic_fit(struct arena *a, const struct logistic_fit_rows *rows,
    const struct logistic_fit_options *options, struct logistic_fit *ret,
    struct fail *f)
{
	struct fit_work w = { .rows = rows, .options = options };

	assert(rows->k > 0 && rows->k <= LOGISTIC_FIT_COLUMNS_MAX);
	assert(options->l2 >= 0 && options->fraud_weight > 0);
	memset(ret, 0, sizeof(*ret));
	if (count_fit_classes(&w, ret, f) == -1 ||
	    allocate_work(a, &w, f) == -1 ||
	    standardize_columns(&w, ret, f) == -1 ||
	    minimize_loss(&w, ret, f) == -1)
		return -1;
	fold_scaling(&w, ret);
	return 0;
}

double
logistic_fit_loss(const struct logistic_fit *fit,
    const struct logistic_fit_rows *rows, double fraud_weight)
{
	double loss = 0, total = 0, weight, z;
	size_t i;
	bool fraud;

	for (i = 0; i < rows->n; i++) {
		if (rows->label[i] == LABEL_NONE)
			continue;
		fraud = rows->label[i] == LABEL_FRAUD;
		weight = fraud ? fraud_weight : 1;
		z = logistic_fit_logit(fit, rows->x + i * rows->k, rows->k);
		loss += weight * logit_loss(fraud ? -z : z);
		total += weight;
	}
	return loss / total;
}

double
logistic_fit_logit(const struct logistic_fit *fit, const double *x, size_t k)
{
	double sum = fit->bias;
	size_t i;

	for (i = 0; i < k; i++)
		sum += fit->weight[i] * x[i];
	return sum;
}

/* Count the rows of each class. */
static int
count_fit_classes(struct fit_work *w, struct logistic_fit *ret, struct fail *f)
{
	size_t i;

	for (i = 0; i < w->rows->n; i++) {
		ret->fraud += w->rows->label[i] == LABEL_FRAUD;
		ret->legit += w->rows->label[i] == LABEL_LEGIT;
	}
	if (ret->fraud == 0 || ret->legit == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s",
		    ret->fraud + ret->legit == 0 ? "there is no row to fit to"
			: ret->fraud == 0	 ? "no row is fraud"
						 : "every row is fraud");
	w->total =
	    (double)ret->fraud * w->options->fraud_weight + (double)ret->legit;
	return 0;
}

/* Allocate for the largest possible number of parameters. */
static int
allocate_work(struct arena *a, struct fit_work *w, struct fail *f)
{
	const size_t most = w->rows->k + 1;

	w->column = arena_array(a, most, sizeof(*w->column));
	w->mean = arena_array(a, most, sizeof(*w->mean));
	w->scale = arena_array(a, most, sizeof(*w->scale));
	w->z = arena_array(a, most, sizeof(*w->z));
	w->now = arena_array(a, most, sizeof(*w->now));
	w->next = arena_array(a, most, sizeof(*w->next));
	w->step = arena_array(a, most, sizeof(*w->step));
	w->slope = arena_array(a, most, sizeof(*w->slope));
	w->curve = arena_array(a, most * most, sizeof(*w->curve));
	if (a->overflow)
		return fail_memory(f);
	return 0;
}

/* Select the columns that are not constant; compute means and deviations. */
static int
standardize_columns(
    struct fit_work *w, struct logistic_fit *ret, struct fail *f)
{
	size_t j;

	for (j = 0; j < w->rows->k; j++)
		if (column_of(w, j, ret, f) == -1)
			return -1;
	w->z[w->m++] = 1;
	return 0;
}

/*
 * Select column j unless it is constant.  Compare its least and largest value
 * for that: because of rounding, the computed deviation of a constant may
 * differ from 0.
 */
static int
column_of(
    struct fit_work *w, size_t j, struct logistic_fit *ret, struct fail *f)
{
	const struct logistic_fit_rows *rows = w->rows;
	const double n = (double)(ret->fraud + ret->legit);
	double x, least = INFINITY, most = -INFINITY, sum = 0, squares = 0;
	double mean;
	size_t i;

	for (i = 0; i < rows->n; i++) {
		if (rows->label[i] == LABEL_NONE)
			continue;
		x = rows->x[i * rows->k + j];
		if (!isfinite(x))
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			    "column %zu of row %zu is not finite", j + 1,
			    i + 1);
		least = fmin(least, x);
		most = fmax(most, x);
		sum += x;
	}
	if (least == most)
		return 0;
	mean = sum / n;
	for (i = 0; i < rows->n; i++) {
		if (rows->label[i] == LABEL_NONE)
			continue;
		x = rows->x[i * rows->k + j] - mean;
		squares += x * x;
	}
	if (squares == 0) /* underflow: treat it as constant */
		return 0;
	w->column[w->m] = j;
	w->mean[w->m] = mean;
	ret->spread[j] = sqrt(squares / n);
	w->scale[w->m++] =
	    fmax(ret->spread[j], w->options->floor * (most - least));
	return 0;
}

/* Find the parameters with the least penalized loss. */
static int
minimize_loss(struct fit_work *w, struct logistic_fit *ret, struct fail *f)
{
	double tried, share;
	bool small = false;
	int halvings;

	ret->loss = measure_penalized_loss(w, w->now);
	while (!small) {
		if (w->options->stop != NULL && w->options->stop())
			return fail_set(f, FAIL_DENIED, INVALID_REQUEST, NULL,
			    "interrupted");
		if (ret->rounds++ == LOGISTIC_FIT_ROUNDS_MAX ||
		    solve_cholesky(w) == -1)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			    "there is no best fit: columns depend on each "
			    "other, or separate fraud from legit exactly; "
			    "use an L2 above 0");
		small = is_small(w);
		share = 1;
		for (halvings = 0; halvings < HALVINGS_MAX; halvings++) {
			tried = measure_penalized_loss(
			    w, step_parameters(w, share));
			if (tried <= ret->loss + LOSS_NOISE * ret->loss)
				break;
			share /= 2;
		}
		memcpy(w->now, w->next, w->m * sizeof(*w->now));
		ret->loss = tried;
	}
	return 0;
}

/* Compute into w->next the parameters after a share of the step. */
static const double *
step_parameters(const struct fit_work *w, double share)
{
	size_t j;

	for (j = 0; j < w->m; j++)
		w->next[j] = w->now[j] - share * w->step[j];
	return w->next;
}

/*
 * Return the penalized loss for the parameters in at.  Compute its first and
 * second derivatives there into w->slope and w->curve.
 */
static double
measure_penalized_loss(const struct fit_work *w, const double *at)
{
	const struct logistic_fit_rows *rows = w->rows;
	const double *x;
	double loss = 0, eta;
	size_t i, j;

	memset(w->slope, 0, w->m * sizeof(*w->slope));
	memset(w->curve, 0, w->m * w->m * sizeof(*w->curve));
	for (i = 0; i < rows->n; i++) {
		if (rows->label[i] == LABEL_NONE)
			continue;
		x = rows->x + i * rows->k;
		eta = at[w->m - 1];
		for (j = 0; j < w->m - 1; j++) {
			w->z[j] = (x[w->column[j]] - w->mean[j]) / w->scale[j];
			eta += at[j] * w->z[j];
		}
		loss += measure_row(w, eta, rows->label[i] == LABEL_FRAUD);
	}
	for (j = 0; j < w->m - 1; j++) {
		loss += w->options->l2 / 2 * at[j] * at[j];
		w->slope[j] += w->options->l2 * at[j];
		w->curve[j * w->m + j] += w->options->l2;
	}
	return loss;
}

/*
 * Add the derivatives of the row in w->z, whose log odds are eta, and return
 * its loss.
 */
static double
measure_row(const struct fit_work *w, double eta, bool fraud)
{
	const double share = (fraud ? w->options->fraud_weight : 1) / w->total;
	const double p = logit_p(eta), q = logit_p(-eta);
	const double slope = share * (fraud ? -q : p);
	const double curve = share * p * q;
	double *line, part;
	size_t i, j;

	for (j = 0; j < w->m; j++) {
		w->slope[j] += slope * w->z[j];
		part = curve * w->z[j];
		line = w->curve + j * w->m;
		for (i = 0; i <= j; i++)
			line[i] += part * w->z[i];
	}
	return share * logit_loss(fraud ? -eta : eta);
}

/*
 * Solve curve * step = slope with a Cholesky decomposition, which overwrites
 * curve.  Return -1 if curve is singular within the precision of a double.
 */
static int
solve_cholesky(const struct fit_work *w)
{
	const size_t m = w->m;
	double *const c = w->curve;
	double sum, whole;
	size_t i, j, k;

	for (j = 0; j < m; j++) {
		whole = c[j * m + j];
		for (i = j; i < m; i++) {
			sum = c[i * m + j];
			for (k = 0; k < j; k++)
				sum -= c[i * m + k] * c[j * m + k];
			if (i > j)
				c[i * m + j] = sum / c[j * m + j];
			else if (sum > PIVOT_LEAST * whole)
				c[j * m + j] = sqrt(sum);
			else
				return -1;
		}
	}
	for (i = 0; i < m; i++) {
		sum = w->slope[i];
		for (k = 0; k < i; k++)
			sum -= c[i * m + k] * w->step[k];
		w->step[i] = sum / c[i * m + i];
	}
	for (i = m; i-- > 0;) {
		sum = w->step[i];
		for (k = i + 1; k < m; k++)
			sum -= c[k * m + i] * w->step[k];
		w->step[i] = sum / c[i * m + i];
	}
	return 0;
}

/* Whether the step is so small that the fit has converged. */
static bool
is_small(const struct fit_work *w)
{
	double largest = 1, longest = 0;
	size_t j;

	for (j = 0; j < w->m; j++) {
		largest = fmax(largest, fabs(w->now[j]));
		longest = fmax(longest, fabs(w->step[j]));
	}
	return longest <= STEP_ENOUGH * largest;
}

/* Convert the parameters to weights of the columns as given. */
static void
fold_scaling(const struct fit_work *w, struct logistic_fit *ret)
{
	size_t j;

	ret->bias = w->now[w->m - 1];
	for (j = 0; j < w->m - 1; j++) {
		ret->weight[w->column[j]] = w->now[j] / w->scale[j];
		ret->bias -= ret->weight[w->column[j]] * w->mean[j];
	}
}
