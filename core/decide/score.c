/* SPDX-License-Identifier: ISC */
/* Compute a score from 0 to 100 and its reasons from the rules that fired. */
#include "config.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/writer.h"
#include "core/decide/model.h"
#include "core/decide/score.h"
#include "core/rule/rule.h"
#include "core/signal/features.h"

/* Labels for score_tag_weight_of(): 1000 of fraud give one point exactly. */
#define LABELS_PER_POINT 1000
#define LABELS_TOTAL (LABELS_PER_POINT * SCORE_TAG_POINTS_MAX - 1)

/* A feature with a positive term, and its share of the points. */
struct share {
	double term;
	double rest; /* fraction of a point that rounding down left over */
	struct reason reason;
};

static void add_up(struct reason *reasons, size_t n, struct score *ret);
static const struct tag_weight *find_tag_weight(
    const struct tag_weights *tag_weights, const char *tag);
static size_t find_shares(const struct model_risk *risk, struct share *ret);
static void share_out(int points, struct share *shares, size_t n);
static int reason_order(const void *a, const void *b);
static int compare_tag_weight(const void *a, const void *b);
static int term_order(const void *a, const void *b);
static int rest_order(const void *a, const void *b);

static const char *const names[SCORER__MAX] = {
#define SCORER(id, name) [SCORER_##id] = (name),
#include "core/decide/scorers.tbl"
#undef SCORER
};

static const char *const feature_tags[FEATURE__MAX] = {
#define FEATURE(ident, name, signal, transform, scale) "ml:" name,
#include "core/signal/features.tbl"
#undef FEATURE
};

const char *
scorer_name(enum scorer scorer)
{
	assert(scorer >= SCORER_WEIGHTED && scorer < SCORER__MAX);
	return names[scorer];
}

enum scorer
scorer_parse(const char *name)
{
	return name_index(names, name);
}

int
score_weighted(struct arena *a, const struct ruleset *rs,
    const struct rule_hits *hits, struct score *ret, struct fail *f)
{
	struct reason *reasons, *reason;
	const struct rule *rule;
	uint16_t *place; /* by tag index: index of its reason, plus 1 */
	size_t i, n = 0;

	if (hits->n == 0) {
		*ret = (struct score) { .total = 0 };
		return 0;
	}
	place = arena_array(a, rs->n_tags, sizeof(*place));
	reasons = arena_array(a, hits->n, sizeof(*reasons));
	if (place == NULL || reasons == NULL)
		return fail_memory(f);

	/* The first rule with a tag creates its reason, others add to it. */
	for (i = 0; i < hits->n; i++) {
		rule = &rs->rules[hits->index[i]];
		if (place[rule->tag_index] == 0)
			place[rule->tag_index] = (uint16_t)++n;
		reason = &reasons[place[rule->tag_index] - 1];
		reason->tag = rule->tag;
		reason->points += rule->points;
	}
	add_up(reasons, n, ret);
	return 0;
}

int
score_learned(struct arena *a, const struct score *rules,
    const struct tag_weights *tag_weights, struct score *ret, struct fail *f)
{
	const size_t n = rules->n_reasons;
	const struct tag_weight *tag_weight;
	struct reason *reasons;
	size_t i;

	*ret = *rules;
	if (n == 0)
		return 0;
	if ((reasons = arena_array(a, n, sizeof(*reasons))) == NULL)
		return fail_memory(f);
	memcpy(reasons, rules->reasons, n * sizeof(*reasons));
	for (i = 0; i < n; i++) {
		tag_weight = find_tag_weight(tag_weights, reasons[i].tag);
		if (tag_weight != NULL &&
		    tag_weight->fraud + tag_weight->legit >=
			SCORE_TAG_LABELS_MIN)
			reasons[i].points = score_tag_weight(tag_weight);
	}
	add_up(reasons, n, ret);
	return 0;
}

int
score_ml(struct arena *a, const struct model *model, const struct signals *sigs,
    int rules, struct score *ret, double *ret_p, double *ret_p_even,
    struct fail *f)
{
	struct share shares[FEATURE__MAX];
	struct model_risk risk;
	double x[FEATURE__MAX];
	struct reason *reasons;
	size_t i, n_shares, n = 0;
	int score;

	features_extract(sigs, rules, x);
	model_risk(model, x, &risk);
	score = (int)floor(SCORE_MAX * risk.p_even + 0.5);
	n_shares = find_shares(&risk, shares);
	share_out(score, shares, n_shares);
	if ((reasons = arena_array(a, SCORE_MODEL_REASONS, sizeof(*reasons))) ==
	    NULL)
		return fail_memory(f);
	for (i = 0; i < n_shares; i++)
		if (shares[i].reason.points > 0)
			reasons[n++] = shares[i].reason;
	qsort(reasons, n, sizeof(*reasons), reason_order);
	*ret = (struct score) {
		.total = score,
		.reasons = reasons,
		.n_reasons = n,
	};
	*ret_p = risk.p;
	*ret_p_even = risk.p_even;
	return 0;
}

int
score_tag_weight(const struct tag_weight *tag_weight)
{
	const int64_t all = tag_weight->fraud + tag_weight->legit + 1;

	return (
	    int)((SCORE_TAG_POINTS_MAX * (2 * tag_weight->fraud + 1) + all) /
	    (2 * all));
}

const struct reason *
score_reason(const struct score *score, const char *tag)
{
	size_t i;

	for (i = 0; i < score->n_reasons; i++)
		if (strcmp(score->reasons[i].tag, tag) == 0)
			return &score->reasons[i];
	return NULL;
}

struct tag_weight
score_tag_weight_of(const char *tag, int points)
{
	int64_t fraud = (int64_t)points * LABELS_PER_POINT;

	if (fraud > LABELS_TOTAL)
		fraud = LABELS_TOTAL;
	return (struct tag_weight) {
		.tag = tag,
		.fraud = fraud,
		.legit = LABELS_TOTAL - fraud,
	};
}

/* Sort the reasons and add up their points. */
static void
add_up(struct reason *reasons, size_t n, struct score *ret)
{
	size_t i;
	int total = 0;

	for (i = 0; i < n; i++)
		total += reasons[i].points;
	if (n > 1)
		qsort(reasons, n, sizeof(*reasons), reason_order);
	*ret = (struct score) {
		.total = total > SCORE_MAX ? SCORE_MAX : total,
		.reasons = reasons,
		.n_reasons = n,
	};
}

static const struct tag_weight *
find_tag_weight(const struct tag_weights *tag_weights, const char *tag)
{
	const struct tag_weight key = { .tag = tag };

	if (tag_weights->n == 0)
		return NULL;
	return bsearch(&key, tag_weights->all, tag_weights->n, sizeof(key),
	    compare_tag_weight);
}

/* Find the features with the largest positive terms; return their number. */
static size_t
find_shares(const struct model_risk *risk, struct share *ret)
{
	size_t n = 0;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		if (risk->term[i] <= 0)
			continue;
		ret[n++] = (struct share) {
			.term = risk->term[i],
			.reason = { .tag = feature_tags[i] },
		};
	}
	qsort(ret, n, sizeof(*ret), term_order);
	return n > SCORE_MODEL_REASONS ? SCORE_MODEL_REASONS : n;
}

/*
 * Share the points in proportion to the terms, by the largest remainder
 * method: first the whole points of each share, then one point each to the
 * shares with the largest remainders.
 */
static void
share_out(int points, struct share *shares, size_t n)
{
	double quota, sum = 0;
	size_t i;

	for (i = 0; i < n; i++)
		sum += shares[i].term;
	for (i = 0; i < n; i++) {
		quota = shares[i].term / sum * points;
		shares[i].reason.points = (int)quota;
		shares[i].rest = quota - shares[i].reason.points;
	}
	for (i = 0; i < n; i++)
		points -= shares[i].reason.points;
	qsort(shares, n, sizeof(*shares), rest_order);
	for (i = 0; n > 0 && points > 0; i = (i + 1) % n, points--)
		shares[i].reason.points++;
}

void
score_reasons(struct str *s, const struct score *score)
{
	size_t i;

	writer_array(s, NULL);
	for (i = 0; i < score->n_reasons; i++) {
		writer_object(s, NULL);
		writer_text(s, "tag", score->reasons[i].tag);
		writer_int(s, "points", score->reasons[i].points);
		writer_end(s);
	}
	writer_end(s);
}

static int
reason_order(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	return strcmp(x->tag, y->tag);
}

static int
compare_tag_weight(const void *a, const void *b)
{
	const struct tag_weight *x = a, *y = b;

	return strcmp(x->tag, y->tag);
}

/* By term descending, then by tag. */
static int
term_order(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->term != y->term)
		return x->term > y->term ? -1 : 1;
	return strcmp(x->reason.tag, y->reason.tag);
}

static int
rest_order(const void *a, const void *b)
{
	const struct share *x = a, *y = b;

	if (x->rest != y->rest)
		return x->rest > y->rest ? -1 : 1;
	return term_order(a, b);
}
