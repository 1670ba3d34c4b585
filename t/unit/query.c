/* SPDX-License-Identifier: ISC */
/* fcgi/http/query.c: valid and invalid pairs, and numbers with bounds. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "fcgi/http/query.h"
#include "t/unit/unit.h"

#define TEN "0123456789"
#define SIXTY TEN TEN TEN TEN TEN TEN
#define VALUE SIXTY SIXTY SIXTY SIXTY TEN /* 250 bytes */
#define FIFTEEN "a&b&c&d&e&f&g&h&i&j&k&l&m&n&o"

static _Alignas(16) char block[65536];
static struct arena a;

/* The pairs, each between brackets.  NULL: refused. */
static const struct {
	const char *text;
	const char *want;
} queries[] = {
	{ "", "" },
	{ "&", "" },
	{ "a=1", "[a=1]" },
	{ "a=1&b=2", "[a=1][b=2]" },
	{ "&a=1&&b=2&", "[a=1][b=2]" },
	{ "a", "[a=]" },
	{ "a=", "[a=]" },
	{ "a&b", "[a=][b=]" },
	{ "a=b=c", "[a=b=c]" },
	{ "a==", "[a==]" },
	{ "a%3D=%26", "[a==&]" },
	{ "a+b=c+d", "[a b=c d]" },
	{ "a=%2B%2b", "[a=++]" },
	{ "a=%25", "[a=%]" },
	{ "%61=1&A=2", "[a=1][A=2]" },
	{ "caf%C3%A9=caf\xc3\xa9", "[caf\xc3\xa9=caf\xc3\xa9]" },
	{ "a=?/:@;", "[a=?/:@;]" },
	{ "=", NULL },
	{ "=1", NULL },
	{ "a=1&=2", NULL },
	{ "a=1&a=2", NULL },
	{ "a=1&%61=2", NULL },
	{ "a&a", NULL },
	{ "a=%", NULL },
	{ "a=%4", NULL },
	{ "a=%&b1", NULL },
	{ "a=%4g", NULL },
	{ "a=%+1", NULL },
	{ "%=1", NULL },
	{ "a=%00", NULL },
	{ "a=x%00y", NULL },
	{ "%00=1", NULL },
	{ "a=%0a", NULL },
	{ "a=\n", NULL },
	{ "a=%7f", NULL },
	{ "a=%C3", NULL },
	{ "a=%C3&b=%A9", NULL },
	{ "a=%C0%AF", NULL },
	{ "a=%ED%A0%80", NULL },
	{ "a=\xff", NULL },
	{ FIFTEEN,
	    "[a=][b=][c=][d=][e=][f=][g=][h=][i=][j=][k=][l=][m=][n=]"
	    "[o=]" },
	{ FIFTEEN "&&p&",
	    "[a=][b=][c=][d=][e=][f=][g=][h=][i=][j=][k=][l=]"
	    "[m=][n=][o=][p=]" },
	{ FIFTEEN "&p&q", NULL },
	{ SIXTY "0123=", "[" SIXTY "0123=]" },
	{ SIXTY "012%33=", "[" SIXTY "0123=]" },
	{ SIXTY "01234=", NULL },
	{ "a=" VALUE "012345", "[a=" VALUE "012345]" },
	{ "a=" VALUE "01234%35", "[a=" VALUE "012345]" },
	{ "a=" VALUE "0123456", NULL },
};

static const struct {
	const char *text;
	int64_t want; /* -1: refused */
} numbers[] = {
	{ "", 25 },
	{ "other=3", 25 },
	{ "limit=1", 1 },
	{ "limit=100", 100 },
	{ "limit=%34%32", 42 },
	{ "limit=007", 7 },
	{ "limit", -1 },
	{ "limit=", -1 },
	{ "limit=0", -1 },
	{ "limit=101", -1 },
	{ "limit=1000", -1 },
	{ "limit=-1", -1 },
	{ "limit=%2B1", -1 },
	{ "limit=+1", -1 },
	{ "limit=1+", -1 },
	{ "limit=1.0", -1 },
	{ "limit=1e1", -1 },
	{ "limit=0x1", -1 },
	{ "limit=ten", -1 },
	{ "limit=9223372036854775807", -1 },
	{ "limit=9223372036854775808", -1 },
	{ "limit=18446744073709551617", -1 },
	{ "limit=99999999999999999999999999", -1 },
};

static void
start(void)
{
	arena_init(&a, block, sizeof(block));
}

static void
end(void)
{
	arena_reset(&a);
}

START_TEST(query_is_split_into_valid_pairs)
{
	struct fail f = { 0 };
	struct query q = { .n = 7 };
	struct str s;
	size_t i;

	if (queries[_i].want == NULL) {
		ck_assert_int_eq(query_parse(&q, &a, queries[_i].text, &f), -1);
		ck_assert_int_eq(f.code, INVALID_REQUEST);
		ck_assert_str_ne(f.why, "");
		ck_assert_uint_eq(q.n, 0);
		return;
	}
	ck_assert_int_eq(query_parse(&q, &a, queries[_i].text, &f), 0);
	str_init(&s, &a);
	for (i = 0; i < q.n; i++)
		str_addf(&s, "[%s=%s]", q.pair[i].name, q.pair[i].value);
	ck_assert_str_eq(str_text(&s), queries[_i].want);
}
END_TEST

START_TEST(parameters_are_found_by_exact_name)
{
	struct fail f = { 0 };
	struct query q;

	ck_assert_int_eq(
	    query_parse(&q, &a, "queue=risk+ops&empty=&Queue=x", &f), 0);
	ck_assert_str_eq(query_text(&q, "queue"), "risk ops");
	ck_assert_str_eq(query_text(&q, "Queue"), "x");
	ck_assert_str_eq(query_text(&q, "empty"), "");
	ck_assert_ptr_null(query_text(&q, "que"));
	ck_assert_ptr_null(query_text(&q, ""));
}
END_TEST

START_TEST(number_outside_bounds_is_refused)
{
	struct fail f = { 0 };
	int64_t got = -1;
	struct query q;

	ck_assert_int_eq(query_parse(&q, &a, numbers[_i].text, &f), 0);
	if (numbers[_i].want == -1) {
		ck_assert_int_eq(
		    query_int(&q, "limit", 1, 100, 25, &got, &f), -1);
		ck_assert_int_eq(f.code, INVALID_REQUEST);
		ck_assert_str_eq(f.where, "limit");
		ck_assert_str_eq(f.why, "must be a whole number from 1 to 100");
	} else {
		ck_assert_int_eq(
		    query_int(&q, "limit", 1, 100, 25, &got, &f), 0);
	}
	ck_assert_int_eq(got, numbers[_i].want);
}
END_TEST

/* Bounds may be any int64_t. */
START_TEST(bounds_may_be_the_limits_of_int64)
{
	struct fail f = { 0 };
	int64_t got;
	struct query q;

	ck_assert_int_eq(query_parse(&q, &a,
			     "a=9223372036854775807&b=9223372036854775808&c=0&"
			     "d=7",
			     &f),
	    0);
	ck_assert_int_eq(query_int(&q, "a", 0, INT64_MAX, 0, &got, &f), 0);
	ck_assert_int_eq(got, INT64_MAX);
	ck_assert_int_eq(query_int(&q, "b", 0, INT64_MAX, 0, &got, &f), -1);
	ck_assert_int_eq(query_int(&q, "c", 0, 0, 0, &got, &f), 0);
	ck_assert_int_eq(got, 0);
	ck_assert_int_eq(query_int(&q, "d", 0, 6, 0, &got, &f), -1);
	ck_assert_int_eq(query_int(&q, "d", 0, 7, 0, &got, &f), 0);
	ck_assert_int_eq(got, 7);
}
END_TEST

START_TEST(word_must_be_one_of_a_list)
{
	static const char *const words[] = { "newest", "oldest", "score" };
	static const char *const bad[] = { "order=", "order=new",
		"order=scores", "order=Score" };
	struct fail f = { 0 };
	struct query q;
	size_t i;

	for (i = 0; i < nitems(bad); i++) {
		ck_assert_int_eq(query_parse(&q, &a, bad[i], &f), 0);
		ck_assert_int_eq(
		    query_word(&q, "order", words, nitems(words), &f), -1);
		ck_assert_str_eq(f.where, "order");
		ck_assert_str_eq(f.why, "must be newest, oldest or score");
	}
	ck_assert_int_eq(query_parse(&q, &a, "order=score", &f), 0);
	ck_assert_int_eq(query_word(&q, "order", words, nitems(words), &f), 0);
	ck_assert_int_eq(query_word(&q, "sort", words, nitems(words), &f), 0);
	ck_assert_int_eq(query_word(&q, "order", words, 2, &f), -1);
	ck_assert_str_eq(f.why, "must be newest or oldest");
}
END_TEST

START_TEST(error_does_not_repeat_the_query)
{
	static const char *const bad[] = { "4111=1&4111=2", "4111=%",
		"4111" FIFTEEN "&4111p&q&4111" };
	struct fail f = { 0 };
	struct query q;
	size_t i;

	for (i = 0; i < nitems(bad); i++) {
		ck_assert_int_eq(query_parse(&q, &a, bad[i], &f), -1);
		ck_assert_ptr_null(strstr(f.why, "4111"));
		ck_assert_str_eq(f.where, "");
	}
}
END_TEST

Suite *
suite_query(void)
{
	Suite *s = suite_create("query");
	TCase *tc = tcase_create("query");

	tcase_add_checked_fixture(tc, start, end);
	tcase_add_loop_test(
	    tc, query_is_split_into_valid_pairs, 0, (int)nitems(queries));
	tcase_add_test(tc, parameters_are_found_by_exact_name);
	tcase_add_loop_test(
	    tc, number_outside_bounds_is_refused, 0, (int)nitems(numbers));
	tcase_add_test(tc, bounds_may_be_the_limits_of_int64);
	tcase_add_test(tc, word_must_be_one_of_a_list);
	tcase_add_test(tc, error_does_not_repeat_the_query);
	suite_add_tcase(s, tc);
	return s;
}
