/* SPDX-License-Identifier: ISC */
/* core/explain*.c, core/rule/rule_explain.c: what is so, why, and what would
 * change. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/signal/signal_range.h"
#include "core/analyse/explain.h"
#include "core/base/fail.h"
#include "core/signal/features.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/rule/rule_explain.h"
#include "core/signal/signals.h"
#include "core/base/str.h"
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

static const struct band bands[] = {
	{ VERDICT_ALLOW, 0, 24, NULL },
	{ VERDICT_CHALLENGE, 25, 44, NULL },
	{ VERDICT_REVIEW, 45, 69, NULL },
	{ VERDICT_DENY, 70, 100, NULL },
};

static const struct policy policy = {
	.id = "pol",
	.version = "v1",
	.on_error = ON_ERROR_FAIL_CLOSED,
	.bands = bands,
	.n_bands = nitems(bands),
};

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

/* An event in which the signals that rules of these tests read are known. */
static void
usual(void)
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

/* A condition over the usual signals, its truth, and what makes it so. */
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

	/* The first that settles it. */
	{ "event.amount > 1 && graph.ringSize > 6 && device.firstSeen",
	    TRUTH_FALSE, "graph.ringSize > 6" },
	{ "geo.distanceKm > 9 && graph.ringSize > 6", TRUTH_FALSE,
	    "graph.ringSize > 6" },
	{ "graph.ringSize > 6 || event.amount > 1 || attr.calls > 1",
	    TRUTH_TRUE, "event.amount > 1" },
	{ "geo.distanceKm > 9 || attr.calls > 1", TRUTH_TRUE,
	    "attr.calls > 1" },

	/* Or all that it takes. */
	{ "event.amount > 1 && attr.calls > 1", TRUTH_TRUE,
	    "event.amount > 1, attr.calls > 1" },
	{ "graph.ringSize > 6 || device.firstSeen", TRUTH_FALSE,
	    "graph.ringSize > 6, device.firstSeen" },
	{ "event.amount > 1 && geo.distanceKm > 9 && geo.countryChanged",
	    TRUTH_UNKNOWN, "geo.distanceKm > 9, geo.countryChanged" },
	{ "graph.ringSize > 6 || geo.distanceKm > 9", TRUTH_UNKNOWN,
	    "geo.distanceKm > 9" },

	/* At any depth. */
	{ "!(graph.ringSize > 6 || geo.distanceKm > 9 && event.amount > 1)",
	    TRUTH_UNKNOWN, "geo.distanceKm > 9" },
	{ "!(event.amount > 1 && !(attr.calls > 1)) && attr.who == \"a\"",
	    TRUTH_TRUE, "attr.calls > 1, attr.who == \"a\"" },
	{ "(graph.ringSize > 6 || attr.calls > 5) && event.amount > 1",
	    TRUTH_FALSE, "graph.ringSize > 6, attr.calls > 5" },
};

START_TEST(says_why)
{
	struct value values[RULE_VALUES_MAX];
	struct rule_explain why;
	struct ruleset *rs;
	struct str rule, got;
	size_t i;

	usual();
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

/* Of more comparisons than are told it says how many there are. */
START_TEST(counts_the_rest)
{
	struct value values[RULE_VALUES_MAX];
	struct rule_explain why;
	struct ruleset *rs;
	struct str rule;
	int i;

	usual();
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
 * Of made-up rules: true is what fires, and the comparisons alone settle it,
 * with everything else unknown.
 */
START_TEST(is_what_decides)
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
	    explain_changes(&book, &sample, &arena, &changes, &f), 0);
	ck_assert(changes.complete);
}

/* A change as a line. */
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

/* Of the usual event with one signal set besides. */
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

	/* A whole number stays one, on both sides of a fraction. */
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
	/* Steps of hundredths, which few binary fractions are. */
	{ "rule a { when event.amount > 1024.09 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "event.amount 900 1024.1 review 50",
	    "none" },
	{ "rule a { when event.amount >= 1.1 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none",
	    "event.amount 900 1.09 allow 0" },

	/* And numbers so large that there are no such steps. */
	{ "rule a { when event.amount > 9e14 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false,
	    "event.amount 900 900000000000000.1 review 50", "none" },
	{ "rule a { when attr.calls > 1e17 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false,
	    "attr.calls 2 1.0000000000000002e+17 review 50", "none" },
	{ "rule a { when attr.calls <= -1e300 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "attr.calls 2 -1e+300 review 50",
	    "none" },

	/* Where there is no whole number. */
	{ "rule a { when graph.ringSize > 7 && graph.ringSize < 8 "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "none" },

	/* What cannot be, is not tried. */
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

	/* To and from what is not known, where nothing less does it. */
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

	/* Attributes, those that are not there too. */
	{ "rule a { when attr.calls > 2.5 then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "attr.calls 2 3 review 50", "none" },
	{ "rule a { when attr.who == \"a\" then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "none", "attr.who \"a\" other allow 0" },
	{ "rule a { when attr.\"new one\" then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "attr.new one null true review 50",
	    "none" },

	/* Of equals the first signal, and upwards before downwards. */
	{ "rule a { when device.firstSeen || geo.country == \"DE\" "
	  "then score += 50, tag t }",
	    SIGNAL__MAX, { 0 }, false, "device.firstSeen false true review 50",
	    "none" },
	{ "rule a { when anomaly.amountZScore != 0 "
	  "then score += 50, tag t }",
	    SIGNAL_ANOMALY_AMOUNT_Z_SCORE, { VALUE_NUMBER, { .number = 0 } },
	    false, "anomaly.amountZScore 0 0.01 review 50", "none" },
};

START_TEST(finds_changes)
{
	usual();
	if (searches[_i].signal != SIGNAL__MAX)
		sample.signals.value[searches[_i].signal] = searches[_i].value;
	sample.watched = searches[_i].watched;
	search(searches[_i].rules == NULL ? rules : searches[_i].rules);
	ck_assert_str_eq(line(&changes.stricter), searches[_i].stricter);
	ck_assert_str_eq(line(&changes.milder), searches[_i].milder);
	ck_assert_int_eq(arena.overflow, false);
}
END_TEST

/* Put a value where a change, or a test, wants it. */
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

/* A change that was found does what it says. */
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

/* How large changing one number into another is. */
static double
size_of(double from, double to)
{
	const double most = fmax(fabs(from), fabs(to));

	return fmin(1, fabs(from - to) / most);
}

/* Random rules over three numbers, which are 0 to 20 in steps of a half. */
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

/* No other value of any number is nearer and does the same. */
START_TEST(finds_the_smallest)
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

/* Made-up rules over everything: what is found holds. */
START_TEST(finds_what_holds)
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

/* Every number can be another one, and is what it can be. */
START_TEST(knows_every_number)
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

/* Next to each hundredth are the two others, however they are rounded. */
START_TEST(steps_by_hundredths)
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

/* A model to which amounts up to 1000 are risk and more than one try is. */
static void
model_of_amounts(struct model *m)
{
	*m = *model_bundled();
	memset(m->weight, 0, sizeof(m->weight));
	m->weight[FEATURE_AMOUNT_1000] = 6;
	m->weight[FEATURE_ATTEMPTS_2M] = -3;
	m->bias = -3;
	m->base_rate = 0.5;
	m->calibration = (struct model_calibration) { 1, 0 };
	scoring = (struct scoring) { .scorer = SCORER_ML, .model = m };
}

/* Where a model turns is found to the step. */
START_TEST(finds_where_models_turn)
{
	const int way = _i;
	struct model m;
	const struct counterfactual *c;
	struct value near;

	usual();
	model_of_amounts(&m);
	sample.signals.value[SIGNAL_EVENT_AMOUNT] = value_number(500);
	sample.signals.value[SIGNAL_VELOCITY_ATTEMPTS_2M] = value_number(0);
	search("");
	c = way > 0 ? &changes.stricter : &changes.milder;
	ck_assert_int_ne(c->verdict, 0);
	ck_assert_str_eq(c->signal, "event.amount");
	check_change(c, way > 0);

	/* One step back it does not. */
	near = value_number(c->to.number - way * 0.01);
	apply(c->signal, false, near);
	ck_assert_int_eq(verdict_now(), VERDICT_REVIEW);
}
END_TEST

/* A turn behind the last number that is tried may be nearer than a known one.
 */
START_TEST(finds_turns_before_far_numbers)
{
	struct model m;

	usual();
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

START_TEST(keeps_numbers_whole_for_models)
{
	struct model m;

	usual();
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

/* A search that takes too long says so. */
START_TEST(gives_up)
{
	struct str text;
	int i, k;

	usual();
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
	    explain_changes(&book, &sample, &arena, &changes, &f), 0);
	ck_assert(!changes.complete);
	ck_assert_uint_lt(arena.peak - arena.used, 1 << 20);
	ck_assert_uint_gt(changes.tried, 1000);
}
END_TEST

/* Sorting the reasons of many rules takes longer than their conditions. */
START_TEST(counts_what_fires)
{
	struct str text;
	int i, k;

	usual();
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
	    explain_changes(&book, &sample, &arena, &changes, &f), 0);
	ck_assert(!changes.complete);
	ck_assert_uint_gt(changes.tried, 1000);
}
END_TEST

/* At every size of the arena it is an answer or a clean refusal. */
START_TEST(full_arenas)
{
	static _Alignas(16) char small[32768];
	struct arena a;
	size_t size;
	bool good = false;

	usual();
	book.ruleset = compile(rules);
	for (size = 0; size < sizeof(small); size += 256) {
		arena_init(&a, small, size);
		f = (struct fail) { 0 };
		if (explain_changes(&book, &sample, &a, &changes, &f) == -1) {
			ck_assert(!good);
			ck_assert_int_eq(f.code, INTERNAL);
		} else
			good = true;
		arena_reset(&a);
	}
	ck_assert(good);
}
END_TEST

/* What labels taught once is found again in the reasons. */
START_TEST(learns_again)
{
	struct tag_weight all[] = { { "amount", made_up(50), made_up(50) },
		{ "far", made_up(5), made_up(3) },
		{ "new", made_up(900000), made_up(900000) },
		{ "velocity", made_up(9), made_up(2) } };
	const struct tag_weights then = { all, nitems(all) };
	struct tag_weights again;
	struct score was, is;

	made_up_seed((uint32_t)_i);
	usual();
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

/* Every part of a decision by a model has to be what it was. */
START_TEST(is_the_same_in_all)
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

/* What added what its rules do is worth what rules add up to, not that. */
START_TEST(leaves_the_untaught_alone)
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

/* Tags that did not fire are what is known of them now. */
START_TEST(learns_the_rest_from_now)
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

START_TEST(teaches_just_so_much)
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
	tcase_add_loop_test(tc, says_why, 0, (int)nitems(reasons));
	tcase_add_test(tc, counts_the_rest);
	tcase_add_loop_test(tc, is_what_decides, 0, 10);
	tcase_add_loop_test(tc, finds_changes, 0, (int)nitems(searches));
	tcase_add_loop_test(tc, finds_the_smallest, 0, 40);
	tcase_add_loop_test(tc, finds_what_holds, 0, 30);
	tcase_add_loop_test(tc, knows_every_number, 0, SIGNAL__MAX);
	tcase_add_test(tc, steps_by_hundredths);
	tcase_add_loop_test(tc, finds_where_models_turn, -1, 0);
	tcase_add_loop_test(tc, finds_where_models_turn, 1, 2);
	tcase_add_test(tc, finds_turns_before_far_numbers);
	tcase_add_test(tc, keeps_numbers_whole_for_models);
	tcase_add_test(tc, gives_up);
	tcase_add_test(tc, counts_what_fires);
	tcase_add_test(tc, full_arenas);
	tcase_add_loop_test(tc, learns_again, 0, 20);
	tcase_add_test(tc, is_the_same_in_all);
	tcase_add_test(tc, leaves_the_untaught_alone);
	tcase_add_test(tc, learns_the_rest_from_now);
	tcase_add_test(tc, teaches_just_so_much);
	suite_add_tcase(s, tc);
	return s;
}
