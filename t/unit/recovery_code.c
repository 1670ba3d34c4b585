/* SPDX-License-Identifier: ISC */
/* lib/auth/recovery_code.c: how codes look, and how people may type them. */
#include "config.h"

#include <string.h>

#include "lib/auth/recovery_code.h"
#include "t/unit/unit.h"

/* Typed texts; NULL: not a code. */
static const struct {
	const char *typed;
	const char *code;
} typed[] = {
	{ "abcde-fghjk", "abcde-fghjk" },
	{ "abcdefghjk", "abcde-fghjk" },
	{ "ABCDE-FGHJK", "abcde-fghjk" },
	{ "olioL-Ooiil", "01101-00111" },
	{ "", NULL },
	{ "123456", NULL },
	{ "abcde-fghj", NULL },
	{ "abcde-fghjkm", NULL },
	{ "abcd-efghjk", NULL },
	{ "abcde--fghjk", NULL },
	{ "abcde-fghju", NULL },
	{ "abcde fghjk", NULL },
	{ "abcde-fghj\xc3\xa9", NULL },
};

START_TEST(made_codes_differ_and_are_read)
{
	char one[RECOVERY_CODE_SIZE], two[RECOVERY_CODE_SIZE];
	char got[RECOVERY_CODE_SIZE];

	recovery_code_make(one);
	recovery_code_make(two);
	ck_assert_uint_eq(strlen(one), RECOVERY_CODE_SIZE - 1);
	ck_assert_str_ne(one, two);
	ck_assert(recovery_code_read(one, got));
	ck_assert_str_eq(got, one);
}
END_TEST

START_TEST(codes_are_read_as_people_type_them)
{
	char got[RECOVERY_CODE_SIZE];
	const bool read = recovery_code_read(typed[_i].typed, got);

	ck_assert_int_eq(read, typed[_i].code != NULL);
	if (read)
		ck_assert_str_eq(got, typed[_i].code);
}
END_TEST

Suite *
suite_recovery_code(void)
{
	Suite *s = suite_create("recovery_code");
	TCase *tc = tcase_create("recovery_code");

	tcase_add_test(tc, made_codes_differ_and_are_read);
	tcase_add_loop_test(
	    tc, codes_are_read_as_people_type_them, 0, (int)nitems(typed));
	suite_add_tcase(s, tc);
	return s;
}
