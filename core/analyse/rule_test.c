/* SPDX-License-Identifier: ISC */
/* Run the tests beside the rules. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>

#include "core/analyse/rule_test.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/decide/score.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"

_Static_assert(RULE_SCORE_MAX == SCORE_MAX, "tests expect other scores");

/* The event of a test, and what its signals point to. */
struct test_event {
	struct event event;
	struct attr attrs[RULE_GIVEN_MAX];
	struct velocity_value velocity[RULE_VELOCITIES_MAX];
	struct velocity_values velocities;
};

static void given_signals(const struct ruleset *rs,
    const struct rule_test *test, enum event_type type, struct test_event *ev,
    struct signals *ret);
static bool is_met(const struct rule_expect *e, const struct decision *d);
static int add_mistake(const struct rule_test *test,
    const struct rule_expect *e, const struct decision *d, struct arena *a,
    struct rule_mistakes *ret, struct fail *f);
static void add_expected(struct str *s, const struct rule_expect *e);

int
rule_test_run(const struct ruleset *rs, enum event_type type,
    const struct policy *policy, struct arena *a, struct rule_mistakes *ret,
    struct fail *f)
{
	const struct rulebook book = { .ruleset = rs, .policy = policy };
	const struct rule_test *test;
	const struct rule_expect *e;
	struct test_event event;
	struct arena_mark mark;
	struct signals sigs;
	struct decision d;

	for (test = rs->tests; test < rs->tests + rs->n_tests; test++) {
		mark = arena_mark(a);
		given_signals(rs, test, type, &event, &sigs);
		if (decide(&book, &sigs, a, &d, f) == -1)
			return -1;
		for (e = test->expect; e < test->expect + test->n_expect; e++)
			if (!is_met(e, &d) && ret->n < ret->max &&
			    add_mistake(test, e, &d, a, ret, f) == -1)
				return -1;
		arena_rewind(a, mark);
	}
	return 0;
}

int
rule_test_pass(const struct ruleset *rs, enum event_type type,
    const struct policy *policy, struct arena *a, struct fail *f)
{
	struct rule_mistake first;
	struct rule_mistakes mistakes = { .list = &first, .max = 1 };

	if (rule_test_run(rs, type, policy, a, &mistakes, f) == -1)
		return -1;
	return mistakes.n == 0 ? 0 : rule_mistake_fail(&first, f);
}

/* Make the event of a test and its signals. */
static void
given_signals(const struct ruleset *rs, const struct rule_test *test,
    enum event_type type, struct test_event *ev, struct signals *ret)
{
	const struct rule_given *given;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		ret->value[i] = value_unknown();
	ret->value[SIGNAL_EVENT_TYPE] = value_string(event_type_name(type));
	ev->event = (struct event) { .type = type, .attrs = ev->attrs };
	ev->velocities =
	    (struct velocity_values) { .list = ev->velocity, .n = 0 };
	ret->event = &ev->event;
	ret->silences = NULL;
	ret->velocities = &ev->velocities;
	for (i = 0; i < test->n_given; i++) {
		given = &test->given[i];
		if (given->signal < SIGNAL__MAX)
			ret->value[given->signal] = given->value;
		else if (given->signal < RULE_VELOCITY)
			ev->attrs[ev->event.n_attrs++] = (struct attr) {
				.name = given->name,
				.value = given->value,
			};
		else
			ev->velocity[ev->velocities.n++] =
			    (struct velocity_value) {
				    .id = rs->velocities[given->signal -
						RULE_VELOCITY]
					      .id,
				    .value = given->value,
			    };
	}
}

static bool
is_met(const struct rule_expect *e, const struct decision *d)
{
	switch (e->kind) {
	case EXPECT_VERDICT:
		return d->verdict == e->verdict;
	case EXPECT_SCORE:
		return d->score.total >= e->score.min &&
		    d->score.total <= e->score.max;
	case EXPECT_TAG:
		return score_reason(&d->score, e->tag) != NULL;
	case EXPECT_NO_TAG:
		return score_reason(&d->score, e->tag) == NULL;
	case EXPECT__MAX:
		break;
	}
	return false;
}

/* Add the mistake that a decision is not the expected one. */
static int
add_mistake(const struct rule_test *test, const struct rule_expect *e,
    const struct decision *d, struct arena *a, struct rule_mistakes *ret,
    struct fail *f)
{
	struct rule_mistake *mistake = &ret->list[ret->n];
	struct str s;
	size_t i;

	str_init(&s, a);
	str_addf(&s, "the test %s expected ", test->id);
	add_expected(&s, e);
	str_addf(&s, ", found %s with a score of %d", verdict_name(d->verdict),
	    d->score.total);
	for (i = 0; i < d->score.n_reasons; i++)
		str_addf(&s, "%s%s", i == 0 ? " because " : ", ",
		    d->score.reasons[i].tag);
	if (str_text(&s) == NULL)
		return fail_memory(f);
	*mistake = (struct rule_mistake) {
		.line = e->line,
		.column = e->column,
		.end_column = e->end_column,
	};
	snprintf(mistake->why, sizeof(mistake->why), "%s", str_text(&s));
	ret->n++;
	return 0;
}

static void
add_expected(struct str *s, const struct rule_expect *e)
{
	switch (e->kind) {
	case EXPECT_VERDICT:
		str_add(s, verdict_name(e->verdict));
		return;
	case EXPECT_SCORE:
		str_addf(s, "a score of %d", e->score.min);
		if (e->score.max != e->score.min)
			str_addf(s, " to %d", e->score.max);
		return;
	case EXPECT_TAG:
		str_addf(s, "the reason %s", e->tag);
		return;
	case EXPECT_NO_TAG:
		str_addf(s, "no reason %s", e->tag);
		return;
	case EXPECT__MAX:
		return;
	}
}
