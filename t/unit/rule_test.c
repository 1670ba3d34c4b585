/* SPDX-License-Identifier: ISC */
/* core/analyse/rule_test.c: tests pass, or fail at their place in the text. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/analyse/rule_test.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "core/rule/rule.h"
#include "t/unit/unit.h"

#define RULES                                                                  \
	"rule a { when velocity.attemptsLast2m > 4 then score += 30, tag v "   \
	"}\n"                                                                  \
	"rule b { when attr.kind == \"gift\" then score += 40, tag gift }\n"   \
	"rule c { when event.type == \"wallet.withdraw\" then score += 1, "    \
	"tag w "                                                               \
	"}\n"                                                                  \
	"velocity cards = distinct(attr.card) by userId over 1h "              \
	"velocity spent = sum(event.amount) by userId over 1d "                \
	"rule d { when velocity.cards == 3 then score += 20, tag cards } "     \
	"rule e { when velocity.spent >= 99.5 && attr.card == \"x\" "          \
	"then score += 5, tag spent }\n"

static _Alignas(16) char block[1 << 20];
static struct arena a;

static const struct band bands[] = {
	{ VERDICT_ALLOW, 0, 24, NULL },
	{ VERDICT_CHALLENGE, 25, 49, NULL },
	{ VERDICT_REVIEW, 50, 79, NULL },
	{ VERDICT_DENY, 80, 100, NULL },
};
static const struct policy policy = { .bands = bands,
	.n_bands = nitems(bands) };

/* The mistakes of a test below RULES, at its column; "" if it passes. */
static const struct {
	const char *test;
	int column;
	const char *why;
} cases[] = {
	{ "test t { expect allow score == 0 not v, gift }", 0, "" },
	{ "test t { given velocity.attemptsLast2m == 5 expect challenge "
	  "score == 30 because v not gift }",
	    0, "" },
	{ "test t { given attr.kind == \"gift\", attr.other == 1,"
	  " velocity.attemptsLast2m == 9 expect review because gift, v }",
	    0, "" },
	{ "test t { given event.type == \"wallet.withdraw\" expect because w }",
	    0, "" },
	{ "test t { given velocity.cards == 3 expect because cards not spent }",
	    0, "" },
	{ "test t { given velocity.cards == 2 expect score == 0 not cards }", 0,
	    "" },
	{ "test t { given attr.card == \"x\", velocity.spent == 99.5,"
	  " velocity.attemptsLast2m == 5, velocity.cards == 3 "
	  "expect score == 55 because cards, spent, v }",
	    0, "" },
	{ "test t { given attr.card == \"x\" expect not spent, cards }", 0,
	    "" },
	{ "test t { given velocity.cards == 3 expect not cards }", 47,
	    "the test t expected no reason cards, found allow with a score of "
	    "20 because cards" },
	{ "test t { expect deny }", 17,
	    "the test t expected deny, found allow with a score of 0" },
	{ "test t { expect score >= 1 }", 17,
	    "the test t expected a score of 1 to 100, found allow with a score "
	    "of 0" },
	{ "test t { expect allow score == 7 }", 23,
	    "the test t expected a score of 7, found allow with a score of 0" },
	{ "test t { given attr.kind == \"gift\", velocity.attemptsLast2m == 5 "
	  "expect not gift }",
	    77,
	    "the test t expected no reason gift, found review with a score of "
	    "70 because gift, v" },
	{ "test t { given velocity.attemptsLast2m == 4 expect because v }", 60,
	    "the test t expected the reason v, found allow with a score of 0" },
};

static const struct ruleset *
compiled(const char *test)
{
	const struct ruleset *rs;
	struct fail f = { 0 };
	char text[2048];

	snprintf(text, sizeof(text), "%s%s", RULES, test);
	arena_init(&a, block, sizeof(block));
	rs = rule_compile(&a, text, strlen(text), &f);
	ck_assert_msg(rs != NULL, "%s: %s", f.where, f.why);
	return rs;
}

static void
decide_tests(const struct ruleset *rs, struct rule_mistakes *failed)
{
	const enum event_type type = event_type_parse("card.authorize");
	struct fail f = { 0 };

	ck_assert_int_eq(rule_test_run(rs, type, &policy, &a, failed, &f), 0);
}

START_TEST(test_passes_or_fails_at_its_place)
{
	const struct ruleset *rs = compiled(cases[_i].test);
	struct rule_mistake list[2];
	struct rule_mistakes failed = { .list = list, .max = nitems(list) };

	decide_tests(rs, &failed);
	ck_assert_uint_eq(failed.n, cases[_i].column != 0);
	if (failed.n > 0) {
		ck_assert_int_eq(list[0].line, 5);
		ck_assert_int_eq(list[0].column, cases[_i].column);
		ck_assert_int_gt(list[0].end_column, list[0].column);
		ck_assert_str_eq(list[0].why, cases[_i].why);
	}
	arena_reset(&a);
}
END_TEST

START_TEST(event_type_is_that_of_the_ruleset)
{
	const struct ruleset *rs = compiled("test t { expect because w }");
	struct fail f = { 0 };

	ck_assert_int_eq(rule_test_pass(rs, event_type_parse("wallet.withdraw"),
			     &policy, &a, &f),
	    0);
	ck_assert_int_eq(rule_test_pass(rs, event_type_parse("card.authorize"),
			     &policy, &a, &f),
	    -1);
	ck_assert_int_eq(f.code, RULESET_INVALID);
	ck_assert_str_eq(f.where, "line 5, column 25");
	ck_assert_str_eq(f.why,
	    "the test t expected the reason w, found allow with a score of 0");
	arena_reset(&a);
}
END_TEST

START_TEST(failures_beyond_the_list_are_not_noted)
{
	const struct ruleset *rs =
	    compiled("test t { expect deny score == 9 because v, gift }");
	struct rule_mistake list[2];
	struct rule_mistakes failed = { .list = list, .max = nitems(list) };

	decide_tests(rs, &failed);
	ck_assert_uint_eq(failed.n, nitems(list));
	ck_assert_int_lt(list[0].column, list[1].column);
	arena_reset(&a);
}
END_TEST

Suite *
suite_rule_test(void)
{
	Suite *s = suite_create("rule_test");
	TCase *tc = tcase_create("rule_test");

	tcase_add_loop_test(
	    tc, test_passes_or_fails_at_its_place, 0, (int)nitems(cases));
	tcase_add_test(tc, event_type_is_that_of_the_ruleset);
	tcase_add_test(tc, failures_beyond_the_list_are_not_noted);
	suite_add_tcase(s, tc);
	return s;
}
