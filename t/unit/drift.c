/* SPDX-License-Identifier: ISC */
/* core/analyse/drift.c: the index, compared with figures of another program. */
#include "config.h"

#include "core/analyse/drift.h"
#include "t/unit/unit.h"

/*
 * The formula, computed with Python's math.log.  Row 7 by hand: the smaller
 * window has 2 decisions, so each bin gets 1/4; the shares are 3/4 and 3/4 of
 * 3/2, and 1/4 and 5/4 of 3/2, which gives 1/3 * ln(3) - 1/3 * ln(3/5).
 */
static const struct {
	int64_t recent[DRIFT_BINS];
	int64_t before[DRIFT_BINS];
	size_t n;
	double want;
} indexes[] = {
	{ { 0 }, { 100, 100 }, 2, 0 },
	{ { 1000 }, { 1000 }, 10, 0 },
	{ { 500, 300, 100, 50, 20, 10, 10, 5, 3, 0 },
	    { 2000, 1200, 400, 200, 80, 40, 40, 20, 12, 0 }, 10, 0 },
	{ { 500, 300, 100, 50, 20, 10, 10, 5, 3, 2 },
	    { 200, 150, 250, 150, 100, 50, 40, 30, 20, 10 }, 10,
	    0.9345379158044391 },
	{ { 0, 0, 0, 0, 0, 0, 0, 0, 0, 400 }, { 400 }, 10, 13.206638907789353 },
	{ { 7 }, { 0, 7 }, 10, 3.159391901285912 },
	{ { 1, 1 }, { 0, 4 }, 2, 0.5364793041447002 },
	{ { 30, 270 }, { 300, 5700 }, 2, 0.03642142477563257 },
	{ { 120, 880 }, { 100, 900 }, 2, 0.004074970271954623 },
};

START_TEST(psi_is_symmetric_and_exact)
{
	const int64_t *recent = indexes[_i].recent;
	const int64_t *before = indexes[_i].before;
	const size_t n = indexes[_i].n;

	ck_assert_double_eq_tol(
	    drift_psi(recent, before, n), indexes[_i].want, 1e-12);
	ck_assert_double_eq_tol(
	    drift_psi(before, recent, n), indexes[_i].want, 1e-12);
}
END_TEST

static const struct {
	int score;
	size_t bin;
} bins[] = {
	{ 0, 0 },
	{ 9, 0 },
	{ 10, 1 },
	{ 89, 8 },
	{ 90, 9 },
	{ 99, 9 },
	{ 100, 9 },
};

START_TEST(score_falls_into_its_bin)
{
	struct drift_scores ds = { .total = 0 };
	int64_t got[DRIFT_BINS];
	size_t i;

	drift_add(&ds, bins[_i].score, 3);
	drift_bins(&ds, got);
	for (i = 0; i < DRIFT_BINS; i++)
		ck_assert_int_eq(got[i], i == bins[_i].bin ? 3 : 0);
}
END_TEST

/* Ten decisions: 0 six times, 20, 30, 30 and 100. */
static const struct {
	double part;
	int want;
} quantiles[] = {
	{ 0.01, 0 },
	{ 0.5, 0 },
	{ 0.6, 0 },
	{ 0.61, 20 },
	{ 0.75, 30 },
	{ 0.9, 30 },
	{ 0.95, 100 },
	{ 1, 100 },
};

static void
ten(struct drift_scores *ds)
{
	drift_add(ds, 0, 4);
	drift_add(ds, 0, 2);
	drift_add(ds, 20, 1);
	drift_add(ds, 30, 2);
	drift_add(ds, 100, 1);
}

START_TEST(quantile_is_a_score_that_occurred)
{
	struct drift_scores ds = { .total = 0 };

	ten(&ds);
	ck_assert_int_eq(
	    drift_quantile(&ds, quantiles[_i].part), quantiles[_i].want);
}
END_TEST

START_TEST(no_decisions_have_no_quantile)
{
	const struct drift_scores none = { .total = 0 };
	struct drift_scores ds = { .total = 0 };

	ck_assert_int_eq(drift_quantile(&none, 0.5), -1);
	ck_assert_double_eq(drift_mean(&none), 0);
	ten(&ds);
	ck_assert_double_eq_tol(drift_mean(&ds), 18, 1e-12);
}
END_TEST

START_TEST(index_is_rounded_to_four_digits)
{
	ck_assert_double_eq(drift_round(0.123449), 0.1234);
	ck_assert_double_eq(drift_round(0.12345001), 0.1235);
	ck_assert_double_eq(drift_round(100), 100);
}
END_TEST

START_TEST(both_windows_need_enough_decisions)
{
	const int64_t min = DRIFT_DECISIONS_MIN;

	ck_assert(drift_enough(min, min));
	ck_assert(!drift_enough(min - 1, 100 * min));
	ck_assert(!drift_enough(100 * min, min - 1));
}
END_TEST

Suite *
suite_drift(void)
{
	Suite *s = suite_create("drift");
	TCase *tc = tcase_create("drift");

	tcase_add_loop_test(
	    tc, psi_is_symmetric_and_exact, 0, (int)nitems(indexes));
	tcase_add_loop_test(tc, score_falls_into_its_bin, 0, (int)nitems(bins));
	tcase_add_loop_test(
	    tc, quantile_is_a_score_that_occurred, 0, (int)nitems(quantiles));
	tcase_add_test(tc, no_decisions_have_no_quantile);
	tcase_add_test(tc, index_is_rounded_to_four_digits);
	tcase_add_test(tc, both_windows_need_enough_decisions);
	suite_add_tcase(s, tc);
	return s;
}
