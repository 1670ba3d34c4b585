/* SPDX-License-Identifier: ISC */
/* core/analyse/rule_quality.c: counts of rules, and the Wilson interval. */
#include "config.h"

#include <string.h>

#include "core/analyse/rule_quality.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/signal/signals.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[262144];

/* By the formula of Wilson (1927), computed in Python. */
static const struct {
	int64_t good, n;
	double low, high;
} intervals[] = {
	{ 0, 0, 0, 1 },
	{ 0, 1, 0, 0.793450685622763 },
	{ 1, 1, 0.206549314377237, 1 },
	{ 0, 10, 0, 0.277532799862889 },
	{ 5, 10, 0.236593090512564, 0.763406909487436 },
	{ 10, 10, 0.722467200137111, 1 },
	{ 90, 100, 0.825634338495087, 0.944770862939325 },
	{ 1000, 10000, 0.094272830170630, 0.106034368525911 },
};

START_TEST(the_interval_is_that_of_wilson)
{
	const struct rule_quality_interval in =
	    rule_quality_wilson(intervals[_i].good, intervals[_i].n);

	ck_assert_double_eq_tol(in.low, intervals[_i].low, 1e-12);
	ck_assert_double_eq_tol(in.high, intervals[_i].high, 1e-12);
}
END_TEST

static const char text[] =
    "rule big { when event.amount > 10 then score += 5, tag big }\n"
    "rule huge { when event.amount > 100 then score += 9, tag big }\n"
    "rule never { when event.amount > 1000000 then score += 1, tag n }\n";

static const struct {
	double amount;
	const char *currency;
	enum backtest_label label;
} samples[] = {
	{ 5, "EUR", LABEL_FRAUD },
	{ 50, "EUR", LABEL_FRAUD },
	{ 500, "EUR", LABEL_FRAUD },
	{ 500, "USD", LABEL_FRAUD },
	{ 500, "EUR", LABEL_LEGIT },
	{ 50, "EUR", LABEL_NONE },
};

START_TEST(rules_are_counted_by_label_currency_and_pair)
{
	struct rule_quality q;
	struct rule_hits *hits;
	struct signals *sigs;
	struct ruleset *rs;
	struct fail f = { 0 };
	struct arena a;
	struct str s;
	size_t i;

	arena_init(&a, block, sizeof(block));
	hits = arena_alloc(&a, sizeof(*hits));
	sigs = arena_alloc(&a, sizeof(*sigs));
	rs = rule_compile(&a, text, strlen(text), &f);
	ck_assert_ptr_nonnull(rs);
	ck_assert_int_eq(rule_quality_init(&q, rs, &a, &f), 0);
	for (i = 0; i < nitems(samples); i++) {
		sigs->value[SIGNAL_EVENT_AMOUNT] =
		    value_number(samples[i].amount);
		sigs->value[SIGNAL_EVENT_CURRENCY] =
		    value_string(samples[i].currency);
		rule_eval(rs, sigs, hits);
		rule_quality_add(&q, sigs, hits, samples[i].label);
	}
	str_init(&s, &a);
	rule_quality_json(&s, &q);
	ck_assert_ptr_nonnull(strstr(str_text(&s),
	    "\"decisions\":6,\"rules\":[{\"id\":\"big\",\"tag\":\"big\","
	    "\"points\":5,\"fired\":5,\"share\":0.83"));
	ck_assert_ptr_nonnull(strstr(str_text(&s),
	    "\"labels\":{\"fraud\":3,\"legit\":1},\"precision\":0.75,"));
	ck_assert_ptr_nonnull(
	    strstr(str_text(&s), "\"amountFraud\":{\"EUR\":550,\"USD\":500}"));
	ck_assert_ptr_nonnull(
	    strstr(str_text(&s), "\"amountFraud\":{\"EUR\":500,\"USD\":500}"));
	ck_assert_ptr_nonnull(strstr(str_text(&s),
	    "{\"id\":\"never\",\"tag\":\"n\",\"points\":1,\"fired\":0,"
	    "\"share\":0,\"labels\":{\"fraud\":0,\"legit\":0},"
	    "\"precision\":null,\"low\":null,\"high\":null,"
	    "\"amountFraud\":{},\"neverFired\":true}"));
	ck_assert_ptr_nonnull(strstr(str_text(&s),
	    "\"overlap\":[{\"a\":\"big\",\"b\":\"huge\",\"both\":3,"
	    "\"share\":1}]"));
	arena_reset(&a);
}
END_TEST

Suite *
suite_rule_quality(void)
{
	Suite *s = suite_create("rule_quality");
	TCase *tc = tcase_create("rule_quality");

	tcase_add_loop_test(
	    tc, the_interval_is_that_of_wilson, 0, (int)nitems(intervals));
	tcase_add_test(tc, rules_are_counted_by_label_currency_and_pair);
	suite_add_tcase(s, tc);
	return s;
}
