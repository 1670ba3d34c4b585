/* SPDX-License-Identifier: ISC */
/* core/train/model_eval.c: its figures equal the reference. */
#include "config.h"

#include <string.h>

#include "core/train/model_eval.h"
#include "t/unit/unit.h"

#define FIT(l2, fraud_weight, bias, weights)
#define ROW(fraud, values)
#define CALIBRATION(shift, stretch, n, a, b)
#define LOGIT(z, p, loss)

static const struct eval_mark reference[] = {
#define QUALITY(name, value)
#define CARDS(k, value)
#define MARK(z, day, user, fraud) { z, day, user, fraud },
#include "t/unit/fit_reference.tbl"
#undef QUALITY
#undef CARDS
#undef MARK
};

#define MARK(z, day, user, fraud)
static const struct eval_quality want = {
#define CARDS(k, value)
#define QUALITY(name, value) .name = (value),
#include "t/unit/fit_reference.tbl"
#undef QUALITY
#undef CARDS
};

#define QUALITY(name, value)
static const struct {
	size_t k;
	double precision;
} cards[] = {
#define CARDS(k, value) { k, value },
#include "t/unit/fit_reference.tbl"
};

START_TEST(quality_equals_the_reference)
{
	struct eval_mark marks[nitems(reference)];
	struct eval_quality got;

	memcpy(marks, reference, sizeof(marks));
	model_eval_quality(marks, nitems(marks), &got);
	ck_assert_int_eq(got.fraud + got.legit, nitems(marks));
	ck_assert_double_eq_tol(got.auc, want.auc, 1e-14);
	ck_assert_double_eq_tol(
	    got.average_precision, want.average_precision, 1e-14);
	ck_assert_double_eq_tol(got.brier, want.brier, 1e-14);
	ck_assert_double_eq_tol(got.log_loss, want.log_loss, 1e-14);
	ck_assert_double_eq_tol(got.accuracy, want.accuracy, 1e-14);
	ck_assert_double_eq_tol(got.mean_p, want.mean_p, 1e-14);
}
END_TEST

START_TEST(card_precision_equals_the_reference)
{
	struct eval_mark marks[nitems(reference)];
	uint8_t found[64] = { 0 };
	struct eval_quality ignored;
	double got;

	/* model_eval_quality() sorts the marks, so that they are not by day. */
	memcpy(marks, reference, sizeof(marks));
	model_eval_quality(marks, nitems(marks), &ignored);
	got = model_eval_cards(marks, nitems(marks), cards[_i].k, found);
	ck_assert_double_eq_tol(got, cards[_i].precision, 1e-14);
}
END_TEST

/* Day 1: users 0 and 1 are picked, and 1 is fraud.  Day 2: users 0 and 2. */
START_TEST(user_found_on_earlier_day_is_left_out)
{
	struct eval_mark marks[] = {
		{ 3, 1, 0, false },
		{ 1, 1, 1, false },
		{ 2, 1, 1, true },
		{ 0, 1, 2, true },
		{ 9, 2, 1, true },
		{ 1, 2, 0, false },
		{ 0, 2, 2, true },
	};
	uint8_t found[3] = { 0 };

	ck_assert_double_eq(
	    model_eval_cards(marks, nitems(marks), 2, found), (0.5 + 0.5) / 2);
	ck_assert_mem_eq(found, ((uint8_t[]) { 0, 1, 1 }), 3);
}
END_TEST

START_TEST(figures_without_marks_are_nan)
{
	struct eval_quality got;
	struct eval_mark one[] = { { 1, 0, 0, true }, { 2, 0, 0, true } };
	uint8_t found[1] = { 0 };

	model_eval_quality(NULL, 0, &got);
	ck_assert_double_nan(got.auc);
	ck_assert_double_nan(got.average_precision);
	ck_assert_double_nan(got.brier);
	ck_assert_double_nan(model_eval_cards(NULL, 0, 100, found));
	model_eval_quality(one, 2, &got);
	ck_assert_double_nan(got.auc);
	ck_assert_double_eq(got.average_precision, 1);
}
END_TEST

START_TEST(ties_count_half_in_auc)
{
	struct eval_mark marks[] = {
		{ 1, 0, 0, true },
		{ 1, 0, 1, false },
		{ 1, 0, 2, false },
		{ 1, 0, 3, false },
	};
	struct eval_quality got;

	model_eval_quality(marks, nitems(marks), &got);
	ck_assert_double_eq(got.auc, 0.5);
	ck_assert_double_eq(got.average_precision, 0.25);
}
END_TEST

START_TEST(marks_fall_into_bins_of_probability)
{
	const struct eval_mark marks[] = {
		{ -1000, 0, 0, false },
		{ 0, 0, 0, true }, /* p is 0.5, the start of a bin */
		{ 0.1, 0, 0, false },
		{ 1000, 0, 0, true },
	};
	struct eval_bin got[MODEL_EVAL_BINS];
	int64_t events = 0;
	int b;

	model_eval_bins(marks, nitems(marks), got);
	for (b = 0; b < MODEL_EVAL_BINS; b++)
		events += got[b].events;
	ck_assert_int_eq(events, 4);
	ck_assert_int_eq(got[0].events, 1);
	ck_assert_double_eq(got[7].from, 0.5);
	ck_assert_int_eq(got[7].events, 2);
	ck_assert_int_eq(got[7].fraud, 1);
	ck_assert_double_eq_tol(got[7].mean_p, 0.5124895937, 1e-9);
	ck_assert_int_eq(got[9].fraud, 1);
	ck_assert_double_eq(got[9].mean_p, 1);
	ck_assert_double_eq(got[3].mean_p, 0);
}
END_TEST

Suite *
suite_model_eval(void)
{
	Suite *s = suite_create("model_eval");
	TCase *tc = tcase_create("model_eval");

	tcase_add_test(tc, quality_equals_the_reference);
	tcase_add_loop_test(
	    tc, card_precision_equals_the_reference, 0, (int)nitems(cards));
	tcase_add_test(tc, user_found_on_earlier_day_is_left_out);
	tcase_add_test(tc, figures_without_marks_are_nan);
	tcase_add_test(tc, ties_count_half_in_auc);
	tcase_add_test(tc, marks_fall_into_bins_of_probability);
	suite_add_tcase(s, tc);
	return s;
}
