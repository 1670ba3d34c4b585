/* SPDX-License-Identifier: ISC */
/* core/analyse/backtest.c: counts, rates and their JSON. */
#include "config.h"

#include "core/analyse/backtest.h"
#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/base/value.h"
#include "core/signal/signals.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[65536];

static const char *json(struct arena *a, const struct backtest *bt);

START_TEST(backtest_without_samples_is_zero)
{
	const struct backtest bt = { .labeled = 0 };
	struct arena a;

	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(backtest_samples(&bt), 0);
	ck_assert_str_eq(json(&a, &bt),
	    "\"sampleSize\":0,\"labeled\":0,\"candidate\":{"
	    "\"truePositives\":0,\"falsePositives\":0,\"falseNegatives\":0,"
	    "\"trueNegatives\":0,\"precision\":0,\"recall\":0,"
	    "\"falsePositiveRate\":0},\"baseline\":{\"truePositives\":0,"
	    "\"falsePositives\":0,\"falseNegatives\":0,\"trueNegatives\":0},"
	    "\"delta\":{\"fraudCaught\":0,\"falsePositives\":0,\"flips\":0},"
	    "\"mix\":{\"before\":{\"allow\":0,\"challenge\":0,\"review\":0,"
	    "\"deny\":0},\"after\":{\"allow\":0,\"challenge\":0,\"review\":0,"
	    "\"deny\":0}},\"flipsByPair\":[]");
	arena_reset(&a);
}
END_TEST

/*
 * All verdicts but allow count as flagged.  Samples without a label count only
 * in the mix.
 */
static const struct backtest_label_result results[] = {
	{ VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_DENY, LABEL_FRAUD, VERDICT_DENY,
	    NULL },
	{ VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_REVIEW, LABEL_FRAUD,
	    VERDICT_ALLOW, NULL },
	{ VERDICT_DENY, VERDICT_ALLOW, VERDICT_CHALLENGE, LABEL_FRAUD,
	    VERDICT_CHALLENGE, NULL },
	{ VERDICT_ALLOW, VERDICT_REVIEW, VERDICT_ALLOW, LABEL_FRAUD,
	    VERDICT_ALLOW, NULL },
	{ VERDICT_REVIEW, VERDICT_CHALLENGE, VERDICT_REVIEW, LABEL_LEGIT,
	    VERDICT_DENY, NULL },
	{ VERDICT_DENY, VERDICT_DENY, VERDICT_ALLOW, LABEL_LEGIT, VERDICT_ALLOW,
	    NULL },
	{ VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_ALLOW, LABEL_LEGIT,
	    VERDICT_ALLOW, NULL },
	{ VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_ALLOW, LABEL_LEGIT,
	    VERDICT_ALLOW, NULL },
	{ VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_DENY, LABEL_NONE,
	    VERDICT_REVIEW, NULL },
	{ VERDICT_ALLOW, VERDICT_ALLOW, VERDICT_ALLOW, LABEL_NONE,
	    VERDICT_ALLOW, NULL },
};

START_TEST(verdicts_are_compared_with_labels)
{
	struct backtest bt = { .labeled = 0 };
	struct arena a;
	size_t i;

	arena_init(&a, block, sizeof(block));
	for (i = 0; i < nitems(results); i++)
		backtest_add(&bt, &results[i]);
	ck_assert_int_eq(backtest_samples(&bt), nitems(results));
	ck_assert_str_eq(json(&a, &bt),
	    "\"sampleSize\":10,\"labeled\":8,\"candidate\":{"
	    "\"truePositives\":3,\"falsePositives\":1,\"falseNegatives\":1,"
	    "\"trueNegatives\":3,\"precision\":0.75,\"recall\":0.75,"
	    "\"falsePositiveRate\":0.25},\"baseline\":{\"truePositives\":1,"
	    "\"falsePositives\":2,\"falseNegatives\":3,\"trueNegatives\":2},"
	    "\"delta\":{\"fraudCaught\":2,\"falsePositives\":-1,\"flips\":4},"
	    "\"mix\":{\"before\":{\"allow\":7,\"challenge\":0,\"review\":1,"
	    "\"deny\":2},\"after\":{\"allow\":5,\"challenge\":1,\"review\":2,"
	    "\"deny\":2}},\"flipsByPair\":[{\"from\":\"allow\",\"to\":"
	    "\"review\","
	    "\"samples\":1},{\"from\":\"allow\",\"to\":\"deny\",\"samples\":2},"
	    "{\"from\":\"deny\",\"to\":\"allow\",\"samples\":1},"
	    "{\"from\":\"deny\",\"to\":\"challenge\",\"samples\":1}]");
	arena_reset(&a);
}
END_TEST

/*
 * The same results against the active verdicts.  Those with a label have an
 * amount.
 */
static const char active_json[] =
    "\"flips\":3,\"counts\":{\"truePositives\":2,\"falsePositives\":1,"
    "\"falseNegatives\":2,\"trueNegatives\":3},\"delta\":{"
    "\"fraudCaught\":1,\"falsePositives\":0,\"flips\":2},\"verdicts\":{"
    "\"allow\":{\"allow\":5,\"challenge\":0,\"review\":1,\"deny\":0},"
    "\"challenge\":{\"allow\":0,\"challenge\":1,\"review\":0,\"deny\":0},"
    "\"review\":{\"allow\":0,\"challenge\":0,\"review\":0,\"deny\":1},"
    "\"deny\":{\"allow\":0,\"challenge\":0,\"review\":1,\"deny\":1}},"
    "\"flipsByPair\":["
    "{\"from\":\"allow\",\"to\":\"review\",\"samples\":1,\"fraud\":1,"
    "\"legit\":0,\"amounts\":{\"EUR\":7}},"
    "{\"from\":\"review\",\"to\":\"deny\",\"samples\":1,\"fraud\":0,"
    "\"legit\":0,\"amounts\":{}},"
    "{\"from\":\"deny\",\"to\":\"review\",\"samples\":1,\"fraud\":0,"
    "\"legit\":1,\"amounts\":{\"EUR\":7}}]";

START_TEST(the_active_verdicts_are_compared_with_the_candidate)
{
	struct backtest bt = { .labeled = 0 };
	struct backtest_label_result result;
	struct signals sigs;
	struct arena a;
	struct str s;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(7);
	sigs.value[SIGNAL_EVENT_CURRENCY] = value_string("EUR");
	arena_init(&a, block, sizeof(block));
	for (i = 0; i < nitems(results); i++) {
		result = results[i];
		result.signals = result.label == LABEL_NONE ? NULL : &sigs;
		backtest_add(&bt, &result);
	}
	str_init(&s, &a);
	backtest_active_json(&s, &bt);
	ck_assert_str_eq(str_text(&s), active_json);
	arena_reset(&a);
}
END_TEST

START_TEST(sums_of_amounts_show_no_error_of_binary_fractions)
{
	static const double amounts[] = { 0.1, 0.2, 1e9 };
	struct amounts sums = { .of = { { .sum = 0 } } };
	struct signals sigs;
	struct arena a;
	struct str s;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.value[SIGNAL_EVENT_CURRENCY] = value_string("EUR");
	for (i = 0; i < nitems(amounts); i++) {
		sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(amounts[i]);
		amounts_add(&sums, &sigs);
	}
	sigs.value[SIGNAL_EVENT_CURRENCY] = value_string("CLF");
	sigs.value[SIGNAL_EVENT_AMOUNT] = value_number(0.0012);
	amounts_add(&sums, &sigs);
	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	amounts_json(&s, NULL, &sums);
	ck_assert_str_eq(str_text(&s), "{\"EUR\":1000000000.3,\"CLF\":0.0012}");
	arena_reset(&a);
}
END_TEST

static const char *
json(struct arena *a, const struct backtest *bt)
{
	struct str s;

	str_init(&s, a);
	backtest_json(&s, bt);
	return str_text(&s);
}

Suite *
suite_backtest(void)
{
	Suite *s = suite_create("backtest");
	TCase *tc = tcase_create("backtest");

	tcase_add_test(tc, backtest_without_samples_is_zero);
	tcase_add_test(tc, verdicts_are_compared_with_labels);
	tcase_add_test(tc, the_active_verdicts_are_compared_with_the_candidate);
	tcase_add_test(tc, sums_of_amounts_show_no_error_of_binary_fractions);
	suite_add_tcase(s, tc);
	return s;
}
