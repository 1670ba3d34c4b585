/* SPDX-License-Identifier: ISC */
/* The probability and the log loss for given log odds. */
#ifndef CORE_TRAIN_LOGIT_H
#define CORE_TRAIN_LOGIT_H

/*
 * These functions only add, multiply and divide doubles in a fixed order, so
 * every machine with IEEE 754 gives the same bits.  exp() and log() of the C
 * library do not guarantee that.  The error is a few units in the last place.
 */

/* The probability for log odds z, in [0, 1]: 1 / (1 + exp(-z)). */
double logit_p(double z);

/*
 * log(1 + exp(z)), without overflow: the log loss of a prediction with log
 * odds z if the truth is no; pass -z if the truth is yes.
 */
double logit_loss(double z);

#endif
