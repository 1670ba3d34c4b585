/* SPDX-License-Identifier: ISC */
/* Decide a sample again, and compare the result with the recorded decision. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/analyse/explain.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/sample.h"

static int order_tag_weights(const void *a, const void *b);

int
explain_decide(const struct rulebook *book, const struct sample *sample,
    struct arena *a, struct decision *ret, struct fail *f)
{
	if (decide(book, &sample->signals, a, ret, f) == -1)
		return -1;
	return sample->watched ? decide_watched(a, ret, f) : 0;
}

bool
explain_same(const struct decision *d, const struct sample *sample,
    const struct reason *reasons, size_t n)
{
	size_t i;

	if (d->verdict != sample->verdict || d->scorer != sample->scorer ||
	    d->score.total != sample->score ||
	    d->rules.total != sample->rules_score || d->score.n_reasons != n)
		return false;
	for (i = 0; i < n; i++)
		if (d->score.reasons[i].points != reasons[i].points ||
		    strcmp(d->score.reasons[i].tag, reasons[i].tag) != 0)
			return false;
	return d->scorer != SCORER_ML ||
	    (d->p == sample->p && d->p_even == sample->p_even);
}

int
explain_tag_weights(struct arena *a, const struct score *rules,
    const struct reason *reasons, size_t n, const struct tag_weights *now,
    struct tag_weights *ret, struct fail *f)
{
	const size_t n_now = now == NULL ? 0 : now->n;
	const struct reason *rule;
	struct tag_weight *all = arena_array(a, n + n_now + 1, sizeof(*all));
	size_t i, k = 0;

	if (all == NULL)
		return fail_memory(f);

	/* If the points are those of its rules, the tag had no weight. */
	for (i = 0; i < n; i++) {
		rule = score_reason(rules, reasons[i].tag);
		if (rule != NULL && rule->points != reasons[i].points)
			all[k++] =
			    score_tag_weight_of(rule->tag, reasons[i].points);
	}
	for (i = 0; i < n_now; i++)
		if (score_reason(rules, now->all[i].tag) == NULL)
			all[k++] = now->all[i];
	qsort(all, k, sizeof(*all), order_tag_weights);
	*ret = (struct tag_weights) { .all = all, .n = k };
	return 0;
}

static int
order_tag_weights(const void *a, const void *b)
{
	const struct tag_weight *x = a, *y = b;

	return strcmp(x->tag, y->tag);
}
