/* SPDX-License-Identifier: ISC */
/* The range of a feature that a training can rely on. */
#include "config.h"

#include "core/analyse/backtest.h"
#include "core/train/feature_range.h"

/* The largest values so far, in descending order. */
struct largest {
	double value[FEATURE_RANGE_ROWS];
	size_t n;
};

static void keep_largest(struct largest *l, double x);

struct model_range
feature_range(const struct logistic_fit_rows *rows, size_t column)
{
	const size_t last = FEATURE_RANGE_ROWS - 1;
	struct largest high = { .n = 0 }, low = { .n = 0 }; /* low: negated */
	struct model_range range;
	size_t i;
	double x;

	for (i = 0; i < rows->n; i++) {
		if (rows->label[i] == LABEL_NONE)
			continue;
		x = rows->x[i * rows->k + column];
		keep_largest(&high, x);
		keep_largest(&low, -x);
	}
	if (high.n <= last)
		return (struct model_range) { 0, 0 };
	range = (struct model_range) { -low.value[last], high.value[last] };
	if (range.min > range.max) /* of fewer than twice as many rows */
		range.max = range.min;
	return range;
}

/* Insert x if it is among the largest; drop the least one if they are full. */
static void
keep_largest(struct largest *l, double x)
{
	size_t i;

	if (l->n < FEATURE_RANGE_ROWS)
		l->n++;
	else if (x <= l->value[FEATURE_RANGE_ROWS - 1])
		return;
	for (i = l->n - 1; i > 0 && l->value[i - 1] < x; i--)
		l->value[i] = l->value[i - 1];
	l->value[i] = x;
}
