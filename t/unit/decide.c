/* SPDX-License-Identifier: ISC */
/* core/decide/decide.c: from signals to verdict, score, reasons and queue. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/decide.h"
#include "core/decide/model.h"
#include "core/signal/signals.h"
#include "t/unit/blank_model.h"
#include "t/unit/fixture.h"
#include "t/unit/unit.h"

static const char rules[] =
    "rule r_velocity { when velocity.attemptsLast2m > 4 then score += 28, "
    "tag velocity }\n"
    "rule r_ring { when graph.ringSize > 6 then score += 26, tag ring }\n"
    "rule r_calls { when attr.calls > 10 then score += 46, tag calls }\n";

static _Alignas(16) char block[65536], scratch[1024];
static struct arena arena;
static struct rulebook book = { .policy = &policy };

static void
setup(void)
{
	struct fail f = { 0 };

	arena_init(&arena, block, sizeof(block));
	book.ruleset = rule_compile(&arena, rules, strlen(rules), &f);
	ck_assert_ptr_nonnull(book.ruleset);
}

static void
teardown(void)
{
	arena_reset(&arena);
}

static const struct {
	double attempts, ring, calls; /* below 0: unknown */
	enum verdict verdict;
	int score;
	const char *queue;
	size_t n_hits;
	const char *first; /* the strongest reason */
} cases[] = {
	{ -1, -1, -1, VERDICT_ALLOW, 0, NULL, 0, NULL },
	{ 4, 6, 10, VERDICT_ALLOW, 0, NULL, 0, NULL },
	{ 5, 1, -1, VERDICT_CHALLENGE, 28, NULL, 1, "velocity" },
	{ 5, 7, -1, VERDICT_REVIEW, 54, "risk-ops", 2, "velocity" },
	{ -1, 7, 11, VERDICT_DENY, 72, NULL, 2, "calls" },
	{ 5, 7, 11, VERDICT_DENY, 100, NULL, 3, "calls" },
};

START_TEST(score_of_rules_gives_the_verdict)
{
	static struct signals sigs;
	static struct decision got;
	struct attr attr = { .name = "calls" };
	struct event ev = { .attrs = &attr, .n_attrs = 1 };
	struct arena a;
	struct fail f = { 0 };
	int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.event = &ev;
	if (cases[_i].attempts >= 0)
		sigs.value[SIGNAL_VELOCITY_ATTEMPTS_2M] =
		    value_number(cases[_i].attempts);
	if (cases[_i].ring >= 0)
		sigs.value[SIGNAL_GRAPH_RING_SIZE] =
		    value_number(cases[_i].ring);
	attr.value = cases[_i].calls < 0 ? value_unknown()
					 : value_number(cases[_i].calls);

	arena_init(&a, scratch, sizeof(scratch));
	ck_assert_int_eq(decide(&book, &sigs, &a, &got, &f), 0);
	ck_assert_int_eq(got.verdict, cases[_i].verdict);
	ck_assert_int_eq(got.score.total, cases[_i].score);
	ck_assert_pstr_eq(got.queue, cases[_i].queue);
	ck_assert_ptr_eq(got.policy, &policy);
	ck_assert_uint_eq(got.hits.n, cases[_i].n_hits);
	ck_assert_uint_eq(got.score.n_reasons, cases[_i].n_hits);
	if (cases[_i].n_hits > 0)
		ck_assert_str_eq(got.score.reasons[0].tag, cases[_i].first);
	arena_reset(&a);

	/* A full arena is a failure if there are reasons. */
	arena_init(&a, scratch, 0);
	ck_assert_int_eq(
	    decide(&book, &sigs, &a, &got, &f), cases[_i].n_hits > 0 ? -1 : 0);
	arena_reset(&a);
}
END_TEST

/* One event with each scorer: 28 points for velocity, a tag with labels. */
static const struct {
	enum scorer scorer;
	int64_t fraud, legit;
	int score;
	enum verdict verdict;
	const char *reason;
} scored[] = {
	{ 0, 0, 0, 28, VERDICT_CHALLENGE, "velocity" },
	{ SCORER_WEIGHTED, 9, 0, 28, VERDICT_CHALLENGE, "velocity" },
	{ SCORER_LEARNED, 2, 0, 28, VERDICT_CHALLENGE, "velocity" },
	{ SCORER_LEARNED, 90, 0, 45, VERDICT_REVIEW, "velocity" },
	{ SCORER_LEARNED, 0, 90, 0, VERDICT_ALLOW, "velocity" },
	{ SCORER_ML, 90, 0, 90, VERDICT_DENY, "ml:rules.score" },
};

START_TEST(each_scorer_gives_its_own_score)
{
	static struct signals sigs;
	static struct decision got;
	struct tag_weight tag_weight = { "velocity", scored[_i].fraud,
		scored[_i].legit };
	const struct tag_weights tag_weights = { &tag_weight, 1 };
	struct model m = blank_model();
	const struct scoring by = { scored[_i].scorer, &tag_weights, &m };
	const struct rulebook scoring = { .ruleset = book.ruleset,
		.policy = &policy,
		.scoring = scored[_i].scorer == 0 ? NULL : &by };
	const struct event ev = { .n_attrs = 0 };
	struct arena a;
	struct fail f = { 0 };
	int i;

	/* A model that gives odds of 9 to 1 for 28 points. */
	m.weight[FEATURE_RULES_SCORE] = log(9) / 0.28;
	m.bias = 0;
	m.base_rate = 0.5;
	m.calibration = (struct model_calibration) { 1, 0 };
	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.event = &ev;
	sigs.value[SIGNAL_VELOCITY_ATTEMPTS_2M] = value_number(5);
	memset(&got, 0, sizeof(got));
	arena_init(&a, scratch, sizeof(scratch));
	ck_assert_int_eq(decide(&scoring, &sigs, &a, &got, &f), 0);
	ck_assert_int_eq(got.score.total, scored[_i].score);
	ck_assert_int_eq(got.verdict, scored[_i].verdict);
	ck_assert_uint_eq(got.score.n_reasons, 1);
	ck_assert_str_eq(got.score.reasons[0].tag, scored[_i].reason);
	ck_assert_uint_eq(got.hits.n, 1);
	ck_assert_uint_eq(got.rules.n_reasons, 1);
	ck_assert_int_eq(got.rules.total, 28);
	if (got.scorer == SCORER_ML) {
		ck_assert_ptr_eq(got.model, &m);
		ck_assert_double_eq_tol(got.p, 0.9, 1e-9);
	}

	/* The watch list overrides each scorer. */
	ck_assert_int_eq(decide_watched(&a, &got, &f), 0);
	ck_assert_int_ge(got.verdict, VERDICT_REVIEW);
	ck_assert_int_eq(got.score.total, scored[_i].score);
	arena_reset(&a);
}
END_TEST

/* Decisions of lists: without a score, or in addition to a score. */
static const struct {
	enum list_kind kind;
	double ring, calls;
	enum verdict verdict;
	int score;
	const char *queue;
	const char *tags;
} listings[] = {
	{ LIST_BLOCK, 1, 0, VERDICT_DENY, -1, NULL, "list.block" },
	{ LIST_ALLOW, 7, 11, VERDICT_ALLOW, -1, NULL, "list.allow" },
	{ LIST_WATCH, 1, 0, VERDICT_REVIEW, 0, "risk-ops", "list.watch" },
	{ LIST_WATCH, 7, 0, VERDICT_REVIEW, 26, "risk-ops", "ring list.watch" },
	{ LIST_WATCH, 1, 11, VERDICT_REVIEW, 46, "risk-ops",
	    "calls list.watch" },
	{ LIST_WATCH, 7, 11, VERDICT_DENY, 72, NULL, "calls ring list.watch" },
};

/* Return the tags of the reasons, separated by spaces. */
static const char *
tags(const struct score *score)
{
	static char text[256];
	size_t i, n = 0;

	text[0] = '\0';
	for (i = 0; i < score->n_reasons; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%s",
		    i == 0 ? "" : " ", score->reasons[i].tag);
	return text;
}

START_TEST(list_decides_or_raises_the_verdict)
{
	static struct signals sigs;
	static struct decision got;
	struct attr attr = { .name = "calls" };
	struct event ev = { .attrs = &attr, .n_attrs = 1 };
	struct fail f = { 0 };
	struct arena a;
	int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.event = &ev;
	sigs.value[SIGNAL_GRAPH_RING_SIZE] = value_number(listings[_i].ring);
	attr.value = value_number(listings[_i].calls);
	arena_init(&a, scratch, sizeof(scratch));
	memset(&got, 0x5a, sizeof(got));
	if (list_decides(listings[_i].kind)) {
		decide_listed(&policy, listings[_i].kind, &got);
	} else {
		ck_assert_int_eq(decide(&book, &sigs, &a, &got, &f), 0);
		ck_assert_int_eq(decide_watched(&a, &got, &f), 0);
	}
	ck_assert_int_eq(got.verdict, listings[_i].verdict);
	ck_assert_int_eq(got.score.total, listings[_i].score);
	ck_assert_pstr_eq(got.queue, listings[_i].queue);
	ck_assert_ptr_eq(got.policy, &policy);
	ck_assert_str_eq(tags(&got.score), listings[_i].tags);
	ck_assert_int_eq(got.score.reasons[got.score.n_reasons - 1].points, 0);
	arena_reset(&a);
}
END_TEST

/*
 * The place of list.watch among the reasons of rules, which may have any tag.
 */
static const struct {
	struct reason was[3];
	size_t n;
	const char *tags;
} reasons[] = {
	{ { { "a", 5 }, { "a0", 0 }, { "z0", 0 } }, 3, "a a0 list.watch z0" },
	{ { { "z", 5 }, { "z0", 0 } }, 2, "z list.watch z0" },
	{ { { "z", 5 }, { "list.watch", 0 } }, 2, "z list.watch" },
	{ { { "list.watch", 5 }, { "a", 1 } }, 2, "list.watch a" },
};

START_TEST(list_reason_is_placed_by_points_and_name)
{
	struct decision got = {
		.verdict = VERDICT_DENY,
		.policy = &policy,
		.score = { .reasons = reasons[_i].was,
		    .n_reasons = reasons[_i].n },
	};
	struct fail f = { 0 };
	struct arena a;

	arena_init(&a, scratch, sizeof(scratch));
	ck_assert_int_eq(decide_watched(&a, &got, &f), 0);
	ck_assert_str_eq(tags(&got.score), reasons[_i].tags);
	arena_reset(&a);
}
END_TEST

/* A shadow decides like an active ruleset, including the watch list. */
static const struct {
	double ring;
	bool watched;
	size_t room;
	enum verdict verdict; /* 0: no decision */
	int score;
	const char *tags;
} shadows[] = {
	{ 1, false, sizeof(scratch), VERDICT_ALLOW, 0, "" },
	{ 7, false, sizeof(scratch), VERDICT_CHALLENGE, 26, "ring" },
	{ 1, true, sizeof(scratch), VERDICT_REVIEW, 0, "list.watch" },
	{ 7, true, sizeof(scratch), VERDICT_REVIEW, 26, "ring list.watch" },
	{ 7, false, 16, 0, 0, NULL },
	{ 1, true, 0, 0, 0, NULL },
	{ 7, true, 48, 0, 0, NULL },
};

START_TEST(shadow_decides_like_an_active_ruleset)
{
	static struct signals sigs;
	const struct event ev = { .n_attrs = 0 };
	const struct shadow shadow = { .id = "shd_1", .book = book };
	struct shadow_result got;
	struct arena a;
	int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	sigs.event = &ev;
	sigs.value[SIGNAL_GRAPH_RING_SIZE] = value_number(shadows[_i].ring);
	memset(&got, 0x5a, sizeof(got));
	arena_init(&a, scratch, shadows[_i].room);
	decide_shadow(&shadow, &sigs, shadows[_i].watched, &a, &got);
	if (shadows[_i].verdict != 0) {
		ck_assert_str_eq(got.id, "shd_1");
		ck_assert_int_eq(got.verdict, shadows[_i].verdict);
		ck_assert_int_eq(got.score.total, shadows[_i].score);
		ck_assert_str_eq(tags(&got.score), shadows[_i].tags);
	} else {
		ck_assert_ptr_null(got.id);
		ck_assert(!a.overflow);
		ck_assert_uint_eq(a.used, 0);
	}
	arena_reset(&a);
}
END_TEST

START_TEST(degraded_decision_has_verdict_of_on_error)
{
	static struct decision got;

	memset(&got, 0x5a, sizeof(got));
	decide_degraded(&policy, &got);
	ck_assert_int_eq(got.verdict, VERDICT_DENY);
	ck_assert_int_eq(got.score.total, SCORE_SHORT_CIRCUIT);
	ck_assert_uint_eq(got.score.n_reasons, 1);
	ck_assert_str_eq(got.score.reasons[0].tag, "engine.degraded");
	ck_assert_int_eq(got.score.reasons[0].points, 0);
	ck_assert_ptr_null(got.queue);
	ck_assert_ptr_eq(got.policy, &policy);
	ck_assert_uint_eq(got.hits.n, 0);
}
END_TEST

Suite *
suite_decide(void)
{
	Suite *s = suite_create("decide");
	TCase *tc = tcase_create("decide");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, each_scorer_gives_its_own_score, 0, (int)nitems(scored));
	tcase_add_loop_test(
	    tc, score_of_rules_gives_the_verdict, 0, (int)nitems(cases));
	tcase_add_loop_test(
	    tc, list_decides_or_raises_the_verdict, 0, (int)nitems(listings));
	tcase_add_loop_test(tc, list_reason_is_placed_by_points_and_name, 0,
	    (int)nitems(reasons));
	tcase_add_loop_test(
	    tc, shadow_decides_like_an_active_ruleset, 0, nitems(shadows));
	tcase_add_test(tc, degraded_decision_has_verdict_of_on_error);
	suite_add_tcase(s, tc);
	return s;
}
