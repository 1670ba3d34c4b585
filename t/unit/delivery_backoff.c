/* SPDX-License-Identifier: ISC */
/* cron/delivery_backoff.c: how long a failed delivery waits. */
#include "config.h"

#include "cron/delivery_backoff.h"
#include "t/unit/unit.h"

#define SECOND INT64_C(1000000)
#define LEAST 0 /* of the random part */
#define MOST 1023

static const struct delivery_retry webhook = { 8, 600 * SECOND };
static const struct delivery_retry many = { 100, 600 * SECOND };

/* In ms, with the least and the most of the random part. */
static const struct {
	int attempt;
	int64_t asked;
	int64_t least;
	int64_t most;
} cases[] = {
	{ 1, 0, 900, 1100 },
	{ 2, 0, 1800, 2200 },
	{ 3, 0, 3600, 4400 },
	{ 7, 0, 57600, 70400 },
	{ 10, 0, 460800, 563200 },
	{ 11, 0, 600000, 600000 },
	{ 99, 0, 600000, 600000 },
	{ 1, 77, 77000, 77000 },
	{ 7, 5, 57600, 70400 },
	{ 1, 601, 600000, 600000 },
	{ 1, INT64_MAX, 600000, 600000 },
	{ 1, -5, 900, 1100 },
};

START_TEST(delay_doubles_up_to_its_maximum)
{
	ck_assert_int_eq(
	    delivery_backoff(&many, cases[_i].attempt, cases[_i].asked, LEAST) /
		1000,
	    cases[_i].least);
	ck_assert_int_eq(
	    delivery_backoff(&many, cases[_i].attempt, cases[_i].asked, MOST) /
		1000,
	    cases[_i].most);
}
END_TEST

/*
 * Up to the maximum each delay is longer than the previous one, whatever the
 * random part.
 */
START_TEST(delay_grows_despite_its_random_part)
{
	int i;

	for (i = 1; i < 9; i++)
		ck_assert_int_lt(delivery_backoff(&many, i, 0, MOST),
		    delivery_backoff(&many, i + 1, 0, LEAST));
}
END_TEST

START_TEST(last_attempt_is_not_repeated)
{
	ck_assert_int_gt(delivery_backoff(&webhook, 7, 0, 5), 0);
	ck_assert_int_eq(delivery_backoff(&webhook, 8, 0, 5), -1);
	ck_assert_int_eq(delivery_backoff(&webhook, 9, 77, 5), -1);
}
END_TEST

Suite *
suite_delivery_backoff(void)
{
	Suite *s = suite_create("delivery_backoff");
	TCase *tc = tcase_create("delivery_backoff");

	tcase_add_loop_test(tc, delay_doubles_up_to_its_maximum, 0,
	    (int)(sizeof(cases) / sizeof(cases[0])));
	tcase_add_test(tc, delay_grows_despite_its_random_part);
	tcase_add_test(tc, last_attempt_is_not_repeated);
	suite_add_tcase(s, tc);
	return s;
}
