/* SPDX-License-Identifier: ISC */
/* core/train/band_choice.c: bands for a precision, a share and costs. */
#include "config.h"

#include "core/base/fail.h"
#include "core/train/band_choice.h"
#include "t/unit/unit.h"

/* Legit events and frauds by score; other scores have none. */
static const struct {
	int score;
	int64_t legit, fraud;
} events[] = {
	{ 0, 900, 2 },
	{ 10, 60, 3 },
	{ 30, 30, 5 },
	{ 60, 8, 12 },
	{ 90, 2, 38 },
};

/* The score at which each band begins; 101 if the policy has no such band. */
static const struct {
	struct band_goal goal;
	int challenge, review, deny;
} goals[] = {
	{ { 0 }, 101, 101, 101 },
	/* 38 of 40 are .95; 50 of 60 are .833; 55 of 95 are .58. */
	{ { .deny_precision = 0.95 }, 61, 61, 61 },
	{ { .deny_precision = 0.951 }, 101, 101, 101 },
	{ { .deny_precision = 0.83 }, 31, 31, 31 },
	{ { .deny_precision = 0.95, .review_precision = 0.6 }, 31, 31, 61 },
	{ { .deny_precision = 0.95, .review_precision = 0.61 }, 61, 61, 61 },
	/* 1 % of 1,000 legit events are ten. */
	{ { .challenge_share = 0.01 }, 31, 101, 101 },
	{ { .challenge_share = 0.0099 }, 61, 101, 101 },
	{ { .deny_precision = 0.95, .challenge_share = 0.01 }, 31, 61, 61 },
	{ { .deny_precision = 0.95, .challenge_share = 1 }, 1, 61, 61 },
	/* A challenge pays from a precision of the costs' ratio on. */
	{ { .cost_fraud = 10, .cost_challenge = 1 }, 30, 101, 101 },
	{ { .cost_fraud = 100, .cost_challenge = 1 }, 10, 101, 101 },
	{ { .cost_fraud = 2, .cost_challenge = 1 }, 60, 101, 101 },
	{ { .cost_fraud = 1, .cost_challenge = 2 }, 101, 101, 101 },
	{ { .deny_precision = 0.95, .cost_fraud = 10, .cost_challenge = 1 }, 30,
	    61, 61 },
};

START_TEST(bands_achieve_their_goal)
{
	const int first[] = { goals[_i].challenge, goals[_i].review,
		goals[_i].deny };
	static const enum verdict verdicts[] = { VERDICT_CHALLENGE,
		VERDICT_REVIEW, VERDICT_DENY };
	int64_t scores[SCORE_MAX + 1][2] = { 0 };
	struct band bands[BAND_CHOICE_MAX];
	struct policy policy = { .id = "p", .version = "v", .bands = bands };
	struct fail f = { 0 };
	size_t i, j;
	int got;

	for (i = 0; i < nitems(events); i++) {
		scores[events[i].score][0] = events[i].legit;
		scores[events[i].score][1] = events[i].fraud;
	}
	policy.n_bands =
	    band_choice((const int64_t(*)[2])scores, &goals[_i].goal, bands);
	ck_assert_int_eq(policy_check(&policy, &f), 0);
	ck_assert_int_eq(bands[0].verdict, VERDICT_ALLOW);
	for (i = 0; i < nitems(first); i++) {
		got = 101;
		for (j = 0; j < policy.n_bands; j++)
			if (bands[j].verdict == verdicts[i])
				got = (int)bands[j].min;
		/* A band that begins where the next begins has no score. */
		if (i < 2 && first[i] == first[i + 1])
			ck_assert_int_eq(got, 101);
		else
			ck_assert_int_eq(got, first[i]);
	}
}
END_TEST

Suite *
suite_band_choice(void)
{
	Suite *s = suite_create("band_choice");
	TCase *tc = tcase_create("band_choice");

	tcase_add_loop_test(
	    tc, bands_achieve_their_goal, 0, (int)nitems(goals));
	suite_add_tcase(s, tc);
	return s;
}
