/* SPDX-License-Identifier: ISC */
/* core/analyse/rule_quality.c: counts of rules. */
#include "config.h"

#include <string.h>

#include "core/analyse/rule_quality.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/rule/rule.h"
#include "core/signal/signals.h"
#include "t/unit/unit.h"

#define DAY INT64_C(86400000000)

static _Alignas(16) char block[262144];

static const char text[] =
    "rule big { when event.amount > 10 then score += 5, tag big }\n"
    "rule huge { when event.amount > 100 then score += 29, tag big }\n"
    "rule never { when event.amount > 1000000 then score += 1, tag n }\n";

static const struct band bands[] = {
	{ VERDICT_ALLOW, 0, 24, NULL },
	{ VERDICT_DENY, 25, 100, NULL },
};

static const struct policy policy = {
	.id = "p",
	.version = "v1",
	.on_error = ON_ERROR_FAIL_OPEN,
	.bands = bands,
	.n_bands = nitems(bands),
};

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

/* What the JSON of these samples contains. */
static const char *const parts[] = {
	"\"decisions\":6,\"labels\":{\"fraud\":4,\"legit\":1},"
	"\"mature\":{\"decisions\":4,\"labels\":{\"fraud\":4,\"legit\":0}},"
	"\"byDay\":[3,1,1,1],\"rules\":[{\"id\":\"big\",\"tag\":\"big\","
	"\"points\":5,\"fired\":5,\"share\":0.83",
	"\"labels\":{\"fraud\":3,\"legit\":1},\"precision\":0.75,",
	"\"recall\":0.75,\"amountFraud\":{\"EUR\":550,\"USD\":500},"
	"\"amountLegit\":{\"EUR\":500},"
	"\"mature\":{\"fired\":3,\"labels\":{\"fraud\":3,\"legit\":0},"
	"\"precision\":1,",
	"\"decisive\":{\"samples\":0,\"labels\":{\"fraud\":0,\"legit\":0},"
	"\"amountFraud\":{},\"amountLegit\":{}},\"alwaysWith\":[],"
	"\"neverFired\":false,\"byDay\":[2,1,1,1]}",
	"\"recall\":0.5,\"amountFraud\":{\"EUR\":500,\"USD\":500},",
	"\"decisive\":{\"samples\":3,\"labels\":{\"fraud\":2,\"legit\":1},"
	"\"amountFraud\":{\"EUR\":500,\"USD\":500},"
	"\"amountLegit\":{\"EUR\":500}},\"alwaysWith\":[\"big\"],",
	"{\"id\":\"never\",\"tag\":\"n\",\"points\":1,\"fired\":0,"
	"\"share\":0,\"labels\":{\"fraud\":0,\"legit\":0},"
	"\"precision\":null,\"low\":null,\"high\":null,\"recall\":0,"
	"\"amountFraud\":{},\"amountLegit\":{},\"mature\":{\"fired\":0,",
	"\"alwaysWith\":[],\"neverFired\":true,\"byDay\":[0,0,0,0]}",
	"\"overlap\":[{\"a\":\"big\",\"b\":\"huge\",\"both\":3,"
	"\"share\":1}]",
};

/* Without learned weights both give the points of the rules. */
static const struct tag_weights no_weights;
static const struct scoring scorings[] = {
	{ .scorer = SCORER_WEIGHTED },
	{ .scorer = SCORER_LEARNED, .tag_weights = &no_weights },
};

START_TEST(rules_are_counted_by_label_currency_and_pair)
{
	struct rulebook book = { .policy = &policy, .scoring = &scorings[_i] };
	struct rule_quality q;
	struct signals *sigs;
	struct fail f = { 0 };
	struct arena a;
	struct str s;
	size_t i;

	arena_init(&a, block, sizeof(block));
	sigs = arena_alloc(&a, sizeof(*sigs));
	book.ruleset = rule_compile(&a, text, strlen(text), &f);
	ck_assert_ptr_nonnull(book.ruleset);
	ck_assert_int_eq(
	    rule_quality_init(&q, &book, 3 * DAY - 1, 5 * DAY, 3 * DAY, &a, &f),
	    0);
	for (i = 0; i < nitems(samples); i++) {
		sigs->value[SIGNAL_EVENT_AMOUNT] =
		    value_number(samples[i].amount);
		sigs->value[SIGNAL_EVENT_CURRENCY] =
		    value_string(samples[i].currency);
		ck_assert_int_eq(rule_quality_add(&q, sigs, samples[i].label,
				     (int64_t)i * DAY, &a, &f),
		    0);
	}
	str_init(&s, &a);
	rule_quality_json(&s, &q);
	for (i = 0; i < nitems(parts); i++)
		ck_assert_msg(strstr(str_text(&s), parts[i]) != NULL,
		    "%s is not in %s", parts[i], str_text(&s));
	arena_reset(&a);
}
END_TEST

Suite *
suite_rule_quality(void)
{
	Suite *s = suite_create("rule_quality");
	TCase *tc = tcase_create("rule_quality");

	tcase_add_loop_test(tc, rules_are_counted_by_label_currency_and_pair, 0,
	    (int)nitems(scorings));
	suite_add_tcase(s, tc);
	return s;
}
