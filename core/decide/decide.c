/* SPDX-License-Identifier: ISC */
/* Decide an event from its signals and the lists that it is on. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"

static int score_rules(const struct rulebook *book, const struct signals *sigs,
    struct arena *a, struct decision *ret, struct fail *f);
static void short_circuit(const struct policy *policy, enum verdict verdict,
    const struct reason *reason, struct decision *ret);
static int add_reason(struct arena *a, struct score *score,
    const struct reason *reason, struct fail *f);

static const struct reason degraded = { .tag = "engine.degraded" };

/* The reasons for entries of lists. */
static const struct reason listed[LIST_KIND__MAX] = {
	[LIST_BLOCK] = { .tag = "list.block" },
	[LIST_ALLOW] = { .tag = "list.allow" },
	[LIST_WATCH] = { .tag = "list.watch" },
};

int
decide(const struct rulebook *book, const struct signals *sigs, struct arena *a,
    struct decision *ret, struct fail *f)
{
	rule_eval(book->ruleset, sigs, &ret->hits);
	return decide_hits(book, sigs, a, ret, f);
}

int
decide_hits(const struct rulebook *book, const struct signals *sigs,
    struct arena *a, struct decision *ret, struct fail *f)
{
	const struct band *band;

	if (score_rules(book, sigs, a, ret, f) == -1)
		return -1;
	band = policy_band(book->policy, ret->score.total);
	ret->verdict = band->verdict;
	ret->queue =
	    band->verdict == VERDICT_REVIEW ? policy_queue(band) : NULL;
	ret->policy = book->policy;
	return 0;
}

void
decide_listed(
    const struct policy *policy, enum list_kind kind, struct decision *ret)
{
	assert(list_decides(kind));
	short_circuit(policy, kind == LIST_BLOCK ? VERDICT_DENY : VERDICT_ALLOW,
	    &listed[kind], ret);
}

int
decide_watched(struct arena *a, struct decision *decision, struct fail *f)
{
	if (add_reason(a, &decision->score, &listed[LIST_WATCH], f) == -1)
		return -1;
	if (decision->verdict < VERDICT_REVIEW) {
		decision->verdict = VERDICT_REVIEW;
		decision->queue = policy_review_queue(decision->policy);
	}
	return 0;
}

void
decide_shadow(const struct shadow *shadow, const struct signals *sigs,
    bool watched, struct arena *a, struct shadow_result *ret)
{
	const struct arena_mark mark = arena_mark(a);
	struct fail f = { 0 };
	struct decision d;

	if (decide(&shadow->book, sigs, a, &d, &f) == -1 ||
	    (watched && decide_watched(a, &d, &f) == -1)) {
		arena_rewind(a, mark);
		ret->id = NULL;
		return;
	}
	*ret = (struct shadow_result) {
		.id = shadow->id,
		.verdict = d.verdict,
		.score = d.score,
	};
}

void
decide_degraded(const struct policy *policy, struct decision *ret)
{
	short_circuit(policy, policy_degraded(policy), &degraded, ret);
}

void
decide_tags(struct str *s, const struct decision *d)
{
	const struct score *score =
	    d->scorer == SCORER_ML ? &d->rules : &d->score;
	size_t i;

	for (i = 0; i < score->n_reasons; i++)
		str_addf(s, "%s%s", i == 0 ? "" : ",", score->reasons[i].tag);
}

/* Compute the score of the rules that fired, with the scorer of the book. */
static int
score_rules(const struct rulebook *book, const struct signals *sigs,
    struct arena *a, struct decision *ret, struct fail *f)
{
	static const struct scoring weighted = { .scorer = SCORER_WEIGHTED };
	const struct scoring *by =
	    book->scoring == NULL ? &weighted : book->scoring;

	ret->scorer = by->scorer;
	if (score_weighted(a, book->ruleset, &ret->hits, &ret->rules, f) == -1)
		return -1;
	if (by->scorer == SCORER_LEARNED)
		return score_learned(
		    a, &ret->rules, by->tag_weights, &ret->score, f);
	if (by->scorer != SCORER_ML) {
		ret->score = ret->rules;
		return 0;
	}
	ret->model = by->model;
	return score_ml(a, by->model, sigs, ret->rules.total, &ret->score,
	    &ret->p, &ret->p_even, f);
}

/* Make a decision without scoring, with one reason. */
static void
short_circuit(const struct policy *policy, enum verdict verdict,
    const struct reason *reason, struct decision *ret)
{
	ret->verdict = verdict;
	ret->score = (struct score) {
		.total = SCORE_SHORT_CIRCUIT,
		.reasons = reason,
		.n_reasons = 1,
	};
	ret->queue = NULL;
	ret->policy = policy;
	ret->hits.n = 0;
}

/*
 * Insert a reason with 0 points at its place in the order, unless a rule
 * already added its tag.
 */
static int
add_reason(struct arena *a, struct score *score, const struct reason *reason,
    struct fail *f)
{
	const struct reason *was = score->reasons;
	struct reason *all;
	size_t i, n = score->n_reasons;

	for (i = 0; i < n; i++) {
		if (strcmp(was[i].tag, reason->tag) == 0)
			return 0;
	}
	if ((all = arena_array(a, n + 1, sizeof(*all))) == NULL)
		return fail_memory(f);
	for (i = n; i > 0 && was[i - 1].points == 0 &&
	     strcmp(was[i - 1].tag, reason->tag) > 0;
	     i--)
		all[i] = was[i - 1];
	all[i] = *reason;
	for (; i > 0; i--)
		all[i - 1] = was[i - 1];
	score->reasons = all;
	score->n_reasons = n + 1;
	return 0;
}
