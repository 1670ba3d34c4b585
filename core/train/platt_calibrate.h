/* SPDX-License-Identifier: ISC */
/* Calibrate the log odds of a classifier to probabilities (Platt scaling). */
#ifndef CORE_TRAIN_PLATT_CALIBRATE_H
#define CORE_TRAIN_PLATT_CALIBRATE_H

#include <stddef.h>
#include <stdint.h>

#include "core/decide/model.h"

struct fail;

/*
 * Fit a calibration, P(fraud) = logit_p(a * z + b), to n rows that the
 * classifier was not fitted to.  z has the log odds of the rows; label has an
 * enum backtest_label each, and rows of LABEL_NONE are ignored.  The fit is by
 * maximum likelihood.  The targets are (fraud + 1) / (fraud + 2) and 1 /
 * (legit + 2) instead of 1 and 0, so that few rows do not give extreme
 * probabilities (J. Platt, "Probabilistic Outputs for Support Vector
 * Machines", 1999).  The algorithm is that of H.-T. Lin, C.-J. Lin, R. C. Weng,
 * "A Note on Platt's Probabilistic Outputs for Support Vector Machines",
 * Machine Learning 68, 2007.  Rows are processed in their order, so equal input
 * gives exactly equal results.
 *
 * If z is equal in all rows, a is 0.  Return 0, or -1 with f set if there are
 * no rows, if all rows are of one class, or if a z is not finite.
 */
int platt_calibrate(const double *z, const uint8_t *label, size_t n,
    struct model_calibration *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
