/* SPDX-License-Identifier: ISC */
/* core/decide/policy.c: refused bands, and the verdicts of scores. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "t/unit/unit.h"

#define A VERDICT_ALLOW
#define C VERDICT_CHALLENGE
#define R VERDICT_REVIEW
#define D VERDICT_DENY

static const struct band seed[] = { { A, 0, 24, NULL }, { C, 25, 44, NULL },
	{ R, 45, 69, "second-line" }, { D, 70, 100, NULL } };

static const struct {
	struct band bands[3];
	size_t n;
	const char *where; /* NULL: accepted */
	const char *why;
} checks[] = {
	{ { { A, 0, 100, NULL } }, 1, NULL, NULL },
	{ { { A, 0, 0, NULL }, { D, 1, 1, NULL }, { A, 2, 100, NULL } }, 3,
	    NULL, NULL },
	{ { { A, 0, 100, NULL } }, 0, "bands", "must hold 1 to 101 bands" },
	{ { { 0, 0, 100, NULL } }, 1, "bands[0].verdict",
	    "must be allow, challenge, review or deny" },
	{ { { VERDICT__MAX, 0, 100, NULL } }, 1, "bands[0].verdict",
	    "must be allow, challenge, review or deny" },
	{ { { A, 1, 100, NULL } }, 1, "bands[0].min",
	    "must be 0 in the first band" },
	{ { { A, -1, 100, NULL } }, 1, "bands[0].min",
	    "must be 0 in the first band" },
	{ { { A, 0, 99, NULL } }, 1, "bands[0].max",
	    "must be 100 in the last band" },
	{ { { A, 0, 101, NULL } }, 1, "bands[0].max", "must not be above 100" },
	{ { { A, 0, 49, NULL }, { D, 51, 100, NULL } }, 2, "bands[1].min",
	    "must be one above the max of the band before" },
	{ { { A, 0, 50, NULL }, { D, 50, 100, NULL } }, 2, "bands[1].min",
	    "must be one above the max of the band before" },
	{ { { D, 50, 100, NULL }, { A, 0, 49, NULL } }, 2, "bands[0].min",
	    "must be 0 in the first band" },
	{ { { A, 0, 49.5, NULL }, { D, 50.5, 100, NULL } }, 2, "bands[0].max",
	    "must be a whole number" },
	{ { { A, 0.5, 100, NULL } }, 1, "bands[0].min",
	    "must be a whole number" },
	{ { { A, 0, 49, NULL }, { C, 50, 49, NULL }, { D, 50, 100, NULL } }, 3,
	    "bands[1].max", "must not be below min" },
	{ { { A, 0, 100, NULL }, { D, 101, 101, NULL } }, 2, "bands[1].max",
	    "must not be above 100" },
	{ { { A, NAN, 100, NULL } }, 1, "bands[0].min",
	    "must be a whole number" },
	{ { { A, 0, INFINITY, NULL } }, 1, "bands[0].max",
	    "must not be above 100" },
};

static const struct {
	double score;
	enum verdict verdict;
	const char *queue;
} scores[] = {
	{ 0, A, "risk-ops" },
	{ 24, A, "risk-ops" },
	{ 24.5, A, "risk-ops" },
	{ 25, C, "risk-ops" },
	{ 44, C, "risk-ops" },
	{ 45, R, "second-line" },
	{ 69, R, "second-line" },
	{ 70, D, "risk-ops" },
	{ 100, D, "risk-ops" },
};

START_TEST(invalid_bands_are_refused)
{
	struct fail f = { 0 };
	struct policy p = { .on_error = ON_ERROR_FAIL_OPEN,
		.bands = checks[_i].bands,
		.n_bands = checks[_i].n };

	if (checks[_i].where == NULL) {
		ck_assert_int_eq(policy_check(&p, &f), 0);
		return;
	}
	ck_assert_int_eq(policy_check(&p, &f), -1);
	ck_assert_int_eq(f.kind, FAIL_INPUT);
	ck_assert_int_eq(f.code, POLICY_INVALID);
	ck_assert_str_eq(f.where, checks[_i].where);
	ck_assert_str_eq(f.why, checks[_i].why);
}
END_TEST

START_TEST(each_score_may_have_its_band)
{
	struct band bands[POLICY_BANDS_MAX + 1];
	struct policy p = { .on_error = ON_ERROR_FAIL_OPEN,
		.bands = bands,
		.n_bands = POLICY_BANDS_MAX };
	struct fail f = { 0 };
	int i;

	for (i = 0; i <= POLICY_BANDS_MAX; i++)
		bands[i] = (struct band) { A, i, i, NULL };
	ck_assert_int_eq(policy_check(&p, &f), 0);
	for (i = 0; i < POLICY_BANDS_MAX; i++)
		ck_assert_ptr_eq(policy_band(&p, i), &bands[i]);
	p.n_bands++;
	ck_assert_int_eq(policy_check(&p, &f), -1);
	ck_assert_str_eq(f.where, "bands");
}
END_TEST

START_TEST(score_gets_verdict_of_its_band)
{
	const struct policy p = { .on_error = ON_ERROR_FAIL_OPEN,
		.bands = seed,
		.n_bands = nitems(seed) };
	const struct band *b = policy_band(&p, scores[_i].score);

	ck_assert_int_eq(b->verdict, scores[_i].verdict);
	ck_assert_str_eq(policy_queue(b), scores[_i].queue);
}
END_TEST

START_TEST(on_error_gives_the_degraded_verdict)
{
	struct policy p = { .on_error = ON_ERROR_FAIL_OPEN };

	ck_assert_int_eq(policy_degraded(&p), A);
	p.on_error = ON_ERROR_FAIL_CLOSED;
	ck_assert_int_eq(policy_degraded(&p), D);
}
END_TEST

START_TEST(only_exact_names_are_read)
{
	enum verdict v;
	enum on_error e;

	for (v = A; v < VERDICT__MAX; v++)
		ck_assert_int_eq(verdict_parse(verdict_name(v)), v);
	for (e = ON_ERROR_FAIL_OPEN; e < ON_ERROR__MAX; e++)
		ck_assert_int_eq(
		    policy_on_error_parse(policy_on_error_name(e)), e);
	ck_assert_str_eq(verdict_name(R), "review");
	ck_assert_str_eq(
	    policy_on_error_name(ON_ERROR_FAIL_CLOSED), "fail_closed");
	ck_assert_int_eq(verdict_parse("Allow"), 0);
	ck_assert_int_eq(verdict_parse(""), 0);
	ck_assert_int_eq(policy_on_error_parse("allow"), 0);
}
END_TEST

Suite *
suite_policy(void)
{
	Suite *s = suite_create("policy");
	TCase *tc = tcase_create("policy");

	tcase_add_loop_test(
	    tc, invalid_bands_are_refused, 0, (int)nitems(checks));
	tcase_add_test(tc, each_score_may_have_its_band);
	tcase_add_loop_test(
	    tc, score_gets_verdict_of_its_band, 0, (int)nitems(scores));
	tcase_add_test(tc, on_error_gives_the_degraded_verdict);
	tcase_add_test(tc, only_exact_names_are_read);
	suite_add_tcase(s, tc);
	return s;
}
