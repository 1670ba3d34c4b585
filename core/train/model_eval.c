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

static void measure_ranks(const struct eval_order *o, const uint32_t *times,
    double ret[EVAL_MEASURE__MAX]);
static double measure_cards(const struct eval_order *o, size_t k,
    const uint32_t *times, uint32_t *found);
static size_t merge_users(struct eval_mark *marks, size_t n);
static size_t pick_first_k(const struct eval_mark *marks, size_t n, size_t k,
    const uint32_t *times, uint32_t *found);
static size_t times_of(const uint32_t *times, const struct eval_mark *mark);
static int by_z(const void *a, const void *b);
static int by_day_user(const void *a, const void *b);
static int by_day_z(const void *a, const void *b);

void
model_eval_losses(
    const struct eval_mark *marks, size_t n, struct eval_losses *ret)
{
	const double count = (double)n;
	double p, miss;
	size_t i;

	memset(ret, 0, sizeof(*ret));
	for (i = 0; i < n; i++) {
		p = logit_p(marks[i].z);
		miss = logit_p(marks[i].fraud ? -marks[i].z : marks[i].z);
		ret->fraud += marks[i].fraud;
		ret->brier += miss * miss;
		ret->log_loss +=
		    logit_loss(marks[i].fraud ? -marks[i].z : marks[i].z);
		ret->accuracy += (p >= 0.5) == marks[i].fraud;
		ret->mean_p += p;
	}
	ret->legit = (int64_t)n - ret->fraud;
	ret->brier /= count;
	ret->log_loss /= count;
	ret->accuracy /= count;
	ret->mean_p /= count;
}

struct eval_order
model_eval_order(const struct eval_mark *marks, size_t n,
    struct eval_mark *ranked, struct eval_mark *daily)
{
	struct eval_order o = { .ranked = ranked, .n = n, .daily = daily };

	if (n == 0)
		return o;
	memcpy(ranked, marks, n * sizeof(*marks));
	qsort(ranked, n, sizeof(*marks), by_z);
	memcpy(daily, marks, n * sizeof(*marks));
	o.n_daily = merge_users(daily, n);
	qsort(daily, o.n_daily, sizeof(*marks), by_day_z);
	return o;
}

void
model_eval_measure(const struct eval_order *o, size_t k, const uint32_t *times,
    uint32_t *found, size_t users, double ret[EVAL_MEASURE__MAX])
{
	measure_ranks(o, times, ret);
	if (users > 0)
		memset(found, 0, users * sizeof(*found));
	ret[EVAL_CARDS] = measure_cards(o, k, times, found);
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

/* Measure the area and the average precision, with counts that are exact. */
static void
measure_ranks(const struct eval_order *o, const uint32_t *times,
    double ret[EVAL_MEASURE__MAX])
{
	const struct eval_mark *const marks = o->ranked;
	double fraud = 0, legit = 0, more_fraud, more_legit;
	double area = 0, precision = 0;
	size_t i, end;

	for (i = 0; i < o->n; i = end) {
		more_fraud = more_legit = 0;
		for (end = i; end < o->n && marks[end].z == marks[i].z; end++)
			*(marks[end].fraud ? &more_fraud : &more_legit) +=
			    (double)times_of(times, &marks[end]);
		if (more_fraud + more_legit == 0)
			continue;
		area += more_legit * (fraud + more_fraud / 2);
		fraud += more_fraud;
		legit += more_legit;
		precision += more_fraud * (fraud / (fraud + legit));
	}
	ret[EVAL_AUC] = area / (fraud * legit);
	ret[EVAL_AVERAGE_PRECISION] = precision / fraud;
}

static double
measure_cards(const struct eval_order *o, size_t k, const uint32_t *times,
    uint32_t *found)
{
	const struct eval_mark *const marks = o->daily;
	const size_t n = o->n_daily;
	size_t i, end, days = 0;
	double sum = 0;

	if (n == 0)
		return NAN;
	for (i = 0; i < n; i = end) {
		for (end = i; end < n && marks[end].day == marks[i].day; end++)
			;
		sum +=
		    (double)pick_first_k(marks + i, end - i, k, times, found) /
		    (double)k;
		days++;
	}
	return sum / (double)days;
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
 * Of the sorted marks of one day take the first k of users who are not found.
 * Count how often the users with a fraud are found, and return the sum.
 */
static size_t
pick_first_k(const struct eval_mark *marks, size_t n, size_t k,
    const uint32_t *times, uint32_t *found)
{
	size_t i, more, picked = 0, hits = 0;

	for (i = 0; i < n && picked < k; i++) {
		more = times_of(times, &marks[i]) - found[marks[i].user];
		if (more > k - picked)
			more = k - picked;
		picked += more;
		if (!marks[i].fraud)
			continue;
		hits += more;
		found[marks[i].user] += (uint32_t)more;
	}
	return hits;
}

/* How often a mark counts. */
static size_t
times_of(const uint32_t *times, const struct eval_mark *mark)
{
	return times == NULL ? 1 : times[mark->user];
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
