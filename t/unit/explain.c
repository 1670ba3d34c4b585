/* SPDX-License-Identifier: ISC */
/*
 * core/analyse/explain.c, core/analyse/counterfactual.c,
 * core/rule/rule_explain.c: why a rule fired, and what would change the
 * verdict.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/explain.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/rule/rule_explain.h"
#include "core/signal/features.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"
#include "t/unit/blank_model.h"
#include "t/unit/fixture.h"
#include "t/unit/made_up.h"
#include "t/unit/unit.h"

#define BLOCK_SIZE ((size_t)1 << 24)

static char *block;
static struct arena arena;
static struct fail f;
static struct sample sample;
static struct attr attrs[EVENT_ATTRS_MAX];
static struct decision decision;
static struct counterfactuals changes;

static struct scoring scoring;
static struct rulebook book = { .policy = &policy, .scoring = &scoring };

static void
setup(void)
{
	size_t i;

	block = aligned_alloc(16, BLOCK_SIZE);
	ck_assert_ptr_nonnull(block);
	arena_init(&arena, block, BLOCK_SIZE);
	f = (struct fail) { 0 };
	scoring = (struct scoring) { .scorer = SCORER_WEIGHTED };
	memset(&sample, 0, sizeof(sample));
	sample.signals.event = &sample.event;
	sample.event.attrs = attrs;
	for (i = 0; i < SIGNAL__MAX; i++)
		sample.signals.value[i] = value_unknown();
}

static void
teardown(void)
{
	arena_reset(&arena);
	free(block);
}

static struct ruleset *
compile(const char *text)
{
	struct ruleset *rs = rule_compile(&arena, text, strlen(text), &f);

	if (rs == NULL)
		ck_abort_msg("%s: %s in %s", f.where, f.why, text);
	return rs;
}

/* Set the signals that the rules of these tests read. */
static void
set_usual_signals(void)
{
	struct value *v = sample.signals.value;

	v[SIGNAL_EVENT_TYPE] = value_string("card.authorize");
	v[SIGNAL_EVENT_AMOUNT] = value_number(900);
	v[SIGNAL_VELOCITY_ATTEMPTS_2M] = value_number(3);
	v[SIGNAL_GRAPH_RING_SIZE] = value_number(1);
	v[SIGNAL_DEVICE_FIRST_SEEN] = value_bool(false);
	v[SIGNAL_GEO_COUNTRY] = value_string("ET");
	v[SIGNAL_INSTRUMENT_KIND] = value_string("card");
	attrs[0] = (struct attr) { .name = "calls", .value = value_number(2) };
	attrs[1] = (struct attr) { .name = "who", .value = value_string("a") };
	sample.event.n_attrs = 2;
}

/*
 * A condition over the usual signals, its truth, and the comparisons that
 * settle it.
 */
static const struct {
	const char *when;
	enum truth truth;
	const char *because;
} reasons[] = {
	{ "event.amount > 800", TRUTH_TRUE, "event.amount > 800" },
	{ "event.amount > 900", TRUTH_FALSE, "event.amount > 900" },
	{ "geo.distanceKm > 9", TRUTH_UNKNOWN, "geo.distanceKm > 9" },
	{ "device.firstSeen", TRUTH_FALSE, "device.firstSeen" },
	{ "!device.firstSeen", TRUTH_TRUE, "device.firstSeen" },
	{ "!geo.countryChanged", TRUTH_UNKNOWN, "geo.countryChanged" },
	{ "geo.country in [\"DE\", \"ET\"]", TRUTH_TRUE,
	    "geo.country in [\"DE\", \"ET\"]" },
	{ "geo.country in [\"DE\"]", TRUTH_FALSE, "geo.country in [\"DE\"]" },
	{ "attr.calls == \"2\"", TRUTH_UNKNOWN, "attr.calls == \"2\"" },
	{ "attr.\"not there\" > 1", TRUTH_UNKNOWN, "attr.\"not there\" > 1" },

	/* The first comparison that settles it. */
	{ "event.amount > 1 && graph.ringSize > 6 && device.firstSeen",
	    TRUTH_FALSE, "graph.ringSize > 6" },
	{ "geo.distanceKm > 9 && graph.ringSize > 6", TRUTH_FALSE,
	    "graph.ringSize > 6" },
	{ "graph.ringSize > 6 || event.amount > 1 || attr.calls > 1",
	    TRUTH_TRUE, "event.amount > 1" },
	{ "geo.distanceKm > 9 || attr.calls > 1", TRUTH_TRUE,
	    "attr.calls > 1" },

	/* All comparisons that it takes. */
	{ "event.amount > 1 && attr.calls > 1", TRUTH_TRUE,
	    "event.amount > 1, attr.calls > 1" },
	{ "graph.ringSize > 6 || device.firstSeen", TRUTH_FALSE,
	    "graph.ringSize > 6, device.firstSeen" },
	{ "event.amount > 1 && geo.distanceKm > 9 && geo.countryChanged",
	    TRUTH_UNKNOWN, "geo.distanceKm > 9, geo.countryChanged" },
	{ "graph.ringSize > 6 || geo.distanceKm > 9", TRUTH_UNKNOWN,
	    "geo.distanceKm > 9" },

	/* The same in nested conditions. */
	{ "!(graph.ringSize > 6 || geo.distanceKm > 9 && event.amount > 1)",
	    TRUTH_UNKNOWN, "geo.distanceKm > 9" },
	{ "!(event.amount > 1 && !(attr.calls > 1)) && attr.who == \"a\"",
	    TRUTH_TRUE, "attr.calls > 1, attr.who == \"a\"" },
	{ "(graph.ringSize > 6 || attr.calls > 5) && event.amount > 1",
	    TRUTH_FALSE, "graph.ringSize > 6, attr.calls > 5" },
};

START_TEST(explanation_has_the_deciding_comparisons)
{
	struct value values[RULE_VALUES_MAX];
	struct rule_explain why;
	struct ruleset *rs;
	struct str rule, got;
	size_t i;

	set_usual_signals();
	str_init(&rule, &arena);
	str_init(&got, &arena);
	str_addf(&rule, "rule r { when %s then score += 1, tag t }",
	    reasons[_i].when);
	rs = compile(str_text(&rule));
	rule_values(rs, &sample.signals, values);
	rule_explain(&rs->rules[0], values, &why);
	ck_assert_int_eq(why.truth, reasons[_i].truth);
	ck_assert_uint_le(why.n, RULE_EXPLAIN_MAX);
	for (i = 0; i < why.n; i++) {
		str_add(&got, i == 0 ? "" : ", ");
		rule_print_comparison(&got, &rs->rules[0], &why.by[i]);
	}
	ck_assert_str_eq(str_text(&got), reasons[_i].because);
}
END_TEST

/* The number of comparisons includes those beyond RULE_EXPLAIN_MAX. */
START_TEST(all_deciding_comparisons_are_counted)
{
	struct value values[RULE_VALUES_MAX];
	struct rule_explain why;
	struct ruleset *rs;
	struct str rule;
	int i;

	set_usual_signals();
	str_init(&rule, &arena);
	str_add(&rule, "rule r { when event.amount > 0");
	for (i = 1; i < 20; i++)
		str_addf(&rule, " && event.amount > %d", i);
	str_add(&rule, " then score += 1, tag t }");
	rs = compile(str_text(&rule));
	rule_values(rs, &sample.signals, values);
	rule_explain(&rs->rules[0], values, &why);
	ck_assert_int_eq(why.truth, TRUTH_TRUE);
	ck_assert_uint_eq(why.n, 20);
}
END_TEST

static bool
has_hit(const struct rule_hits *hits, size_t rule)
{
	size_t i;

	for (i = 0; i < hits->n; i++)
		if (hits->index[i] == rule)
			return true;
	return false;
}

/*
 * Random rules: a rule is true if and only if it fires, and its comparisons
 * settle it even if all other signals are unknown.
 */
START_TEST(explanation_agrees_with_evaluation)
{
	static struct rule_hits hits;
	struct value values[RULE_VALUES_MAX], few[RULE_VALUES_MAX];
	struct rule_explain why, again;
	struct ruleset *rs;
	struct str text;
	size_t i, k;
	int round;

	made_up_seed((uint32_t)_i);
	str_init(&text, &arena);
	made_up_rules(&text, 20);
	rs = compile(str_text(&text));
	sample.event.n_attrs = MADE_UP_ATTRS;
	for (round = 0; round < 50; round++) {
		made_up_signals(&sample.signals, attrs);
		rule_eval(rs, &sample.signals, &hits);
		rule_values(rs, &sample.signals, values);
		for (i = 0; i < rs->n_rules; i++) {
			rule_explain(&rs->rules[i], values, &why);
			ck_assert_int_eq(
			    why.truth == TRUTH_TRUE, has_hit(&hits, i));
			ck_assert_uint_gt(why.n, 0);
			if (why.n > RULE_EXPLAIN_MAX)
				continue;
			for (k = 0; k < RULE_VALUES_MAX; k++)
				few[k] = value_unknown();
			for (k = 0; k < why.n; k++)
				few[why.by[k].signal] =
				    values[why.by[k].signal];
			rule_explain(&rs->rules[i], few, &again);
			ck_assert_int_eq(again.truth, why.truth);
		}
	}
}
END_TEST

static const char rules[] =
    "rule r_velocity { when velocity.attemptsLast2m > 4 "
    "then score += 28, tag velocity }\n"
    "rule r_amount { when event.amount > 1000 && !device.firstSeen "
    "then score += 30, tag amount }\n"
    "rule r_new { when device.firstSeen then score += 20, tag new }\n"
    "rule r_far { when geo.country in [\"NG\", \"RU\"] "
    "then score += 50, tag far }\n"
    "rule r_calls { when attr.calls > 10 then score += 50, tag calls }\n";

static void
search(const char *text)
{
	book.ruleset = compile(text);
	ck_assert_int_eq(
	    counterfactual_find(&book, &sample, &arena, &changes, &f), 0);
	ck_assert(changes.complete);
}

/* Return a change as one line of text. */
static const char *
line(const struct counterfactual *c)
{
	struct str s;

	if (c->verdict == 0)
		return "none";
	str_init(&s, &arena);
	str_addf(&s, "%s%s ", c->attr ? "attr." : "", c->signal);
	str_value(&s, &c->from);
	str_addc(&s, ' ');
	if (c->other)
		str_add(&s, "other");
	else
		str_value(&s, &c->to);
	str_addf(&s, " %s %d", verdict_name(c->verdict), c->score);
	return str_text(&s);
}

/* Searches with the usual signals and one more signal. */
static const struct {
	const char *rules; /* NULL: those above */
	enum signal signal; /* SIGNAL__MAX: none */
	struct value value;
	bool watched;
	const char *stricter;
	const char *milder;
} searches[] = {
	{ NULL, SIGNAL__MAX, { 0 }, false,
	    "event.amount 900 1000.01 challenge 30", "none" },
	{ NULL, SIGNAL_EVENT_AMOUNT, { VALUE_NUMBER, { .number = 500 } }, false,
	    "velocity.attemptsLast2m 3 5 challenge 28", "none" },
	{ NULL, SIGNAL_EVENT_AMOUNT, { VALUE_NUMBER, { .number = 1001 } },
	    false, "velocity.attemptsLast2m 3 5 review 58",
	    "event.amount 1001 1000 allow 0" },
	{ NULL, SIGNAL_GEO_COUNTRY, { VALUE_STRING, { .string = "NG" } }, false,
	    "event.amount 900 1000.01 deny 80",
	    "geo.country \"NG\" other allow 0" },
	{ NULL, SIGNAL_GEO_COUNTRY, { VALUE_STRING, { .string = "NG" } }, true,
	    "event.amount 900 1000.01 deny 80", "none" },
	{ NULL, SIGNAL__MAX, { 0 }, true, "none", "none" },

	/* A whole number stays whole, above and below a fraction. */
	{ "rule a { when velocity.attemptsLast2m > 3.5 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "velocity.attemptsLast2m 3 4 review 50",
	    "none" },
	{ "rule a { when velocity.attemptsLast2m < 3.5 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none",
	    "velocity.attemptsLast2m 3 4 allow 0" },

	/* Between two literals that are closer than a step. */
	{ "rule a { when event.amount > 1000 && event.amount < 1000.001 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "event.amount 900 1000.0005 review 50",
	    "none" },
	/* Steps are hundredths, which few doubles represent exactly. */
	{ "rule a { when event.amount > 1024.09 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "event.amount 900 1024.1 review 50",
	    "none" },
	{ "rule a { when event.amount >= 1.1 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none",
	    "event.amount 900 1.09 allow 0" },

	/* Numbers so large that no double represents such a step. */
	{ "rule a { when event.amount > 9e14 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false,
	    "event.amount 900 900000000000000.1 review 50", "none" },
	{ "rule a { when attr.calls > 1e17 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false,
	    "attr.calls 2 1.0000000000000002e+17 review 50", "none" },
	{ "rule a { when attr.calls <= -1e300 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "attr.calls 2 -1e+300 review 50",
	    "none" },

	/* A range without a whole number. */
	{ "rule a { when graph.ringSize > 7 && graph.ringSize < 8 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },

	/* Values that the signal cannot have are not tried. */
	{ "rule a { when graph.ringSize > 500 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },
	{ "rule a { when graph.ringSize < 1 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },
	{ "rule a { when geo.country == \"nowhere\" "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },
	{ "rule a { when instrument.kind == \"gold\" "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },
	{ "rule a { when event.type == \"order.place\" "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },
	{ "rule a { when instrument.kind != \"card\" "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false,
	    "instrument.kind \"card\" \"wallet\" review 50", "none" },

	/* To and from unknown, if no smaller change is enough. */
	{ "rule a { when geo.distanceKm > 7 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "geo.distanceKm null 8 review 50",
	    "none" },
	{ "rule a { when event.amount > 1 || event.amount <= 1 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none",
	    "event.amount 900 null allow 0" },
	{ "rule a { when graph.ringSize > 1 || graph.ringSize <= 1 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },

	/* Attributes, including missing ones. */
	{ "rule a { when attr.calls > 2.5 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "attr.calls 2 3 review 50", "none" },
	{ "rule a { when attr.who == \"a\" then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "attr.who \"a\" other allow 0" },
	{ "rule a { when attr.\"new one\" then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "attr.new one null true review 50",
	    "none" },

	/* Among equal changes, the first signal, and up before down. */
	{ "rule a { when device.firstSeen || geo.country == \"DE\" "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "device.firstSeen false true review 50",
	    "none" },
	{ "rule a { when anomaly.amountZScore != 0 "
	  "then score += 50, tag t }",
	    SIGNAL_ANOMALY_AMOUNT_Z_SCORE, { VALUE_NUMBER, { .number = 0 } },
	    false, "anomaly.amountZScore 0 0.01 review 50", "none" },
};

START_TEST(smallest_changes_are_found)
{
	set_usual_signals();
	if (searches[_i].signal != SIGNAL__MAX)
		sample.signals.value[searches[_i].signal] = searches[_i].value;
	sample.watched = searches[_i].watched;
	search(searches[_i].rules == NULL ? rules : searches[_i].rules);
	ck_assert_str_eq(line(&changes.stricter), searches[_i].stricter);
	ck_assert_str_eq(line(&changes.milder), searches[_i].milder);
	ck_assert_int_eq(arena.overflow, false);
}
END_TEST

/* Set a signal or an attribute of the sample. */
static void
apply(const char *signal, bool attr, struct value to)
{
	size_t i;

	if (!attr) {
		sample.signals.value[signal_parse(signal)] = to;
		return;
	}
	for (i = 0; i < sample.event.n_attrs; i++)
		if (strcmp(attrs[i].name, signal) == 0)
			break;
	attrs[i] = (struct attr) { .name = signal, .value = to };
	if (i == sample.event.n_attrs)
		sample.event.n_attrs++;
}

static enum verdict
verdict_now(void)
{
	ck_assert_int_eq(
	    explain_decide(&book, &sample, &arena, &decision, &f), 0);
	return decision.verdict;
}

/* Check that a change has the effect that it states. */
static void
check_change(const struct counterfactual *c, bool stricter)
{
	const enum verdict before = verdict_now();

	if (c->verdict == 0)
		return;
	apply(c->signal, c->attr, c->to);
	ck_assert_int_eq(verdict_now(), c->verdict);
	ck_assert_int_eq(decision.score.total, c->score);
	ck_assert_int_eq(c->verdict > before, stricter);
	ck_assert_int_ne(c->verdict, before);
	apply(c->signal, c->attr, c->from);
	ck_assert_int_eq(verdict_now(), before);
}

/* The size of a change of one number into another. */
static double
size_of(double from, double to)
{
	const double most = fmax(fabs(from), fabs(to));

	return fmin(1, fabs(from - to) / most);
}

/*
 * Return random rules over three signals, with literals from 0 to 20 in steps
 * of a half.
 */
static const char *
number_rules(void)
{
	static const char *const names[] = { "event.amount",
		"anomaly.amountRatio", "velocity.attemptsLast2m" };
	static const char *const ops[] = { ">", ">=", "<", "<=", "==", "!=" };
	struct str s;
	int i;

	str_init(&s, &arena);
	for (i = 0; i < 8; i++)
		str_addf(&s,
		    "rule r%d { when %s %s %u %s %s %s %u.5 then score += %u, "
		    "tag t%d }\n",
		    i, names[made_up(3)], ops[made_up(6)], made_up(20),
		    made_up(2) == 0 ? "&&" : "||", names[made_up(3)],
		    ops[made_up(6)], made_up(20), made_up(40), i);
	return str_text(&s);
}

static const enum signal numbers[] = { SIGNAL_EVENT_AMOUNT,
	SIGNAL_ANOMALY_AMOUNT_RATIO, SIGNAL_VELOCITY_ATTEMPTS_2M };

/* Try many values of each signal: none with the same effect is nearer. */
START_TEST(no_smaller_change_has_the_same_effect)
{
	enum verdict before, after;
	const struct counterfactual *found;
	struct value *v, was;
	size_t i;
	double n;
	int step;

	made_up_seed((uint32_t)_i);
	for (i = 0; i < nitems(numbers); i++)
		sample.signals.value[numbers[i]] =
		    value_number(1 + made_up(20));
	sample.watched = made_up(8) == 0;
	search(number_rules());
	check_change(&changes.stricter, true);
	check_change(&changes.milder, false);
	before = verdict_now();
	for (i = 0; i < nitems(numbers); i++) {
		v = &sample.signals.value[numbers[i]];
		was = *v;
		for (step = 0; step <= 100; step++) {
			n = step / 4.0;
			if (numbers[i] == SIGNAL_VELOCITY_ATTEMPTS_2M &&
			    n != floor(n))
				continue;
			*v = value_number(n);
			after = verdict_now();
			*v = was;
			if (after == before)
				continue;
			found = after > before ? &changes.stricter
					       : &changes.milder;
			ck_assert_int_ne(found->verdict, 0);
			ck_assert_double_le(
			    found->size, size_of(was.number, n) + 1e-12);
		}
	}
}
END_TEST

/* Random rules over all signals. */
START_TEST(found_changes_have_their_effect)
{
	struct str text;
	int round;

	made_up_seed((uint32_t)_i);
	str_init(&text, &arena);
	made_up_rules(&text, 6);
	sample.event.n_attrs = MADE_UP_ATTRS;
	for (round = 0; round < 4; round++) {
		made_up_signals(&sample.signals, attrs);
		search(str_text(&text));
		check_change(&changes.stricter, true);
		check_change(&changes.milder, false);
	}
}
END_TEST

/* Each signal that is a number can become greater than 0. */
START_TEST(each_number_can_be_changed)
{
	const enum signal sig = (enum signal)_i;
	struct str text;

	if (signal_type(sig) != VALUE_NUMBER)
		return;
	str_init(&text, &arena);
	str_addf(&text, "rule a { when %s > 0 then score += 50, tag t }",
	    signal_name(sig));
	search(str_text(&text));
	ck_assert_int_eq(changes.stricter.verdict, VERDICT_REVIEW);
	ck_assert_str_eq(changes.stricter.signal, signal_name(sig));
	ck_assert_double_gt(changes.stricter.to.number, 0);
}
END_TEST

/* The neighbours of each hundredth are exact hundredths, despite rounding. */
START_TEST(amounts_step_by_hundredths)
{
	const struct signal_range *d = signal_range_of(SIGNAL_EVENT_AMOUNT);
	int i, wrong = 0;

	for (i = 1; i < 200000; i++)
		wrong +=
		    signal_range_next(d, i / 100.0, 1) != (i + 1) / 100.0 ||
		    signal_range_next(d, i / 100.0, -1) != (i - 1) / 100.0;
	ck_assert_int_eq(wrong, 0);
}
END_TEST

/*
 * Score with a model in which amounts up to 1000 raise the risk and attempts
 * lower it.
 */
static void
model_of_amounts(struct model *m)
{
	*m = blank_model();
	m->weight[FEATURE_AMOUNT_1000] = 6;
	m->weight[FEATURE_ATTEMPTS_2M] = -3;
	m->bias = -3;
	m->base_rate = 0.5;
	m->calibration = (struct model_calibration) { 1, 0 };
	scoring = (struct scoring) { .scorer = SCORER_ML, .model = m };
}

/* The search finds the exact step at which the verdict of a model changes. */
START_TEST(verdict_of_model_changes_at_exact_step)
{
	const int way = _i;
	struct model m;
	const struct counterfactual *c;
	struct value near;

	set_usual_signals();
	model_of_amounts(&m);
	sample.signals.value[SIGNAL_EVENT_AMOUNT] = value_number(500);
	sample.signals.value[SIGNAL_VELOCITY_ATTEMPTS_2M] = value_number(0);
	search("");
	c = way > 0 ? &changes.stricter : &changes.milder;
	ck_assert_int_ne(c->verdict, 0);
	ck_assert_str_eq(c->signal, "event.amount");
	check_change(c, way > 0);

	/* One step before it, the verdict is unchanged. */
	near = value_number(c->to.number - way * 0.01);
	apply(c->signal, false, near);
	ck_assert_int_eq(verdict_now(), VERDICT_REVIEW);
}
END_TEST

/*
 * The boundary may lie between the previous candidate and one that is too far.
 */
START_TEST(boundary_before_a_far_candidate_is_found)
{
	struct model m;

	set_usual_signals();
	model_of_amounts(&m);
	m.weight[FEATURE_AMOUNT_1000] = 2.4;
	m.weight[FEATURE_ATTEMPTS_2M] = 0;
	m.weight[FEATURE_RING_SIZE] = -3.4;
	m.bias = 2.2;
	sample.signals.value[SIGNAL_EVENT_AMOUNT] = value_number(500);
	sample.signals.value[SIGNAL_GRAPH_RING_SIZE] = value_number(56);
	search("");
	ck_assert_str_eq(
	    line(&changes.stricter), "graph.ringSize 56 37 deny 71");
}
END_TEST

START_TEST(whole_numbers_stay_whole_for_models)
{
	struct model m;

	set_usual_signals();
	model_of_amounts(&m);
	sample.signals.value[SIGNAL_EVENT_AMOUNT] = value_unknown();
	m.bias = 0.5;
	sample.signals.value[SIGNAL_VELOCITY_ATTEMPTS_2M] = value_number(1);
	search("");
	ck_assert_str_eq(changes.milder.signal, "velocity.attemptsLast2m");
	ck_assert_double_eq(
	    changes.milder.to.number, floor(changes.milder.to.number));
	check_change(&changes.milder, false);
	apply(changes.milder.signal, false,
	    value_number(changes.milder.to.number - 1));
	ck_assert_int_eq(verdict_now(), VERDICT_REVIEW);
}
END_TEST

START_TEST(long_search_is_marked_incomplete)
{
	struct str text;
	int i, k;

	set_usual_signals();
	str_init(&text, &arena);
	for (i = 0; i < 400; i++) {
		str_addf(&text, "rule r%d { when event.amount > %d", i, i);
		for (k = 0; k < 40; k++)
			str_addf(
			    &text, " && event.amount > %d.%d", 1000000 + i, k);
		str_add(&text, " then score += 0, tag t }\n");
	}
	book.ruleset = compile(str_text(&text));
	ck_assert_int_eq(
	    counterfactual_find(&book, &sample, &arena, &changes, &f), 0);
	ck_assert(!changes.complete);
	ck_assert_uint_lt(arena.peak - arena.used, 1 << 20);
	ck_assert_uint_gt(changes.tried, 1000);
}
END_TEST

/*
 * Many rules fire, and sorting their reasons takes longer than their
 * conditions.
 */
START_TEST(work_for_reasons_counts_against_the_limit)
{
	struct str text;
	int i, k;

	set_usual_signals();
	str_init(&text, &arena);
	for (i = 0; i < RULES_MAX; i++) {
		str_addf(&text,
		    "rule r%d { when event.amount > 0 || attr.who in [", i);
		for (k = 0; k < 10; k++)
			str_addf(
			    &text, "%s\"%d\"", k == 0 ? "" : ", ", 10 * i + k);
		str_addf(&text, "] then score += 0, tag t%d }\n", i);
	}
	book.ruleset = compile(str_text(&text));
	ck_assert_int_eq(
	    counterfactual_find(&book, &sample, &arena, &changes, &f), 0);
	ck_assert(!changes.complete);
	ck_assert_uint_gt(changes.tried, 1000);
}
END_TEST

/* With every size of the arena the search either succeeds or fails cleanly. */
START_TEST(search_fails_cleanly_in_full_arena)
{
	static _Alignas(16) char small[32768];
	struct arena a;
	size_t size;
	bool good = false;

	set_usual_signals();
	book.ruleset = compile(rules);
	for (size = 0; size < sizeof(small); size += 256) {
		arena_init(&a, small, size);
		f = (struct fail) { 0 };
		if (counterfactual_find(&book, &sample, &a, &changes, &f) ==
		    -1) {
			ck_assert(!good);
			ck_assert_int_eq(f.code, INTERNAL);
		} else
			good = true;
		arena_reset(&a);
	}
	ck_assert(good);
}
END_TEST

/* The tag weights follow from the reasons of the decision. */
START_TEST(tag_weights_are_reconstructed_from_reasons)
{
	struct tag_weight all[] = { { "amount", made_up(50), made_up(50) },
		{ "far", made_up(5), made_up(3) },
		{ "new", made_up(900000), made_up(900000) },
		{ "velocity", made_up(9), made_up(2) } };
	const struct tag_weights then = { all, nitems(all) };
	struct tag_weights again;
	struct score was, is;

	made_up_seed((uint32_t)_i);
	set_usual_signals();
	sample.signals.value[SIGNAL_EVENT_AMOUNT] = value_number(made_up(2000));
	sample.signals.value[SIGNAL_VELOCITY_ATTEMPTS_2M] =
	    value_number(made_up(9));
	sample.signals.value[SIGNAL_DEVICE_FIRST_SEEN] =
	    value_bool(made_up(2) == 0);
	book.ruleset = compile(rules);
	scoring =
	    (struct scoring) { .scorer = SCORER_LEARNED, .tag_weights = &then };
	verdict_now();
	was = decision.score;
	ck_assert_int_eq(explain_tag_weights(&arena, &decision.rules,
			     was.reasons, was.n_reasons, NULL, &again, &f),
	    0);
	ck_assert_int_eq(
	    score_learned(&arena, &decision.rules, &again, &is, &f), 0);
	ck_assert_int_eq(is.total, was.total);
	sample.score = was.total;
	sample.verdict = decision.verdict;
	sample.scorer = SCORER_LEARNED;
	sample.rules_score = decision.rules.total;
	decision.score = is;
	ck_assert(explain_same(&decision, &sample, was.reasons, was.n_reasons));
	sample.rules_score++;
	ck_assert(
	    !explain_same(&decision, &sample, was.reasons, was.n_reasons));
}
END_TEST

/* Each part of a decision by a model must equal that of the sample. */
START_TEST(same_decision_is_equal_in_every_part)
{
	const struct reason was[] = { { "a", 20 }, { "b", 10 } };
	struct sample *s = &sample;
	struct reason is[2];

	decision = (struct decision) {
		.verdict = VERDICT_REVIEW,
		.scorer = SCORER_ML,
		.score = { 30, was, 2 },
		.rules = { .total = 5 },
		.p = 0.1,
		.p_even = 0.3,
	};
	s->verdict = VERDICT_REVIEW;
	s->scorer = SCORER_ML;
	s->score = 30;
	s->rules_score = 5;
	s->p = 0.1;
	s->p_even = 0.3;
	memcpy(is, was, sizeof(is));
	ck_assert(explain_same(&decision, s, is, 2));
	ck_assert(!explain_same(&decision, s, is, 1));
	is[1].tag = "c";
	ck_assert(!explain_same(&decision, s, is, 2));
	is[1] = (struct reason) { "b", 11 };
	ck_assert(!explain_same(&decision, s, is, 2));
	is[1].points = 10;
	s->verdict = VERDICT_DENY;
	ck_assert(!explain_same(&decision, s, is, 2));
	s->verdict = VERDICT_REVIEW;
	s->score++;
	ck_assert(!explain_same(&decision, s, is, 2));
	s->score--;
	s->p = nextafter(s->p, 1);
	ck_assert(!explain_same(&decision, s, is, 2));
	s->p = decision.p;
	s->p_even = nextafter(s->p_even, 1);
	ck_assert(!explain_same(&decision, s, is, 2));
	s->p_even = decision.p_even;
	s->scorer = SCORER_WEIGHTED;
	ck_assert(!explain_same(&decision, s, is, 2));
}
END_TEST

/* Tag a has the points of its rules, so it had no weight. */
START_TEST(tag_with_points_of_its_rules_has_no_weight)
{
	const struct reason all[] = { { "a", 30 }, { "b", 20 } };
	const struct reason was[] = { { "b", 41 }, { "a", 30 } };
	const struct score fired = { 50, all, 2 };
	struct tag_weights got;

	ck_assert_int_eq(
	    explain_tag_weights(&arena, &fired, was, 2, NULL, &got, &f), 0);
	ck_assert_uint_eq(got.n, 1);
	ck_assert_str_eq(got.all[0].tag, "b");
}
END_TEST

/* Tags that did not fire get their current weight. */
START_TEST(other_tags_get_their_current_weight)
{
	const struct reason rule = { "b", 20 }, was = { "b", 31 };
	const struct score fired = { 20, &rule, 1 };
	struct tag_weight known[] = { { "a", 1, 2 }, { "b", 3, 4 },
		{ "c", 5, 6 } };
	const struct tag_weights now = { known, 3 };
	struct tag_weights got;

	ck_assert_int_eq(
	    explain_tag_weights(&arena, &fired, &was, 1, &now, &got, &f), 0);
	ck_assert_uint_eq(got.n, 3);
	ck_assert_str_eq(got.all[0].tag, "a");
	ck_assert_int_eq(got.all[0].fraud, 1);
	ck_assert_str_eq(got.all[1].tag, "b");
	ck_assert_int_eq(score_tag_weight(&got.all[1]), 31);
	ck_assert_int_eq(got.all[2].legit, 6);
}
END_TEST

START_TEST(tag_weight_for_points_gives_these_points)
{
	struct tag_weight l;
	int points;

	for (points = 0; points <= 100; points++) {
		l = score_tag_weight_of("t", points);
		ck_assert_str_eq(l.tag, "t");
		ck_assert_int_eq(score_tag_weight(&l),
		    points > SCORE_TAG_POINTS_MAX ? SCORE_TAG_POINTS_MAX
						  : points);
	}
}
END_TEST

Suite *
suite_explain(void)
{
	Suite *s = suite_create("explain");
	TCase *tc = tcase_create("explain");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 30);
	tcase_add_loop_test(tc, explanation_has_the_deciding_comparisons, 0,
	    (int)nitems(reasons));
	tcase_add_test(tc, all_deciding_comparisons_are_counted);
	tcase_add_loop_test(tc, explanation_agrees_with_evaluation, 0, 10);
	tcase_add_loop_test(
	    tc, smallest_changes_are_found, 0, (int)nitems(searches));
	tcase_add_loop_test(tc, no_smaller_change_has_the_same_effect, 0, 40);
	tcase_add_loop_test(tc, found_changes_have_their_effect, 0, 30);
	tcase_add_loop_test(tc, each_number_can_be_changed, 0, SIGNAL__MAX);
	tcase_add_test(tc, amounts_step_by_hundredths);
	tcase_add_loop_test(tc, verdict_of_model_changes_at_exact_step, -1, 0);
	tcase_add_loop_test(tc, verdict_of_model_changes_at_exact_step, 1, 2);
	tcase_add_test(tc, boundary_before_a_far_candidate_is_found);
	tcase_add_test(tc, whole_numbers_stay_whole_for_models);
	tcase_add_test(tc, long_search_is_marked_incomplete);
	tcase_add_test(tc, work_for_reasons_counts_against_the_limit);
	tcase_add_test(tc, search_fails_cleanly_in_full_arena);
	tcase_add_loop_test(
	    tc, tag_weights_are_reconstructed_from_reasons, 0, 20);
	tcase_add_test(tc, same_decision_is_equal_in_every_part);
	tcase_add_test(tc, tag_with_points_of_its_rules_has_no_weight);
	tcase_add_test(tc, other_tags_get_their_current_weight);
	tcase_add_test(tc, tag_weight_for_points_gives_these_points);
	suite_add_tcase(s, tc);
	return s;
}
