/* SPDX-License-Identifier: ISC */
/* The one entry point of the core: signals in, decision out. */
#include "config.h"

#include "core/decide.h"

/* Why an event was not scored: we could not. */
static const struct reason degraded = { .tag = "engine.degraded" };

int
decide(const struct rulebook *book, const struct signals *sigs, struct arena *a,
    struct decision *ret, struct fail *f)
{
	const struct band *band;

	rule_eval(book->ruleset, sigs, &ret->hits);
	if (score_weighted(a, book->ruleset, &ret->hits, &ret->score, f) == -1)
		return -1;
	band = policy_band(book->policy, ret->score.total);
	ret->verdict = band->verdict;
	ret->queue =
	    band->verdict == VERDICT_REVIEW ? policy_queue(band) : NULL;
	ret->policy = book->policy;
	return 0;
}

void
decide_degraded(const struct policy *policy, struct decision *ret)
{
	ret->verdict = policy_degraded(policy);
	ret->score = (struct score) {
		.total = SCORE_SHORT_CIRCUIT,
		.reasons = &degraded,
		.n_reasons = 1,
	};
	ret->queue = NULL;
	ret->policy = policy;
	ret->hits.n = 0;
}
