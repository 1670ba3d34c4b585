/* SPDX-License-Identifier: ISC */
/* Compare the distributions of the scores of two windows. */
#include "config.h"

#include <assert.h>
#include <math.h>

#include "core/analyse/drift.h"

#define SMOOTHING 0.5 /* decisions that are added to each bin */
#define DECIMALS 1e4

static double sum_bin_counts(const int64_t *counts, size_t n);

void
drift_add(struct drift_scores *ds, int score, int64_t n)
{
	assert(score >= 0 && score < DRIFT_SCORES);
	ds->n[score] += n;
	ds->total += n;
}

void
drift_bins(const struct drift_scores *ds, int64_t ret[DRIFT_BINS])
{
	size_t i, bin;

	for (bin = 0; bin < DRIFT_BINS; bin++)
		ret[bin] = 0;
	for (i = 0; i < DRIFT_SCORES; i++) {
		bin = i / DRIFT_BINS;
		ret[bin < DRIFT_BINS ? bin : DRIFT_BINS - 1] += ds->n[i];
	}
}

double
drift_psi(const int64_t *recent, const int64_t *reference, size_t n)
{
	const double recent_n = sum_bin_counts(recent, n);
	const double reference_n = sum_bin_counts(reference, n);
	const double least = fmin(recent_n, reference_n);
	double a, b, more, sum = 0;
	size_t i;

	if (least == 0)
		return 0;
	more = SMOOTHING / least;
	for (i = 0; i < n; i++) {
		a = (double)recent[i] / recent_n + more;
		b = (double)reference[i] / reference_n + more;
		sum += (a - b) * log(a / b);
	}
	return sum / (1 + (double)n * more);
}

bool
drift_enough(int64_t recent, int64_t reference)
{
	return recent >= DRIFT_DECISIONS_MIN &&
	    reference >= DRIFT_DECISIONS_MIN;
}

int
drift_quantile(const struct drift_scores *ds, double part)
{
	const double wanted = part * (double)ds->total;
	int64_t below = 0;
	int i;

	if (ds->total == 0)
		return -1;
	for (i = 0; i < DRIFT_SCORES - 1; i++) {
		below += ds->n[i];
		if ((double)below >= wanted)
			break;
	}
	return i;
}

double
drift_mean(const struct drift_scores *ds)
{
	double sum = 0;
	size_t i;

	if (ds->total == 0)
		return 0;
	for (i = 0; i < DRIFT_SCORES; i++)
		sum += (double)i * (double)ds->n[i];
	return sum / (double)ds->total;
}

double
drift_round(double n)
{
	return round(n * DECIMALS) / DECIMALS;
}

static double
sum_bin_counts(const int64_t *counts, size_t n)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += counts[i];
	return (double)sum;
}
