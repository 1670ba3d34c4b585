/* SPDX-License-Identifier: ISC */
/*
 * The job "velocity": count the velocities that rulesets define, fill new ones
 * from stored decisions, and forget what is past its window.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/velocity.h"
#include "cron/jobs.h"
#include "cron/velocity_fill.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define FORGET_MAX 1000 /* states that one step removes */
#define SYNC_PAUSE (60 * CLOCK_SECOND) /* also if no ruleset has changed */

/* An active ruleset and a shadow of each event type. */
#define DEFINED_MAX ((size_t)2 * EVENT_TYPE__MAX * RULE_VELOCITIES_MAX)

enum { COUNT_ADDED, COUNT_DECISIONS, COUNT_COMPLETED, COUNT_FORGOTTEN };

/* State that lasts from step to step. */
struct velocity_sync {
	int64_t session; /* db_session() of the epoch */
	int64_t rules; /* epoch of the rulesets */
	int64_t due; /* clock_ticks() of the next one in any case */
	int64_t left_out; /* definitions for which there was no room */
};

/* The definitions that rulesets have; equal ones are one. */
struct defined {
	int64_t id[DEFINED_MAX];
	const char *definition[DEFINED_MAX];
	int64_t span[DEFINED_MAX];
	int64_t fillable[DEFINED_MAX]; /* 1 or 0 */
	struct str users[DEFINED_MAX]; /* JSON */
	size_t n;
};

static int sync_definitions(struct job_run *r, struct fail *f);
static int read_rules_epoch(struct job_run *r, int64_t *ret, struct fail *f);
static int collect_rulesets(struct job_run *r, enum stmt stmt, bool shadow,
    struct defined *all, struct fail *f);
static int collect_ruleset(struct job_run *r, const char *type,
    const char *text, bool shadow, struct defined *all, struct fail *f);
static int add_definition(struct job_run *r, const struct velocity *v,
    const char *type, bool shadow, struct defined *all);
static int store_definitions(
    struct job_run *r, struct defined *all, struct fail *f);
static int forget_states(struct job_run *r, bool *ret_more, struct fail *f);

int
job_velocity_open(struct job_run *r, struct fail *f)
{
	r->own = calloc(1, sizeof(struct velocity_sync));
	return r->own == NULL ? fail_memory(f) : 0;
}

void
job_velocity_close(struct job_run *r)
{
	free(r->own);
}

int
job_velocity_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	int64_t decisions, completed;
	bool more;

	/* Forget first, so that a fill that fails does not prevent it. */
	if (sync_definitions(r, f) == -1 || forget_states(r, &more, f) == -1 ||
	    velocity_fill_step(r, &decisions, &completed, ret_more, f) == -1)
		return -1;
	r->count[COUNT_DECISIONS] += decisions;
	r->count[COUNT_COMPLETED] += completed;
	*ret_more = *ret_more || more;
	return 0;
}

/* Count what the rulesets have now, if they have changed. */
static int
sync_definitions(struct job_run *r, struct fail *f)
{
	struct velocity_sync *sync = r->own;
	const struct arena_mark mark = arena_mark(r->arena);
	struct defined *all;
	int64_t rules;
	int result;

	if (read_rules_epoch(r, &rules, f) == -1)
		return -1;
	if (sync->session == db_session(r->db) && sync->rules == rules &&
	    clock_ticks() < sync->due)
		return 0;
	if ((all = arena_alloc(r->arena, sizeof(*all))) == NULL)
		return fail_memory(f);
	result = collect_rulesets(r, STMT_ENGINE_RULESETS, false, all, f);
	if (result == 0)
		result =
		    collect_rulesets(r, STMT_ENGINE_CANDIDATES, true, all, f);
	if (result == 0)
		result = store_definitions(r, all, f);
	arena_rewind(r->arena, mark);
	if (result == -1)
		return -1;
	sync->session = db_session(r->db);
	sync->rules = rules;
	sync->due = clock_ticks() + SYNC_PAUSE;
	return 0;
}

static int
read_rules_epoch(struct job_run *r, int64_t *ret, struct fail *f)
{
	struct rows rows;

	if (db_one(r->db, r->arena, STMT_ENGINE_EPOCHS, NULL, &rows, f) == -1)
		return -1;
	*ret = rows_int(&rows, 0, "rules");
	return 0;
}

/* Collect the velocities of all active rulesets, or of all shadows. */
static int
collect_rulesets(struct job_run *r, enum stmt stmt, bool shadow,
    struct defined *all, struct fail *f)
{
	struct rows rows;
	int i;

	if (db_run(r->db, r->arena, stmt, NULL, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++)
		if (collect_ruleset(r, rows_text(&rows, i, "event_type"),
			rows_text(&rows, i, "text"), shadow, all, f) == -1)
			return -1;
	return 0;
}

/* A ruleset that this program cannot read has no velocities. */
static int
collect_ruleset(struct job_run *r, const char *type, const char *text,
    bool shadow, struct defined *all, struct fail *f)
{
	const size_t size = RULE_ARENA_SIZE(strlen(text));
	const struct ruleset *rs;
	struct fail why = { 0 };
	struct arena a;
	void *block;
	size_t i;
	int result = 0;

	/* Most rulesets have none; spare them the compiler. */
	if (strstr(text, "velocity") == NULL)
		return 0;
	if ((block = malloc(size)) == NULL)
		return fail_memory(f);
	arena_init(&a, block, size);
	rs = rule_compile(&a, text, strlen(text), &why);
	for (i = 0; rs != NULL && result == 0 && i < rs->n_velocities; i++)
		result =
		    add_definition(r, &rs->velocities[i], type, shadow, all);
	arena_reset(&a);
	free(block);
	return result == 0 ? 0 : fail_memory(f);
}

/* Add a velocity of a ruleset, or another ruleset that has it. */
static int
add_definition(struct job_run *r, const struct velocity *v, const char *type,
    bool shadow, struct defined *all)
{
	struct str text, *users;
	size_t i;

	for (i = 0; i < all->n && all->id[i] != v->id; i++)
		continue;
	if (i == DEFINED_MAX)
		return 0;
	users = &all->users[i];
	if (i == all->n) {
		str_init(&text, r->arena);
		velocity_print(&text, v);
		all->id[i] = v->id;
		all->definition[i] = str_text(&text);
		all->span[i] = v->window;
		/* Phones are masked in stored decisions. */
		all->fillable[i] = velocity_reads(v, SUBJECT_PHONE) ? 0 : 1;
		str_init(users, r->arena);
		writer_array(users, NULL);
		all->n++;
	}
	writer_object(users, NULL);
	writer_text(users, "eventType", type);
	writer_text(users, "name", v->name);
	writer_bool(users, "shadow", shadow);
	writer_end(users);
	return all->definition[i] == NULL || str_text(users) == NULL ? -1 : 0;
}

static int
store_definitions(struct job_run *r, struct defined *all, struct fail *f)
{
	const char **users = arena_array(r->arena, all->n, sizeof(*users));
	struct velocity_sync *sync = r->own;
	struct params p;
	struct rows rows;
	size_t i;

	if (users == NULL)
		return fail_memory(f);
	for (i = 0; i < all->n; i++) {
		writer_end(&all->users[i]);
		if ((users[i] = str_text(&all->users[i])) == NULL)
			return fail_memory(f);
	}
	params_init(&p, r->arena);
	params_ints(&p, all->id, all->n);
	params_texts(&p, all->definition, all->n);
	params_ints(&p, all->span, all->n);
	params_ints(&p, all->fillable, all->n);
	params_texts(&p, users, all->n);
	params_int(&p, VELOCITIES_MAX);
	if (db_one(r->db, r->arena, STMT_VELOCITY_SYNC, &p, &rows, f) == -1)
		return -1;
	r->count[COUNT_ADDED] += rows_int(&rows, 0, "added");
	if (rows_int(&rows, 0, "left_out") == sync->left_out)
		return 0;
	sync->left_out = rows_int(&rows, 0, "left_out");
	if (sync->left_out > 0)
		log_warn("event=velocities_left_out why=%lld definitions "
			 "are more than the %d that can be counted",
		    (long long)sync->left_out, VELOCITIES_MAX);
	return 0;
}

static int
forget_states(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, FORGET_MAX);
	if (db_one(r->db, r->arena, STMT_VELOCITY_FORGET, &p, &rows, f) == -1)
		return -1;
	r->count[COUNT_FORGOTTEN] += rows_int(&rows, 0, "forgotten");
	*ret_more = rows_int(&rows, 0, "forgotten") >= FORGET_MAX;
	return 0;
}
