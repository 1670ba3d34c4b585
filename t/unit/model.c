/* SPDX-License-Identifier: ISC */
/* core/decide/model.c: probabilities of a model, and the bundled model. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/decide/model.h"
#include "t/unit/blank_model.h"
#include "t/unit/unit.h"

/* The rows of the bundled model's table. */
static const struct {
	enum feature feature;
	double weight;
	struct model_range range;
} weights[] = {
#define MODEL(at, rate, intercept, stretch, shift)
#define METRICS(n, area, right, precision, cards, squares, loss)
#define WEIGHT(ident, value, least, most)                                      \
	{ FEATURE_##ident, value, { least, most } },
#include "core/decide/model.tbl"
#undef MODEL
#undef METRICS
#undef WEIGHT
};

/* One feature with its weight, and the probabilities. */
static const struct {
	double x;
	double weight;
	double bias;
	double base_rate;
	struct model_calibration calibration;
	double p;
	double p_even;
} risks[] = {
	/* With features of 0 only the bias counts. */
	{ 0, 1, 0, 0.5, { 1, 0 }, 0.5, 0.5 },
	{ 0, 1, -2.197224577336219, 0.1, { 1, 0 }, 0.1, 0.5 },
	/* p_even divides the odds by the odds of the base rate. */
	{ 1, 2.197224577336219, 0, 0.1, { 1, 0 }, 0.9, 81.0 / 82 },
	{ 0.5, 4.394449154672438, 0, 0.9, { 1, 0 }, 0.9, 0.5 },
	/* Calibration scales and shifts the log odds. */
	{ 1, 1, 1, 0.5, { 2, -4 }, 0.5, 0.5 },
	{ 1, 1, 0, 0.5, { 0, 2.197224577336219 }, 0.9, 0.9 },
	/* Extreme log odds. */
	{ 1, 1e6, 0, 0.01, { 1, 0 }, 1, 1 },
	{ 1, -1e6, 0, 0.01, { 1, 0 }, 0, 0 },
};

START_TEST(features_give_calibrated_probability)
{
	struct model m = blank_model();
	double x[FEATURE__MAX] = { [FEATURE_RING_SIZE] = risks[_i].x };
	struct model_risk got;

	m.weight[FEATURE_RING_SIZE] = risks[_i].weight;
	m.bias = risks[_i].bias;
	m.base_rate = risks[_i].base_rate;
	m.calibration = risks[_i].calibration;
	model_risk(&m, x, &got);
	ck_assert_double_eq_tol(got.p, risks[_i].p, 1e-12);
	ck_assert_double_eq_tol(got.p_even, risks[_i].p_even, 1e-12);
	ck_assert(
	    got.term[FEATURE_RING_SIZE] == risks[_i].weight * risks[_i].x);
	ck_assert(got.term[FEATURE_USERS_ON_IP] == 0);
}
END_TEST

/* A value beyond the range of the training counts as its nearest end. */
START_TEST(inputs_beyond_the_range_are_clamped)
{
	const struct {
		double x;
		double term;
	} cases[] = { { 0, 1 }, { 0.1, 1 }, { 0.25, 1 }, { 0.5, 2 },
		{ 0.75, 3 }, { 0.8, 3 }, { 1, 3 } };
	struct model m = blank_model();
	double x[FEATURE__MAX] = { 0 };
	struct model_risk got;
	size_t i;

	m.weight[FEATURE_RING_SIZE] = 4;
	m.range[FEATURE_RING_SIZE] = (struct model_range) { 0.25, 0.75 };
	for (i = 0; i < nitems(cases); i++) {
		x[FEATURE_RING_SIZE] = cases[i].x;
		model_risk(&m, x, &got);
		ck_assert(got.term[FEATURE_RING_SIZE] == cases[i].term);
	}
}
END_TEST

START_TEST(reach_is_the_largest_swing_of_a_feature)
{
	struct model m = blank_model();
	enum feature which;

	m.calibration.a = 0.5;
	m.weight[FEATURE_RING_SIZE] = -100;
	m.range[FEATURE_RING_SIZE] = (struct model_range) { 0.25, 0.75 };
	m.weight[FEATURE_USERS_ON_IP] = 40;
	ck_assert_double_eq(model_reach(&m, &which), 25);
	ck_assert_int_eq(which, FEATURE_RING_SIZE);
	m.range[FEATURE_RING_SIZE].max = 0.25;
	ck_assert_double_eq(model_reach(&m, &which), 20);
	ck_assert_int_eq(which, FEATURE_USERS_ON_IP);
}
END_TEST

/* The table has each feature once and in order. */
START_TEST(bundled_model_weighs_each_feature_once)
{
	const struct model *m = model_bundled();
	size_t i;

	ck_assert_uint_eq(nitems(weights), FEATURE__MAX);
	for (i = 0; i < nitems(weights); i++) {
		ck_assert_uint_eq(weights[i].feature, i);
		ck_assert(m->weight[i] == weights[i].weight);
		ck_assert(m->range[i].min == weights[i].range.min);
		ck_assert(m->range[i].max == weights[i].range.max);
		ck_assert(m->range[i].min >= 0 && m->range[i].max <= 1 &&
		    m->range[i].min <= m->range[i].max);
	}
}
END_TEST

START_TEST(bundled_model_has_plausible_figures)
{
	const struct model *m = model_bundled();

	ck_assert_int_eq(m->features_version, FEATURES_VERSION);
	ck_assert_uint_eq(strlen(m->trained_at), strlen("2026-11-21"));
	ck_assert(m->metrics.auc > 0.5 && m->metrics.auc <= 1);
	ck_assert(m->metrics.accuracy > 0.5 && m->metrics.accuracy <= 1);
	ck_assert(m->metrics.average_precision > m->base_rate);
	ck_assert(m->metrics.card_precision > 0);
	ck_assert(m->metrics.brier > 0 && m->metrics.brier < m->base_rate);
	ck_assert(m->metrics.log_loss > 0 && m->metrics.log_loss < 0.6931);
	ck_assert_int_gt(m->metrics.samples, 1000);
	ck_assert(isfinite(m->bias));
	ck_assert(m->base_rate > 0 && m->base_rate < 1);
	ck_assert(m->calibration.a > 0 && isfinite(m->calibration.b));
}
END_TEST

Suite *
suite_model(void)
{
	Suite *s = suite_create("model");
	TCase *tc = tcase_create("model");

	tcase_add_loop_test(
	    tc, features_give_calibrated_probability, 0, (int)nitems(risks));
	tcase_add_test(tc, inputs_beyond_the_range_are_clamped);
	tcase_add_test(tc, reach_is_the_largest_swing_of_a_feature);
	tcase_add_test(tc, bundled_model_weighs_each_feature_once);
	tcase_add_test(tc, bundled_model_has_plausible_figures);
	suite_add_tcase(s, tc);
	return s;
}
