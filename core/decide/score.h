/* SPDX-License-Identifier: ISC */
/* Compute a score from 0 to 100 and its reasons from the rules that fired. */
#ifndef CORE_DECIDE_SCORE_H
#define CORE_DECIDE_SCORE_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;
struct rule_hits;
struct model;
struct ruleset;
struct signals;
struct str;

#define SCORE_SHORT_CIRCUIT (-1) /* of a decision that was not scored */
#define SCORE_MAX 100
#define SCORE_TAG_LABELS_MIN 3 /* labels that a tag weight needs to count */
#define SCORE_TAG_POINTS_MAX 45 /* highest points of a tag weight */
#define SCORE_MODEL_REASONS 6 /* most reasons of score_ml() */

/*
 * How the score is made: SCORER_WEIGHTED adds the points of the rules that
 * fired, SCORER_LEARNED adds the weights of their tags, SCORER_ML uses a model.
 */
enum scorer {
	SCORER__NONE,
#define SCORER(id, name) SCORER_##id,
#include "core/decide/scorers.tbl"
#undef SCORER
	SCORER__MAX
};

/* One tag that fired, and its points in the score. */
struct reason {
	const char *tag;
	int points;
};

struct score {
	int total; /* 0 to SCORE_MAX */
	const struct reason *reasons; /* by points descending, then by tag */
	size_t n_reasons;
};

/* The labels of the events that fired a tag, counted. */
struct tag_weight {
	const char *tag;
	int64_t fraud;
	int64_t legit;
};

/* The weights of all tags that have labels, in the order of strcmp(). */
struct tag_weights {
	struct tag_weight *all;
	size_t n;
};

/* The scorer and its data. */
struct scoring {
	enum scorer scorer;
	const struct tag_weights *tag_weights; /* for SCORER_LEARNED */
	const struct model *model; /* for SCORER_ML */
};

/* The name of a scorer, such as "weighted". */
const char *scorer_name(enum scorer scorer);

/* The scorer with that name, or 0 if name is NULL or unknown. */
enum scorer scorer_parse(const char *name);

/*
 * Add up the points of the rules in hits: per tag for the reasons, and all of
 * them for the total, at most 100.  Rules with the same tag make one reason.
 * Return 0, or -1 with f set if the arena is full.
 */
int score_weighted(struct arena *a, const struct ruleset *rs,
    const struct rule_hits *hits, struct score *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Replace points of a score of score_weighted(): a tag with at least
 * SCORE_TAG_LABELS_MIN labels adds score_tag_weight() points, once, however
 * many of its rules fired.  The other tags keep the points of their rules.
 * Return 0, or -1 with f set if the arena is full.
 */
int score_learned(struct arena *a, const struct score *rules,
    const struct tag_weights *tag_weights, struct score *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Score an event with a model; rules is the weighted total of its rules.  The
 * score is 100 times p_even of model_risk(), rounded.  The reasons are the
 * features with the largest positive terms, at most SCORE_MODEL_REASONS.  They
 * share the points in proportion to their terms; a feature without points is
 * left out.  *ret_p and *ret_p_even are the results of model_risk().  Return
 * 0, or -1 with f set if the arena is full.
 */
int score_ml(struct arena *a, const struct model *model,
    const struct signals *sigs, int rules, struct score *ret, double *ret_p,
    double *ret_p_even, struct fail *f) __attribute__((warn_unused_result));

/*
 * The points of a tag: SCORE_TAG_POINTS_MAX times the share of fraud in its
 * labels, rounded half up.  The share counts one more label, half of it fraud.
 */
int score_tag_weight(const struct tag_weight *tag_weight);

/* The reason with that tag, or NULL. */
const struct reason *score_reason(const struct score *score, const char *tag);

/*
 * Make a weight for which score_tag_weight() returns exactly these points, for
 * decisions of which only the points are stored.  Points above
 * SCORE_TAG_POINTS_MAX become SCORE_TAG_POINTS_MAX.
 */
struct tag_weight score_tag_weight_of(const char *tag, int points);

/* Append the reasons as a JSON array, [{"tag":"...","points":28},...]. */
void score_reasons(struct str *s, const struct score *score);

#endif
