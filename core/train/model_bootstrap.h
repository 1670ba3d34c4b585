/* SPDX-License-Identifier: ISC */
/* Where the measures of a classifier are with 95 % confidence. */
#ifndef CORE_TRAIN_MODEL_BOOTSTRAP_H
#define CORE_TRAIN_MODEL_BOOTSTRAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/train/model_eval.h"

#define MODEL_BOOTSTRAP_ROUNDS 500

/* Fewer users with a fraud, or with a legit event, say nothing of others. */
#define MODEL_BOOTSTRAP_USERS 20

/* Memory to work in, from the caller. */
struct bootstrap_space {
	size_t users; /* user numbers are below this */
	uint32_t *who; /* one a user number */
	uint32_t *times; /* the same */
	uint32_t *found; /* the same */
	double value[EVAL_MEASURE__MAX][MODEL_BOOTSTRAP_ROUNDS];
};

/* The bounds of a measure; NaN: unknown. */
struct eval_bounds {
	double low;
	double high;
};

/*
 * Find the bounds of the measures of a model; or if there is another model, of
 * the difference between the first and the other on the same events.
 *
 * In each round as many users are drawn as the test has, some of them several
 * times and some not at all, with all their events: events of one user resemble
 * each other, so drawing events would make the bounds too narrow.  The bounds
 * leave out the lowest and the highest 2.5 % of the rounds (B. Efron, R.
 * Tibshirani, "An Introduction to the Bootstrap", Chapman & Hall 1993, 13.3).
 * Equal input gives exactly equal bounds.  With fewer
 * than MODEL_BOOTSTRAP_USERS of either kind all bounds are unknown.  Call stop
 * before each round; if it returns true, leave out the others: then the bounds
 * mean nothing.
 */
void model_bootstrap(const struct eval_order *model,
    const struct eval_order *other, size_t k, struct bootstrap_space *space,
    bool (*stop)(void), struct eval_bounds ret[EVAL_MEASURE__MAX]);

#endif
