/* SPDX-License-Identifier: ISC */
/* core/train/model_bootstrap.c: bounds that are where theory says. */
#include "config.h"

#include <math.h>

#include "core/train/model_bootstrap.h"
#include "t/unit/unit.h"

#define USERS 400

/* Marks of a test, with the memory for its order. */
struct bootstrap_case {
	struct eval_mark marks[2 * USERS];
	struct eval_mark ranked[2 * USERS];
	struct eval_mark daily[2 * USERS];
	size_t n;
};

static uint32_t who[USERS], times[USERS], found[USERS];

static bool
never(void)
{
	return false;
}

/*
 * Make events a user, one after the other: every fourth user is fraud and
 * scores shift higher than the others, who score as he does.
 */
static struct eval_order
make_marks(struct bootstrap_case *c, int events, double shift)
{
	int i, j;

	c->n = 0;
	for (i = 0; i < USERS; i++)
		for (j = 0; j < events; j++)
			c->marks[c->n++] = (struct eval_mark) {
				.z = i * 7 % 101 / 50.0 +
				    (i % 4 == 0 ? shift : 0),
				.user = (uint32_t)i,
				.fraud = i % 4 == 0,
			};
	return model_eval_order(c->marks, c->n, c->ranked, c->daily);
}

static struct bootstrap_space *
space_for_users(void)
{
	static struct bootstrap_space space;

	space.users = USERS;
	space.who = who;
	space.times = times;
	space.found = found;
	return &space;
}

/*
 * The deviation of the area is that of J. Hanley and B. McNeil, Radiology 143,
 * 1982: 0.03 for an area of 0.7 with 100 and 300 events.
 */
START_TEST(bounds_of_the_area_are_those_of_theory)
{
	static struct bootstrap_case c;
	const struct eval_order o = make_marks(&c, 1, 0.5);
	struct eval_bounds got[EVAL_MEASURE__MAX];
	double value[EVAL_MEASURE__MAX];
	double area, q1, q2, deviation;

	model_eval_measure(&o, 10, NULL, found, USERS, value);
	area = value[EVAL_AUC];
	q1 = area / (2 - area) - area * area;
	q2 = 2 * area * area / (1 + area) - area * area;
	deviation =
	    sqrt((area * (1 - area) + 99 * q1 + 299 * q2) / (100 * 300));
	model_bootstrap(&o, NULL, 10, space_for_users(), never, got);
	ck_assert_double_eq_tol(
	    got[EVAL_AUC].low, area - 1.96 * deviation, deviation / 2);
	ck_assert_double_eq_tol(
	    got[EVAL_AUC].high, area + 1.96 * deviation, deviation / 2);
	ck_assert_double_eq(value[EVAL_CARDS], 1);
	ck_assert_double_eq(got[EVAL_CARDS].high, 1);
}
END_TEST

/* Two equal events of each user tell no more than one. */
START_TEST(events_of_one_user_are_not_independent)
{
	static struct bootstrap_case one, two;
	const struct eval_order a = make_marks(&one, 1, 0.5);
	const struct eval_order b = make_marks(&two, 2, 0.5);
	struct eval_bounds of_one[EVAL_MEASURE__MAX];
	struct eval_bounds of_two[EVAL_MEASURE__MAX];
	int i;

	model_bootstrap(&a, NULL, 10, space_for_users(), never, of_one);
	model_bootstrap(&b, NULL, 10, space_for_users(), never, of_two);
	for (i = 0; i < EVAL_MEASURE__MAX; i++) {
		ck_assert_double_eq_tol(of_one[i].low, of_two[i].low, 1e-12);
		ck_assert_double_eq_tol(of_one[i].high, of_two[i].high, 1e-12);
	}
}
END_TEST

/* On the same events a small difference is certain, though both areas vary. */
START_TEST(difference_of_two_models_is_paired)
{
	static struct bootstrap_case worse, better;
	const struct eval_order a = make_marks(&better, 1, 0.7);
	const struct eval_order b = make_marks(&worse, 1, 0.5);
	struct eval_bounds got[EVAL_MEASURE__MAX];

	model_bootstrap(&a, &b, 10, space_for_users(), never, got);
	ck_assert_double_gt(got[EVAL_AUC].low, 0);
	ck_assert_double_lt(got[EVAL_AUC].high - got[EVAL_AUC].low, 0.05);
	model_bootstrap(&a, &a, 10, space_for_users(), never, got);
	ck_assert_double_eq(got[EVAL_AUC].low, 0);
	ck_assert_double_eq(got[EVAL_AUC].high, 0);
}
END_TEST

/* Each fourth user has a fraud: 76 users have 19, and 80 have 20. */
START_TEST(too_few_users_with_a_fraud_give_no_bounds)
{
	static struct bootstrap_case c;
	struct eval_bounds got[EVAL_MEASURE__MAX];
	struct eval_order o;
	int i;

	(void)make_marks(&c, 1, 0.5);
	o = model_eval_order(c.marks, 76, c.ranked, c.daily);
	model_bootstrap(&o, NULL, 10, space_for_users(), never, got);
	for (i = 0; i < EVAL_MEASURE__MAX; i++) {
		ck_assert_double_nan(got[i].low);
		ck_assert_double_nan(got[i].high);
	}
	o = model_eval_order(c.marks, 80, c.ranked, c.daily);
	model_bootstrap(&o, NULL, 10, space_for_users(), never, got);
	ck_assert_double_lt(got[EVAL_AUC].low, got[EVAL_AUC].high);
}
END_TEST

Suite *
suite_model_bootstrap(void)
{
	Suite *s = suite_create("model_bootstrap");
	TCase *tc = tcase_create("model_bootstrap");

	tcase_add_test(tc, bounds_of_the_area_are_those_of_theory);
	tcase_add_test(tc, events_of_one_user_are_not_independent);
	tcase_add_test(tc, difference_of_two_models_is_paired);
	tcase_add_test(tc, too_few_users_with_a_fraud_give_no_bounds);
	suite_add_tcase(s, tc);
	return s;
}
