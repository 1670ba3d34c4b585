/* SPDX-License-Identifier: ISC */
/* From fired rules to one score from 0 to 100 and its reasons. */
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

#define SCORE_SHORT_CIRCUIT (-1) /* a decision that skipped scoring */
#define SCORE_MAX 100
#define SCORE_TAG_LABELS_MIN 3 /* labels before what they teach is believed */
#define SCORE_TAG_POINTS_MAX 45 /* points that labels can teach */
#define SCORE_MODEL_REASONS 6

/*
 * What makes the score: SCORER_WEIGHTED adds the points of the rules that
 * fired, SCORER_LEARNED the weights of their tags, SCORER_ML asks a model.
 */
enum scorer {
	SCORER__NONE,
#define SCORER(id, name) SCORER_##id,
#include "core/decide/scorers.tbl"
#undef SCORER
	SCORER__MAX
};

/* One tag that fired and what it added. */
struct reason {
	const char *tag;
	int points;
};

struct score {
	int total; /* 0 to SCORE_MAX */
	const struct reason *reasons; /* points descending, then by tag */
	size_t n_reasons;
};

/* What labels say of a tag: how many events that fired it were what. */
struct tag_weight {
	const char *tag;
	int64_t fraud;
	int64_t legit;
};

/* Of all tags that have labels, in the order of strcmp(). */
struct tag_weights {
	struct tag_weight *all;
	size_t n;
};

/* Who makes the score, and by what. */
struct scoring {
	enum scorer scorer;
	const struct tag_weights *tag_weights; /* of SCORER_LEARNED */
	const struct model *model; /* of SCORER_ML */
};

/* "weighted". */
const char *scorer_name(enum scorer scorer);

/* The scorer with that name, or 0; so for NULL. */
enum scorer scorer_parse(const char *name);

/*
 * Add up the points of the rules in hits per tag, and all of them into one
 * total clamped to [0, 100].  Rules with one tag make one reason.  Returns 0,
 * or -1 with f set when the arena is full.
 */
int score_weighted(struct arena *a, const struct ruleset *rs,
    const struct rule_hits *hits, struct score *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * What score_weighted() made of the rules, but a tag with labels enough adds
 * what they teach of it, once however many of its rules fired.  Returns 0, or
 * -1 with f set when the arena is full.
 */
int score_learned(struct arena *a, const struct score *rules,
    const struct tag_weights *tag_weights, struct score *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The probability that the model gives the event, out of a hundred and as if
 * every other event were fraud; rules is the weighted total of its rules.  The
 * reasons are the features that speak for fraud the most, at most six; they
 * share the points in proportion, and one that gets none is none.  *ret_p and
 * *ret_p_even are what model_risk() says.  Returns 0, or -1 with f set when
 * the arena is full.
 */
int score_ml(struct arena *a, const struct model *model,
    const struct signals *sigs, int rules, struct score *ret, double *ret_p,
    double *ret_p_even, struct fail *f) __attribute__((warn_unused_result));

/*
 * The points that labels teach: the share of fraud among them and one more
 * that is half of it, of 45, halves up.
 */
int score_tag_weight(const struct tag_weight *tag_weight);

/* The reason of that tag, or NULL. */
const struct reason *score_reason(const struct score *score, const char *tag);

/*
 * A lesson that teaches of a tag just so many points, for where only these
 * were kept; more than labels can teach are as many as they can.
 */
struct tag_weight score_tag_weight_of(const char *tag, int points);

/* Append the reasons as a JSON array, [{"tag":"...","points":28},...]. */
void score_reasons(struct str *s, const struct score *score);

#endif
