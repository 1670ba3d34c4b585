/* SPDX-License-Identifier: ISC */
/* Log-odds: the probability that they mean, and what they cost. */
#ifndef CORE_TRAIN_LOGIT_H
#define CORE_TRAIN_LOGIT_H

/*
 * These use nothing but additions, multiplications and divisions of doubles in
 * a fixed order, and so give the same bits on every machine of IEEE 754; exp
 * and log of the C library do not promise that.  They are exact to a few
 * units in the last place.
 */

/* 1 / (1 + exp(-z)): the probability of log-odds z, in [0, 1]. */
double logit_p(double z);

/*
 * log(1 + exp(z)): the logarithmic loss of log-odds z where the answer was no,
 * and of -z where it was yes.  Never overflows.
 */
double logit_loss(double z);

#endif
