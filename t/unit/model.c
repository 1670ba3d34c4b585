/* SPDX-License-Identifier: ISC */
/* core/model.c: what a model makes of features, and that the bundled one is. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/model.h"
#include "t/unit/unit.h"

/* Of the bundled model: the weight of each feature that its table has. */
static const struct {
	enum feature feature;
	double weight;
} weights[] = {
	{ FEATURE_ATTEMPTS_2M, -0.0429 },
	{ FEATURE_ATTEMPTS_24H, -4.97 },
	{ FEATURE_AMOUNT_1H, 3.0681 },
	{ FEATURE_DEVICE_FIRST_SEEN, 5.0993 },
	{ FEATURE_USERS_ON_DEVICE, 11.0399 },
	{ FEATURE_USERS_ON_FINGERPRINT, 11.0399 },
	{ FEATURE_FINGERPRINT_MISMATCH, 0 },
	{ FEATURE_IMPOSSIBLE_TRAVEL, -1.7999 },
	{ FEATURE_COUNTRY_CHANGED, -0.0656 },
	{ FEATURE_IP_SIM_MISMATCH, 3.3445 },
	{ FEATURE_RING_SIZE, -3.4919 },
	{ FEATURE_USERS_ON_IP, 2.9559 },
	{ FEATURE_AMOUNT_Z_SCORE, -4.9953 },
	{ FEATURE_RULES_SCORE, 10.9825 },
};

/* One feature's value, its weight, and what comes of them. */
static const struct {
	double x;
	double weight;
	double bias;
	double base_rate;
	struct model_calibration calibration;
	double p;
	double p_even;
} risks[] = {
	/* Nothing is known of it, so it is what the base rate says. */
	{ 0, 1, 0, 0.5, { 1, 0 }, 0.5, 0.5 },
	{ 0, 1, -2.197224577336219, 0.1, { 1, 0 }, 0.1, 0.5 },
	/* The odds of 1 to 9 become even ones, those of 9 to 1 81 to 1. */
	{ 1, 2.197224577336219, 0, 0.1, { 1, 0 }, 0.9, 81.0 / 82 },
	{ 0.5, 4.394449154672438, 0, 0.9, { 1, 0 }, 0.9, 0.5 },
	/* Calibration stretches the log odds and moves them. */
	{ 1, 1, 1, 0.5, { 2, -4 }, 0.5, 0.5 },
	{ 1, 1, 0, 0.5, { 0, 2.197224577336219 }, 0.9, 0.9 },
	/* Far out. */
	{ 1, 1e6, 0, 0.01, { 1, 0 }, 1, 1 },
	{ 1, -1e6, 0, 0.01, { 1, 0 }, 0, 0 },
};

START_TEST(a_risk)
{
	struct model m = *model_bundled();
	double x[FEATURE__MAX] = { [FEATURE_RING_SIZE] = risks[_i].x };
	struct model_risk got;

	memset(m.weight, 0, sizeof(m.weight));
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

START_TEST(bundled_weights)
{
	const struct model *m = model_bundled();
	double sum = 0, want = 0;
	size_t i;

	for (i = 0; i < nitems(weights); i++) {
		ck_assert(m->weight[weights[i].feature] == weights[i].weight);
		want += fabs(weights[i].weight);
	}
	for (i = 0; i < FEATURE__MAX; i++)
		sum += fabs(m->weight[i]);
	ck_assert_double_eq_tol(sum, want, 1e-9);
}
END_TEST

START_TEST(bundled_figures)
{
	const struct model *m = model_bundled();

	ck_assert_int_eq(m->features_version, FEATURES_VERSION);
	ck_assert_uint_eq(strlen(m->trained_at), strlen("2026-11-21"));
	ck_assert(m->metrics.auc > 0.5 && m->metrics.auc <= 1);
	ck_assert(m->metrics.accuracy > 0.5 && m->metrics.accuracy <= 1);
	ck_assert_int_gt(m->metrics.samples, 1000);
	ck_assert(isfinite(m->bias) && m->bias < 0);
	ck_assert(m->base_rate > 0 && m->base_rate < 1);
	ck_assert(m->calibration.a == 1 && m->calibration.b == 0);
}
END_TEST

Suite *
suite_model(void)
{
	Suite *s = suite_create("model");
	TCase *tc = tcase_create("model");

	tcase_add_loop_test(tc, a_risk, 0, (int)nitems(risks));
	tcase_add_test(tc, bundled_weights);
	tcase_add_test(tc, bundled_figures);
	suite_add_tcase(s, tc);
	return s;
}
