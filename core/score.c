/* SPDX-License-Identifier: ISC */
/* From fired rules to one score from 0 to 100 and its reasons. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/rule.h"
#include "core/score.h"

static int reason_order(const void *, const void *);

int
score_weighted(struct arena *a, const struct ruleset *rs,
    const struct hits *hits, struct score *ret, struct fail *f)
{
	struct reason *reasons, *reason;
	const struct rule *rule;
	uint16_t *place; /* by tag: where its reason is, from 1 */
	size_t i, n = 0;
	int total = 0;

	if (hits->n == 0) {
		*ret = (struct score) { .total = 0 };
		return 0;
	}
	place = arena_array(a, rs->n_tags, sizeof(*place));
	reasons = arena_array(a, hits->n, sizeof(*reasons));
	if (place == NULL || reasons == NULL)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "there is no room left for the reasons");

	/* The first rule with a tag opens its reason, others add to it. */
	for (i = 0; i < hits->n; i++) {
		rule = &rs->rules[hits->index[i]];
		if (place[rule->tag_index] == 0)
			place[rule->tag_index] = (uint16_t)++n;
		reason = &reasons[place[rule->tag_index] - 1];
		reason->tag = rule->tag;
		reason->points += rule->points;
		total += rule->points;
	}
	qsort(reasons, n, sizeof(*reasons), reason_order);
	*ret = (struct score) {
		.total = total > SCORE_MAX ? SCORE_MAX : total,
		.reasons = reasons,
		.n_reasons = n,
	};
	return 0;
}

static int
reason_order(const void *a, const void *b)
{
	const struct reason *x = a, *y = b;

	if (x->points != y->points)
		return x->points > y->points ? -1 : 1;
	return strcmp(x->tag, y->tag);
}
