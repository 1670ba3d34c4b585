/* SPDX-License-Identifier: ISC */
/* The probability and the log loss for given log odds. */
#include "config.h"

#include <math.h>

#include "core/train/logit.h"

/* log 2 as a sum of two parts; k * LOG2_HIGH is exact for |k| < 2^20. */
#define LOG2_HIGH 0x1.62e42fefap-1
#define LOG2_LOW 0x1.cf79abc9e3b3ap-40
#define LOG2_INVERSE 0x1.71547652b82fep+0

#define EXP_LEAST (-745.0) /* below it exp() is 0 */

static double exp_of(double x);
static double log1p_of(double t);

double
logit_p(double z)
{
	double e;

	if (z >= 0)
		return 1 / (1 + exp_of(-z));
	e = exp_of(z);
	return e / (1 + e);
}

double
logit_loss(double z)
{
	return z > 0 ? z + log1p_of(exp_of(-z)) : log1p_of(exp_of(z));
}

/*
 * exp(x) for x <= 0: x = k log 2 + r with |r| <= log(2) / 2, and 14 terms of
 * the series of exp(r); the remainder is below 5e-18 (J.-M. Muller,
 * "Elementary Functions", 3rd ed., Birkhaeuser 2016, chapter 11: additive
 * range reduction).
 */
static double
exp_of(double x)
{
	double k, r, sum = 1;
	int i;

	if (!(x > EXP_LEAST))
		return x <= EXP_LEAST ? 0 : x;
	k = floor(x * LOG2_INVERSE + 0.5);
	r = (x - k * LOG2_HIGH) - k * LOG2_LOW;
	for (i = 13; i > 0; i--)
		sum = 1 + sum * r / i;
	return ldexp(sum, (int)k);
}

/*
 * log(1 + t) for 0 <= t <= 1 as 2 atanh(s) with s = t / (2 + t) <= 1/3: 17
 * terms of its series; the relative remainder is below 2e-18.
 */
static double
log1p_of(double t)
{
	const double s = t / (2 + t), square = s * s;
	double sum = 0;
	int i;

	for (i = 33; i > 0; i -= 2)
		sum = sum * square + 1.0 / i;
	return 2 * s * sum;
}
