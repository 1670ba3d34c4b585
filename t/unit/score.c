/* SPDX-License-Identifier: ISC */
/* core/decide/score.c: the score and the reasons of each scorer. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "core/decide/score.h"
#include "core/rule/rule.h"
#include "core/signal/signals.h"
#include "t/unit/blank_model.h"
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
	struct rule_hits hits;
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

START_TEST(points_are_summed_by_tag)
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

/* Counts of labels, and the tag weight of them, halves rounded up. */
static const struct {
	int64_t fraud, legit;
	int points;
} weights[] = {
	{ 0, 1, 11 },
	{ 1, 0, 34 },
	{ 1, 1, 23 },
	{ 0, 3, 6 },
	{ 3, 0, 39 },
	{ 2, 1, 28 },
	{ 0, 44, 1 },
	{ 0, 45, 0 },
	{ 44, 0, 45 },
	{ 43, 0, 44 },
	{ 1000000000000, 2000000000000, 15 },
};

START_TEST(labels_give_the_tag_weight)
{
	const struct tag_weight tag_weight = { "t", weights[_i].fraud,
		weights[_i].legit };

	ck_assert_int_eq(score_tag_weight(&tag_weight), weights[_i].points);
}
END_TEST

/* "amount" has too few labels, "ring" has none, no rule has the tag "gone". */
static struct tag_weight known[] = {
	{ "all", 0, 90 },
	{ "amount", 1, 1 },
	{ "gone", 9, 0 },
	{ "quiet", 2, 1 },
	{ "velocity", 3, 0 },
};

static const struct {
	struct rule_hits hits;
	int total;
	struct reason reasons[5];
} learned[] = {
	{ { { 0 }, 0 }, 0, { { NULL, 0 } } },
	/* With two labels, or with none, the points of the rules count. */
	{ { { 3 }, 1 }, 26, { { "amount", 26 } } },
	{ { { 1 }, 1 }, 26, { { "ring", 26 } } },
	/*
	 * The weight of a tag counts once, even if several of its rules fired.
	 */
	{ { { 0 }, 1 }, 39, { { "velocity", 39 } } },
	{ { { 2 }, 1 }, 39, { { "velocity", 39 } } },
	{ { { 0, 2 }, 2 }, 39, { { "velocity", 39 } } },
	/* The weight may be above the points of the rules, or 0. */
	{ { { 4 }, 1 }, 28, { { "quiet", 28 } } },
	{ { { 5 }, 1 }, 0, { { "all", 0 } } },
	{ { { 0, 1, 2, 3, 4, 5 }, 6 }, 100,
	    { { "velocity", 39 }, { "quiet", 28 }, { "amount", 26 },
		{ "ring", 26 }, { "all", 0 } } },
};

START_TEST(learned_scorer_uses_tag_weights)
{
	const struct tag_weights all = { known, nitems(known) },
				 none = { NULL, 0 };
	struct arena a;
	struct fail f = { 0 };
	struct score got = { 0 }, by_rules = { 0 };
	size_t i;

	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(
	    score_weighted(&a, &ruleset, &learned[_i].hits, &by_rules, &f), 0);
	ck_assert_int_eq(score_learned(&a, &by_rules, &all, &got, &f), 0);
	ck_assert_int_eq(got.total, learned[_i].total);
	for (i = 0; i < got.n_reasons; i++) {
		ck_assert_str_eq(
		    got.reasons[i].tag, learned[_i].reasons[i].tag);
		ck_assert_int_eq(
		    got.reasons[i].points, learned[_i].reasons[i].points);
	}
	ck_assert(i == nitems(learned[_i].reasons) ||
	    learned[_i].reasons[i].tag == NULL);

	/* Without labels the points of the rules count. */
	ck_assert_int_eq(score_learned(&a, &by_rules, &none, &got, &f), 0);
	ck_assert_int_eq(got.total, by_rules.total);
	arena_reset(&a);
}
END_TEST

/* Features that signals_fill() sets to 1, in the order of their tags. */
static const enum feature features[] = {
	FEATURE_USERS_ON_DEVICE,
	FEATURE_USERS_ON_FINGERPRINT,
	FEATURE_COUNTRY_CHANGED,
	FEATURE_RING_SIZE,
	FEATURE_USERS_ON_IP,
	FEATURE_RULES_SCORE,
	FEATURE_ATTEMPTS_24H,
	FEATURE_ATTEMPTS_2M,
};

/* The terms of the features, the wanted score, the points of each feature. */
static const struct {
	double terms[nitems(features)];
	int total;
	int points[nitems(features)];
} models[] = {
	{ { 1 }, 37, { 37 } },
	{ { 1 }, 100, { 100 } },
	{ { 1 }, 0, { 0 } },
	/*
	 * In proportion to the terms; the rest goes to the largest remainders.
	 */
	{ { 1, 1, 1 }, 50, { 17, 17, 16 } },
	{ { 2, 1 }, 10, { 7, 3 } },
	{ { 1, 2, 4 }, 99, { 14, 28, 57 } },
	{ { 1, 3, 3, 3 }, 7, { 1, 2, 2, 2 } },
	/* Terms that are 0 or negative get no points. */
	{ { 1, -5, 0, 1 }, 20, { 10, 0, 0, 10 } },
	{ { -1, -2 }, 40, { 0 } },
	{ { 5, 0.001 }, 20, { 20, 0 } },
	/* The six greatest terms share all points. */
	{ { 1, 1, 1, 1, 1, 1, 1, 1 }, 90, { 15, 15, 15, 15, 15, 15, 0, 0 } },
	{ { 1, 2, 2, 2, 2, 2, 2 }, 90, { 0, 15, 15, 15, 15, 15, 15 } },
	{ { 1, 1, 1, 1, 1, 1 }, 3, { 1, 1, 1 } },
	{ { 1e300, 1e300, 1e300 }, 100, { 34, 33, 33 } },
};

/* Set the signals that make these features 1, and all others to unknown. */
static void
signals_fill(struct signals *sigs)
{
	int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs->value[i] = value_unknown();
	sigs->value[SIGNAL_DEVICE_USERS_ON_DEVICE] = value_number(500);
	sigs->value[SIGNAL_DEVICE_USERS_ON_FINGERPRINT] = value_number(500);
	sigs->value[SIGNAL_GEO_COUNTRY_CHANGED] = value_bool(true);
	sigs->value[SIGNAL_GRAPH_RING_SIZE] = value_number(500);
	sigs->value[SIGNAL_GRAPH_USERS_ON_IP] = value_number(500);
	sigs->value[SIGNAL_VELOCITY_ATTEMPTS_24H] = value_number(500);
	sigs->value[SIGNAL_VELOCITY_ATTEMPTS_2M] = value_number(500);
}

START_TEST(features_share_points_of_model_score)
{
	struct model m = blank_model();
	struct signals sigs = { 0 };
	struct arena a;
	struct fail f = { 0 };
	struct score got = { 0 };
	double z = 0, p, p_even;
	int sum = 0, last = SCORE_MAX;
	size_t i, k, n = 0;

	/* Calibrate the model so that it gives the wanted score. */
	for (i = 0; i < nitems(features); i++) {
		m.weight[features[i]] = models[_i].terms[i];
		z += models[_i].terms[i];
	}
	m.bias = 0;
	m.base_rate = 0.01;
	m.calibration.a = z > 1e9 ? 0 : 1;
	p_even = fmin(fmax(models[_i].total / 100.0, 1e-6), 1 - 1e-6);
	m.calibration.b =
	    log(p_even / (1 - p_even)) + log(0.01 / 0.99) - m.calibration.a * z;

	signals_fill(&sigs);
	arena_init(&a, block, sizeof(block));
	ck_assert_int_eq(
	    score_ml(&a, &m, &sigs, 100, &got, &p, &p_even, &f), 0);
	ck_assert_int_eq(got.total, models[_i].total);
	ck_assert_int_eq(got.total, (int)floor(100 * p_even + 0.5));
	ck_assert(p < p_even);
	for (i = 0; i < nitems(features); i++)
		n += models[_i].points[i] > 0;
	ck_assert_uint_eq(got.n_reasons, n);
	for (k = 0; k < got.n_reasons; k++) {
		ck_assert_int_eq(strncmp(got.reasons[k].tag, "ml:", 3), 0);
		for (i = 0; i < nitems(features); i++)
			if (strcmp(feature_name(features[i]),
				got.reasons[k].tag + 3) == 0)
				break;
		ck_assert_uint_lt(i, nitems(features));
		ck_assert_int_eq(got.reasons[k].points, models[_i].points[i]);
		ck_assert_int_le(got.reasons[k].points, last);
		last = got.reasons[k].points;
		sum += last;
	}
	ck_assert_int_eq(sum, n == 0 ? 0 : got.total);
	arena_reset(&a);

	arena_init(&a, block, 0);
	ck_assert_int_eq(
	    score_ml(&a, &m, &sigs, 100, &got, &p, &p_even, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_US);
	arena_reset(&a);
}
END_TEST

START_TEST(only_exact_scorer_names_are_read)
{
	unsigned int i;

	for (i = SCORER_WEIGHTED; i < SCORER__MAX; i++)
		ck_assert_uint_eq(scorer_parse(scorer_name((enum scorer)i)), i);
	ck_assert_int_eq(scorer_parse("weighed"), 0);
	ck_assert_int_eq(scorer_parse(""), 0);
	ck_assert_int_eq(scorer_parse(NULL), 0);
}
END_TEST

START_TEST(score_fails_in_full_arena)
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

	tcase_add_loop_test(
	    tc, points_are_summed_by_tag, 0, (int)nitems(cases));
	tcase_add_loop_test(
	    tc, labels_give_the_tag_weight, 0, (int)nitems(weights));
	tcase_add_loop_test(
	    tc, learned_scorer_uses_tag_weights, 0, (int)nitems(learned));
	tcase_add_loop_test(
	    tc, features_share_points_of_model_score, 0, (int)nitems(models));
	tcase_add_test(tc, only_exact_scorer_names_are_read);
	tcase_add_test(tc, score_fails_in_full_arena);
	suite_add_tcase(s, tc);
	return s;
}
