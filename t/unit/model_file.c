/* SPDX-License-Identifier: ISC */
/* lib/json/model_file.c: accepted and refused model files. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/model.h"
#include "lib/json/model_file.h"
#include "t/unit/blank_model.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[1 << 20];
static struct arena arena;

/* A model file with one change, and the error. */
static const struct {
	const char *is;
	const char *becomes; /* NULL: the file ends there */
	const char *why;
} bad[] = {
	{ "{", "[", NULL },
	{ "{", "", NULL },
	{ "\n}", NULL, NULL },
	{ "\n}", "\n}}", NULL },
	{ ",\n\"bias\"", NULL, NULL },
	{ "{", "{\"bias\":1,", NULL },
	{ "\"bias\"", "\"b\\u0000\"", NULL },
	{ "{", "{\"notes\":\"of u-1\",", "notes is an unknown field" },
	{ "{", "{\"10.1.2.3\":1,", "the file has an unknown member" },
	{ "\"bias\"", "\"Bias\"", "Bias is an unknown field" },
	{ "\"featuresVersion\":2,", "", "featuresVersion is required" },
	{ "\"featuresVersion\":2", "\"featuresVersion\":1",
	    "featuresVersion must be 2: it was trained for another feature "
	    "vector" },
	{ "\"featuresVersion\":2", "\"featuresVersion\":2.5",
	    "featuresVersion must be an integer from 1 to 2147483647" },
	{ "\"featuresVersion\":2", "\"featuresVersion\":\"1\"",
	    "featuresVersion must be an integer from 1 to 2147483647" },
	{ "[\"velocity.attemptsLast2m\",", "[",
	    "featureNames must be an array"
	    " of " },
	{ "[\"velocity.attemptsLast2m\"", "[\"rules.score\"",
	    "featureNames[0] must be \"velocity.attemptsLast2m\"" },
	{ "\"device.firstSeen\"", "\"device.firstseen\"",
	    "featureNames[3] must be \"device.firstSeen\"" },
	{ "\"device.firstSeen\"", "[\"device.firstSeen\"]",
	    "featureNames[3] must be \"device.firstSeen\"" },
	{ "\"device.firstSeen\"", "null",
	    "featureNames[3] must be \"device.firstSeen\"" },
	{ "[-0.0429,", "[", "weights must be an array of " },
	{ "[-0.0429,", "[-0.0429,0,", "weights must be an array of " },
	{ "[-0.0429", "[\"-0.0429\"",
	    "weights[0] must be a number from -1000000 to 1000000" },
	{ "-4.97,", "1000000.1,",
	    "weights[1] must be a number from -1000000 to 1000000" },
	{ "-4.97,", "null,",
	    "weights[1] must be a number from -1000000 to 1000000" },
	{ "-4.97,", "1e999,", NULL },
	{ "-4.97,", "NaN,", NULL },
	{ "\"ranges\":[[0,1],", "\"ranges\":[", "ranges must be an array of " },
	{ "\"ranges\":[[0,1],", "\"ranges\":[0,",
	    "ranges[0] must be an array of 2 numbers" },
	{ "\"ranges\":[[0,1],", "\"ranges\":[[0,0.5,1],",
	    "ranges[0] must be an array of 2 numbers" },
	{ "\"ranges\":[[0,1],[0,1]", "\"ranges\":[[0,1],[0,1.5]",
	    "ranges[1] must be a number from 0 to 1" },
	{ "\"ranges\":[[0,1],[0,1]", "\"ranges\":[[0,1],[null,1]",
	    "ranges[1] must be a number from 0 to 1" },
	{ "\"ranges\":[[0,1],", "\"ranges\":[[0.6,0.5],",
	    "ranges[0] must have the smaller number first" },
	{ "\"bias\":-7.2272", "\"bias\":null",
	    "bias must be a number from -1000000 to 1000000" },
	{ "\"bias\":-7.2272", "\"bias\":-1e7",
	    "bias must be a number from -1000000 to 1000000" },
	{ "\"2026-11-21\"", "\"2026-02-30\"", "trainedAt must be a date, " },
	{ "\"2026-11-21\"", "\"2026-11-21 01:02:03Z\"", "trainedAt must be" },
	{ "\"2026-11-21\"", "\"2026-11-21T01:02:03\"", "trainedAt must be" },
	{ "\"2026-11-21\"", "\"1999-12-31\"", "trainedAt must be a date, " },
	{ "\"2026-11-21\"", "\"3000-01-01\"", "trainedAt must be a date, " },
	{ "\"2026-11-21\"", "\"21.11.2026\"", "trainedAt must be a date, " },
	{ "\"2026-11-21\"", "\"\"", "trainedAt must be a string of 10 to " },
	{ "\"2026-11-21\"", "20261121", "trainedAt must be a string of " },
	{ "\"baseRate\":0.0636", "\"baseRate\":0",
	    "baseRate must be a number between 0 and 1" },
	{ "\"baseRate\":0.0636", "\"baseRate\":1",
	    "baseRate must be a number between 0 and 1" },
	{ "\"baseRate\":0.0636", "\"baseRate\":1.1",
	    "baseRate must be a number from 0 to 1" },
	{ "{\"a\":1,\"b\":0}", "[1,0]", "calibration must be an object" },
	{ "{\"a\":1,", "{", "calibration.a is required" },
	{ "{\"a\":1,", "{\"a\":0,", "calibration.a must be a number above 0" },
	{ "{\"a\":1,", "{\"a\":-1,",
	    "calibration.a must be a number from 0 to 1000" },
	{ "\"b\":0}", "\"b\":1e4}",
	    "calibration.b must be a number from -1000 to 1000" },
	{ "\"b\":0}", "\"b\":0,\"c\":0}", "calibration.c is an unknown field" },
	{ "{\"auc\":", "{\"phone\":251911223344,\"auc\":",
	    "metrics.phone is an unknown field" },
	{ "\"auc\":0.9945", "\"auc\":1.5",
	    "metrics.auc must be a number from 0 to 1" },
	{ "\"auc\":0.9945,", "", "metrics.auc is required" },
	{ "\"accuracy\":0.995", "\"accuracy\":\"good\"",
	    "metrics.accuracy must be a number from 0 to 1" },
	{ "\"samples\":28000", "\"samples\":0",
	    "metrics.samples must be an integer from 1 to 9007199254740992" },
	{ "\"samples\":28000", "\"samples\":28000,\"logLoss\":-1",
	    "metrics.logLoss must be a number from 0 to 1000" },
};

/* Changes of a model file that are accepted. */
static const struct {
	const char *is;
	const char *becomes;
} good[] = {
	{ "{", " \t{" },
	{ "\n}\n", "}\r\n\r\n" },
	{ "-4.97,", "1000000," },
	{ "-4.97,", "-1e6," },
	{ "-4.97,", "5e-324," },
	{ "\"ranges\":[[0,1],", "\"ranges\":[[0.5,0.5]," },
	{ "\"2026-11-21\"", "\"2026-11-21T01:02:03Z\"" },
	{ "\"2026-11-21\"", "\"2000-01-01T00:00:00.123456Z\"" },
	{ "\"samples\":28000",
	    "\"samples\":1e3,\"brier\":0.1,\"logLoss\":0.2,"
	    "\"averagePrecision\":0,\"cardPrecision100\":1" },
	{ "\"featuresVersion\":2", "\"features\\u0056ersion\":2" },
};

static void
set_up(void)
{
	arena_init(&arena, block, sizeof(block));
}

static void
tear_down(void)
{
	arena_reset(&arena);
}

/* Return a model with the numbers that the cases replace. */
static struct model
a_model(void)
{
	struct model m = blank_model();

	m.weight[0] = -0.0429;
	m.weight[1] = -4.97;
	m.bias = -7.2272;
	m.trained_at = "2026-11-21";
	m.base_rate = 0.0636;
	m.calibration = (struct model_calibration) { 1, 0 };
	m.metrics = (struct model_metrics) {
		.auc = 0.9945,
		.accuracy = 0.995,
		.average_precision = NAN,
		.card_precision = NAN,
		.brier = NAN,
		.log_loss = NAN,
		.samples = 28000,
	};
	return m;
}

/*
 * Return the file of that model with the first occurrence of a text replaced.
 */
static const char *
file_with(const char *is, const char *becomes)
{
	const struct model m = a_model();
	const char *text, *at;
	struct str s, all;

	str_init(&s, &arena);
	model_file_json(&s, &m);
	text = str_text(&s);
	ck_assert_ptr_nonnull(text);
	at = strstr(text, is);
	ck_assert_msg(at != NULL, "%s is not there", is);
	str_init(&all, &arena);
	str_addn(&all, text, (size_t)(at - text));
	if (becomes != NULL) {
		str_add(&all, becomes);
		str_add(&all, at + strlen(is));
	}
	ck_assert_ptr_nonnull(str_text(&all));
	return str_text(&all);
}

START_TEST(invalid_model_is_refused_with_reason)
{
	const char *text = file_with(bad[_i].is, bad[_i].becomes);
	struct model m = a_model(), before = m;
	char why[FAIL_TEXT_SIZE];
	struct fail f = { 0 };

	ck_assert_int_eq(
	    model_file_read(&arena, text, strlen(text), &m, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	fail_text(&f, why);
	if (bad[_i].why == NULL)
		ck_assert_int_eq(f.code, INVALID_JSON);
	else
		ck_assert_msg(
		    strncmp(why, bad[_i].why, strlen(bad[_i].why)) == 0, "%s",
		    why);
	ck_assert_mem_eq(&m, &before, sizeof(m));
}
END_TEST

START_TEST(valid_model_is_accepted)
{
	const char *text = file_with(good[_i].is, good[_i].becomes);
	struct model m = { 0 };
	char why[FAIL_TEXT_SIZE];
	struct fail f = { 0 };
	int r = model_file_read(&arena, text, strlen(text), &m, &f);

	ck_assert_msg(r == 0, "%s", fail_text(&f, why));
}
END_TEST

/*
 * The errors of an empty file, of other JSON and of a file that is too large.
 */
START_TEST(file_without_model_is_refused)
{
	const struct {
		const char *text;
		const char *why;
	} cases[] = {
		{ "", "the file is empty" },
		{ "[]", "the file must be a JSON object" },
		{ "null", "the file must be a JSON object" },
		{ "{}", "featuresVersion is required" },
	};
	char *large = arena_alloc(&arena, MODEL_FILE_MAX + 2);
	char why[FAIL_TEXT_SIZE];
	struct model m = { 0 };
	struct fail f;
	size_t i;

	for (i = 0; i < nitems(cases); i++) {
		memset(&f, 0, sizeof(f));
		ck_assert_int_eq(model_file_read(&arena, cases[i].text,
				     strlen(cases[i].text), &m, &f),
		    -1);
		ck_assert_str_eq(fail_text(&f, why), cases[i].why);
	}
	memset(large, ' ', MODEL_FILE_MAX + 1);
	memset(&f, 0, sizeof(f));
	ck_assert_int_eq(
	    model_file_read(&arena, large, MODEL_FILE_MAX + 1, &m, &f), -1);
	ck_assert_str_eq(fail_text(&f, why), "the file is over 65536 bytes");
}
END_TEST

/* A file of a release before the ranges. */
START_TEST(file_without_ranges_takes_any_value)
{
	const struct model m = a_model();
	struct model got = { 0 };
	struct fail f = { 0 };
	const char *text, *from, *to;
	struct str s, old;
	int i;

	str_init(&s, &arena);
	model_file_json(&s, &m);
	text = str_text(&s);
	from = strstr(text, "\"ranges\"");
	to = strstr(text, "\"bias\"");
	ck_assert(from != NULL && to != NULL && from < to);
	str_init(&old, &arena);
	str_addn(&old, text, (size_t)(from - text));
	str_add(&old, to);
	ck_assert_int_eq(
	    model_file_read(&arena, str_text(&old), old.len, &got, &f), 0);
	for (i = 0; i < FEATURE__MAX; i++) {
		ck_assert(got.range[i].min == 0);
		ck_assert(got.range[i].max == 1);
	}
}
END_TEST

/* A file of the largest size with all members. */
START_TEST(written_model_is_read_back)
{
	struct model m = a_model(), again = { 0 };
	struct fail f = { 0 };
	struct str s;
	int i;

	for (i = 0; i < FEATURE__MAX; i++)
		m.weight[i] = -1.0 / 3 * pow(7, i % 7);
	m.range[7] = (struct model_range) { 1.0 / 3, 0.1 + 0.7 };
	m.bias = 0.1 + 0.2;
	m.trained_at = "2026-11-21T09:57:51Z";
	m.base_rate = 1e-300;
	m.calibration.a = 1.0 / 7;
	m.calibration.b = -0.0;
	m.metrics.average_precision = 1.0 / 3;
	m.metrics.card_precision = 0;
	m.metrics.log_loss = 0.5;
	str_init(&s, &arena);
	model_file_json(&s, &m);
	while (s.len < MODEL_FILE_MAX)
		str_addc(&s, '\n');
	ck_assert_int_eq(
	    model_file_read(&arena, str_text(&s), s.len, &again, &f), 0);
	for (i = 0; i < FEATURE__MAX; i++)
		ck_assert(again.weight[i] == m.weight[i]);
	for (i = 0; i < FEATURE__MAX; i++)
		ck_assert(again.range[i].min == m.range[i].min &&
		    again.range[i].max == m.range[i].max);
	ck_assert(again.bias == m.bias && again.base_rate == m.base_rate);
	ck_assert(again.calibration.a == m.calibration.a);
	ck_assert(again.calibration.b == 0);
	ck_assert_str_eq(again.trained_at, m.trained_at);
	ck_assert_int_eq(again.features_version, FEATURES_VERSION);
	ck_assert_int_eq(again.metrics.samples, m.metrics.samples);
	ck_assert(again.metrics.auc == m.metrics.auc);
	ck_assert(again.metrics.accuracy == m.metrics.accuracy);
	ck_assert(again.metrics.average_precision == 1.0 / 3);
	ck_assert(again.metrics.card_precision == 0);
	ck_assert(again.metrics.log_loss == 0.5);
	ck_assert(isnan(again.metrics.brier));
}
END_TEST

Suite *
suite_model_file(void)
{
	Suite *s = suite_create("model_file");
	TCase *tc = tcase_create("model_file");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_loop_test(
	    tc, invalid_model_is_refused_with_reason, 0, (int)nitems(bad));
	tcase_add_loop_test(tc, valid_model_is_accepted, 0, (int)nitems(good));
	tcase_add_test(tc, file_without_model_is_refused);
	tcase_add_test(tc, file_without_ranges_takes_any_value);
	tcase_add_test(tc, written_model_is_read_back);
	suite_add_tcase(s, tc);
	return s;
}
