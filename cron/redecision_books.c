/* SPDX-License-Identifier: ISC */
/* What decides in a redecision: rulesets, policies and the scorer of now. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "cron/redecision_books.h"
#include "lib/db/db.h"
#include "lib/json/body_rules.h"

#define POLICY_SIZE ((size_t)65536) /* room for one in memory */

static int make_room(
    struct redecision_books *books, const struct rows *rows, struct fail *f);
static int load_book(struct redecision_books *books, const struct rows *rows,
    int row, struct fail *f);

int
redecision_books_load(struct redecision_books *ret, const char *redecision,
    struct db *db, struct arena *a, struct fail *f)
{
	struct params p;
	struct rows rows;
	int i;

	params_init(&p, a);
	params_text(&p, redecision);
	if (db_run(db, a, STMT_REDECISION_BOOKS, &p, &rows, f) == -1 ||
	    make_room(ret, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++)
		if (load_book(ret, &rows, i, f) == -1)
			return -1;
	return live_scoring_load(&ret->scoring, db, a, f);
}

void
redecision_books_clear(struct redecision_books *books)
{
	live_scoring_clear(&books->scoring);
	if (books->block != NULL)
		arena_reset(&books->arena);
	free(books->block);
	memset(books, 0, sizeof(*books));
}

static int
make_room(
    struct redecision_books *books, const struct rows *rows, struct fail *f)
{
	size_t size = 0;
	int i;

	for (i = 0; i < rows->n; i++)
		size += POLICY_SIZE +
		    RULE_ARENA_SIZE(strlen(rows_text(rows, i, "rules")));
	if ((books->block = malloc(size + 1)) == NULL)
		return fail_memory(f);
	arena_init(&books->arena, books->block, size);
	return 0;
}

static int
load_book(struct redecision_books *books, const struct rows *rows, int row,
    struct fail *f)
{
	struct arena *a = &books->arena;
	const char *text = rows_text(rows, row, "rules");
	const enum event_type type =
	    event_type_parse(rows_text(rows, row, "event_type"));
	struct policy *policy = &books->policy[type];
	struct ruleset *rs;

	if (type == EVENT_TYPE__NONE)
		return 0;
	rs = rule_compile(a, text, strlen(text), f);
	if (rs == NULL ||
	    body_policy_text(a, rows_text(rows, row, "policy"), policy, f) ==
		-1)
		return -1;
	rs->version = arena_strdup(a, rows_text(rows, row, "ruleset_version"));
	policy->id = arena_strdup(a, rows_text(rows, row, "policy_id"));
	policy->version =
	    arena_strdup(a, rows_text(rows, row, "policy_version"));
	if (a->overflow)
		return fail_memory(f);
	books->book[type] = (struct rulebook) {
		.ruleset = rs,
		.scoring = &books->scoring.scoring,
		.policy = policy,
	};
	books->type[books->n] = event_type_name(type);
	books->ruleset[books->n++] = rs;
	return 0;
}
