/* SPDX-License-Identifier: ISC */
/* Decide an event from its signals and the lists that it is on. */
#ifndef CORE_DECIDE_DECIDE_H
#define CORE_DECIDE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "core/event/list.h"
#include "core/rule/rule.h"

struct arena;
struct fail;
struct signals;
struct str;

/* What decides events of one type. */
struct rulebook {
	const struct ruleset *ruleset;
	const struct scoring *scoring; /* NULL: weighted */
	const struct policy *policy;
};

/*
 * A shadow of one event type: it decides each event without effect, but as a
 * rollout for some of the users.
 */
struct shadow {
	const char *id;
	struct rulebook book; /* the active one with one part replaced */
	int percent; /* of the users: for these it decides */
};

/* The side that decides for a user during a rollout; otherwise ARM_NONE. */
enum rollout_arm { ARM_NONE, ARM_LIVE, ARM_SHADOW };

/* A decision, before it has an id and a time. */
struct decision {
	enum verdict verdict;
	struct score score; /* total is -1 if the event was not scored */
	enum scorer scorer; /* only if the event was scored */
	const char *queue; /* review queue; NULL unless review */
	const struct policy *policy;
	struct rule_hits hits; /* rules that fired */
	struct score rules; /* of score_weighted(), whatever the scorer */

	/* Only with SCORER_ML. */
	const struct model *model;
	double p; /* probability of fraud, see model_risk() */
	double p_even;
};

/* The verdict and score of the side that has no effect. */
struct shadow_result {
	const char *id; /* of the shadow; NULL: there is no result */
	enum rollout_arm arm; /* ARM_SHADOW: it made the decision, and this is
				 the result of the active side */
	enum verdict verdict;
	struct score score;
};

/*
 * Decide an event: evaluate the rules, compute the score, and find the band of
 * the policy.  Equal inputs give equal decisions.  Return 0, or -1 with f set
 * if the arena is full.
 */
int decide(const struct rulebook *book, const struct signals *sigs,
    struct arena *a, struct decision *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The same as if the rules of ret->hits had fired, which rule_eval() or the
 * caller has set.
 */
int decide_hits(const struct rulebook *book, const struct signals *sigs,
    struct arena *a, struct decision *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Make the decision for a block or allow entry: deny or allow, score -1, and
 * the single reason list.block or list.allow with 0 points.
 */
void decide_listed(
    const struct policy *policy, enum list_kind kind, struct decision *ret);

/*
 * Apply a watch entry to a decision: add the reason list.watch with 0 points,
 * and raise a milder verdict to review.  Return 0, or -1 with f set if the
 * arena is full.
 */
int decide_watched(struct arena *a, struct decision *decision, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Decide an event with the book of the shadow, in the same steps as a decision;
 * watched says whether a watch entry applies.  If the arena is full, set
 * ret->id to NULL and leave the arena unchanged.
 */
void decide_shadow(const struct shadow *shadow, const struct signals *sigs,
    bool watched, struct arena *a, struct shadow_result *ret);

/*
 * Make the degraded decision: the policy's onError verdict, score -1, and the
 * single reason engine.degraded with 0 points.
 */
void decide_degraded(const struct policy *policy, struct decision *ret);

/* Append the tags of the rules that fired, separated by commas. */
void decide_tags(struct str *s, const struct decision *d);

#endif
