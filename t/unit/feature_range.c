/* SPDX-License-Identifier: ISC */
/* core/train/feature_range.c: ranges that a few rows cannot widen. */
#include "config.h"

#include <string.h>

#include "core/analyse/backtest.h"
#include "core/train/feature_range.h"
#include "t/unit/unit.h"

#define ROWS 200

static double x[ROWS][2];
static uint8_t label[ROWS];

/*
 * Rows that have the usual value, except for some that have a lower and some
 * that have a higher one; and the range.
 */
static const struct {
	double usual;
	size_t n_low;
	double low;
	size_t n_high;
	double high;
	struct model_range range;
} cases[] = {
	{ 1, 0, 0, 0, 0, { 1, 1 } },
	{ 1, 1, 0, 0, 0, { 1, 1 } },
	{ 1, 19, 0, 0, 0, { 1, 1 } },
	{ 1, 20, 0, 0, 0, { 0, 1 } },
	{ 0, 0, 0, 19, 1, { 0, 0 } },
	{ 0, 0, 0, 20, 1, { 0, 1 } },
	{ 0.5, 19, 0.25, 20, 0.75, { 0.5, 0.75 } },
	{ 0.5, 20, 0.25, 19, 0.75, { 0.25, 0.5 } },
};

static struct logistic_fit_rows
rows_of(size_t n)
{
	return (struct logistic_fit_rows) { &x[0][0], label, n, 2 };
}

START_TEST(few_rows_do_not_widen_the_range)
{
	const struct logistic_fit_rows rows = rows_of(ROWS);
	struct model_range got;
	size_t i;

	memset(label, LABEL_LEGIT, sizeof(label));
	for (i = 0; i < ROWS; i++)
		x[i][1] = cases[_i].usual;
	for (i = 0; i < cases[_i].n_low; i++)
		x[3 * i][1] = cases[_i].low;
	for (i = 0; i < cases[_i].n_high; i++)
		x[3 * i + 1][1] = cases[_i].high;
	got = feature_range(&rows, 1);
	ck_assert(got.min == cases[_i].range.min);
	ck_assert(got.max == cases[_i].range.max);
}
END_TEST

START_TEST(range_ends_at_the_twentieth_values)
{
	const struct logistic_fit_rows rows = rows_of(ROWS);
	struct model_range got;
	size_t i;

	memset(label, LABEL_FRAUD, sizeof(label));
	for (i = 0; i < ROWS; i++)
		x[i * 77 % ROWS][0] = (double)i;
	got = feature_range(&rows, 0);
	ck_assert(got.min == 19 && got.max == 180);

	/* Rows without a label do not count. */
	for (i = 0; i < ROWS; i++)
		if (x[i][0] < 100)
			label[i] = LABEL_NONE;
	got = feature_range(&rows, 0);
	ck_assert(got.min == 119 && got.max == 180);
}
END_TEST

START_TEST(few_rows_have_a_range_of_one_value)
{
	const size_t n[] = { 0, 1, 19, 20, 39 };
	struct logistic_fit_rows rows;
	struct model_range got;
	size_t i;

	memset(label, LABEL_LEGIT, sizeof(label));
	for (i = 0; i < ROWS; i++)
		x[i][0] = (double)i;
	for (i = 0; i < nitems(n); i++) {
		rows = rows_of(n[i]);
		got = feature_range(&rows, 0);
		ck_assert(got.min == got.max);
	}
}
END_TEST

Suite *
suite_feature_range(void)
{
	Suite *s = suite_create("feature_range");
	TCase *tc = tcase_create("feature_range");

	tcase_add_loop_test(
	    tc, few_rows_do_not_widen_the_range, 0, (int)nitems(cases));
	tcase_add_test(tc, range_ends_at_the_twentieth_values);
	tcase_add_test(tc, few_rows_have_a_range_of_one_value);
	suite_add_tcase(s, tc);
	return s;
}
