/* SPDX-License-Identifier: ISC */
/* The confidence interval of a share. */
#include "config.h"

#include <math.h>

#include "core/analyse/wilson.h"

#define Z 1.959963984540054 /* 97.5 % of the normal distribution are below */

struct wilson_bounds
wilson_interval(int64_t good, int64_t n)
{
	const double p = n == 0 ? 0 : (double)good / (double)n;
	const double share = n == 0 ? 1 : Z * Z / (double)n;
	double middle, reach;

	if (n == 0)
		return (struct wilson_bounds) { .low = 0, .high = 1 };
	middle = (p + share / 2) / (1 + share);
	reach = Z * sqrt(p * (1 - p) / (double)n + share / (4 * (double)n)) /
	    (1 + share);
	return (struct wilson_bounds) {
		.low = good == 0 ? 0 : middle - reach,
		.high = good == n ? 1 : middle + reach,
	};
}
