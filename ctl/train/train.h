/* SPDX-License-Identifier: ISC */
/* assayctl train: the table, what is made of it, what is shown. */
#ifndef CTL_TRAIN_TRAIN_H
#define CTL_TRAIN_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/train/model_eval.h"
#include "core/analyse/backtest.h"
#include "core/event/event.h"
#include "core/train/logistic_fit.h"
#include "core/decide/model.h"
#include "core/decide/score.h"

struct arena;
struct db;
struct fail;
struct policy;

#define TRAIN_DAY INT64_C(86400000000) /* microseconds */
#define TRAIN_NEVER INT64_MAX

/* Which rows are kept: those decided in [from, to). */
struct span {
	int64_t from;
	int64_t to;
};

/*
 * A training table in memory, in time order.  There is an array for each
 * column, so that a stretch of time is a stretch of each.  It begins zeroed
 * but for the span.
 */
struct train_table {
	struct span keep;
	double *x; /* FEATURE__MAX a row */
	int64_t *at; /* decided, microseconds UTC */
	int64_t *known; /* when its label came, TRAIN_NEVER without one */
	uint32_t *user; /* numbered as they come */
	uint8_t *label; /* enum backtest_label */
	uint8_t *type; /* enum event_type */
	size_t n;
	size_t cap;
	size_t users;
	struct user_id *slots; /* hash table of the users' names */
	size_t n_slots;

	/* Of all rows there were, kept or not. */
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
	enum event_type type; /* EVENT_TYPE__NONE: it is not told */
	double x[FEATURE__MAX];
};

/*
 * Count a row that comes after all others.  Returns whether it is one to
 * keep, with table_add().
 */
bool table_comes(struct train_table *tb, int64_t at);

/* Append a row.  Returns 0, or -1 with f set when there is no memory. */
int table_add(struct train_table *tb, const struct table_row *row,
    struct fail *f) __attribute__((warn_unused_result));

/* Give the memory of a table back. */
void table_clear(struct train_table *tb);

/*
 * What is told now and then how much of how much is read; once it returns true
 * the reading ends.
 */
typedef bool progress_fn(int64_t done, int64_t of);

/*
 * Fill a table from a CSV file, gzip'ed or not.  Returns 0, or -1 with f set,
 * where the file and the line at fault, FAIL_DENIED when it cannot be opened
 * or progress ended it.
 */
int table_read(struct train_table *tb, const char *path, progress_fn *progress,
    struct fail *f) __attribute__((warn_unused_result));

/* Which replay samples are wanted. */
struct train_wanted {
	const char *type; /* of events, NULL: all */
	int64_t since; /* decided no earlier */
};

/*
 * Fill a table from the replay samples of a database, with what is known of
 * their events.  They are read piece by piece, in no transaction.
 * *ret_unread is how many could not be, because of another version.  Returns
 * 0, or -1 with f set: FAIL_INPUT when there are none, or none has a label.
 */
int samples_read(struct train_table *tb, struct db *db,
    const struct train_wanted *wanted, struct arena *a, progress_fn *progress,
    uint64_t *ret_unread, struct fail *f) __attribute__((warn_unused_result));

/*
 * The policies that decide now, by event type, in arena a.  Returns 0, or -1
 * with f set.
 */
int samples_policies(struct db *db, struct arena *a,
    struct policy ret[EVENT_TYPE__MAX], struct fail *f)
    __attribute__((warn_unused_result));

/* The first row decided at or after a time. */
size_t table_at(const struct train_table *tb, int64_t at);

/* How to train. */
struct plan {
	int64_t delay; /* labels of events younger than it are not known */
	int64_t until; /* what is known by then is trained on */
	int64_t days; /* only on events of so long; TRAIN_NEVER: all */
	int64_t test; /* test on so long after it; TRAIN_NEVER: all */
	bool skip; /* events without label: not taken for legit */
	bool leave_known; /* test no user whose fraud was known by then */
	bool (*stop)(void);
};

/* A stretch of the table, and how much of it counted. */
struct part_of {
	size_t from; /* rows, the last not included */
	size_t to;
	int64_t fraud;
	int64_t legit;
};

#define TRAIN_PENALTIES 11

/* What came out. */
struct trained {
	struct model tr_model; /* without its strings */
	struct logistic_fit tr_fit;
	struct {
		double l2;
		double loss; /* on the validation rows */
	} tr_tried[TRAIN_PENALTIES];
	double tr_l2; /* the one chosen */
	struct part_of tr_part[4]; /* enum train_part - 1 */
	int64_t tr_left_out; /* of the test: known users */
	int64_t unlabeled; /* of the test: after train_known_until() */

	/* Of the test. */
	struct eval_quality tr_quality;
	double tr_cards; /* card precision at TRAIN_CARDS */
	struct eval_bin tr_bins[MODEL_EVAL_BINS];
	struct {
		double fraud; /* mean of weight * x over them */
		double legit;
	} tr_term[FEATURE__MAX];
	/* By event type, score, and whether it is fraud. */
	int64_t tr_scores[EVENT_TYPE__MAX][SCORE_MAX + 1][2];
};

enum train_part {
	TRAIN_FIT = 1,
	TRAIN_VALIDATE,
	TRAIN_CALIBRATE,
	TRAIN_TEST,
	TRAIN__MAX
};

#define TRAIN_CARDS 100

/*
 * Up to when the table says of all events what they were: of those younger
 * than the delay, while some have no label that may still come, the others are
 * mostly fraud, and make a model look better than it is.
 */
int64_t train_known_until(const struct train_table *tb, const struct plan *pl);

/*
 * Train on the table by the plan, and test on what came later.  say is called
 * with a line about each step.  Returns 0, or -1 with f set: FAIL_INPUT when
 * the table has not what it takes, FAIL_DENIED when it was stopped.
 */
int train_model(const struct train_table *tb, const struct plan *pl,
    struct arena *a,
    void (*say)(const char *, ...) __attribute__((format(printf, 1, 2))),
    struct trained *ret, struct fail *f) __attribute__((warn_unused_result));

/*
 * Print what came out, with the verdicts that the policy of each event type
 * has for the scores.
 */
void train_show(const struct train_table *tb, const struct plan *pl,
    const struct trained *tr, const struct policy policies[EVENT_TYPE__MAX]);

#endif
