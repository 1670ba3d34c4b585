/* SPDX-License-Identifier: ISC */
/* Explain a decision, and find changes that give another verdict. */
#ifndef CORE_ANALYSE_EXPLAIN_H
#define CORE_ANALYSE_EXPLAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/value.h"
#include "core/decide/decide.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"

struct arena;
struct fail;
struct model;
struct sample;
struct signals;
struct str;

/* A change of one signal, and the decision that it gives. */
struct counterfactual {
	const char *signal; /* name; of an attribute without "attr." */
	bool attr; /* the signal is an attribute of the event */
	struct value from;
	struct value to;
	bool other; /* to represents every text that no rule names */
	enum verdict verdict; /* 0 if no change was found */
	int score;
	double size; /* see counterfactual_find() */
};

/* The smallest change in each direction that gives another verdict. */
struct counterfactuals {
	struct counterfactual stricter;
	struct counterfactual milder;
	size_t tried; /* number of values that were decided */
	bool complete; /* false if the search reached its limit of work */
};

/*
 * Decide the event of a sample again with book.  Return 0, or -1 with f set if
 * the arena is full.
 */
int explain_decide(const struct rulebook *book, const struct sample *sample,
    struct arena *a, struct decision *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Return true if the decision equals the recorded one: the verdict, scorer,
 * scores and probabilities of the sample, and its n reasons.  Probabilities
 * are compared exactly.
 */
bool explain_same(const struct decision *d, const struct sample *sample,
    const struct reason *reasons, size_t n);

/*
 * Reconstruct the tag weights of a recorded decision.  rules is its weighted
 * score, reasons are the n reasons that score_learned() made of it.  With the
 * weights in *ret, score_learned() makes the same reasons of rules again.
 * Tags that are not in rules get their weight from now, unless that is NULL.
 * The weights are in arena a; their tags point into rules and now.  Return 0,
 * or -1 with f set if the arena is full.
 */
int explain_tag_weights(struct arena *a, const struct score *rules,
    const struct reason *reasons, size_t n, const struct tag_weights *now,
    struct tag_weights *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Find the smallest change of one signal that gives the sample a stricter
 * verdict than book gives it unchanged, and the smallest that gives a milder
 * one.  decide() decides each candidate value.  The candidates are:
 *
 * - for a number: each literal of the rules, and the nearest value on each
 *   side of it;
 * - for a text: each literal, and one text that is not a literal;
 * - for a truth value: the opposite;
 * - for a signal that can be absent: unknown.
 *
 * With a model, numbers at doubling distances from the current one are also
 * candidates; bisection then finds the boundary between two verdicts.  Each
 * candidate is in the range of its signal (core/signal/signal_ranges.tbl).
 *
 * The size of a change of a number is the difference divided by the larger of
 * the two magnitudes, at most 1.  Every other change between known values has
 * size 1, a change to or from unknown has size 2.  Of changes of equal size
 * the first found is kept: signals before attributes and velocities, and
 * larger values of a signal before smaller ones.
 *
 * Return 0, or -1 with f set if the arena is full.
 */
int counterfactual_find(const struct rulebook *book,
    const struct sample *sample, struct arena *a, struct counterfactuals *ret,
    struct fail *f) __attribute__((warn_unused_result));

/* Append the velocities of rs as members, without braces; unknown is null. */
void explain_velocities_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs);

/*
 * Append a JSON object with the values of all signals and attributes; unknown
 * is null.  Attributes that rs reads and the event lacks are included as null,
 * and so are its velocities; rs may be NULL.
 */
void explain_signals_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs);

/*
 * Append a JSON array with one object per rule, in the order of rs: id, tag,
 * points, dsl, truth, silenced, because, and more, the number of reasons left
 * out.
 */
void explain_rules_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs);

/*
 * Append a JSON object about a decision by a model: the version and the
 * probabilities from the sample; and from m its parameters and one term per
 * feature, or null if m is NULL.
 */
void explain_model_json(
    struct str *s, const struct model *m, const struct sample *sample);

/*
 * Append a JSON array with the points of each of n reasons of
 * score_learned(), and the points that its rules alone give.  These are null
 * if rules is NULL or lacks the tag.
 */
void explain_learned_json(struct str *s, const struct reason *reasons, size_t n,
    const struct score *rules);

/* Append the policy as JSON, with the band that decided or null for NULL. */
void explain_policy_json(
    struct str *s, const struct policy *p, const struct band *band);

/* Append the result of counterfactual_find() as JSON. */
void explain_changes_json(struct str *s, const struct counterfactuals *changes);

#endif
