/* SPDX-License-Identifier: ISC */
/* core/train/platt_calibrate.c: equal to the reference, and refused rows. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/analyse/backtest.h"
#include "core/base/fail.h"
#include "core/train/logit.h"
#include "core/train/platt_calibrate.h"
#include "t/unit/unit.h"

#define COLUMNS 6
#define W(...)                                                                 \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
#define MARK(z, day, user, fraud)
#define QUALITY(name, value)
#define CARDS(k, value)
#define LOGIT(z, p, loss)

/* The log odds are of the last fit of the reference. */
static const struct {
	double bias;
	double weight[COLUMNS];
} fits[] = {
#define ROW(fraud, values)
#define CALIBRATION(shift, stretch, n, a, b)
#define FIT(l2, fraud_weight, bias, weights) { bias, weights },
#include "t/unit/fit_reference.tbl"
#undef CALIBRATION
#undef FIT
#undef ROW
};

#define FIT(l2, fraud_weight, bias, weights)
static const struct {
	uint8_t label;
	double x[COLUMNS];
} rows[] = {
#define CALIBRATION(shift, stretch, n, a, b)
#define ROW(fraud, values) { (fraud) ? LABEL_FRAUD : LABEL_LEGIT, values },
#include "t/unit/fit_reference.tbl"
#undef CALIBRATION
#undef ROW
};

static const struct {
	double shift;
	double stretch;
	size_t n;
	double a;
	double b;
} cases[] = {
#define ROW(fraud, values)
#define CALIBRATION(shift, stretch, n, a, b) { shift, stretch, n, a, b },
#include "t/unit/fit_reference.tbl"
};

static const struct {
	double z[4];
	uint8_t label[4];
	size_t n;
	const char *why;
} refused[] = {
	{ { 0 }, { 0 }, 0, "no row to calibrate" },
	{ { 1, 2 }, { LABEL_NONE, LABEL_NONE }, 2, "no row to calibrate" },
	{ { 1, 2 }, { LABEL_LEGIT, LABEL_LEGIT }, 2, "no row is fraud" },
	{ { 1, 2 }, { LABEL_FRAUD, LABEL_FRAUD }, 2, "every row is fraud" },
	{ { 1, NAN }, { LABEL_FRAUD, LABEL_LEGIT }, 2, "row 2 is not finite" },
};

START_TEST(sigmoid_equals_the_reference)
{
	const size_t last = nitems(fits) - 1;
	double z[nitems(rows)];
	uint8_t label[nitems(rows)];
	struct model_calibration got;
	struct fail f = { 0 };
	size_t i, j;

	for (i = 0; i < nitems(rows); i++) {
		z[i] = fits[last].bias;
		for (j = 0; j < COLUMNS; j++)
			z[i] += fits[last].weight[j] * rows[i].x[j];
		z[i] = z[i] * cases[_i].stretch + cases[_i].shift;
		label[i] = rows[i].label;
	}
	ck_assert_int_eq(platt_calibrate(z, label, cases[_i].n, &got, &f), 0);
	ck_assert_double_eq_tol(got.a, cases[_i].a, 1e-7 * fabs(cases[_i].a));
	ck_assert_double_eq_tol(got.b, cases[_i].b, 1e-7 * fabs(cases[_i].b));
}
END_TEST

START_TEST(rows_of_one_class_or_not_finite_are_refused)
{
	struct model_calibration got;
	struct fail f = { 0 };

	ck_assert_int_eq(platt_calibrate(refused[_i].z, refused[_i].label,
			     refused[_i].n, &got, &f),
	    -1);
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	ck_assert_ptr_nonnull(strstr(f.why, refused[_i].why));
}
END_TEST

/* With few rows, even an exact separation gives no probability near 1. */
START_TEST(separation_by_few_rows_is_not_certain)
{
	const double z[] = { -2, -1, 1, 2 };
	const uint8_t label[] = { LABEL_LEGIT, LABEL_LEGIT, LABEL_FRAUD,
		LABEL_FRAUD };
	struct model_calibration got;
	struct fail f = { 0 };

	ck_assert_int_eq(platt_calibrate(z, label, nitems(z), &got, &f), 0);
	ck_assert_double_gt(got.a, 0);
	ck_assert_double_eq_tol(got.b, 0, 1e-12);
	ck_assert_double_lt(logit_p(got.a * 2 + got.b), 0.9);
}
END_TEST

START_TEST(constant_input_gives_mean_of_targets)
{
	const double z[] = { 0.1, 0.1, 0.1 };
	const uint8_t label[] = { LABEL_LEGIT, LABEL_LEGIT, LABEL_FRAUD };
	const double mean = (0.25 + 0.25 + 2.0 / 3) / 3; /* of the targets */
	struct model_calibration got;
	struct fail f = { 0 };

	ck_assert_int_eq(platt_calibrate(z, label, nitems(z), &got, &f), 0);
	ck_assert_double_eq(got.a, 0);
	ck_assert_double_eq_tol(logit_p(got.b), mean, 1e-10);
}
END_TEST

START_TEST(rows_without_label_are_skipped)
{
	const double z[] = { -1, NAN, 1, 0.5, 9 };
	const uint8_t label[] = { LABEL_LEGIT, LABEL_NONE, LABEL_FRAUD,
		LABEL_LEGIT, LABEL_NONE };
	const double few_z[] = { -1, 1, 0.5 };
	const uint8_t few[] = { LABEL_LEGIT, LABEL_FRAUD, LABEL_LEGIT };
	struct model_calibration one, two;
	struct fail f = { 0 };

	ck_assert_int_eq(platt_calibrate(z, label, nitems(z), &one, &f), 0);
	ck_assert_int_eq(platt_calibrate(few_z, few, nitems(few), &two, &f), 0);
	ck_assert_mem_eq(&one, &two, sizeof(one));
}
END_TEST

Suite *
suite_platt_calibrate(void)
{
	Suite *s = suite_create("platt_calibrate");
	TCase *tc = tcase_create("platt_calibrate");

	tcase_add_loop_test(
	    tc, sigmoid_equals_the_reference, 0, (int)nitems(cases));
	tcase_add_loop_test(tc, rows_of_one_class_or_not_finite_are_refused, 0,
	    (int)nitems(refused));
	tcase_add_test(tc, separation_by_few_rows_is_not_certain);
	tcase_add_test(tc, constant_input_gives_mean_of_targets);
	tcase_add_test(tc, rows_without_label_are_skipped);
	suite_add_tcase(s, tc);
	return s;
}
