/* SPDX-License-Identifier: ISC */
/* Why a decision is what it is, and what would have made it another one. */
#ifndef CORE_ANALYSE_EXPLAIN_H
#define CORE_ANALYSE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/decide/decide.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "core/base/value.h"

struct arena;
struct fail;
struct model;
struct sample;
struct signals;
struct str;

/* What becomes of a decision when one signal is another. */
struct counterfactual {
	const char *signal; /* of an attribute the bare name */
	bool attr; /* it is one */
	struct value from;
	struct value to;
	bool other; /* to stands for any text that no rule names */
	enum verdict verdict; /* 0: there is no such change */
	int score;
	double size;
};

/* The smallest ones that give another verdict. */
struct counterfactuals {
	struct counterfactual stricter;
	struct counterfactual milder;
	size_t tried; /* values */
	bool complete; /* there was time for all that could matter */
};

/*
 * Decide the event of a sample again.  Returns 0, or -1 with f set when the
 * arena is full.
 */
int explain_decide(const struct rulebook *book, const struct sample *sample,
    struct arena *a, struct decision *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Whether a decision is to the last digit what the sample says and the reasons
 * that were recorded, n of them.
 */
bool explain_same(const struct decision *d, const struct sample *sample,
    const struct reason *reasons, size_t n);

/*
 * Lessons under which score_learned() gives the tags of rules, n reasons that
 * it once made of them, the points that these say, and others what they have
 * in now, which may be NULL; all in arena a.  Returns 0, or -1 with f set when
 * the arena is full.
 */
int explain_tag_weights(struct arena *a, const struct score *rules,
    const struct reason *reasons, size_t n, const struct tag_weights *now,
    struct tag_weights *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Find the smallest change of one signal, each way, that gives a sample
 * another verdict than what book decides now: every candidate is decided by
 * decide().  Candidates are, of a number, the literals of the rules and the
 * nearest value on each side of them; of a text, the literals and one that is
 * none of them; of a truth value the other; and of each that may be absent,
 * that it is unknown.  A model is besides asked at distances that double, and
 * where it turns is found by halving.  No value leaves what the signal can be.
 *
 * A change of a number is as large as the difference is beside the larger of
 * the two, at most 1; any other of a known value into a known one is 1, and to
 * or from unknown it is 2.  Of equal ones it is the first in the order of the
 * signals, then of the attributes; of one signal upwards before downwards.
 *
 * Returns 0, or -1 with f set when the arena is full.
 */
int explain_changes(const struct rulebook *book, const struct sample *sample,
    struct arena *a, struct counterfactuals *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Append as JSON: the value of every signal and of every attribute, also of
 * those that only rs reads (which may be NULL), null for unknown.
 */
void explain_signals_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs);

/* Each rule in its order: id, tag, points, dsl, truth and because. */
void explain_rules_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs);

/*
 * What a model made of a sample, feature by feature; without the model (NULL)
 * what the sample says.
 */
void explain_model_json(
    struct str *s, const struct model *m, const struct sample *sample);

/*
 * What each of n reasons that labels taught added, and what its rules would
 * have, which are null where rules, their reasons, are not known.
 */
void explain_learned_json(struct str *s, const struct reason *reasons, size_t n,
    const struct score *rules);

/* A policy and, unless it is NULL, the band of it that a score fell into. */
void explain_policy_json(
    struct str *s, const struct policy *p, const struct band *band);

/* The changes. */
void explain_changes_json(struct str *s, const struct counterfactuals *changes);

#endif
