/* SPDX-License-Identifier: ISC */
/* core/base/str.c: text that grows, and values in JSON. */
#include "config.h"

#include <math.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[16384];

static const struct {
	double n;
	const char *want;
} numbers[] = {
	{ 0, "0" },
	{ 28, "28" },
	{ -7, "-7" },
	{ 0.1, "0.1" },
	{ 1e300, "1e+300" },
	{ 1e15, "1e+15" },
	{ 999999999999999, "999999999999999" },
	{ 1.0 / 3, "0.3333333333333333" },
	{ NAN, "null" },
	{ INFINITY, "null" },
};

static const struct {
	const char *text;
	const char *want;
} strings[] = {
	{ NULL, "null" },
	{ "", "\"\"" },
	{ "plain", "\"plain\"" },
	{ "a\"b\\c", "\"a\\\"b\\\\c\"" },
	{ "line\nend\x7f", "\"line\\u000aend\\u007f\"" },
	{ "\xc3\xa9", "\"\xc3\xa9\"" },
};

START_TEST(numbers_are_written_as_json)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	str_number(&s, numbers[_i].n);
	ck_assert_str_eq(str_text(&s), numbers[_i].want);
	arena_reset(&a);
}
END_TEST

START_TEST(strings_are_written_as_json)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	str_json(&s, strings[_i].text);
	ck_assert_str_eq(str_text(&s), strings[_i].want);
	arena_reset(&a);
}
END_TEST

START_TEST(text_grows_until_arena_is_full)
{
	struct arena a;
	struct str s;
	int i;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	for (i = 0; i < 1000; i++)
		str_addf(&s, "%d,", i % 10);
	ck_assert_uint_eq(s.len, 2000);
	ck_assert_ptr_nonnull(str_text(&s));
	for (i = 0; i < 20000; i++)
		str_addc(&s, 'x');
	ck_assert_ptr_null(str_text(&s));
	arena_reset(&a);
}
END_TEST

Suite *
suite_str(void)
{
	Suite *s = suite_create("str");
	TCase *tc = tcase_create("str");

	tcase_add_loop_test(
	    tc, numbers_are_written_as_json, 0, (int)nitems(numbers));
	tcase_add_loop_test(
	    tc, strings_are_written_as_json, 0, (int)nitems(strings));
	tcase_add_test(tc, text_grows_until_arena_is_full);
	suite_add_tcase(s, tc);
	return s;
}
