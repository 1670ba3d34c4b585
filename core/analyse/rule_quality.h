/* SPDX-License-Identifier: ISC */
/* How well each rule finds fraud, counted over samples. */
#ifndef CORE_ANALYSE_RULE_QUALITY_H
#define CORE_ANALYSE_RULE_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "core/analyse/backtest.h"
#include "core/decide/policy.h"

struct arena;
struct fail;
struct rule_hits;
struct ruleset;
struct signals;
struct str;

#define RULE_QUALITY_SAMPLES_MAX 20000
#define RULE_QUALITY_PAIRS_MAX 20 /* of the overlap */
#define RULE_QUALITY_CURRENCIES 8 /* of one rule; further ones do not count */

/* The fraud of one currency. */
struct rule_quality_amount {
	char currency[4]; /* "": free */
	double sum;
};

/* The counts of one rule. */
struct rule_quality_rule {
	int64_t fired;
	int64_t fraud; /* of these, labelled fraud */
	int64_t legit; /* and legit */
	struct rule_quality_amount amount[RULE_QUALITY_CURRENCIES];
};

/* The counts of a ruleset. */
struct rule_quality {
	const struct ruleset *ruleset;
	int64_t samples;
	struct rule_quality_rule *rule; /* as many as the ruleset has */
	uint16_t *both; /* [a * n + b]: samples on which a and b > a fired */
};

/* The bounds of a share. */
struct rule_quality_interval {
	double low;
	double high;
};

/*
 * Begin to count the rules of a ruleset, in arena a.  Return 0, or -1 with f
 * set if the arena is full.
 */
int rule_quality_init(struct rule_quality *ret, const struct ruleset *rs,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/*
 * Count one sample, of at most RULE_QUALITY_SAMPLES_MAX: the rules that fired
 * on its signals, and its label.
 */
void rule_quality_add(struct rule_quality *q, const struct signals *sigs,
    const struct rule_hits *hits, enum backtest_label label);

/*
 * The Wilson score interval at 95 % of a share of good among n: where the true
 * share may be.  0 to 1 if n is 0.
 */
struct rule_quality_interval rule_quality_wilson(int64_t good, int64_t n);

/* Append the members decisions, rules and overlap, without braces. */
void rule_quality_json(struct str *s, const struct rule_quality *q);

#endif
