/* SPDX-License-Identifier: ISC */
/* Training: what the fit and the test share. */
#ifndef LIB_TRAIN_TRAIN_INT_H
#define LIB_TRAIN_TRAIN_INT_H

#include "lib/train/train.h"

/* What a model says of the tested events, also in the orders to measure it. */
struct train_marks {
	struct eval_mark *as_tested;
	struct eval_mark *ranked;
	struct eval_mark *daily;
};

/* The state of a training. */
struct training {
	struct train_table *tb;
	const struct plan *pl;
	struct arena *arena;
	void (*say)(const char *, ...) __attribute__((format(printf, 1, 2)));
	uint8_t *label; /* by row: the enum backtest_label to use */
	double *z; /* by row of a part: log odds of the fit */
	double *champion_z; /* by row of the test: log odds of the champion */
	struct train_marks marks; /* of the model */
	struct train_marks champion; /* NULL without a champion */
	size_t n_marks; /* tested events */
	struct model_range term[FEATURE__MAX]; /* over the tested events */
	struct bootstrap_space space;
	int64_t *known; /* by user: day of the first fraud, TRAIN_NEVER: none */
};

/*
 * Let the champion score the test, before the features become what the model
 * takes for them.
 */
void train_score_champion(struct training *tn, const struct trained *tr);

/*
 * Test the model on the events after the end of training.  Return 0, or -1 with
 * f set if these do not suffice.
 */
int train_test(struct training *tn, struct trained *tr, struct fail *f)
    __attribute__((warn_unused_result));

/* Fail because the table lacks the events for a step. */
int train_refuse(const char *what, const char *why, struct fail *f);

#endif
