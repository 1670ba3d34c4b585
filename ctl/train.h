/* SPDX-License-Identifier: ISC */
/* assayctl train: the table, what is made of it, what is shown. */
#ifndef CTL_TRAIN_H
#define CTL_TRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/assess.h"
#include "core/fit.h"
#include "core/model.h"

struct arena;
struct fail;
struct policy;

#define TRAIN_DAY INT64_C(86400000000) /* microseconds */
#define TRAIN_NEVER INT64_MAX

/*
 * A training table in memory, in time order.  There is an array for each
 * column, so that a stretch of time is a stretch of each.
 */
struct table {
	double *tb_x; /* FEATURE__MAX a row */
	int64_t *tb_at; /* decided, microseconds UTC */
	int64_t *tb_known; /* when its label came, TRAIN_NEVER without one */
	uint32_t *tb_user; /* numbered as they come */
	uint8_t *tb_label; /* enum label */
	size_t tb_n;
	size_t tb_cap;
	size_t tb_users;
	struct user_id *tb_slots; /* hash table of the users' names */
	size_t tb_n_slots;

	/* Of the whole file, kept or not. */
	uint64_t tb_rows;
	int64_t tb_first; /* decided */
	int64_t tb_last;
};

/* Which rows are kept: those decided in [from, to). */
struct span {
	int64_t from;
	int64_t to;
};

/*
 * Read a training table (assay-table(5)) from a CSV file, gzip'ed or not.
 * progress is called now and then with the bytes read and those of the file;
 * what it returns true for ends the reading.  Returns 0, or -1 with f set,
 * where the file and the line at fault, FAIL_DENIED when it cannot be opened
 * or progress ended it.
 */
int table_read(struct table *tb, const char *path, struct span keep,
    bool (*progress)(int64_t, int64_t), struct fail *f)
    __attribute__((warn_unused_result));

/* Give the memory of a table back. */
void table_clear(struct table *tb);

/* The first row decided at or after a time. */
size_t table_at(const struct table *tb, int64_t at);

/* How to train. */
struct plan {
	int64_t pl_delay; /* labels of events younger than it are not known */
	int64_t pl_until; /* what is known by then is trained on */
	int64_t pl_days; /* only on events of so long; TRAIN_NEVER: all */
	int64_t pl_test; /* test on so long after it; TRAIN_NEVER: all */
	bool pl_skip; /* events without label: not taken for legit */
	bool pl_leave_known; /* test no user whose fraud was known by then */
	bool (*pl_stop)(void);
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
	struct fit tr_fit;
	struct {
		double l2;
		double loss; /* on the validation rows */
	} tr_tried[TRAIN_PENALTIES];
	double tr_l2; /* the one chosen */
	struct part_of tr_part[4]; /* enum train_part - 1 */
	int64_t tr_left_out; /* of the test: known users */
	int64_t tr_untold; /* of the test: their labels may still come */

	/* Of the test. */
	struct quality tr_quality;
	double tr_cards; /* card precision at TRAIN_CARDS */
	struct bin tr_bins[ASSESS_BINS];
	struct {
		double fraud; /* mean of weight * x over them */
		double legit;
	} tr_term[FEATURE__MAX];
	int64_t tr_scores[101][2]; /* by score, and whether it is fraud */
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
 * Train on the table by the plan, and test on what came later.  say is called
 * with a line about each step.  Returns 0, or -1 with f set: FAIL_INPUT when
 * the table has not what it takes, FAIL_DENIED when it was stopped.
 */
int train_model(const struct table *tb, const struct plan *pl, struct arena *a,
    void (*say)(const char *, ...) __attribute__((format(printf, 1, 2))),
    struct trained *ret, struct fail *f) __attribute__((warn_unused_result));

/* Print what came out, with the verdicts that the policy has for the scores. */
void train_show(const struct table *tb, const struct plan *pl,
    const struct trained *tr, const struct policy *policy);

#endif
