/* SPDX-License-Identifier: ISC */
/* Training: the table of labelled events, a model from it, its test. */
#ifndef LIB_TRAIN_TRAIN_H
#define LIB_TRAIN_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/analyse/backtest.h"
#include "core/decide/model.h"
#include "core/decide/score.h"
#include "core/event/event.h"
#include "core/train/logistic_fit.h"
#include "core/train/model_bootstrap.h"
#include "core/train/model_eval.h"

struct arena;
struct db;
struct fail;
struct policy;

#define TRAIN_DAY INT64_C(86400000000) /* microseconds */
#define TRAIN_NEVER INT64_MAX

/* Keep the rows decided in [from, to). */
struct span {
	int64_t from;
	int64_t to;
};

/*
 * A training table in memory, in time order, with one array per column, so that
 * a time range is a range of each array.  Set keep and zero the rest to begin.
 */
struct train_table {
	struct span keep;
	double *x; /* FEATURE__MAX a row */
	int64_t *at; /* decided, microseconds UTC */
	int64_t *known; /* when its label arrived, TRAIN_NEVER without one */
	uint32_t *user; /* numbers in the order of first occurrence */
	uint8_t *label; /* enum backtest_label */
	uint8_t *type; /* enum event_type */
	size_t n;
	size_t cap;
	size_t users;
	struct user_id *slots; /* hash table of user names */
	size_t n_slots;

	/* Of all rows, kept or not. */
	uint64_t rows;
	int64_t first; /* decided */
	int64_t last;
};

/* One row. */
struct table_row {
	const char *user;
	int64_t at;
	int64_t known; /* TRAIN_NEVER without a label */
	enum backtest_label label;
	enum event_type type; /* EVENT_TYPE__NONE: unknown */
	double x[FEATURE__MAX];
};

/*
 * Count the next row, decided at the time at.  Return whether to keep it, with
 * train_table_add().
 */
bool train_table_count_row(struct train_table *tb, int64_t at);

/* Append a row.  Return 0, or -1 with f set if there is no memory. */
int train_table_add(struct train_table *tb, const struct table_row *row,
    struct fail *f) __attribute__((warn_unused_result));

/* Free the memory of a table, and zero it. */
void train_table_clear(struct train_table *tb);

/*
 * Called now and then while reading, with the amount that has been read and the
 * whole amount.  Return true to stop reading.
 */
typedef bool progress_fn(int64_t done, int64_t of);

/* Which samples to read. */
struct train_wanted {
	const char *type; /* event type, NULL: all */
	int64_t since; /* decided at this time or later */
};

/*
 * Fill a table from the samples of a database and their labels.  Read them in
 * several statements, without a transaction.  *ret_unread is the number of
 * samples that this version cannot read.  Return 0, or -1 with f set:
 * FAIL_INPUT if there is no sample or no label, FAIL_DENIED if progress stopped
 * the reading.
 */
int train_samples_read(struct train_table *tb, struct db *db,
    const struct train_wanted *wanted, struct arena *a, progress_fn *progress,
    uint64_t *ret_unread, struct fail *f) __attribute__((warn_unused_result));

/*
 * Read the active policies, by event type, into arena a.  Return 0, or -1 with
 * f set.
 */
int train_samples_policies(struct db *db, struct arena *a,
    struct policy ret[EVENT_TYPE__MAX], struct fail *f)
    __attribute__((warn_unused_result));

/* Return the index of the first row decided at or after a time. */
size_t train_table_at(const struct train_table *tb, int64_t at);

/* How to train.  Times in microseconds. */
struct plan {
	int64_t delay; /* label delay */
	int64_t until; /* end of training: use the labels known then */
	int64_t days; /* length of the training data; TRAIN_NEVER: all */
	int64_t test; /* length of the test after until; TRAIN_NEVER: all */
	bool skip; /* leave out events without a label, else they are legit */
	bool leave_known; /* leave users with known fraud out of the test */
	const struct model *champion; /* to compare with, NULL: none */
	bool (*stop)(void); /* return true to stop the training */
};

/* A range of rows, and the number of its labels. */
struct row_range {
	size_t from; /* first row */
	size_t to; /* row after the last */
	int64_t fraud;
	int64_t legit;
};

#define TRAIN_PENALTIES 9

/* The result of a training. */
struct trained {
	struct model tr_model; /* its strings are not set */
	struct logistic_fit tr_fit;
	struct {
		double l2;
		double loss; /* on the validation rows */
	} tr_tried[TRAIN_PENALTIES];
	double tr_l2; /* the chosen penalty */
	struct row_range tr_part[4]; /* by enum train_part - 1 */
	int64_t tr_left_out; /* not tested: events of known users */
	int64_t tr_unlabeled; /* not tested: events after train_known_until() */
	/* Events of the test that are beyond the range of a feature. */
	int64_t tr_clamped[FEATURE__MAX];

	/* Results of the test. */
	struct eval_losses tr_losses;
	double tr_measured[EVAL_MEASURE__MAX];
	struct eval_bounds tr_bounds[EVAL_MEASURE__MAX];
	/* If there is a champion: its measures, and the bounds of the gain. */
	double tr_champion[EVAL_MEASURE__MAX];
	struct eval_bounds tr_gain[EVAL_MEASURE__MAX];
	double tr_swing; /* the largest difference that a feature made between
			    the calibrated log odds of two events */
	enum feature tr_swing_of; /* that feature */
	struct eval_bin tr_bins[MODEL_EVAL_BINS];
	struct {
		double fraud; /* mean of weight * x over fraud events */
		double legit; /* the same over legit events */
	} tr_term[FEATURE__MAX];
	/* Events by type, score, and whether they are fraud. */
	int64_t tr_scores[EVENT_TYPE__MAX][SCORE_MAX + 1][2];
};

enum train_part {
	TRAIN_FIT = 1,
	TRAIN_VALIDATE,
	TRAIN_CALIBRATE,
	TRAIN_TEST,
	TRAIN__MAX
};

#define TRAIN_CARDS 100 /* users per day in card precision */

/*
 * Return the time up to which events can be tested: the time of the last event,
 * or if an event younger than the label delay has no label, the label delay
 * earlier.  Most labels that arrive early are fraud, so a test on younger
 * events would make a model look better than it is.
 */
int64_t train_known_until(const struct train_table *tb, const struct plan *pl);

/*
 * Train on the table by the plan, and test on later events.  The features of
 * the table become what the model takes for them, see model_input().  Call say
 * with a line about each step.  Return 0, or -1 with f set: FAIL_INPUT if the
 * table lacks the events for a step, FAIL_DENIED if pl->stop stopped it.
 */
int train_model(struct train_table *tb, const struct plan *pl, struct arena *a,
    void (*say)(const char *, ...) __attribute__((format(printf, 1, 2))),
    struct trained *ret, struct fail *f) __attribute__((warn_unused_result));

/* Whether the training left out a feature, because it had only one value. */
bool train_left_out(const struct trained *tr, int feature);

/* How a model compares with the champion, with 95 % confidence. */
enum train_gain { TRAIN_GAIN_UNSURE = 1, TRAIN_GAIN_BETTER, TRAIN_GAIN_WORSE };

/*
 * A model is better if its average precision is, and no other measure is worse;
 * it is worse if its average precision is.  Too few users make any difference
 * unsure.
 */
enum train_gain train_compare(const struct trained *tr);

/*
 * Whether the champion was trained later than the model may be, so that it may
 * know events of the test.
 */
bool train_champion_is_newer(const struct plan *pl);

/* Read a time, or a date as its first instant.  Return 0 or -1. */
int train_parse_time(const char *text, int64_t *ret)
    __attribute__((warn_unused_result));

/* The number of tested events of a type. */
int64_t train_tested(const struct trained *tr, enum event_type type);

#endif
