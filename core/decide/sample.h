/* SPDX-License-Identifier: ISC */
/* Samples: the stored inputs of a scored decision, to decide it again. */
#ifndef CORE_DECIDE_SAMPLE_H
#define CORE_DECIDE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"

struct arena;
struct decision;
struct ruleset;
struct shadow_result;
struct str;

/* The head of a sample ends within this many bytes from its start. */
#define SAMPLE_HEAD 256

/* A sample that was read. */
struct sample {
	int score; /* 0 to SCORE_MAX */
	enum verdict verdict; /* the answer */
	enum scorer scorer; /* 0 if this program does not know it */
	bool watched; /* a watch entry matched: at least review */

	/* Only of sample_read(), not of sample_read_head(). */
	const char *ruleset; /* version; NULL if unknown */
	const char *model; /* version with SCORER_ML, else NULL */
	double p; /* of the model, see model_risk() */
	double p_even;
	int rules_score; /* total of score_weighted(); -1 if unknown */
	struct rule_silence silenced[RULE_SILENCES_MAX]; /* of silences */
	struct rule_silences silences; /* if not empty, of signals */
	struct velocity_values velocities; /* of signals, if there are any */
	struct signals signals; /* signals.event points to event below */
	struct event event; /* has only the attributes */
};

/*
 * Append the sample of a decision by rs as a JSON object without spaces:
 * {"scorer","ruleset","score","verdict","watched"?,"rulesScore"?,"tags"?,
 * "model"?,"p"?,"pEven"?,"silenced"?,"shadow"?,"velocities"?,"values",
 * "signals"?}.
 * - The members up to watched are the head.
 * - rulesScore is written if the scorer is not weighted.
 * - tags, model, p and pEven are written if it is ml.  tags are the reasons of
 *   the rules, for labels.
 * - silenced has the rules and tags that are silenced for the event, such as
 *   ["rule:r_velocity","tag:geo"].
 * - shadow may be NULL; otherwise its object has id, score, verdict and tags,
 *   all of its reasons.  In a rollout it has arm, "live" or "shadow"; in the
 *   arm of the shadow, which made the decision, score, verdict and tags are
 *   those of the active side.
 * - velocities has the value of each velocity that counts the event, by its
 *   id, such as {"-42":3}; null if it is unknown.
 * - values are those of the signals, in the order of signals.tbl.  An array of
 *   one number stands for so many unknown ones, and the last ones may be left
 *   out: ["order.place",[1],12.5,"EUR"].
 * - signals is an object with the attributes.
 *
 * Earlier builds wrote all known signals into the object signals, no values,
 * and the members rules and tags after the head.
 */
void sample_json(struct str *s, const struct ruleset *rs,
    const struct decision *d, bool watched, const struct shadow_result *shadow,
    const struct signals *sigs);

/*
 * Append the members model, p and pEven of a decision of SCORER_ML in the form
 * of a sample.
 */
void sample_model(struct str *s, const struct decision *d);

/*
 * Read len bytes that sample_json() wrote, now or in an earlier build, and skip
 * unknown members.  The strings of ret are in arena a.  Do not copy or move
 * *ret: it points into itself.  Return 0, or -1 if the text is not a sample or
 * the arena is full.
 */
int sample_read(struct arena *a, const char *text, size_t len,
    struct sample *ret) __attribute__((warn_unused_result));

/* Read only the head of a sample; the text may be cut after the head. */
int sample_read_head(const char *text, size_t len, struct sample *ret)
    __attribute__((warn_unused_result));

#endif
