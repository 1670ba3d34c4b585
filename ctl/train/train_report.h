/* SPDX-License-Identifier: ISC */
/* assayctl train: the table in a file, the report, the proposed bands. */
#ifndef CTL_TRAIN_TRAIN_REPORT_H
#define CTL_TRAIN_TRAIN_REPORT_H

#include "lib/train/train.h"

struct band_goal;
struct command;

/*
 * Fill a table from a CSV file, compressed by gzip or not.  Return 0, or -1
 * with f set, which names file and line: FAIL_DENIED if the file cannot be
 * opened or progress stopped the reading.
 */
int train_table_read(struct train_table *tb, const char *path,
    progress_fn *progress, struct fail *f) __attribute__((warn_unused_result));

/*
 * Print the report, with the verdicts that the policy of each event type has
 * for the scores of the test, and those of the proposed bands unless that is
 * NULL.
 */
void train_show(const struct train_table *tb, const struct plan *pl,
    const struct trained *tr, const struct policy policies[EVENT_TYPE__MAX],
    const struct policy *proposed);

/* The options for bands as they were given; NULL: not given. */
struct train_bands_options {
	char *deny_precision;
	char *review_precision;
	char *challenge_budget;
	char *cost_fraud;
	char *cost_challenge;
	char *policies; /* the directory to write to */
};

/*
 * Read the options.  Return whether bands are wanted, with what they are to
 * achieve in *ret.  For a wrong option, print the error and exit EX_USAGE.
 */
bool train_bands_read(const struct command *cmd,
    const struct train_bands_options *options, struct band_goal *ret);

/*
 * Propose bands for each event type in arena a, from the scores of the test;
 * the rest of each policy stays.  Return 0, or -1 with f set.
 */
int train_bands_choose(const struct trained *tr, const struct band_goal *goal,
    const struct policy policies[EVENT_TYPE__MAX], struct arena *a,
    struct policy ret[EVENT_TYPE__MAX], struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Make the directory for train_bands_write() unless it exists, before the
 * training publishes anything.  Return 0, or -1 with f set.
 */
int train_bands_make_dir(const char *dir, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Write the proposed policy of each tested event type as a file in the
 * directory: TYPE.json, or all.json if the types are unknown.  Return 0, or -1
 * with f set.
 */
int train_bands_write(const char *dir, const struct trained *tr,
    const struct policy proposed[EVENT_TYPE__MAX], struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

#endif
