/* SPDX-License-Identifier: ISC */
/* ctl/request/text_diff.c: unified diffs. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/request/text_diff.h"
#include "t/unit/unit.h"

static _Alignas(16) char block[16384];

/* The hunks of diff -u, which leaves out the number of lines if it is 1. */
static const struct {
	const char *before, *after, *want;
} cases[] = {
	{ NULL, NULL, "" },
	{ "a\nb", "a\nb\n", "" },
	{ NULL, "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n" },
	{ "a\n", NULL, "@@ -1,1 +0,0 @@\n-a\n" },
	{ "a\nb\nc\n", "a\nx\nc\n", "@@ -1,3 +1,3 @@\n a\n-b\n+x\n c\n" },
	{ "a\n\nb\n", "a\nb\n\n", "@@ -1,3 +1,3 @@\n a\n-\n b\n+\n" },
	/* Context of three lines; at most six between the changes of a hunk. */
	{ "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
	    "@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n" },
	{ "a\n1\n2\n3\n4\n5\n6\nb\n", "1\n2\n3\n4\n5\n6\n",
	    "@@ -1,8 +1,6 @@\n-a\n 1\n 2\n 3\n 4\n 5\n 6\n-b\n" },
	{ "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\nc\n",
	    "@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n"
	    "@@ -6,4 +5,4 @@\n 5\n 6\n 7\n-b\n+c\n" },
};

START_TEST(a_diff_has_the_changes_and_their_context)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	ck_assert_int_eq(
	    text_diff(&s, cases[_i].before, cases[_i].after, &a), 0);
	ck_assert_str_eq(str_text(&s), cases[_i].want);
	arena_reset(&a);
}
END_TEST

/* Fill a text with 100 lines "x", and put another line at one place. */
static void
fill_lines(char text[2 * 100 + 1], size_t at, char line)
{
	size_t i;

	for (i = 0; i < 100; i++)
		memcpy(&text[2 * i], "x\n", 2);
	text[2 * at] = line;
	text[2 * 100] = '\0';
}

START_TEST(only_lines_between_equal_ends_need_room)
{
	char before[2 * 100 + 1], after[2 * 100 + 1];
	struct arena a;
	struct str s;

	fill_lines(before, 50, 'b');
	fill_lines(after, 50, 'c');
	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	ck_assert_int_eq(text_diff(&s, before, after, &a), 0);
	ck_assert_str_eq(str_text(&s),
	    "@@ -48,7 +48,7 @@\n x\n x\n x\n-b\n+c\n x\n x\n x\n");
	arena_reset(&a);
}
END_TEST

START_TEST(without_room_to_compare_all_lines_are_replaced)
{
	char before[2 * 100 + 1], after[2 * 100 + 1];
	struct arena a;
	struct str s;

	fill_lines(before, 0, 'b');
	fill_lines(after, 99, 'c');
	arena_init(&a, block, sizeof(block));
	str_init(&s, &a);
	ck_assert_int_eq(text_diff(&s, before, after, &a), 0);
	ck_assert_int_eq(
	    strncmp(str_text(&s), "@@ -1,100 +1,100 @@\n-b\n-x\n", 26), 0);
	arena_reset(&a);
}
END_TEST

START_TEST(a_diff_without_room_is_an_error)
{
	struct arena a;
	struct str s;

	arena_init(&a, block, 64);
	str_init(&s, &a);
	ck_assert_int_eq(text_diff(&s, "a\nb\nc\n", "d\ne\nf\n", &a), -1);
	arena_reset(&a);
}
END_TEST

Suite *
suite_text_diff(void)
{
	Suite *s = suite_create("text_diff");
	TCase *tc = tcase_create("text_diff");

	tcase_add_loop_test(tc, a_diff_has_the_changes_and_their_context, 0,
	    (int)nitems(cases));
	tcase_add_test(tc, only_lines_between_equal_ends_need_room);
	tcase_add_test(tc, without_room_to_compare_all_lines_are_replaced);
	tcase_add_test(tc, a_diff_without_room_is_an_error);
	suite_add_tcase(s, tc);
	return s;
}
