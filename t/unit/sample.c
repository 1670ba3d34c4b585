/* SPDX-License-Identifier: ISC */
/*
 * core/decide/sample.c: samples are read back as written; other texts are
 * refused.
 */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/rule/rule.h"
#include "t/unit/unit.h"

#define HEAD "{\"score\":7,\"verdict\":\"deny\""

static _Alignas(16) char block[262144];
static struct arena arena;
static struct sample got;

static const struct rule rules[] = {
	{ .id = "r_velocity", .tag = "velocity", .points = 28 },
	{ .id = "r_ring", .tag = "ring", .points = 26 },
};

static const struct ruleset ruleset = {
	.version = "seed@v0.4",
	.rules = rules,
	.n_rules = nitems(rules),
	.n_tags = 2,
};

static const double numbers[] = { 0, 1, 28, 0.1, 3000.01, 1e15, 1e300, -0.5,
	123456789012345, 1234567890123456, 5e-324, 2.2250738585072014e-308 };

static const char *const strings[] = { "", "ET", "a \"quoted\" \\ thing",
	"\x01\x1f\x7f tab\t", "caf\xc3\xa9 \xf0\x9f\x92\xb3", "{}[],:" };

static const struct reason velocity = { "velocity", 28 };
static const struct reason shadow_reasons[] = { { "ring", 60 },
	{ "a \"b\"", 12 } };
static const struct shadow_result shadow = {
	.id = "shd_1",
	.verdict = VERDICT_DENY,
	.score = { 72, shadow_reasons, nitems(shadow_reasons) },
};

static struct value value_at(enum value_type type, size_t i);
static void check_value(const struct value *a, const struct value *b);
static void check_read(const char *text, const struct signals *want);
static const char *written(const struct signals *sigs, bool watched);
static const char *written_before(const struct signals *sigs);
static const char *written_by(enum scorer scorer, const struct signals *sigs,
    bool watched, const struct shadow_result *of_shadow);

static void
setup(void)
{
	arena_init(&arena, block, sizeof(block));
}

static void
teardown(void)
{
	arena_reset(&arena);
}

START_TEST(sample_is_read_back_as_written)
{
	struct attr attrs[EVENT_ATTRS_MAX] = { 0 };
	struct event ev = { .attrs = attrs };
	struct signals sigs = { .event = &ev };
	char names[EVENT_ATTRS_MAX][32];
	const char *text;
	size_t i;

	/* Each round has other values and leaves out other signals. */
	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = (i + (size_t)_i) % 5 == 0
		    ? value_unknown()
		    : value_at(signal_type((enum signal)i), i + (size_t)_i);
	for (i = 0; i < (size_t)_i % (EVENT_ATTRS_MAX + 1); i++) {
		snprintf(names[i], sizeof(names[i]), "%s %zu",
		    strings[i % nitems(strings)], i);
		attrs[i].name = names[i];
		attrs[i].value = value_at(
		    (enum value_type)(VALUE_NUMBER + i % 3), i + (size_t)_i);
		ev.n_attrs++;
	}
	text = written(&sigs, _i % 2 == 1);

	ck_assert_int_eq(sample_read(&arena, text, strlen(text), &got), 0);
	ck_assert_int_eq(got.score, 54);
	ck_assert_int_eq(got.verdict, VERDICT_REVIEW);
	ck_assert_int_eq(got.watched, _i % 2 == 1);
	check_read(text, &sigs);
	check_read(written_before(&sigs), &sigs);
}
END_TEST

/* A value has its place in the array; [n] stands for n unknown ones. */
START_TEST(values_are_in_the_order_of_the_signals)
{
	static const struct {
		enum signal known[3];
		const char *values;
	} cases[] = {
		{ { SIGNAL__MAX }, "\"values\":[]}" },
		{ { SIGNAL_EVENT_TYPE, SIGNAL__MAX }, "\"values\":[7]}" },
		{ { SIGNAL_EVENT_CHANNEL, SIGNAL_EVENT_CURRENCY, SIGNAL__MAX },
		    "\"values\":[[1],7,[1],7]}" },
		{ { SIGNAL_EVENT_AMOUNT, SIGNAL_RISK_IP_FRAUD_RATE,
		      SIGNAL__MAX },
		    "\"values\":[[2],7,[34],7]}" },
	};
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const enum signal *known;
	const char *text;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	for (known = cases[_i].known; *known != SIGNAL__MAX; known++)
		sigs.value[*known] = value_number(7);
	text = written(&sigs, false);
	ck_assert_str_eq(strstr(text, "\"values\""), cases[_i].values);
	check_read(text, &sigs);
}
END_TEST

START_TEST(silenced_rules_are_read_back)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct rule_silence list[RULE_SILENCES_MAX];
	const struct rule_silences silences = { list, (size_t)_i };
	struct signals sigs = { .event = &ev };
	char names[RULE_SILENCES_MAX][RULE_ID_MAX + 1];
	const char *text;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	for (i = 0; i < silences.n; i++) {
		snprintf(names[i], sizeof(names[i]), "%0*zu",
		    (int)(i % RULE_ID_MAX) + 1, i);
		list[i] = (struct rule_silence) { names[i], i % 2 == 0 };
	}
	if (silences.n > 0)
		sigs.silences = &silences;
	text = written(&sigs, false);
	check_read(text, &sigs);
	ck_assert_uint_eq(got.silences.n, silences.n);
	ck_assert((got.signals.silences == NULL) == (silences.n == 0));
	for (i = 0; i < silences.n; i++) {
		ck_assert_str_eq(got.silences.list[i].name, names[i]);
		ck_assert(got.silences.list[i].tag == list[i].tag);
	}
}
END_TEST

/* Velocities by id, some unknown, among them the least and the greatest id. */
START_TEST(velocities_are_read_back)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct velocity_value list[VELOCITIES_MAX];
	const struct velocity_values values = { list, (size_t)_i };
	struct signals sigs = { .event = &ev, .velocities = &values };
	const char *text;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	for (i = 0; i < values.n; i++) {
		list[i].id = i == 0 ? INT64_MIN
		    : i == 1	    ? INT64_MAX
				    : (int64_t)i * (i % 2 == 0 ? 1 : -1);
		list[i].value =
		    i % 5 == 2 ? value_unknown() : value_at(VALUE_NUMBER, i);
	}
	text = written(&sigs, false);
	check_read(text, &sigs);
	ck_assert_ptr_eq(got.signals.velocities, &got.velocities);
	ck_assert_uint_eq(got.velocities.n, values.n);
	for (i = 0; i < values.n; i++) {
		ck_assert_int_eq(got.velocities.list[i].id, list[i].id);
		check_value(&got.velocities.list[i].value, &list[i].value);
	}
}
END_TEST

START_TEST(number_of_velocities_is_limited)
{
	const char *text;
	struct str s;
	int i, n;

	for (n = VELOCITIES_MAX; n <= VELOCITIES_MAX + 1; n++) {
		str_init(&s, &arena);
		str_add(&s, HEAD ",\"velocities\":{");
		for (i = 0; i < n; i++)
			str_addf(&s, "%s\"%d\":1", i == 0 ? "" : ",", -1 - i);
		str_add(&s, "}}");
		text = str_text(&s);
		ck_assert_int_eq(sample_read(&arena, text, strlen(text), &got),
		    n == VELOCITIES_MAX ? 0 : -1);
	}
}
END_TEST

START_TEST(cut_sample_is_refused)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const char *text;
	size_t i, len;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_at(signal_type((enum signal)i), i);
	text = written(&sigs, false);
	len = strlen(text);
	for (i = 0; i < len; i++) {
		ck_assert_int_eq(sample_read(&arena, text, i, &got), -1);
		arena_reset(&arena);
		text = written(&sigs, false);
	}
	ck_assert_int_eq(sample_read(&arena, text, len, &got), 0);
}
END_TEST

START_TEST(head_is_read_without_the_rest)
{
	static const char before[] =
	    "{\"scorer\":\"weighted\",\"ruleset\":\"seed@v0.4\",\"score\":54,"
	    "\"verdict\":\"review\",\"watched\":true,\"rules\":[\"r_ring\"]}";
	static const char *const after[] = {
		"\"shadow\":", "\"shadow\":", "\"rules\":"
	};
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const char *text;
	size_t i, len;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	text = _i < 2 ? written(&sigs, _i == 1) : before;
	len = (size_t)(strstr(text, after[_i]) - text) + strlen(after[_i]);
	ck_assert_uint_lt(len, SAMPLE_HEAD);
	for (i = 0; i <= strlen(text); i++)
		ck_assert_int_eq(
		    sample_read_head(text, i, &got), i < len ? -1 : 0);
	ck_assert_int_eq(got.score, 54);
	ck_assert_int_eq(got.verdict, VERDICT_REVIEW);
	ck_assert_int_eq(got.watched, _i > 0);
}
END_TEST

/*
 * The sample names the scorer, and for a model its version and probabilities
 * and the tags of the rules.
 */
START_TEST(sample_names_its_scorer)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const enum scorer scorer = (enum scorer)_i;
	const char *text;
	char want[192];
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	text = written_by(scorer, &sigs, false, NULL);
	ck_assert_int_eq(sample_read(&arena, text, strlen(text), &got), 0);
	ck_assert_int_eq(got.scorer, scorer);
	ck_assert_int_eq(got.rules_score, scorer == SCORER_WEIGHTED ? 54 : 28);
	ck_assert_int_eq(
	    strstr(text, "rulesScore") != NULL, scorer != SCORER_WEIGHTED);
	ck_assert_int_eq(sample_read_head(text, SAMPLE_HEAD, &got), 0);
	ck_assert_int_eq(got.scorer, scorer);
	snprintf(want, sizeof(want),
	    ",\"tags\":[{\"tag\":\"velocity\",\"points\":28}],"
	    "\"model\":\"%s\",\"p\":0.1,\"pEven\":0.30000000000000004,"
	    "\"values\":[]}",
	    model_bundled()->version);
	ck_assert_int_eq(strstr(text, want) != NULL, scorer == SCORER_ML);
	ck_assert_int_eq(strstr(text, "pEven") != NULL, scorer == SCORER_ML);
	ck_assert_int_eq(strstr(text, "tags") != NULL, scorer == SCORER_ML);
}
END_TEST

/* The result of a shadow is one more member of the sample. */
START_TEST(shadow_result_changes_no_other_member)
{
	static const char member[] =
	    ",\"shadow\":{\"id\":\"shd_1\",\"score\":72,\"verdict\":\"deny\","
	    "\"tags\":[{\"tag\":\"ring\",\"points\":60},"
	    "{\"tag\":\"a \\\"b\\\"\",\"points\":12}]}";
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const char *with, *without, *at;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	with = written_by((enum scorer)_i, &sigs, false, &shadow);
	without = written_by((enum scorer)_i, &sigs, false, NULL);
	at = strstr(with, member);
	ck_assert_ptr_nonnull(at);
	ck_assert_int_eq(strncmp(with, without, (size_t)(at - with)), 0);
	ck_assert_str_eq(at + strlen(member), without + (at - with));
	ck_assert_int_eq(sample_read(&arena, with, strlen(with), &got), 0);
	ck_assert_int_eq(got.score, 54);
	ck_assert_int_eq(got.verdict, VERDICT_REVIEW);
}
END_TEST

/* A rollout is marked, and its sample is read as any other. */
START_TEST(sample_says_that_the_shadow_decided)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct shadow_result active = shadow;
	struct signals sigs = { .event = &ev };
	const char *text;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	active.arm = ARM_SHADOW;
	text = written_by(SCORER_WEIGHTED, &sigs, false, &active);
	ck_assert_ptr_nonnull(strstr(text,
	    ",\"shadow\":{\"id\":\"shd_1\",\"arm\":\"shadow\",\"score\":72,"));
	ck_assert_int_eq(sample_read(&arena, text, strlen(text), &got), 0);
	ck_assert_int_eq(got.verdict, VERDICT_REVIEW);
}
END_TEST

/* Texts that a later version may write, and texts that no version writes. */
static const struct {
	const char *text;
	int r;
} texts[] = {
	{ HEAD "}", 0 },
	{ HEAD ",\"scorer\":\"forest\"}", 0 },
	{ HEAD ",\"scorer\":null}", -1 },
	{ HEAD ",\"rulesScore\":101}", -1 },
	{ HEAD ",\"model\":{\"p\":[0.25,\"}\\\"\"]},\"n\":null}", 0 },
	{ HEAD ",\"signals\":{}}", 0 },
	{ HEAD ",\"signals\":{\"risk.new\":{\"a\":1},\"geo.country\":\"ET\"}}",
	    0 },
	{ HEAD ",\"signals\":{\"graph.ringSize\":1}}", 0 },
	{ HEAD ",\"values\":[]}", 0 },
	{ HEAD ",\"values\":[\"order.place\",[2],null,true]}", 0 },
	{ HEAD ",\"values\":[[37],0.01,\"new\",[1e300],false]}", 0 },
	{ HEAD ",\"values\":[],\"signals\":{\"attr.a\":1}}", 0 },
	{ HEAD ",\"silenced\":[\"rule:a\",\"tag:b\"]}", 0 },
	{ HEAD ",\"velocities\":{}}", 0 },
	{ HEAD ",\"velocities\":{\"-42\":3,\"7\":null}}", 0 },
	{ HEAD ",\"velocities\":{\"1\":1},\"velocities\":{\"2\":1}}", -1 },
	{ HEAD ",\"velocities\":{},\"velocities\":{}}", -1 },
	{ HEAD ",\"velocities\":[]}", -1 },
	{ HEAD ",\"velocities\":null}", -1 },
	{ HEAD ",\"velocities\":{\"1\":1,}}", -1 },
	{ HEAD ",\"velocities\":{\"\":1}}", -1 },
	{ HEAD ",\"velocities\":{\"a\":1}}", -1 },
	{ HEAD ",\"velocities\":{\"1a\":1}}", -1 },
	{ HEAD ",\"velocities\":{\"1\":{}}}", -1 },
	{ HEAD ",\"velocities\":{1:1}}", -1 },
	{ HEAD ",\"velocities\":{\"9223372036854775808\":1}}", -1 },
	{ HEAD ",\"velocities\":{\" 1\":1}}", -1 },
	{ HEAD ",\"velocities\":{\"1\":\"x\"}}", -1 },
	{ HEAD ",\"silenced\":[]}", -1 },
	{ HEAD ",\"silenced\":[1]}", -1 },
	{ HEAD ",\"silenced\":[\"a\"]}", -1 },
	{ HEAD ",\"silenced\":[\"rule:\"]}", -1 },
	{ HEAD ",\"silenced\":[\"tag:\"]}", -1 },
	{ HEAD ",\"silenced\":[\"tag:a\"],\"silenced\":[\"tag:a\"]}", -1 },
	{ "", -1 },
	{ "null", -1 },
	{ "{}", -1 },
	{ "{\"score\":7}", -1 },
	{ "{\"verdict\":\"deny\"}", -1 },
	{ "{\"score\":101,\"verdict\":\"deny\"}", -1 },
	{ "{\"score\":-1,\"verdict\":\"deny\"}", -1 },
	{ "{\"score\":\"7\",\"verdict\":\"deny\"}", -1 },
	{ "{\"score\":7,\"verdict\":\"refuse\"}", -1 },
	{ "{\"score\":7,\"verdict\":deny}", -1 },
	{ HEAD "}}", -1 },
	{ HEAD ",}", -1 },
	{ HEAD ",\"watched\":false}", -1 },
	{ HEAD ",\"rules\":}", -1 },
	{ HEAD ",\"rules\":[}", -1 },
	{ HEAD ",\"signals\":[]}", -1 },
	{ HEAD ",\"values\":{}}", -1 },
	{ HEAD ",\"values\":[}", -1 },
	{ HEAD ",\"values\":[1,]}", -1 },
	{ HEAD ",\"values\":[[]]}", -1 },
	{ HEAD ",\"values\":[[-1]]}", -1 },
	{ HEAD ",\"values\":[[1,1]]}", -1 },
	{ HEAD ",\"values\":[[1}", -1 },
	{ HEAD ",\"values\":[{}]}", -1 },
	{ HEAD ",\"values\":[1e400]}", -1 },
	{ HEAD ",\"signals\":{\"attr.a\":1},\"signals\":{\"attr.b\":2}}", -1 },
	{ HEAD ",\"signals\":{\"graph.ringSize\":}}", -1 },
	{ HEAD ",\"signals\":{\"graph.ringSize\":1e400}}", -1 },
	{ HEAD ",\"signals\":{\"graph.ringSize\":1-1}}", -1 },
	{ HEAD ",\"signals\":{\"graph.ringSize\":nan}}", -1 },
	{ HEAD ",\"signals\":{\"geo.country\":\"\\u0000\"}}", -1 },
	{ HEAD ",\"signals\":{\"geo.country\":\"\\u00e9\"}}", -1 },
	{ HEAD ",\"signals\":{\"geo.country\":\"\\n\"}}", -1 },
	{ HEAD ",\"signals\":{\"geo.country\":\"\n\"}}", -1 },
};

START_TEST(only_possible_samples_are_read)
{
	ck_assert_int_eq(
	    sample_read(&arena, texts[_i].text, strlen(texts[_i].text), &got),
	    texts[_i].r);
}
END_TEST

START_TEST(number_of_attributes_is_limited)
{
	const char *text;
	struct str s;
	int i, n;

	for (n = EVENT_ATTRS_MAX; n <= EVENT_ATTRS_MAX + 1; n++) {
		str_init(&s, &arena);
		str_add(&s, HEAD ",\"signals\":{");
		for (i = 0; i < n; i++)
			str_addf(&s, "%s\"attr.a%d\":1", i == 0 ? "" : ",", i);
		str_add(&s, "}}");
		text = str_text(&s);
		ck_assert_int_eq(sample_read(&arena, text, strlen(text), &got),
		    n == EVENT_ATTRS_MAX ? 0 : -1);
	}
}
END_TEST

/* Return value i of this type. */
static struct value
value_at(enum value_type type, size_t i)
{
	if (type == VALUE_NUMBER)
		return value_number(numbers[i % nitems(numbers)]);
	if (type == VALUE_STRING)
		return value_string(strings[i % nitems(strings)]);
	return value_bool(i % 2 == 0);
}

static void
check_value(const struct value *a, const struct value *b)
{
	ck_assert_int_eq(a->type, b->type);
	if (a->type == VALUE_NUMBER)
		ck_assert(a->number == b->number);
	else if (a->type == VALUE_STRING)
		ck_assert_str_eq(a->string, b->string);
	else if (a->type == VALUE_BOOL)
		ck_assert(a->flag == b->flag);
}

/* The sample has these signals and attributes. */
static void
check_read(const char *text, const struct signals *want)
{
	const struct event *ev = want->event;
	size_t i;

	ck_assert_int_eq(sample_read(&arena, text, strlen(text), &got), 0);
	for (i = 0; i < SIGNAL__MAX; i++)
		check_value(&got.signals.value[i], &want->value[i]);
	ck_assert_ptr_eq(got.signals.event, &got.event);
	ck_assert(
	    (got.signals.velocities == NULL) == (want->velocities == NULL));
	ck_assert_uint_eq(got.event.n_attrs, ev->n_attrs);
	for (i = 0; i < ev->n_attrs; i++) {
		ck_assert_str_eq(got.event.attrs[i].name, ev->attrs[i].name);
		check_value(&got.event.attrs[i].value, &ev->attrs[i].value);
	}
}

/* Write the sample of a decision by two rules, with the result of a shadow. */
static const char *
written(const struct signals *sigs, bool watched)
{
	return written_by(SCORER_WEIGHTED, sigs, watched, &shadow);
}

/* Write a sample in the earlier form. */
static const char *
written_before(const struct signals *sigs)
{
	struct str s;

	str_init(&s, &arena);
	str_add(&s, HEAD ",\"rules\":[\"r_ring\"],\"tags\":[],\"signals\":");
	signals_json(&s, sigs);
	str_add(&s, "}");
	ck_assert_ptr_nonnull(str_text(&s));
	return str_text(&s);
}

static const char *
written_by(enum scorer scorer, const struct signals *sigs, bool watched,
    const struct shadow_result *of_shadow)
{
	const struct decision d = {
		.verdict = VERDICT_REVIEW,
		.score = { .total = 54 },
		.scorer = scorer,
		.hits = { { 0, 1 }, 2 },
		.rules = { scorer == SCORER_WEIGHTED ? 54 : 28, &velocity, 1 },
		.model = model_bundled(),
		.p = 0.1,
		.p_even = 0.1 + 0.2,
	};
	struct str s;

	str_init(&s, &arena);
	sample_json(&s, &ruleset, &d, watched, of_shadow, sigs);
	ck_assert_ptr_nonnull(str_text(&s));
	return str_text(&s);
}

Suite *
suite_sample(void)
{
	Suite *s = suite_create("sample");
	TCase *tc = tcase_create("sample");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, sample_is_read_back_as_written, 0, 130);
	tcase_add_loop_test(tc, values_are_in_the_order_of_the_signals, 0, 4);
	tcase_add_loop_test(
	    tc, silenced_rules_are_read_back, 0, RULE_SILENCES_MAX + 1);
	tcase_add_loop_test(
	    tc, velocities_are_read_back, 0, VELOCITIES_MAX + 1);
	tcase_add_test(tc, number_of_velocities_is_limited);
	tcase_add_test(tc, cut_sample_is_refused);
	tcase_add_loop_test(tc, head_is_read_without_the_rest, 0, 3);
	tcase_add_loop_test(
	    tc, sample_names_its_scorer, SCORER_WEIGHTED, SCORER__MAX);
	tcase_add_test(tc, sample_says_that_the_shadow_decided);
	tcase_add_loop_test(tc, shadow_result_changes_no_other_member,
	    SCORER_WEIGHTED, SCORER__MAX);
	tcase_add_loop_test(
	    tc, only_possible_samples_are_read, 0, nitems(texts));
	tcase_add_test(tc, number_of_attributes_is_limited);
	suite_add_tcase(s, tc);
	return s;
}
