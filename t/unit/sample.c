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

static const struct reason shadow_reasons[] = { { "ring", 60 },
	{ "a \"b\"", 12 } };
static const struct shadow_result shadow = { "shd_1", VERDICT_DENY,
	{ 72, shadow_reasons, nitems(shadow_reasons) } };

static struct value value_at(enum value_type type, size_t i);
static void check_value(const struct value *a, const struct value *b);
static const char *written(const struct signals *sigs, bool watched);
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
	for (i = 0; i < SIGNAL__MAX; i++)
		check_value(&got.signals.value[i], &sigs.value[i]);
	ck_assert_ptr_eq(got.signals.event, &got.event);
	ck_assert_uint_eq(got.event.n_attrs, ev.n_attrs);
	for (i = 0; i < ev.n_attrs; i++) {
		ck_assert_str_eq(got.event.attrs[i].name, attrs[i].name);
		check_value(&got.event.attrs[i].value, &attrs[i].value);
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
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const char *text;
	size_t i, len;

	for (i = 0; i < SIGNAL__MAX; i++)
		sigs.value[i] = value_unknown();
	text = written(&sigs, _i == 1);
	len =
	    (size_t)(strstr(text, "\"rules\":") - text) + strlen("\"rules\":");
	ck_assert_uint_lt(len, SAMPLE_HEAD);
	for (i = 0; i <= strlen(text); i++)
		ck_assert_int_eq(
		    sample_read_head(text, i, &got), i < len ? -1 : 0);
	ck_assert_int_eq(got.score, 54);
	ck_assert_int_eq(got.verdict, VERDICT_REVIEW);
	ck_assert_int_eq(got.watched, _i == 1);
}
END_TEST

/*
 * The sample names the scorer, and for a model its version and probabilities.
 */
START_TEST(sample_names_its_scorer)
{
	const struct event ev = { .type = EVENT_CARD_AUTHORIZE };
	struct signals sigs = { .event = &ev };
	const enum scorer scorer = (enum scorer)_i;
	const char *text;
	char want[128];
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
	    ",\"model\":\"%s\",\"p\":0.1,\"pEven\":0.30000000000000004,"
	    "\"signals\":",
	    model_bundled()->version);
	ck_assert_int_eq(strstr(text, want) != NULL, scorer == SCORER_ML);
	ck_assert_int_eq(strstr(text, "pEven") != NULL, scorer == SCORER_ML);
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

/* Write the sample of a decision by two rules, with the result of a shadow. */
static const char *
written(const struct signals *sigs, bool watched)
{
	return written_by(SCORER_WEIGHTED, sigs, watched, &shadow);
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
		.rules = { .total = scorer == SCORER_WEIGHTED ? 54 : 28 },
		.model = model_bundled(),
		.p = 0.1,
		.p_even = 0.1 + 0.2,
	};
	struct str s;

	str_init(&s, &arena);
	sample_json(&s, &ruleset, &d, watched,
	    "[{\"tag\":\"velocity\",\"points\":28}]", of_shadow, sigs);
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
	tcase_add_test(tc, cut_sample_is_refused);
	tcase_add_loop_test(tc, head_is_read_without_the_rest, 0, 2);
	tcase_add_loop_test(
	    tc, sample_names_its_scorer, SCORER_WEIGHTED, SCORER__MAX);
	tcase_add_loop_test(tc, shadow_result_changes_no_other_member,
	    SCORER_WEIGHTED, SCORER__MAX);
	tcase_add_loop_test(
	    tc, only_possible_samples_are_read, 0, nitems(texts));
	tcase_add_test(tc, number_of_attributes_is_limited);
	suite_add_tcase(s, tc);
	return s;
}
