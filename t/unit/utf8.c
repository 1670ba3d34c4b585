/* SPDX-License-Identifier: ISC */
/* core/base/utf8.c: lengths, code points, malformed sequences. */
#include "config.h"

#include <string.h>

#include "core/base/utf8.h"
#include "t/unit/unit.h"

static const struct {
	const char *text;
	size_t len;
	uint32_t code;
} good[] = {
	{ "A", 1, 0x41 },
	{ "\x7f", 1, 0x7f },
	{ "\xc2\x80", 2, 0x80 },
	{ "\xdf\xbf", 2, 0x7ff },
	{ "\xe0\xa0\x80", 3, 0x800 },
	{ "\xed\x9f\xbf", 3, 0xd7ff },
	{ "\xee\x80\x80", 3, 0xe000 },
	{ "\xef\xbf\xbf", 3, 0xffff },
	{ "\xf0\x90\x80\x80", 4, 0x10000 },
	{ "\xf4\x8f\xbf\xbf", 4, 0x10ffff },
};

static const char *const bad[] = {
	"\x80", /* a continuation alone */
	"\xbf",
	"\xc2", /* cut short */
	"\xe0\xa0",
	"\xf0\x90\x80",
	"\xc0\x80", /* overlong */
	"\xc1\xbf",
	"\xe0\x9f\xbf",
	"\xf0\x8f\xbf\xbf",
	"\xed\xa0\x80", /* surrogates */
	"\xed\xbf\xbf",
	"\xf4\x90\x80\x80", /* beyond the last code point */
	"\xf8\x88\x80\x80\x80",
	"\xff",
	"\xc2\x41", /* no continuation */
	"\xe1\x80\x41",
};

START_TEST(valid_sequence_is_read_and_written)
{
	char text[UTF8_MAX];
	uint32_t code = 0;

	ck_assert_uint_eq(utf8_get(good[_i].text, strlen(good[_i].text), &code),
	    good[_i].len);
	ck_assert_uint_eq(code, good[_i].code);
	ck_assert_uint_eq(utf8_put(code, text), good[_i].len);
	ck_assert_mem_eq(text, good[_i].text, good[_i].len);
}
END_TEST

START_TEST(malformed_sequence_is_refused)
{
	ck_assert_uint_eq(utf8_get(bad[_i], strlen(bad[_i]), NULL), 0);
}
END_TEST

START_TEST(text_is_not_read_beyond_its_end)
{
	ck_assert_uint_eq(utf8_get("", 0, NULL), 0);
	ck_assert_uint_eq(utf8_get("\xe2\x82\xac", 2, NULL), 0);
	ck_assert_uint_eq(utf8_get("\xe2\x82\xac", 3, NULL), 3);
	ck_assert_uint_eq(utf8_get("\0", 1, NULL), 1);
}
END_TEST

static const struct {
	const char *text;
	bool blank_ends;
} ends[] = {
	{ "", false }, { "u-1", false }, { "wei\xc3\x9f", false },
	{ "u 1", false },
	{ "u\xc2\xa0"
	  "1",
	    false },
	{ "\xe2\x9d\xa4\xef\xb8\x8f", false }, /* a heart, and that it is red */
	{ " ", true }, { " u-1", true }, { "u-1 ", true }, { "u-1\t", true },
	{ "\xc2\xa0u-1", true }, /* no-break space */
	{ "u-1\xc2\xa0", true }, { "u-1\xe2\x80\x8b", true }, /* width zero */
	{ "\xe2\x80\xaeu-1", true }, /* right-to-left override */
	{ "\xef\xbb\xbfu-1", true }, /* byte order mark */
	{ "u-1\xe3\x80\x80", true }, /* ideographic space */
	{ "u-1\xe3\x85\xa4", true }, /* Hangul filler */
	{ "u-1\xf0\x9d\x85\xb3", true }, /* a format control of music */
};

START_TEST(ends_that_show_nothing_are_found)
{
	ck_assert_int_eq(
	    utf8_has_blank_ends(ends[_i].text), ends[_i].blank_ends);
}
END_TEST

Suite *
suite_utf8(void)
{
	Suite *s = suite_create("utf8");
	TCase *tc = tcase_create("utf8");

	tcase_add_loop_test(
	    tc, valid_sequence_is_read_and_written, 0, (int)nitems(good));
	tcase_add_loop_test(
	    tc, malformed_sequence_is_refused, 0, (int)nitems(bad));
	tcase_add_loop_test(
	    tc, ends_that_show_nothing_are_found, 0, (int)nitems(ends));
	tcase_add_test(tc, text_is_not_read_beyond_its_end);
	suite_add_tcase(s, tc);
	return s;
}
