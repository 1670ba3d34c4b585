/* SPDX-License-Identifier: ISC */
/* From fired rules to one score from 0 to 100 and its reasons. */
#ifndef CORE_SCORE_H
#define CORE_SCORE_H

#include <stddef.h>

struct arena;
struct fail;
struct hits;
struct ruleset;

#define SCORE_SHORT_CIRCUIT (-1) /* a decision that skipped scoring */
#define SCORE_MAX 100
#define SCORE_SERVING "weighted" /* the scorer that decides */

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

/*
 * Add up the points of the rules in hits per tag, and all of them into one
 * total clamped to [0, 100].  Rules with one tag make one reason.  Returns 0,
 * or -1 with f set when the arena is full.
 */
int score_weighted(struct arena *a, const struct ruleset *rs,
    const struct hits *hits, struct score *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
