/* SPDX-License-Identifier: ISC */
/* cron/delivery_backoff.c: how long a failed delivery waits. */
#include "config.h"

#include "cron/delivery_backoff.h"
#include "t/unit/unit.h"

#define LEAST 0 /* of the random part */
#define MOST 1023

/* In ms, with the least and the most of the random part. */
static const struct {
	int attempt;
	int64_t asked;
	int64_t least;
	int64_t most;
} cases[] = {
	{ 1, 0, 27000, 33000 },
	{ 2, 0, 54000, 66000 },
	{ 3, 0, 108000, 132000 },
	{ 7, 0, 1728000, 2112000 },
	{ 1, 77, 77000, 77000 },
	{ 7, 5, 1728000, 2112000 },
	{ 1, 14399, 14399000, 14399000 },
	{ 1, 14401, 14400000, 14400000 },
	{ 1, INT64_MAX, 14400000, 14400000 },
	{ 1, -5, 27000, 33000 },
};

START_TEST(wait_doubles_or_is_what_the_receiver_asks)
{
	ck_assert_int_eq(
	    delivery_backoff(cases[_i].attempt, cases[_i].asked, LEAST) / 1000,
	    cases[_i].least);
	ck_assert_int_eq(
	    delivery_backoff(cases[_i].attempt, cases[_i].asked, MOST) / 1000,
	    cases[_i].most);
}
END_TEST

START_TEST(each_wait_is_longer_than_the_one_before_it)
{
	int i;

	for (i = 1; i < 7; i++)
		ck_assert_int_lt(delivery_backoff(i, 0, MOST),
		    delivery_backoff(i + 1, 0, LEAST));
}
END_TEST

START_TEST(last_attempt_is_not_repeated)
{
	ck_assert_int_gt(delivery_backoff(7, 0, 5), 0);
	ck_assert_int_eq(delivery_backoff(8, 0, 5), -1);
	ck_assert_int_eq(delivery_backoff(9, 77, 5), -1);
}
END_TEST

Suite *
suite_delivery_backoff(void)
{
	Suite *s = suite_create("delivery_backoff");
	TCase *tc = tcase_create("delivery_backoff");

	tcase_add_loop_test(tc, wait_doubles_or_is_what_the_receiver_asks, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, each_wait_is_longer_than_the_one_before_it);
	tcase_add_test(tc, last_attempt_is_not_repeated);
	suite_add_tcase(s, tc);
	return s;
}
