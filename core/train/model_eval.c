/* SPDX-License-Identifier: ISC */
/* Measure the quality of a classifier. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/train/logit.h"
#include "core/train/model_eval.h"

static const double edges[MODEL_EVAL_BINS + 1] = { 0, 0.001, 0.003, 0.01, 0.03,
	0.1, 0.3, 0.5, 0.7, 0.9, 1 };

static void rank_metrics(
    const struct eval_mark *marks, size_t n, struct eval_quality *ret);
static void sum_losses(
    const struct eval_mark *marks, size_t n, struct eval_quality *ret);
static size_t merge_users(struct eval_mark *marks, size_t n);
static size_t pick_first_k(
    const struct eval_mark *marks, size_t n, size_t k, uint8_t *found);
static int by_z(const void *a, const void *b);
static int by_day_user(const void *a, const void *b);
static int by_day_z(const void *a, const void *b);

void
model_eval_quality(struct eval_mark *marks, size_t n, struct eval_quality *ret)
{
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < n; i++)
		ret->fraud += marks[i].fraud;
	ret->legit = (int64_t)n - ret->fraud;
	sum_losses(marks, n, ret);
	if (n > 0)
		qsort(marks, n, sizeof(*marks), by_z);
	rank_metrics(marks, n, ret);
}

double
model_eval_cards(struct eval_mark *marks, size_t n, size_t k, uint8_t *found)
{
	double sum = 0;
	size_t i, end, days = 0;

	if (n == 0)
		return NAN;
	n = merge_users(marks, n);
	qsort(marks, n, sizeof(*marks), by_day_z);
	for (i = 0; i < n; i = end) {
		for (end = i; end < n && marks[end].day == marks[i].day; end++)
			;
		sum += (double)pick_first_k(marks + i, end - i, k, found) /
		    (double)k;
		days++;
	}
	return sum / (double)days;
}

void
model_eval_bins(const struct eval_mark *marks, size_t n,
    struct eval_bin ret[MODEL_EVAL_BINS])
{
	double p;
	size_t i;
	int b;

	for (b = 0; b < MODEL_EVAL_BINS; b++)
		ret[b] =
		    (struct eval_bin) { .from = edges[b], .to = edges[b + 1] };
	for (i = 0; i < n; i++) {
		p = logit_p(marks[i].z);
		for (b = 0; b < MODEL_EVAL_BINS - 1 && p >= edges[b + 1]; b++)
			;
		ret[b].events++;
		ret[b].fraud += marks[i].fraud;
		ret[b].mean_p += p;
	}
	for (b = 0; b < MODEL_EVAL_BINS; b++)
		if (ret[b].events > 0)
			ret[b].mean_p /= (double)ret[b].events;
}

/*
 * Compute the area and the average precision of marks that are sorted by z.
 * The counts are whole numbers, which a double holds exactly.
 */
static void
rank_metrics(const struct eval_mark *marks, size_t n, struct eval_quality *ret)
{
	double fraud = 0, legit = 0, more_fraud, more_legit;
	double area = 0, precision = 0;
	size_t i, end;

	for (i = 0; i < n; i = end) {
		more_fraud = more_legit = 0;
		for (end = i; end < n && marks[end].z == marks[i].z; end++)
			*(marks[end].fraud ? &more_fraud : &more_legit) += 1;
		area += more_legit * (fraud + more_fraud / 2);
		fraud += more_fraud;
		legit += more_legit;
		precision += more_fraud * (fraud / (fraud + legit));
	}
	ret->auc = area / (fraud * legit);
	ret->average_precision = precision / fraud;
}

/*
 * Compute the measures that depend on the probabilities.  Call it before the
 * marks are sorted: qsort() may order ties differently, and the sums depend on
 * the order.
 */
static void
sum_losses(const struct eval_mark *marks, size_t n, struct eval_quality *ret)
{
	const double count = (double)n;
	double p, miss;
	size_t i;

	for (i = 0; i < n; i++) {
		p = logit_p(marks[i].z);
		miss = logit_p(marks[i].fraud ? -marks[i].z : marks[i].z);
		ret->brier += miss * miss;
		ret->log_loss +=
		    logit_loss(marks[i].fraud ? -marks[i].z : marks[i].z);
		ret->accuracy += (p >= 0.5) == marks[i].fraud;
		ret->mean_p += p;
	}
	ret->brier /= count;
	ret->log_loss /= count;
	ret->accuracy /= count;
	ret->mean_p /= count;
}

/*
 * Merge the marks of each user and day: the highest z, and fraud if any was.
 * Return how many marks remain.
 */
static size_t
merge_users(struct eval_mark *marks, size_t n)
{
	struct eval_mark *last;
	size_t i, kept = 0;

	qsort(marks, n, sizeof(*marks), by_day_user);
	for (i = 0; i < n; i++) {
		last = kept == 0 ? NULL : &marks[kept - 1];
		if (last == NULL || last->day != marks[i].day ||
		    last->user != marks[i].user) {
			marks[kept++] = marks[i];
			continue;
		}
		last->z = fmax(last->z, marks[i].z);
		last->fraud |= marks[i].fraud;
	}
	return kept;
}

/*
 * Of the sorted marks of one day take the first k whose user is not found.
 * Mark the users with a fraud as found, and return their number.
 */
static size_t
pick_first_k(const struct eval_mark *marks, size_t n, size_t k, uint8_t *found)
{
	size_t i, picked = 0, hits = 0;

	for (i = 0; i < n && picked < k; i++) {
		if (found[marks[i].user])
			continue;
		picked++;
		hits += marks[i].fraud;
		found[marks[i].user] = marks[i].fraud;
	}
	return hits;
}

static int
by_z(const void *a, const void *b)
{
	const struct eval_mark *x = a, *y = b;

	return (x->z < y->z) - (x->z > y->z);
}

static int
by_day_user(const void *a, const void *b)
{
	const struct eval_mark *x = a, *y = b;

	if (x->day != y->day)
		return x->day < y->day ? -1 : 1;
	return (x->user > y->user) - (x->user < y->user);
}

static int
by_day_z(const void *a, const void *b)
{
	const struct eval_mark *x = a, *y = b;

	if (x->day != y->day)
		return x->day < y->day ? -1 : 1;
	if (x->z != y->z)
		return x->z > y->z ? -1 : 1;
	return (x->user > y->user) - (x->user < y->user);
}
