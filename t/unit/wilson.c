/* SPDX-License-Identifier: ISC */
/* core/analyse/wilson.c: the interval of a share. */
#include "config.h"

#include "core/analyse/wilson.h"
#include "t/unit/unit.h"

/* By the formula of Wilson (1927), computed in Python. */
static const struct {
	int64_t good, n;
	double low, high;
} intervals[] = {
	{ 0, 0, 0, 1 },
	{ 0, 1, 0, 0.793450685622763 },
	{ 1, 1, 0.206549314377237, 1 },
	{ 0, 10, 0, 0.277532799862889 },
	{ 5, 10, 0.236593090512564, 0.763406909487436 },
	{ 10, 10, 0.722467200137111, 1 },
	{ 90, 100, 0.825634338495087, 0.944770862939325 },
	{ 1000, 10000, 0.094272830170630, 0.106034368525911 },
};

START_TEST(the_interval_is_that_of_wilson)
{
	const struct wilson_bounds in =
	    wilson_interval(intervals[_i].good, intervals[_i].n);

	ck_assert_double_eq_tol(in.low, intervals[_i].low, 1e-12);
	ck_assert_double_eq_tol(in.high, intervals[_i].high, 1e-12);
}
END_TEST

Suite *
suite_wilson(void)
{
	Suite *s = suite_create("wilson");
	TCase *tc = tcase_create("wilson");

	tcase_add_loop_test(
	    tc, the_interval_is_that_of_wilson, 0, (int)nitems(intervals));
	suite_add_tcase(s, tc);
	return s;
}
