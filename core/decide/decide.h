/* SPDX-License-Identifier: ISC */
/* The one entry point of the core: signals and lists in, decision out. */
#ifndef CORE_DECIDE_DECIDE_H
#define CORE_DECIDE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event/list.h"
#include "core/decide/policy.h"
#include "core/rule/rule.h"
#include "core/decide/score.h"

struct arena;
struct fail;
struct signals;

/* What decides events of one type. */
struct rulebook {
	const struct ruleset *ruleset;
	const struct scoring *scoring; /* NULL: weighted */
	const struct policy *policy;
};

/* What is on probation for events of one type: it decides without effect. */
struct shadow {
	const char *id; /* of the probation */
	struct rulebook book; /* what serves, but for one part */
};

/* A decision, before it has an id and a time. */
struct decision {
	enum verdict verdict;
	struct score score; /* total is -1 for a short-circuit */
	enum scorer scorer; /* unless a short-circuit */
	const char *queue; /* of a review, else NULL */
	const struct policy *policy;
	struct rule_hits hits; /* rules that fired */
	struct score rules; /* weighted, whoever made the score */

	/* Of SCORER_ML alone. */
	const struct model *model;
	double p; /* of fraud, as model_risk() has it */
	double p_even;
};

/* What a shadow would have answered. */
struct shadow_result {
	const char *id; /* of the probation; NULL: there is none */
	enum verdict verdict;
	struct score score;
};

/*
 * Decide over the signals: rules propose, scoring weighs, policy decides.
 * Pure: equal inputs, equal decision.  Returns 0, or -1 with f set when the
 * arena is full.
 */
int decide(const struct rulebook *book, const struct signals *sigs,
    struct arena *a, struct decision *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The answer where a list entry decides by itself: deny or allow, score -1,
 * the single reason list.block or list.allow with 0 points.
 */
void decide_listed(
    const struct policy *policy, enum list_kind kind, struct decision *ret);

/*
 * What a watch entry makes of a decision: the reason list.watch with 0 points,
 * and at least review.  Returns 0, or -1 with f set when the arena is full.
 */
int decide_watched(struct arena *a, struct decision *decision, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * What the shadow would have answered to an event, which a watch entry may be
 * about: by the same steps, and no part of the decision.  Where the arena is
 * full there is none: ret->id is NULL, and the arena as it was.
 */
void decide_shadow(const struct shadow *shadow, const struct signals *sigs,
    bool watched, struct arena *a, struct shadow_result *ret);

/*
 * The answer when deciding failed: the policy's onError verdict, score -1,
 * the single reason engine.degraded with 0 points.
 */
void decide_degraded(const struct policy *policy, struct decision *ret);

#endif
