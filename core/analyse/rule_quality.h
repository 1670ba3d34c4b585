/* SPDX-License-Identifier: ISC */
/* How well each rule finds fraud, counted over samples. */
#ifndef CORE_ANALYSE_RULE_QUALITY_H
#define CORE_ANALYSE_RULE_QUALITY_H

#include <stddef.h>
#include <stdint.h>

#include "core/analyse/amounts.h"
#include "core/analyse/backtest.h"

struct arena;
struct fail;
struct rulebook;
struct signals;
struct str;

#define RULE_QUALITY_SAMPLES_MAX 15000
#define RULE_QUALITY_PAIRS_MAX 20 /* of the overlap */
#define RULE_QUALITY_ALWAYS_MAX 5 /* rules without which one never fires */
#define RULE_QUALITY_DAYS_MAX                                                  \
	92 /* UTC days from the first to the last sample */

/* Samples, and how they are labelled. */
struct rule_quality_count {
	int64_t samples;
	int64_t fraud;
	int64_t legit;
};

/* The same with the amounts of the labelled ones. */
struct rule_quality_money {
	struct rule_quality_count count;
	struct amounts fraud;
	struct amounts legit;
};

/* The samples on which one rule fired. */
struct rule_quality_rule {
	struct rule_quality_money fired;
	struct rule_quality_count mature; /* of these, old enough */
	struct rule_quality_money decisive; /* and milder without the rule */
	uint16_t by_day[RULE_QUALITY_DAYS_MAX]; /* fired on each day */
};

/* The counts of a ruleset. */
struct rule_quality {
	const struct rulebook *book;
	struct rule_quality_count all;
	struct rule_quality_count mature; /* at or before mature_until */
	int64_t mature_until; /* microseconds UTC */
	int64_t first_day; /* since 1970-01-01, UTC */
	size_t n_days;
	uint16_t by_day[RULE_QUALITY_DAYS_MAX]; /* samples of each day */
	struct rule_quality_rule *rule; /* as many as the ruleset has */
	uint16_t *both; /* [a * n + b]: samples on which a and b > a fired */
};

/*
 * Begin to count the rules of a rulebook, in arena a, on the UTC days from
 * since to until, the last RULE_QUALITY_DAYS_MAX if there are more.  Samples at
 * or before mature_until are mature: their labels have come.  The times are
 * microseconds UTC.  Return 0, or -1 with f set if the arena is full.
 */
int rule_quality_init(struct rule_quality *ret, const struct rulebook *book,
    int64_t since, int64_t until, int64_t mature_until, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Decide one sample, of at most RULE_QUALITY_SAMPLES_MAX, and count the rules
 * that fired, its label, and its time, microseconds UTC.  Decide it again
 * without each of these rules: a rule is decisive if the verdict is then
 * milder. A time outside of the days counts on the nearest one.  Memory of
 * arena a is used until the return.  Return 0, or -1 with f set if it is full.
 */
int rule_quality_add(struct rule_quality *q, const struct signals *sigs,
    enum backtest_label label, int64_t at, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Append the members from decisions to overlap of GET /v1/analytics/rules,
 * without braces.
 */
void rule_quality_json(struct str *s, const struct rule_quality *q);

#endif
