/* SPDX-License-Identifier: ISC */
/* What decides in a redecision: rulesets, policies and the scorer of now. */
#ifndef CRON_REDECISION_BOOKS_H
#define CRON_REDECISION_BOOKS_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/decide/decide.h"
#include "core/event/event.h"
#include "lib/engine/live_scoring.h"

struct db;
struct fail;

/* Zeroed, it has none; redecision_books_clear() frees its memory. */
struct redecision_books {
	struct arena arena; /* of the rulesets and policies */
	void *block;
	struct rulebook book[EVENT_TYPE__MAX]; /* no ruleset: not of these */
	struct policy policy[EVENT_TYPE__MAX];
	const char *type[EVENT_TYPE__MAX]; /* names of those that have one */
	const struct ruleset *ruleset[EVENT_TYPE__MAX]; /* of these types */
	size_t n; /* of type and ruleset */
	struct live_scoring scoring;
};

/*
 * Load those of a redecision, and the scorer; a is scratch.  They point into
 * ret.  Return 0, or -1 with f set and ret to be cleared.
 */
int redecision_books_load(struct redecision_books *ret, const char *redecision,
    struct db *db, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/* Free its memory, and set it to zero. */
void redecision_books_clear(struct redecision_books *books);

#endif
