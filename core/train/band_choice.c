/* SPDX-License-Identifier: ISC */
/* Choose the bands of a policy for the scores of a model. */
#include "config.h"

#include "core/train/band_choice.h"

static int precise_from(
    const int64_t scores[SCORE_MAX + 1][2], int end, double precision);
static int affordable_from(
    const int64_t scores[SCORE_MAX + 1][2], int end, double share);
static int cheapest_from(const int64_t scores[SCORE_MAX + 1][2], int end,
    const struct band_goal *goal);
static size_t add_band(
    struct band *ret, size_t n, enum verdict verdict, int from, int end);

size_t
band_choice(const int64_t scores[SCORE_MAX + 1][2],
    const struct band_goal *goal, struct band ret[BAND_CHOICE_MAX])
{
	const int end = SCORE_MAX + 1;
	int deny, review, challenge;
	size_t n = 0;

	deny = precise_from(scores, end, goal->deny_precision);
	review = precise_from(scores, deny, goal->review_precision);
	challenge = goal->cost_fraud > 0
	    ? cheapest_from(scores, review, goal)
	    : affordable_from(scores, review, goal->challenge_share);
	n = add_band(ret, n, VERDICT_ALLOW, 0, challenge);
	n = add_band(ret, n, VERDICT_CHALLENGE, challenge, review);
	n = add_band(ret, n, VERDICT_REVIEW, review, deny);
	return add_band(ret, n, VERDICT_DENY, deny, end);
}

/*
 * Return the lowest score from which this share of the events below end is
 * fraud.  Return end if no score has it, or if the share is 0.
 */
static int
precise_from(const int64_t scores[SCORE_MAX + 1][2], int end, double precision)
{
	int64_t fraud = 0, events = 0;
	int score, ret = end;

	for (score = end - 1; score > 0 && precision > 0; score--) {
		fraud += scores[score][1];
		events += scores[score][0] + scores[score][1];
		if (events >= BAND_CHOICE_EVENTS &&
		    (double)fraud >= precision * (double)events)
			ret = score;
	}
	return ret;
}

/*
 * Return the lowest score from which the legit events below end are at most
 * this share of all legit events.  Return end if no score has so few, or if the
 * share is 0.
 */
static int
affordable_from(const int64_t scores[SCORE_MAX + 1][2], int end, double share)
{
	int64_t all = 0, legit = 0;
	int score;

	for (score = 0; score <= SCORE_MAX; score++)
		all += scores[score][0];
	for (score = end - 1; score > 0 && share > 0; score--) {
		legit += scores[score][0];
		if ((double)legit > share * (double)all)
			break;
	}
	return share > 0 ? score + 1 : end;
}

/*
 * Return the score from which challenges of the events below end cost least.
 * Each challenge has its cost, and each allowed fraud its own.  Of equal costs
 * take the highest score, which challenges fewest.
 */
static int
cheapest_from(const int64_t scores[SCORE_MAX + 1][2], int end,
    const struct band_goal *goal)
{
	double saved = 0, most = 0;
	int score, ret = end;

	for (score = end - 1; score > 0; score--) {
		saved += goal->cost_fraud * (double)scores[score][1] -
		    goal->cost_challenge *
			(double)(scores[score][0] + scores[score][1]);
		if (saved > most) {
			most = saved;
			ret = score;
		}
	}
	return ret;
}

/* Append the band from score from to end - 1, unless it has no score. */
static size_t
add_band(struct band *ret, size_t n, enum verdict verdict, int from, int end)
{
	if (from == end)
		return n;
	ret[n] =
	    (struct band) { .verdict = verdict, .min = from, .max = end - 1 };
	return n + 1;
}
