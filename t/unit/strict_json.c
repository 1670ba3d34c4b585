/* SPDX-License-Identifier: ISC */
/*
 * lib/json/strict_json.c: accepted and refused texts, and the position of the
 * fault.
 */
#include "config.h"

#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/fail.h"
#include "lib/json/body.h"
#include "lib/json/strict_json.h"
#include "t/unit/unit.h"

#define T(text) text, sizeof(text) - 1

/* Accepted texts, and how json-c prints their values. */
static const struct {
	const char *text;
	size_t size;
	const char *want;
} good[] = {
	{ T("{}"), "{}" },
	{ T("[]"), "[]" },
	{ T(" \t\r\n{ \t\r\n} \t\r\n"), "{}" },
	{ T("[ ]"), "[]" },
	{ T("true"), "true" },
	{ T("false"), "false" },
	{ T("null"), "false" }, /* json-c has no value for it */
	{ T("[null]"), "[null]" },
	{ T("\"\""), "\"\"" },
	{ T("\"a\""), "\"a\"" },
	{ T("{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}"),
	    "{\"a\":1,\"b\":[true,false,null],\"c\":{\"d\":\"e\"}}" },
	{ T("{ \"a\" : 1 , \"b\" : 2 }"), "{\"a\":1,\"b\":2}" },
	{ T("{\"\":1}"), "{\"\":1}" },
	{ T("{\"a\":{\"a\":{\"a\":1}}}"), "{\"a\":{\"a\":{\"a\":1}}}" },
	{ T("[{\"a\":1},{\"a\":2}]"), "[{\"a\":1},{\"a\":2}]" },
	{ T("{\"a\":1,\"A\":2}"), "{\"a\":1,\"A\":2}" },
	{ T("{\"outer\":{\"inner\":[1,\"x\"]},\"next\":\"y\"}"),
	    "{\"outer\":{\"inner\":[1,\"x\"]},\"next\":\"y\"}" },
	/* numbers keep their text */
	{ T("0"), "0" },
	{ T("-0"), "-0" },
	{ T("-1"), "-1" },
	{ T("10"), "10" },
	{ T("1.0"), "1.0" },
	{ T("1.50"), "1.50" },
	{ T("0.1"), "0.1" },
	{ T("-0.0"), "-0.0" },
	{ T("1e5"), "1e5" },
	{ T("1E5"), "1E5" },
	{ T("1e+5"), "1e+5" },
	{ T("1e-5"), "1e-5" },
	{ T("1e05"), "1e05" },
	{ T("12.50e-10"), "12.50e-10" },
	{ T("9223372036854775807"), "9223372036854775807" },
	{ T("-9223372036854775808"), "-9223372036854775808" },
	{ T("9223372036854775808"), "9223372036854775808" },
	{ T("-9223372036854775809"), "-9223372036854775809" },
	{ T("18446744073709551616"), "18446744073709551616" },
	{ T("99999999999999999999"), "99999999999999999999" },
	{ T("1.7976931348623157e308"), "1.7976931348623157e308" },
	{ T("4.9e-324"), "4.9e-324" },
	{ T("1e-400"), "1e-400" }, /* underflow is 0 */
	{ T("-1e-999999999999"), "-1e-999999999999" },
	{ T("0e999999"), "0e999999" },
	{ T("0.1000000000000000055511151231257827"),
	    "0.1000000000000000055511151231257827" },
	/* strings */
	{ T("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\""),
	    "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"" },
	{ T("\"\\u0041\\u00e9\\u20ac\""), "\"A\xc3\xa9\xe2\x82\xac\"" },
	{ T("\"\\u00E9\\u20AC\""), "\"\xc3\xa9\xe2\x82\xac\"" },
	{ T("\"\\ud83d\\ude00\""), "\"\xf0\x9f\x98\x80\"" },
	{ T("\"\\uD83D\\uDE00\""), "\"\xf0\x9f\x98\x80\"" },
	{ T("\"\\udbff\\udfff\""), "\"\xf4\x8f\xbf\xbf\"" },
	{ T("\"\\ud7ff\\ue000\\uffff\""),
	    "\"\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"" },
	{ T("\"a\\nb\\nc\""), "\"a\\nb\\nc\"" },
	{ T("\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\""),
	    "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
	{ T("\"\xf4\x8f\xbf\xbf\""), "\"\xf4\x8f\xbf\xbf\"" },
	{ T("\"\x7f\""), "\"\x7f\"" },
	{ T("\"\\u0001\\u001f\""), "\"\\u0001\\u001f\"" },
	{ T("{\"\\u0061\":1}"), "{\"a\":1}" },
	{ T("\"//\""), "\"\\/\\/\"" },
};

/* Refused texts, and the message with its position. */
static const struct {
	const char *text;
	size_t size;
	const char *why;
} bad[] = {
	{ T(""), "the body is empty" },
	{ T(" "), "expected a value at byte 1" },
	{ T("\n\n"), "expected a value at byte 2" },
	{ T("\xef\xbb\xbf{}"), "expected a value at byte 0" },
	{ T("\xfe\xff"), "expected a value at byte 0" },
	{ T("\0"), "expected a value at byte 0" },
	{ T("{}\0"), "something after the end at byte 2" },
	{ T("{}x"), "something after the end at byte 2" },
	{ T("{} {}"), "something after the end at byte 3" },
	{ T("{},"), "something after the end at byte 2" },
	{ T("1 2"), "something after the end at byte 2" },
	{ T("[1]]"), "something after the end at byte 3" },
	{ T("\"a\"\"b\""), "something after the end at byte 3" },
	{ T("truefalse"), "something after the end at byte 4" },
	{ T("{"), "expected a name in quotes at byte 1" },
	{ T("{ "), "expected a name in quotes at byte 2" },
	{ T("["), "expected a value at byte 1" },
	{ T("}"), "expected a value at byte 0" },
	{ T("]"), "expected a value at byte 0" },
	{ T("[}"), "expected a value at byte 1" },
	{ T("{]"), "expected a name in quotes at byte 1" },
	{ T("[1}"), "expected , or ] at byte 2" },
	{ T("{\"a\":1]"), "expected , or } at byte 6" },
	{ T("[1"), "expected , or ] at byte 2" },
	{ T("[1,"), "expected a value at byte 3" },
	{ T("[1,]"), "expected a value at byte 3" },
	{ T("[,1]"), "expected a value at byte 1" },
	{ T("[1,,2]"), "expected a value at byte 3" },
	{ T("[1 2]"), "expected , or ] at byte 3" },
	{ T("{\"a\""), "expected a colon at byte 4" },
	{ T("{\"a\":"), "expected a value at byte 5" },
	{ T("{\"a\":1"), "expected , or } at byte 6" },
	{ T("{\"a\":1,"), "expected a name in quotes at byte 7" },
	{ T("{\"a\":1,}"), "expected a name in quotes at byte 7" },
	{ T("{,}"), "expected a name in quotes at byte 1" },
	{ T("{\"a\" 1}"), "expected a colon at byte 5" },
	{ T("{\"a\",1}"), "expected a colon at byte 4" },
	{ T("{a:1}"), "expected a name in quotes at byte 1" },
	{ T("{'a':1}"), "expected a name in quotes at byte 1" },
	{ T("{1:1}"), "expected a name in quotes at byte 1" },
	{ T("{null:1}"), "expected a name in quotes at byte 1" },
	{ T("{\"a\":1 \"b\":2}"), "expected , or } at byte 7" },
	{ T("{\"a\":}"), "expected a value at byte 5" },
	{ T("{\"a\"::1}"), "expected a value at byte 5" },
	{ T("['a']"), "expected a value at byte 1" },
	{ T("{/**/}"), "expected a name in quotes at byte 1" },
	{ T("[1]//"), "something after the end at byte 3" },
	{ T("/**/1"), "expected a value at byte 0" },
	{ T("#\n1"), "expected a value at byte 0" },
	{ T("[\f1]"), "expected a value at byte 1" },
	{ T("[\v1]"), "expected a value at byte 1" },
	{ T("[\xc2\xa0"
	    "1]"),
	    "expected a value at byte 1" },
	/* words */
	{ T("tru"), "expected a value at byte 0" },
	{ T("True"), "expected a value at byte 0" },
	{ T("TRUE"), "expected a value at byte 0" },
	{ T("nul"), "expected a value at byte 0" },
	{ T("nil"), "expected a value at byte 0" },
	{ T("undefined"), "expected a value at byte 0" },
	{ T("[truE]"), "expected a value at byte 1" },
	{ T("nulll"), "something after the end at byte 4" },
	/* duplicate names */
	{ T("{\"a\":1,\"a\":1}"), "duplicate name at byte 7" },
	{ T("{\"a\":1,\"\\u0061\":1}"), "duplicate name at byte 7" },
	{ T("{\"a\":null,\"a\":null}"), "duplicate name at byte 10" },
	{ T("{\"\":1,\"\":1}"), "duplicate name at byte 6" },
	{ T("{\"x\":{\"a\":1,\"b\":2,\"a\":3}}"), "duplicate name at byte 18" },
	{ T("{\"a\":{},\"b\":2,\"a\":3}"), "duplicate name at byte 14" },
	{ T("[{\"a\":1},{\"b\":1,\"b\":1}]"), "duplicate name at byte 16" },
	{ T("{\"\xc3\xa9\":1,\"\\u00e9\":1}"), "duplicate name at byte 8" },
	/* numbers */
	{ T("-"), "expected a digit at byte 1" },
	{ T("+1"), "expected a value at byte 0" },
	{ T("01"), "something after the end at byte 1" },
	{ T("-01"), "something after the end at byte 2" },
	{ T("00"), "something after the end at byte 1" },
	{ T("[01]"), "expected , or ] at byte 2" },
	{ T("1."), "expected a digit at byte 2" },
	{ T(".5"), "expected a value at byte 0" },
	{ T("-.5"), "expected a digit at byte 1" },
	{ T("1.e5"), "expected a digit at byte 2" },
	{ T("1e"), "expected a digit at byte 2" },
	{ T("1e+"), "expected a digit at byte 3" },
	{ T("1e-"), "expected a digit at byte 3" },
	{ T("1e5.5"), "something after the end at byte 3" },
	{ T("1.5.5"), "something after the end at byte 3" },
	{ T("1-1"), "something after the end at byte 1" },
	{ T("0x10"), "something after the end at byte 1" },
	{ T("0b1"), "something after the end at byte 1" },
	{ T("1_000"), "something after the end at byte 1" },
	{ T("1f"), "something after the end at byte 1" },
	{ T("1\0"), "something after the end at byte 1" },
	{ T("- 1"), "expected a digit at byte 1" },
	{ T("NaN"), "expected a value at byte 0" },
	{ T("nan"), "expected a value at byte 0" },
	{ T("-NaN"), "expected a digit at byte 1" },
	{ T("Infinity"), "expected a value at byte 0" },
	{ T("-Infinity"), "expected a digit at byte 1" },
	{ T("inf"), "expected a value at byte 0" },
	{ T("[1e309]"), "a number beyond the range of double at byte 1" },
	{ T("[-1e309]"), "a number beyond the range of double at byte 1" },
	{ T("1.8e308"), "a number beyond the range of double at byte 0" },
	{ T("1e99999999999999999999"),
	    "a number beyond the range of double at byte 0" },
	/* strings */
	{ T("\""), "a string without end at byte 0" },
	{ T("[\"a"), "a string without end at byte 1" },
	{ T("\"a\\\""), "a string without end at byte 0" },
	{ T("\"\\"), "unknown escape at byte 1" },
	{ T("\"\\x41\""), "unknown escape at byte 1" },
	{ T("\"\\a\""), "unknown escape at byte 1" },
	{ T("\"\\'\""), "unknown escape at byte 1" },
	{ T("\"\\0\""), "unknown escape at byte 1" },
	{ T("\"\\\0\""), "unknown escape at byte 1" },
	{ T("\"\\N\""), "unknown escape at byte 1" },
	{ T("\"\\U0041\""), "unknown escape at byte 1" },
	{ T("\"ab\\\n\""), "unknown escape at byte 3" },
	{ T("\"\\u\""), "unknown escape at byte 1" },
	{ T("\"\\u12"), "unknown escape at byte 1" },
	{ T("\"\\u123\""), "unknown escape at byte 1" },
	{ T("\"\\u123g\""), "unknown escape at byte 1" },
	{ T("\"\\u 123\""), "unknown escape at byte 1" },
	{ T("\"\\u+123\""), "unknown escape at byte 1" },
	{ T("\"\\u0x12\""), "unknown escape at byte 1" },
	{ T("\"\\u00\0001\""), "unknown escape at byte 1" },
	{ T("\"a\\u0000\""), "NUL in a string at byte 2" },
	{ T("{\"a\\u0000\":1}"), "NUL in a string at byte 3" },
	{ T("\"\\ud800\""), "lone surrogate at byte 1" },
	{ T("\"\\udc00\""), "lone surrogate at byte 1" },
	{ T("\"\\udfff\""), "lone surrogate at byte 1" },
	{ T("\"\\ud800x\""), "lone surrogate at byte 1" },
	{ T("\"\\ud800\\n\""), "lone surrogate at byte 1" },
	{ T("\"\\ud800\\u0041\""), "lone surrogate at byte 1" },
	{ T("\"\\ud800\\ud800\""), "lone surrogate at byte 1" },
	{ T("\"\\ud800\\ue000\""), "lone surrogate at byte 1" },
	{ T("\"\\udc00\\ud800\""), "lone surrogate at byte 1" },
	{ T("\"\\ud83d\\u\""), "unknown escape at byte 7" },
	{ T("\"\\ud83d\\ude0\""), "unknown escape at byte 7" },
	{ T("\"\\ud83d\\"), "lone surrogate at byte 1" },
	{ T("\"a\nb\""), "control character at byte 2" },
	{ T("\"\t\""), "control character at byte 1" },
	{ T("\"\0\""), "control character at byte 1" },
	{ T("\"\x1f\""), "control character at byte 1" },
	{ T("{\"a\nb\":1}"), "control character at byte 3" },
	/* UTF-8 */
	{ T("\"\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xbf\""), "bad UTF-8 at byte 1" },
	{ T("\"a\xff\""), "bad UTF-8 at byte 2" },
	{ T("\"\xfe\""), "bad UTF-8 at byte 1" },
	{ T("\"\xc0\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xc0\xaf\""), "bad UTF-8 at byte 1" },
	{ T("\"\xc1\xbf\""), "bad UTF-8 at byte 1" },
	{ T("\"\xe0\x80\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xe0\x9f\xbf\""), "bad UTF-8 at byte 1" },
	{ T("\"\xf0\x80\x80\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xf0\x8f\xbf\xbf\""), "bad UTF-8 at byte 1" },
	{ T("\"\xed\xa0\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xed\xbf\xbf\""), "bad UTF-8 at byte 1" },
	{ T("\"\xf4\x90\x80\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xf5\x80\x80\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xf8\x88\x80\x80\x80\""), "bad UTF-8 at byte 1" },
	{ T("\"\xc3\""), "bad UTF-8 at byte 1" },
	{ T("\"\xc3"), "bad UTF-8 at byte 1" },
	{ T("\"\xe2\x82\""), "bad UTF-8 at byte 1" },
	{ T("\"\xe2\x82"), "bad UTF-8 at byte 1" },
	{ T("\"\xf0\x9f\x98\""), "bad UTF-8 at byte 1" },
	{ T("\"ok\xc3\xa9\xc3(\""), "bad UTF-8 at byte 5" },
	{ T("{\"\xff\":1}"), "bad UTF-8 at byte 2" },
	{ T("[\xff]"), "expected a value at byte 1" },
};

/*
 * Read a text from a block of exactly its size, so that ASan notices a read
 * beyond it.  Return the value, which the caller puts, or NULL with f set.
 */
static struct json_object *
read_text(const char *text, size_t size, struct fail *f)
{
	struct json_object *json = NULL;
	char *copy, *scratch;
	int r;

	copy = malloc(size == 0 ? 1 : size);
	scratch = malloc(size + 1);
	ck_assert_ptr_nonnull(copy);
	ck_assert_ptr_nonnull(scratch);
	memcpy(copy, text, size);
	r = strict_json_read(copy, size, scratch, &json, f);
	free(scratch);
	free(copy);
	ck_assert_int_eq(r, json == NULL ? -1 : 0);
	return json;
}

START_TEST(valid_text_is_accepted)
{
	struct fail f = { 0 };
	struct json_object *json;

	json = read_text(good[_i].text, good[_i].size, &f);
	ck_assert_msg(json != NULL, "%s: %s", good[_i].text, f.why);
	ck_assert_str_eq(
	    json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN),
	    good[_i].want);
	json_object_put(json);
}
END_TEST

START_TEST(invalid_text_is_refused)
{
	struct fail f = { 0 };

	ck_assert_ptr_null(read_text(bad[_i].text, bad[_i].size, &f));
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	ck_assert_int_eq(f.code, INVALID_JSON);
	ck_assert_str_eq(f.where, "");
	ck_assert_str_eq(f.why, bad[_i].why);
}
END_TEST

START_TEST(prefix_of_valid_text_is_refused)
{
	static const char text[] =
	    "{\"a\":[1.5e3,\"\\ud83d\\ude00\xc3\xa9\",true,null],\"b\":{}}";
	struct fail f;
	size_t n;

	for (n = 0; n < sizeof(text) - 1; n++) {
		memset(&f, 0, sizeof(f));
		ck_assert_ptr_null(read_text(text, n, &f));
		ck_assert_int_eq(f.code, INVALID_JSON);
	}
	json_object_put(read_text(text, sizeof(text) - 1, &f));
}
END_TEST

/* Read n opening brackets and as many closing ones. */
static struct json_object *
nested(int n, const char *open, const char *close, struct fail *f)
{
	char text[1024] = "";
	size_t at = 0;
	int i;

	for (i = 0; i < 2 * n; i++)
		at += (size_t)snprintf(
		    text + at, sizeof(text) - at, "%s", i < n ? open : close);
	return read_text(text, at, f);
}

START_TEST(depth_is_limited)
{
	struct fail f = { 0 };

	json_object_put(nested(BODY_DEPTH_MAX, "[", "]", &f));
	ck_assert_int_eq(f.code, 0);
	ck_assert_ptr_null(nested(BODY_DEPTH_MAX + 1, "[", "]", &f));
	ck_assert_str_eq(f.why, "too many levels at byte 32");
	ck_assert_ptr_null(nested(BODY_DEPTH_MAX + 1, "{\"a\":[", "]}", &f));
	ck_assert_str_eq(f.why, "too many levels at byte 96");
}
END_TEST

/* The values of numbers; the table good compares only their text. */
START_TEST(numbers_have_their_exact_values)
{
	static const struct {
		const char *text;
		double want;
	} numbers[] = {
		{ "99999999999999999999", 99999999999999999999.0 },
		{ "-9223372036854775809", -9223372036854775809.0 },
		{ "9223372036854775807", 9223372036854775807.0 },
		{ "1e-400", 0 },
		{ "1e22", 1e22 },
		{ "0.1", 0.1 },
		{ "-0", 0 },
	};
	struct fail f = { 0 };
	struct json_object *json;
	size_t i;

	for (i = 0; i < nitems(numbers); i++) {
		json = read_text(numbers[i].text, strlen(numbers[i].text), &f);
		ck_assert_ptr_nonnull(json);
		ck_assert(json_object_get_double(json) == numbers[i].want);
		json_object_put(json);
	}
}
END_TEST

/*
 * The time for 100,000 names is not quadratic, and a duplicate at the end is
 * still noticed.
 */
START_TEST(many_names_are_checked_in_seconds)
{
	const int n = 100000;
	struct fail f = { 0 };
	struct json_object *json;
	struct timespec start, end;
	char *text;
	size_t at = 0;
	int i;

	text = malloc((size_t)n * 12 + 64);
	ck_assert_ptr_nonnull(text);
	text[at++] = '{';
	for (i = 0; i < n; i++)
		at += (size_t)snprintf(text + at, 32, "\"k%d\":%d,", i, i % 10);
	at += (size_t)snprintf(text + at, 32, "\"last\":0}");
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
	json = read_text(text, at, &f);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	ck_assert_ptr_nonnull(json);
	ck_assert_int_eq(json_object_object_length(json), n + 1);
	ck_assert_int_lt(end.tv_sec - start.tv_sec, 5);
	json_object_put(json);

	memcpy(strstr(text, "\"last\""), "\"k99\":", 6);
	ck_assert_ptr_null(read_text(text, at, &f));
	ck_assert_int_eq(f.code, INVALID_JSON);
	free(text);
}
END_TEST

/*
 * An empty object needs far more memory than its two bytes, so the number of
 * objects and arrays is limited.
 */
START_TEST(number_of_objects_is_limited)
{
	const size_t n = STRICT_JSON_LISTS_MAX;
	struct fail f = { 0 };
	struct json_object *json;
	char *text;
	size_t i;

	text = malloc(n * 3 + 1);
	ck_assert_ptr_nonnull(text);
	for (i = 0; i < n; i++)
		memcpy(text + i * 3, i == 0 ? "[  " : ",{}", 3);
	text[3] = ' ';
	text[n * 3] = ']';
	json = read_text(text, n * 3 + 1, &f);
	ck_assert_msg(json != NULL, "%s", f.why);
	ck_assert_uint_eq(json_object_array_length(json), n - 1);
	json_object_put(json);

	memcpy(text, "[[]", 3);
	text[3] = ',';
	ck_assert_ptr_null(read_text(text, n * 3 + 1, &f));
	ck_assert_ptr_nonnull(strstr(f.why, "too many objects and arrays"));
	free(text);
}
END_TEST

Suite *
suite_strict_json(void)
{
	Suite *s = suite_create("strict_json");
	TCase *tc = tcase_create("strict_json");

	tcase_add_loop_test(tc, valid_text_is_accepted, 0, (int)nitems(good));
	tcase_add_loop_test(tc, invalid_text_is_refused, 0, (int)nitems(bad));
	tcase_add_test(tc, prefix_of_valid_text_is_refused);
	tcase_add_test(tc, depth_is_limited);
	tcase_add_test(tc, numbers_have_their_exact_values);
	tcase_add_test(tc, many_names_are_checked_in_seconds);
	tcase_add_test(tc, number_of_objects_is_limited);
	suite_add_tcase(s, tc);
	return s;
}
