/* SPDX-License-Identifier: ISC */
/* Choose the bands of a policy for the scores of a model. */
#ifndef CORE_TRAIN_BAND_CHOICE_H
#define CORE_TRAIN_BAND_CHOICE_H

#include <stddef.h>
#include <stdint.h>

#include "core/decide/policy.h"
#include "core/decide/score.h"

#define BAND_CHOICE_MAX 4 /* one band for each verdict */

/* A precision counts only if so many events have it. */
#define BAND_CHOICE_EVENTS 20

/* What the bands are to achieve; 0: no band for this. */
struct band_goal {
	double deny_precision; /* least share of fraud of what is denied */
	double review_precision; /* and of what is reviewed */
	/* Challenge as many as this, or where it is cheapest. */
	double challenge_share; /* largest share of the legit events */
	double cost_fraud; /* of a fraud that is allowed */
	double cost_challenge; /* of a challenge, in the same unit */
};

/*
 * Choose the bands for events by score and whether they are fraud, as a test
 *has counted them, and return their number.  From the highest score down:
 *
 *	deny		down to the lowest score at which deny_precision of all
 *			denied events are fraud
 *	review		the same for the scores below, with review_precision
 *	challenge	down to the lowest score at which no more than
 *			challenge_share of all legit events are challenged; or,
 *if the costs are set, to the score at which the cost of challenges and of
 *allowed fraud is the least allow		the rest; score 0 always
 *
 * A band of which the events do not suffice is left out.
 */
size_t band_choice(const int64_t scores[SCORE_MAX + 1][2],
    const struct band_goal *goal, struct band ret[BAND_CHOICE_MAX]);

#endif
