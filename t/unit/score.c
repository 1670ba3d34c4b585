/* SPDX-License-Identifier: ISC */
/* core/score.c: sums per tag, the clamp, the order of reasons. */
#include "config.h"

#include <string.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/rule.h"
#include "core/score.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[65536];

static const struct rule rules[] = {
	{ .id = "r0", .tag = "velocity", .tag_index = 0, .points = 28 },
	{ .id = "r1", .tag = "ring", .tag_index = 1, .points = 26 },
	{ .id = "r2", .tag = "velocity", .tag_index = 0, .points = 2 },
	{ .id = "r3", .tag = "amount", .tag_index = 2, .points = 26 },
	{ .id = "r4", .tag = "quiet", .tag_index = 3, .points = 0 },
	{ .id = "r5", .tag = "all", .tag_index = 4, .points = 100 },
};

static const struct ruleset ruleset = {
	.rules = rules,
	.n_rules = nitems(rules),
	.n_tags = 5,
};

static const struct {
	struct hits hits;
	int total;
	struct reason reasons[5];
} cases[] = {
	{ { { 0 }, 0 }, 0, { { NULL, 0 } } },
	{ { { 0 }, 1 }, 28, { { "velocity", 28 } } },
	{ { { 4 }, 1 }, 0, { { "quiet", 0 } } },
	{ { { 0, 2 }, 2 }, 30, { { "velocity", 30 } } },
	{ { { 1, 3 }, 2 }, 52, { { "amount", 26 }, { "ring", 26 } } },
	{ { { 2, 3 }, 2 }, 28, { { "amount", 26 }, { "velocity", 2 } } },
	{ { { 0, 1, 2 }, 3 }, 56, { { "velocity", 30 }, { "ring", 26 } } },
	{ { { 0, 1, 2, 3, 4, 5 }, 6 }, 100,
	    { { "all", 100 }, { "velocity", 30 }, { "amount", 26 },
		{ "ring", 26 }, { "quiet", 0 } } },
};

START_TEST(sums)
{
	struct arena a;
	struct fail f = { 0 };
	struct score got = { 0 };
	size_t i;

	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(
	    score_weighted(&a, &ruleset, &cases[_i].hits, &got, &f), 0);
	ck_assert_int_eq(got.total, cases[_i].total);
	for (i = 0; i < got.n_reasons; i++) {
		ck_assert_str_eq(got.reasons[i].tag, cases[_i].reasons[i].tag);
		ck_assert_int_eq(
		    got.reasons[i].points, cases[_i].reasons[i].points);
	}
	ck_assert(
	    i == nitems(cases[_i].reasons) || cases[_i].reasons[i].tag == NULL);
	arena_reset(&a);
}
END_TEST

START_TEST(a_full_arena)
{
	struct arena a;
	struct fail f = { 0 };
	struct score got = { .total = 7 };
	size_t size;

	for (size = 0; size < 32; size += 16) {
		arena_init(&a, block, size);
		ck_assert_int_eq(
		    score_weighted(&a, &ruleset, &cases[5].hits, &got, &f), -1);
		ck_assert_int_eq(f.kind, FAIL_US);
		ck_assert_int_eq(got.total, 7);
		arena_reset(&a);
	}
}
END_TEST

Suite *
suite_score(void)
{
	Suite *s = suite_create("score");
	TCase *tc = tcase_create("score");

	tcase_add_loop_test(tc, sums, 0, (int)nitems(cases));
	tcase_add_test(tc, a_full_arena);
	suite_add_tcase(s, tc);
	return s;
}
