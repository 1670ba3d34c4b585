/* SPDX-License-Identifier: ISC */
/*
 * core/train/logistic_fit.c: weights equal to the reference, and refused rows.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/analyse/backtest.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/train/logistic_fit.h"
#include "t/unit/unit.h"

#define COLUMNS 6
#define W(...)                                                                 \
	{                                                                      \
		__VA_ARGS__                                                    \
	}
#define CALIBRATION(shift, stretch, n, a, b)
#define MARK(z, day, user, fraud)
#define QUALITY(name, value)
#define CARDS(k, value)
#define LOGIT(z, p, loss)

static _Alignas(16) char block[65536];

static const struct {
	double l2;
	double fraud_weight;
	double bias;
	double weight[COLUMNS];
} cases[] = {
#define ROW(fraud, values)
#define FIT(l2, fraud_weight, bias, weights)                                   \
	{ l2, fraud_weight, bias, weights },
#include "t/unit/fit_reference.tbl"
#undef ROW
#undef FIT
};

#define FIT(l2, fraud_weight, bias, weights)
static const double values[][COLUMNS] = {
#define ROW(fraud, values) values,
#include "t/unit/fit_reference.tbl"
#undef ROW
};

static const uint8_t labels[] = {
#define ROW(fraud, values) (fraud) ? LABEL_FRAUD : LABEL_LEGIT,
#include "t/unit/fit_reference.tbl"
#undef ROW
};

static const struct logistic_fit_rows reference = {
	.x = values[0],
	.label = labels,
	.n = nitems(labels),
	.k = COLUMNS,
};

/* Small inputs of two columns, and the error of each. */
static const struct {
	double x[8];
	uint8_t label[4];
	size_t n;
	double l2;
	const char *why; /* NULL: fitted */
} small[] = {
	{ { 0 }, { 0 }, 0, 1, "no row to fit" },
	{ { 1, 2, 3, 4 }, { LABEL_NONE, LABEL_NONE }, 2, 1, "no row to fit" },
	{ { 1, 2, 3, 4 }, { LABEL_LEGIT, LABEL_LEGIT }, 2, 1, "no row is" },
	{ { 1, 2, 3, 4 }, { LABEL_FRAUD, LABEL_FRAUD }, 2, 1, "every row is" },
	{ { 1, 2, NAN, 4 }, { LABEL_FRAUD, LABEL_LEGIT }, 2, 1,
	    "column 1 of row 2 is not finite" },
	{ { 1, 2, 3, INFINITY }, { LABEL_FRAUD, LABEL_LEGIT }, 2, 1,
	    "column 2 of row 2 is not finite" },
	/* A row without a label may have any value. */
	{ { 1, 2, NAN, 4, 3, 3 }, { LABEL_FRAUD, LABEL_NONE, LABEL_LEGIT }, 3,
	    1, NULL },
	/*
	 * The classes are separable: by one column, by both, except for a tie.
	 */
	{ { 0, 5, 1, 5 }, { LABEL_LEGIT, LABEL_FRAUD }, 2, 0, "no best fit" },
	{ { 0, 1, 1, 0, 2, 1, 1, 2 },
	    { LABEL_LEGIT, LABEL_LEGIT, LABEL_FRAUD, LABEL_FRAUD }, 4, 0,
	    "no best fit" },
	{ { 0, 1, 1, 1, 1, 1, 2, 1 },
	    { LABEL_LEGIT, LABEL_LEGIT, LABEL_FRAUD, LABEL_FRAUD }, 4, 0,
	    "no best fit" },
	{ { 0, 1, 1, 1, 1, 1, 2, 1 },
	    { LABEL_LEGIT, LABEL_LEGIT, LABEL_FRAUD, LABEL_FRAUD }, 4, 1e-6,
	    NULL },
	/* One column is three times the other, except for rounding. */
	{ { 0, 0, 0.1, 0.3, 0.1, 0.3, 0.7, 2.1 },
	    { LABEL_LEGIT, LABEL_FRAUD, LABEL_LEGIT, LABEL_FRAUD }, 4, 0,
	    "no best fit" },
	{ { 0, 0, 0.1, 0.3, 0.1, 0.3, 0.7, 2.1 },
	    { LABEL_LEGIT, LABEL_FRAUD, LABEL_LEGIT, LABEL_FRAUD }, 4, 1e-6,
	    NULL },
	/* Almost constant: the variance underflows. */
	{ { 0, 1, 1e-200, 1, 0, 2, 1e-200, 3 },
	    { LABEL_LEGIT, LABEL_FRAUD, LABEL_LEGIT, LABEL_FRAUD }, 4, 1e-6,
	    NULL },
	/* Only constant columns: the bias alone is fitted. */
	{ { 0.1, 7, 0.1, 7, 0.1, 7, 0.1, 7 },
	    { LABEL_LEGIT, LABEL_LEGIT, LABEL_LEGIT, LABEL_FRAUD }, 4, 0,
	    NULL },
};

static int
fit_in_block(const struct logistic_fit_rows *rows,
    const struct logistic_fit_options *options, struct logistic_fit *ret,
    struct fail *f)
{
	struct arena a;
	int r;

	arena_init(&a, block, sizeof(block));
	r = logistic_fit(&a, rows, options, ret, f);
	arena_reset(&a);
	return r;
}

START_TEST(weights_equal_the_reference)
{
	const struct logistic_fit_options options = {
		.l2 = cases[_i].l2,
		.fraud_weight = cases[_i].fraud_weight,
	};
	struct logistic_fit got;
	struct fail f = { 0 };
	size_t j;

	ck_assert_int_eq(fit_in_block(&reference, &options, &got, &f), 0);
	for (j = 0; j < COLUMNS; j++)
		ck_assert_double_eq_tol(got.weight[j], cases[_i].weight[j],
		    1e-8 * fabs(cases[_i].weight[j]) + 5e-324);
	ck_assert_double_eq_tol(
	    got.bias, cases[_i].bias, 1e-8 * fabs(cases[_i].bias));
	ck_assert_int_eq(got.fraud + got.legit, nitems(labels));
	ck_assert_int_lt(got.rounds, 20);
}
END_TEST

START_TEST(fit_repeats_to_the_bit)
{
	const struct logistic_fit_options options = { .l2 = 1e-3,
		.fraud_weight = 9 };
	struct logistic_fit one, two;
	struct fail f = { 0 };

	memset(block, 0x55, sizeof(block));
	ck_assert_int_eq(fit_in_block(&reference, &options, &one, &f), 0);
	memset(block, 0xaa, sizeof(block));
	ck_assert_int_eq(fit_in_block(&reference, &options, &two, &f), 0);
	ck_assert_mem_eq(&one, &two, sizeof(one));
}
END_TEST

/* The fit minimizes the loss plus the penalty of the standardized weights. */
START_TEST(minimum_is_loss_plus_penalty)
{
	const struct logistic_fit_options options = { .l2 = 1e-2,
		.fraud_weight = 9 };
	struct logistic_fit got;
	struct fail f = { 0 };
	double penalty = 0;
	size_t j;

	ck_assert_int_eq(fit_in_block(&reference, &options, &got, &f), 0);
	for (j = 0; j < COLUMNS; j++)
		penalty += pow(got.weight[j] * got.spread[j], 2);
	ck_assert_double_eq_tol(logistic_fit_loss(&got, &reference, 9),
	    got.loss - options.l2 / 2 * penalty, 1e-9);
}
END_TEST

/* Rows with a flag that a few rows have, all of them legit. */
START_TEST(floor_limits_the_weight_of_a_rare_flag)
{
	struct logistic_fit_options options = { .l2 = 1e-4, .fraud_weight = 1 };
	static double x[2000];
	static uint8_t label[2000];
	const struct logistic_fit_rows rows = { x, label, 2000, 1 };
	struct logistic_fit free, held;
	struct fail f = { 0 };
	size_t i;

	for (i = 0; i < rows.n; i++) {
		x[i] = i % 80 == 0 ? 1 : 0;
		label[i] = i % 10 == 1 ? LABEL_FRAUD : LABEL_LEGIT;
	}
	ck_assert_int_eq(fit_in_block(&rows, &options, &free, &f), 0);
	options.floor = 0.5;
	ck_assert_int_eq(fit_in_block(&rows, &options, &held, &f), 0);
	ck_assert_double_lt(free.weight[0], -3);
	ck_assert_double_gt(held.weight[0], free.weight[0] + 1);
	ck_assert_double_lt(held.weight[0], 0);
	ck_assert(held.spread[0] == free.spread[0]);

	/* A floor below the deviation changes nothing. */
	options.floor = free.spread[0] / 2;
	ck_assert_int_eq(fit_in_block(&rows, &options, &held, &f), 0);
	ck_assert(held.weight[0] == free.weight[0]);
}
END_TEST

START_TEST(rows_without_label_are_skipped)
{
	const struct logistic_fit_options options = { .l2 = 1e-3,
		.fraud_weight = 1 };
	static uint8_t some[nitems(labels)];
	struct logistic_fit_rows rows = reference;
	struct logistic_fit few, marked;
	struct fail f = { 0 };

	memcpy(some, labels, sizeof(some));
	memset(some + 250, LABEL_NONE, sizeof(some) - 250);
	rows.label = some;
	ck_assert_int_eq(fit_in_block(&rows, &options, &marked, &f), 0);
	rows.n = 250;
	ck_assert_int_eq(fit_in_block(&rows, &options, &few, &f), 0);
	ck_assert_mem_eq(&few, &marked, sizeof(few));
}
END_TEST

START_TEST(small_input_is_fitted_or_refused)
{
	const struct logistic_fit_rows rows = {
		.x = small[_i].x,
		.label = small[_i].label,
		.n = small[_i].n,
		.k = 2,
	};
	const struct logistic_fit_options options = {
		.l2 = small[_i].l2,
		.fraud_weight = 1,
	};
	struct logistic_fit got;
	struct fail f = { 0 };

	if (small[_i].why == NULL) {
		ck_assert_int_eq(fit_in_block(&rows, &options, &got, &f), 0);
		ck_assert(isfinite(got.weight[0]) && isfinite(got.weight[1]));
		ck_assert(isfinite(got.bias));
	} else {
		ck_assert_int_eq(fit_in_block(&rows, &options, &got, &f), -1);
		ck_assert_int_eq(f.kind, FAIL_INPUT);
		ck_assert_ptr_nonnull(strstr(f.why, small[_i].why));
	}
}
END_TEST

START_TEST(constant_columns_get_weight_zero)
{
	const struct logistic_fit_rows rows = {
		.x = small[nitems(small) - 1].x,
		.label = small[nitems(small) - 1].label,
		.n = 4,
		.k = 2,
	};
	const struct logistic_fit_options options = { .fraud_weight = 1 };
	struct logistic_fit got;
	struct fail f = { 0 };

	ck_assert_int_eq(fit_in_block(&rows, &options, &got, &f), 0);
	ck_assert_double_eq(got.weight[0], 0);
	ck_assert_double_eq(got.weight[1], 0);
	ck_assert_double_eq_tol(got.bias, log(1.0 / 3), 1e-12);
	ck_assert_double_eq(logistic_fit_logit(&got, rows.x, 2), got.bias);
}
END_TEST

START_TEST(proportional_columns_share_the_weight)
{
	const double x[] = { 0, 0, 1, 2, 1, 2, 3, 6 };
	const uint8_t label[] = { LABEL_LEGIT, LABEL_FRAUD, LABEL_LEGIT,
		LABEL_FRAUD };
	const struct logistic_fit_rows rows = { x, label, 4, 2 };
	const struct logistic_fit_options options = { .l2 = 1e-3,
		.fraud_weight = 1 };
	struct logistic_fit got;
	struct fail f = { 0 };

	ck_assert_int_eq(fit_in_block(&rows, &options, &got, &f), 0);
	ck_assert_double_eq_tol(got.weight[0], 2 * got.weight[1], 1e-9);
}
END_TEST

static bool
at_once(void)
{
	return true;
}

START_TEST(fit_stops_on_request)
{
	const struct logistic_fit_options options = {
		.l2 = 1,
		.fraud_weight = 1,
		.stop = at_once,
	};
	struct logistic_fit got;
	struct fail f = { 0 };

	ck_assert_int_eq(fit_in_block(&reference, &options, &got, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_DENIED);
}
END_TEST

START_TEST(fit_fails_in_full_arena)
{
	const struct logistic_fit_options options = { .l2 = 1,
		.fraud_weight = 1 };
	struct arena a;
	struct logistic_fit got;
	struct fail f = { 0 };

	arena_init(&a, block, 256);
	ck_assert_int_eq(logistic_fit(&a, &reference, &options, &got, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_US);
	arena_reset(&a);
}
END_TEST

Suite *
suite_logistic_fit(void)
{
	Suite *s = suite_create("logistic_fit");
	TCase *tc = tcase_create("logistic_fit");

	tcase_add_loop_test(
	    tc, weights_equal_the_reference, 0, (int)nitems(cases));
	tcase_add_test(tc, fit_repeats_to_the_bit);
	tcase_add_test(tc, minimum_is_loss_plus_penalty);
	tcase_add_test(tc, floor_limits_the_weight_of_a_rare_flag);
	tcase_add_test(tc, rows_without_label_are_skipped);
	tcase_add_loop_test(
	    tc, small_input_is_fitted_or_refused, 0, (int)nitems(small));
	tcase_add_test(tc, constant_columns_get_weight_zero);
	tcase_add_test(tc, proportional_columns_share_the_weight);
	tcase_add_test(tc, fit_stops_on_request);
	tcase_add_test(tc, fit_fails_in_full_arena);
	suite_add_tcase(s, tc);
	return s;
}
