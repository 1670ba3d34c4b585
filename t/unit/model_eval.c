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
static const struct {
	double auc;
	double average_precision;
	double brier;
	double log_loss;
	double accuracy;
	double mean_p;
} want = {
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

/* Measure n marks with card precision at k. */
static void
measure_marks(const struct eval_mark *marks, size_t n, size_t k,
    const uint32_t *times, double ret[EVAL_MEASURE__MAX])
{
	struct eval_mark ranked[nitems(reference)], daily[nitems(reference)];
	uint32_t found[64];
	const struct eval_order o = model_eval_order(marks, n, ranked, daily);

	model_eval_measure(&o, k, times, found, nitems(found), ret);
}

START_TEST(quality_equals_the_reference)
{
	struct eval_losses got;
	double measured[EVAL_MEASURE__MAX];

	model_eval_losses(reference, nitems(reference), &got);
	measure_marks(reference, nitems(reference), 1, NULL, measured);
	ck_assert_int_eq(got.fraud + got.legit, nitems(reference));
	ck_assert_double_eq_tol(measured[EVAL_AUC], want.auc, 1e-14);
	ck_assert_double_eq_tol(
	    measured[EVAL_AVERAGE_PRECISION], want.average_precision, 1e-14);
	ck_assert_double_eq_tol(got.brier, want.brier, 1e-14);
	ck_assert_double_eq_tol(got.log_loss, want.log_loss, 1e-14);
	ck_assert_double_eq_tol(got.accuracy, want.accuracy, 1e-14);
	ck_assert_double_eq_tol(got.mean_p, want.mean_p, 1e-14);
}
END_TEST

START_TEST(card_precision_equals_the_reference)
{
	double got[EVAL_MEASURE__MAX];

	measure_marks(reference, nitems(reference), cards[_i].k, NULL, got);
	ck_assert_double_eq_tol(got[EVAL_CARDS], cards[_i].precision, 1e-14);
}
END_TEST

/* Day 1: users 0 and 1 are picked, and 1 is fraud.  Day 2: users 0 and 2. */
static const struct eval_mark two_days[] = {
	{ 3, 1, 0, false },
	{ 1, 1, 1, false },
	{ 2, 1, 1, true },
	{ 0, 1, 2, true },
	{ 9, 2, 1, true },
	{ 1, 2, 0, false },
	{ 0, 2, 2, true },
};

START_TEST(user_found_on_earlier_day_is_left_out)
{
	double got[EVAL_MEASURE__MAX];

	measure_marks(two_days, nitems(two_days), 2, NULL, got);
	ck_assert_double_eq(got[EVAL_CARDS], (0.5 + 0.5) / 2);
}
END_TEST

/* A user that counts twice is like two users with the same events. */
START_TEST(user_that_counts_twice_is_like_two_users)
{
	const uint32_t times[64] = { 1, 2, 0 };
	struct eval_mark twice[2 * nitems(two_days)];
	double got[EVAL_MEASURE__MAX], same[EVAL_MEASURE__MAX];
	size_t i, n = 0;

	for (i = 0; i < nitems(two_days); i++) {
		if (two_days[i].user == 2)
			continue;
		twice[n++] = two_days[i];
		if (two_days[i].user != 1)
			continue;
		twice[n] = two_days[i];
		twice[n++].user = 2;
	}
	measure_marks(two_days, nitems(two_days), 2, times, got);
	measure_marks(twice, n, 2, NULL, same);
	for (i = 0; i < EVAL_MEASURE__MAX; i++)
		ck_assert_msg(
		    got[i] == same[i], "%zu: %g %g", i, got[i], same[i]);
}
END_TEST

START_TEST(figures_without_marks_are_nan)
{
	const struct eval_mark one[] = { { 1, 0, 0, true }, { 2, 0, 0, true } };
	double got[EVAL_MEASURE__MAX];
	struct eval_losses losses;

	model_eval_losses(NULL, 0, &losses);
	ck_assert_double_nan(losses.brier);
	measure_marks(NULL, 0, 100, NULL, got);
	ck_assert_double_nan(got[EVAL_AUC]);
	ck_assert_double_nan(got[EVAL_AVERAGE_PRECISION]);
	ck_assert_double_nan(got[EVAL_CARDS]);
	measure_marks(one, nitems(one), 100, NULL, got);
	ck_assert_double_nan(got[EVAL_AUC]);
	ck_assert_double_eq(got[EVAL_AVERAGE_PRECISION], 1);
}
END_TEST

START_TEST(ties_count_half_in_auc)
{
	const struct eval_mark marks[] = {
		{ 1, 0, 0, true },
		{ 1, 0, 1, false },
		{ 1, 0, 2, false },
		{ 1, 0, 3, false },
	};
	double got[EVAL_MEASURE__MAX];

	measure_marks(marks, nitems(marks), 1, NULL, got);
	ck_assert_double_eq(got[EVAL_AUC], 0.5);
	ck_assert_double_eq(got[EVAL_AVERAGE_PRECISION], 0.25);
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
	tcase_add_test(tc, user_that_counts_twice_is_like_two_users);
	tcase_add_test(tc, figures_without_marks_are_nan);
	tcase_add_test(tc, ties_count_half_in_auc);
	tcase_add_test(tc, marks_fall_into_bins_of_probability);
	suite_add_tcase(s, tc);
	return s;
}
