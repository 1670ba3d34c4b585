/* SPDX-License-Identifier: ISC */
/* The counts of a backtest, and the result that is computed from them. */
#ifndef CORE_ANALYSE_BACKTEST_H
#define CORE_ANALYSE_BACKTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "core/analyse/amounts.h"
#include "core/decide/policy.h"

struct signals;
struct str;

/* The label of an event. */
enum backtest_label { LABEL_NONE = 1, LABEL_LEGIT, LABEL_FRAUD, LABEL__MAX };

/*
 * Labelled samples by label and verdict.  A sample is flagged if its verdict is
 * not allow.
 */
struct confusion {
	int64_t true_positives; /* flagged fraud */
	int64_t false_positives; /* flagged, but legit */
	int64_t false_negatives; /* fraud that was allowed */
	int64_t true_negatives; /* legit, and allowed */
};

/* The verdicts on one sample. */
struct backtest_label_result {
	enum verdict answered; /* the recorded one */
	enum verdict baseline; /* of the active policy, at the recorded score */
	enum verdict candidate; /* of the rules or bands under test */
	enum backtest_label label;
	enum verdict active; /* of what is active now, decided as candidate */
	const struct signals *signals; /* NULL: they were not read */
};

/* The samples with one pair of verdicts. */
struct backtest_pair {
	int64_t samples;
	int64_t fraud; /* of these, labelled so */
	int64_t legit;
	struct amounts amounts; /* of those whose signals were read */
};

/* The counts so far; zero it before the first sample. */
struct backtest {
	struct confusion candidate;
	struct confusion baseline;
	struct confusion active;
	int64_t labeled; /* number of samples with a label */
	int64_t flips; /* labelled samples: candidate differs from answered */

	/* All samples, by the verdicts answered and candidate. */
	int64_t pairs[VERDICT__MAX][VERDICT__MAX];

	/* All samples, by the verdicts active and candidate. */
	struct backtest_pair active_pairs[VERDICT__MAX][VERDICT__MAX];
	int64_t active_flips; /* labelled samples: these two differ */
	bool amounts; /* signals were read: print the sums */
};

/* Count one sample. */
void backtest_add(
    struct backtest *bt, const struct backtest_label_result *result);

/* The number of samples that were counted. */
int64_t backtest_samples(const struct backtest *bt);

/*
 * Append the members of the result (SPEC: "Backtest result") from sampleSize
 * on, without braces.  candidate, baseline and delta count labelled samples
 * only; mix and flipsByPair count all.  A rate with denominator 0 is 0.
 */
void backtest_json(struct str *s, const struct backtest *bt);

/*
 * Append the members that compare what is active now with the candidate, from
 * flips on, without braces.  counts and delta count labelled samples only.
 */
void backtest_active_json(struct str *s, const struct backtest *bt);

#endif
