/* SPDX-License-Identifier: ISC */
/* core/train/logit.c: probabilities and losses of log odds. */
#include "config.h"

#include <math.h>

#include "core/train/logit.h"
#include "t/unit/unit.h"

static const struct {
	double z;
	double p;
	double loss;
} cases[] = {
#define FIT(l2, fraud_weight, bias, weights)
#define ROW(fraud, values)
#define CALIBRATION(shift, stretch, n, a, b)
#define MARK(z, day, user, fraud)
#define QUALITY(name, value)
#define CARDS(k, value)
#define LOGIT(z, p, loss) { z, p, loss },
#include "t/unit/fit_reference.tbl"
};

START_TEST(probability_and_loss_equal_the_reference)
{
	const double p = logit_p(cases[_i].z), loss = logit_loss(cases[_i].z);

	ck_assert_msg(fabs(p - cases[_i].p) <= 1e-15 * cases[_i].p + 5e-324,
	    "p of %g is %a, not %a", cases[_i].z, p, cases[_i].p);
	ck_assert_msg(
	    fabs(loss - cases[_i].loss) <= 1e-15 * cases[_i].loss + 5e-324,
	    "loss of %g is %a, not %a", cases[_i].z, loss, cases[_i].loss);
}
END_TEST

START_TEST(infinite_log_odds_are_certain)
{
	ck_assert_double_eq(logit_p(INFINITY), 1);
	ck_assert_double_eq(logit_p(-INFINITY), 0);
	ck_assert_double_eq(logit_loss(-INFINITY), 0);
	ck_assert_double_infinite(logit_loss(INFINITY));
	ck_assert_double_nan(logit_p(NAN));
	ck_assert_double_nan(logit_loss(NAN));
}
END_TEST

START_TEST(probability_and_loss_grow_with_log_odds)
{
	double z;

	for (z = -40; z < 40; z += 1.0 / 128) {
		ck_assert(logit_p(z) <= logit_p(z + 1.0 / 128));
		ck_assert(logit_loss(z) < logit_loss(z + 1.0 / 128));
	}
}
END_TEST

Suite *
suite_logit(void)
{
	Suite *s = suite_create("logit");
	TCase *tc = tcase_create("logit");

	tcase_add_loop_test(tc, probability_and_loss_equal_the_reference, 0,
	    (int)nitems(cases));
	tcase_add_test(tc, infinite_log_odds_are_certain);
	tcase_add_test(tc, probability_and_loss_grow_with_log_odds);
	suite_add_tcase(s, tc);
	return s;
}
