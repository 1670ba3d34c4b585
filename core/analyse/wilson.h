/* SPDX-License-Identifier: ISC */
/* The confidence interval of a share. */
#ifndef CORE_ANALYSE_WILSON_H
#define CORE_ANALYSE_WILSON_H

#include <stdint.h>

/* The bounds of a share. */
struct wilson_bounds {
	double low;
	double high;
};

/*
 * The score interval at 95 % of a share of good among n: where the true share
 * may be (E. Wilson, "Probable Inference, the Law of Succession, and
 * Statistical Inference", JASA 22, 1927).  0 to 1 if n is 0.
 */
struct wilson_bounds wilson_interval(int64_t good, int64_t n);

#endif
