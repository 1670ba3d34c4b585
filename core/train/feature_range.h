/* SPDX-License-Identifier: ISC */
/* The range of a feature that a training can rely on. */
#ifndef CORE_TRAIN_FEATURE_RANGE_H
#define CORE_TRAIN_FEATURE_RANGE_H

#include <stddef.h>

#include "core/decide/model.h"
#include "core/train/logistic_fit.h"

/*
 * A value counts only if so many events have it or one beyond it, so that a few
 * odd events cannot decide what a model makes of others.
 */
#define FEATURE_RANGE_ROWS 20

/*
 * Return the range of a column in the labelled rows: from the value that is the
 * FEATURE_RANGE_ROWS-th from below to that from above.  The ends are equal if
 * fewer rows differ from the most frequent value, or if there are too few rows.
 * A column with such a range tells nothing that a model may use.
 */
struct model_range feature_range(
    const struct logistic_fit_rows *rows, size_t column);

#endif
