/* SPDX-License-Identifier: ISC */
/* lib/auth/totp.c: published codes, and which steps are accepted. */
#include "config.h"

#include "lib/auth/totp.h"
#include "t/unit/unit.h"

#define SECOND INT64_C(1000000)

static const uint8_t key[TOTP_KEY_SIZE] = "12345678901234567890";

/* RFC 6238, appendix B, SHA-1: the last 6 of 8 digits. */
static const struct {
	int64_t seconds;
	const char *code;
} published[] = {
	{ 59, "287082" },
	{ 1111111109, "081804" },
	{ 1111111111, "050471" },
	{ 1234567890, "005924" },
	{ 2000000000, "279037" },
	{ 20000000000, "353130" },
};

/* Texts that are not the code of the first step of the published ones. */
static const char *const bad[] = { "", "28708", "2870820", "28708a", "287083",
	"94287082", " 287082", "+87082" };

START_TEST(codes_equal_the_published_ones)
{
	char code[TOTP_CODE_SIZE];

	totp_code(key, sizeof(key), published[_i].seconds / 30, code);
	ck_assert_str_eq(code, published[_i].code);
	ck_assert_int_eq(
	    totp_match(key, published[_i].code, published[_i].seconds * SECOND),
	    published[_i].seconds / 30);
}
END_TEST

START_TEST(one_step_before_and_after_matches)
{
	/* 050471 is the code of step 37037037, from 1111111110 on. */
	const int64_t begin = 1111111110 * SECOND;

	ck_assert_int_eq(totp_match(key, "050471", begin - 1), 37037037);
	ck_assert_int_eq(
	    totp_match(key, "050471", begin - 30 * SECOND), 37037037);
	ck_assert_int_eq(
	    totp_match(key, "050471", begin - 30 * SECOND - 1), -1);
	ck_assert_int_eq(
	    totp_match(key, "050471", begin + 60 * SECOND - 1), 37037037);
	ck_assert_int_eq(totp_match(key, "050471", begin + 60 * SECOND), -1);
}
END_TEST

START_TEST(other_texts_do_not_match)
{
	ck_assert_int_eq(totp_match(key, bad[_i], 59 * SECOND), -1);
}
END_TEST

/* RFC 4648: the base32 of the key of RFC 6238. */
START_TEST(key_is_written_in_base32)
{
	char text[TOTP_KEY_TEXT_SIZE];

	totp_key_text(key, text);
	ck_assert_str_eq(text, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
}
END_TEST

Suite *
suite_totp(void)
{
	Suite *s = suite_create("totp");
	TCase *tc = tcase_create("totp");

	tcase_add_loop_test(
	    tc, codes_equal_the_published_ones, 0, (int)nitems(published));
	tcase_add_test(tc, one_step_before_and_after_matches);
	tcase_add_loop_test(tc, other_texts_do_not_match, 0, (int)nitems(bad));
	tcase_add_test(tc, key_is_written_in_base32);
	suite_add_tcase(s, tc);
	return s;
}
