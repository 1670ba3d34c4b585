/* SPDX-License-Identifier: ISC */
/* What a backtest counts, and what it makes of it. */
#ifndef CORE_ANALYSE_BACKTEST_H
#define CORE_ANALYSE_BACKTEST_H

#include <stdint.h>

#include "core/decide/policy.h"

struct str;

/* What is known of an event in the end. */
enum backtest_label { LABEL_NONE = 1, LABEL_LEGIT, LABEL_FRAUD, LABEL__MAX };

/* Labelled samples by what was said of them; flagged is all but allow. */
struct confusion {
	int64_t true_positives; /* flagged fraud */
	int64_t false_positives; /* flagged, but legit */
	int64_t false_negatives; /* fraud that was let through */
	int64_t true_negatives;
};

/* The verdicts on one sample. */
struct backtest_label_result {
	enum verdict answered; /* when it happened */
	enum verdict baseline; /* of the live policy on the recorded score */
	enum verdict candidate;
	enum backtest_label label;
};

/* The counts so far; begins zeroed. */
struct backtest {
	struct confusion candidate;
	struct confusion baseline;
	int64_t labeled;
	int64_t flips; /* labelled, and the candidate says otherwise */
	int64_t pairs[VERDICT__MAX]
		     [VERDICT__MAX]; /* all: answered, candidate */
};

/* Count one sample. */
void backtest_add(
    struct backtest *bt, const struct backtest_label_result *result);

/* How many were counted. */
int64_t backtest_samples(const struct backtest *bt);

/*
 * Append the members of the result (SPEC: "Backtest result") from sampleSize
 * on, without braces: the named ones, of labelled samples, then mix and
 * flipsByPair, of all.  A rate whose denominator is empty is 0.
 */
void backtest_json(struct str *s, const struct backtest *bt);

#endif
