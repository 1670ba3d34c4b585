/* SPDX-License-Identifier: ISC */
/* Replay samples: what is kept of a scored decision, to decide it again. */
#ifndef CORE_DECIDE_SAMPLE_H
#define CORE_DECIDE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/event/event.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "core/signal/signals.h"

struct arena;
struct decision;
struct ruleset;
struct shadow_result;
struct str;

/* The head of a sample is in so many of its first characters. */
#define SAMPLE_HEAD 256

/* A sample as it is read back. */
struct sample {
	int score; /* 0 to SCORE_MAX */
	enum verdict verdict; /* what was answered */
	enum scorer scorer; /* who made the score, 0 for one that is unknown */
	bool watched; /* a watch entry called for at least a review */

	/* Not of a head alone. */
	const char *ruleset; /* its version, NULL if unknown */
	const char *model; /* of SCORER_ML: its version, else NULL */
	double p; /* and what it found */
	double p_even;
	int rules_score; /* what the rules came to, weighted; -1 if unknown */
	struct signals signals; /* their event is the one here */
	struct event event; /* nothing but the attributes */
};

/*
 * Append the sample of a decision by rs as a JSON object without spaces:
 * {"scorer","ruleset","score","verdict","watched"?,"rules","tags",
 * "rulesScore"?,"model"?,"p"?,"pEven"?,"shadow"?,"signals"}.  What stands
 * before "rules" is the head.  tags is the JSON of the reasons that the rules
 * made, NULL for none; rulesScore is their weighted total where that is not
 * the score; a model has a version, and the probabilities that it found.
 * shade, unless it is NULL, is {"id","score","verdict","tags"}, the last being
 * all of its reasons.
 */
void sample_json(struct str *s, const struct ruleset *rs,
    const struct decision *d, bool watched, const char *tags,
    const struct shadow_result *shadow, const struct signals *sigs);

/*
 * Append the members model, p and pEven of a decision that a model made, as
 * samples have them, a comma before each.
 */
void sample_model(struct str *s, const struct decision *d);

/*
 * Read what sample_json() wrote, len bytes of it; members that it does not
 * know it passes over.  Strings in ret live in arena a, and ret must stay
 * where it is.  Returns 0, or -1 if it is no such text or the arena is full.
 */
int sample_read(struct arena *a, const char *text, size_t len,
    struct sample *ret) __attribute__((warn_unused_result));

/* The same of a text that was cut behind its head. */
int sample_read_head(const char *text, size_t len, struct sample *ret)
    __attribute__((warn_unused_result));

#endif
