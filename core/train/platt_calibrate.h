/* SPDX-License-Identifier: ISC */
/* Making probabilities of what a classifier says: Platt's method. */
#ifndef CORE_TRAIN_PLATT_CALIBRATE_H
#define CORE_TRAIN_PLATT_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/decide/model.h"

struct fail;

/*
 * Fit a calibration, P(fraud) = logit_p(a * z + b), to n rows that the
 * classifier was not fitted to: what it said (z), and what was true (enum
 * label; those of LABEL_NONE are passed over).  A sigmoid by maximum
 * likelihood, with the targets (fraud + 1) / (fraud + 2) and 1 / (legit + 2)
 * for 1 and 0 that keep few rows from being believed too much: J. Platt,
 * "Probabilistic Outputs for Support Vector Machines", 1999, by the steps of
 * H.-T. Lin, C.-J. Lin, R. C. Weng, "A Note on Platt's Probabilistic Outputs
 * for Support Vector Machines", Machine Learning 68, 2007.  Rows are taken in
 * their order: equal input, equal bits.
 *
 * Where z is the same in all rows a is 0.  Refused: no rows, rows of one class
 * only, a z that is not finite.  Returns 0, or -1 with f set.
 */
int platt_calibrate(const double *z, const uint8_t *label, size_t n,
    struct model_calibration *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* The log-odds after calibration. */
double platt_calibrate_logit(const struct model_calibration *c, double z);

#endif
