/* SPDX-License-Identifier: ISC */
/* Fill new velocities from stored decisions. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/sample.h"
#include "core/event/placeholder.h"
#include "cron/job.h"
#include "cron/velocity_fill.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/decided_event.h"
#include "lib/engine/velocity_set.h"
#include "lib/sys/clock.h"
#include "lib/txn/velocity_store.h"

#define SLICE 500 /* decisions of one transaction */

/* A slice, and what counts it. */
struct velocity_filling {
	struct job_run *run;
	int64_t number[VELOCITIES_MAX]; /* of the velocities to fill */
	size_t n;
	struct velocity_set set; /* these velocities */
	uint8_t secret[EVENT_DIGEST_KEY_SIZE];
	struct placeholders placeholders;
	int64_t far; /* start of the slice */
	int64_t near; /* its end */
	int64_t now; /* by the clock of the database */
	struct rows decisions;
	struct stored_event *events; /* of each decision */
	struct velocity_store states;
};

/* A stored decision. */
struct stored_event {
	struct sample *sample; /* NULL: it cannot be read */
	struct velocity_event event;
	int64_t decided_at;
	const char *user;
	bool has[VELOCITIES_MAX]; /* it has the key */
};

static int try_step(struct job_run *r, bool only_add, int64_t *ret_decisions,
    int64_t *ret_completed, bool *ret_more, struct fail *f);
static int prepare_slice(struct velocity_filling *fill, struct fail *f);
static int find_slice(struct velocity_filling *fill, struct fail *f);
static int keep_wanted(struct velocity_filling *fill, struct fail *f);
static int read_decisions(struct velocity_filling *fill, struct fail *f);
static int read_stored_event(struct velocity_filling *fill, int row,
    struct stored_event *ret, struct fail *f);
static int want_stored(struct velocity_filling *fill, struct fail *f);
static int want_stored_event(
    struct velocity_filling *fill, struct stored_event *ev, struct fail *f);
static bool counted_already(
    const struct stored_event *ev, const struct velocity *v);
static int count_stored(struct velocity_filling *fill, struct fail *f);
static int count_stored_event(struct velocity_filling *fill,
    const struct stored_event *ev, size_t *next, struct fail *f);
static int fill_slice(
    struct velocity_filling *fill, int64_t *ret_completed, struct fail *f);

int
velocity_fill_step(struct job_run *r, int64_t *ret_decisions,
    int64_t *ret_completed, bool *ret_more, struct fail *f)
{
	const struct arena_mark mark = arena_mark(r->arena);
	int result =
	    try_step(r, false, ret_decisions, ret_completed, ret_more, f);

	if (result == 0)
		return 0;

	/* A decision has added a state meanwhile: add all before, and lock. */
	if (db_trouble(r->db) == DB_DUPLICATE) {
		db_rollback(r->db);
		arena_rewind(r->arena, mark);
		result = try_step(
		    r, true, ret_decisions, ret_completed, ret_more, f);
		arena_rewind(r->arena, mark);
		if (result == 0)
			result = try_step(r, false, ret_decisions,
			    ret_completed, ret_more, f);
	}
	if (result == -1)
		db_rollback(r->db);
	return result;
}

/*
 * Fill one slice, or only add the states that it lacks, without events.  If
 * that fails, the caller rolls back.
 */
static int
try_step(struct job_run *r, bool only_add, int64_t *ret_decisions,
    int64_t *ret_completed, bool *ret_more, struct fail *f)
{
	struct velocity_filling *fill = arena_alloc(r->arena, sizeof(*fill));

	*ret_decisions = *ret_completed = 0;
	*ret_more = false;
	if (fill == NULL)
		return fail_memory(f);
	fill->run = r;
	if (db_run(r->db, r->arena, STMT_BEGIN, NULL, NULL, f) == -1 ||
	    find_slice(fill, f) == -1)
		return -1;
	if (fill->n > 0 && prepare_slice(fill, f) == -1)
		return -1;
	if (fill->n > 0 && only_add &&
	    velocity_store_reserve(&fill->states, r->db, r->arena, f) == -1)
		return -1;
	if (fill->n > 0 && !only_add &&
	    fill_slice(fill, ret_completed, f) == -1)
		return -1;
	*ret_decisions = fill->decisions.n;
	*ret_more = fill->n > 0;
	return db_run(r->db, r->arena, STMT_COMMIT, NULL, NULL, f);
}

/* Lock the velocities that are next, and find their slice. */
static int
find_slice(struct velocity_filling *fill, struct fail *f)
{
	struct job_run *r = fill->run;
	struct params p;
	struct rows rows;
	int i;

	params_init(&p, r->arena);
	params_int(&p, SLICE);
	if (db_run(r->db, r->arena, STMT_VELOCITY_SLICE, &p, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n && fill->n < VELOCITIES_MAX; i++) {
		fill->number[fill->n++] = rows_int(&rows, i, "number");
		fill->far = rows_time(&rows, i, "far");
		fill->near = rows_time(&rows, i, "near");
		fill->now = rows_time(&rows, i, "now");
	}
	return 0;
}

/* Read the decisions of the slice and the states of their keys. */
static int
prepare_slice(struct velocity_filling *fill, struct fail *f)
{
	struct job_run *r = fill->run;

	if (velocity_set_read(&fill->set, r->arena, r->db, r->arena, f) == -1 ||
	    keep_wanted(fill, f) == -1 ||
	    event_digest_key_read(r->db, r->arena, fill->secret, f) == -1)
		return -1;
	if (placeholders_read(conf.PLACEHOLDERS, &fill->placeholders) == -1)
		abort(); /* conf_load() has checked it */
	if (read_decisions(fill, f) == -1)
		return -1;
	return want_stored(fill, f);
}

static int
fill_slice(
    struct velocity_filling *fill, int64_t *ret_completed, struct fail *f)
{
	struct job_run *r = fill->run;
	struct params p;
	struct rows rows;

	if (count_stored(fill, f) == -1)
		return -1;
	params_init(&p, r->arena);
	params_ints(&p, fill->number, fill->n);
	params_time(&p, fill->far);
	if (db_one(r->db, r->arena, STMT_VELOCITY_FILLED, &p, &rows, f) == -1)
		return -1;
	*ret_completed = rows_int(&rows, 0, "completed");
	return 0;
}

/* Keep those of the set that are to be filled. */
static int
keep_wanted(struct velocity_filling *fill, struct fail *f)
{
	size_t i, k, kept = 0;

	for (i = 0; i < fill->set.n; i++)
		for (k = 0; k < fill->n; k++)
			if (fill->set.list[i].number == fill->number[k])
				fill->set.list[kept++] = fill->set.list[i];
	fill->set.n = kept;
	if (kept == fill->n)
		return 0;
	return fail_set(f, FAIL_US, INTERNAL, NULL,
	    "a velocity to fill cannot be read; this program may be older than "
	    "the one that added it");
}

/* Read the decisions of the slice. */
static int
read_decisions(struct velocity_filling *fill, struct fail *f)
{
	struct job_run *r = fill->run;
	struct params p;
	int i;

	params_init(&p, r->arena);
	params_time(&p, fill->far);
	params_time(&p, fill->near);
	if (db_run(r->db, r->arena, STMT_VELOCITY_EVENTS, &p, &fill->decisions,
		f) == -1)
		return -1;
	fill->events = arena_array(
	    r->arena, (size_t)fill->decisions.n, sizeof(*fill->events));
	if (fill->events == NULL)
		return fail_memory(f);
	for (i = 0; i < fill->decisions.n; i++)
		if (read_stored_event(fill, i, &fill->events[i], f) == -1)
			return -1;
	return 0;
}

static int
read_stored_event(struct velocity_filling *fill, int row,
    struct stored_event *ret, struct fail *f)
{
	struct arena *a = fill->run->arena;
	const struct rows *rows = &fill->decisions;
	const char *text = rows_text(rows, row, "sample");
	struct sample *sample = arena_alloc(a, sizeof(*sample));

	if (sample == NULL)
		return fail_memory(f);
	if (sample_read(a, text, strlen(text), sample) == -1)
		return a->overflow ? fail_memory(f) : 0;
	ret->sample = sample;
	ret->decided_at = rows_time(rows, row, "decided_at");
	ret->user = rows_text(rows, row, "user_id");
	ret->event = decided_event(sample, rows, row, &fill->placeholders);
	return 0;
}

/* Lock and read the states of all keys of the decisions. */
static int
want_stored(struct velocity_filling *fill, struct fail *f)
{
	struct job_run *r = fill->run;
	struct rows rows;
	int i;

	if (velocity_store_init(&fill->states, r->arena,
		(size_t)fill->decisions.n * fill->set.n, f) == -1)
		return -1;
	for (i = 0; i < fill->decisions.n; i++)
		if (fill->events[i].sample != NULL &&
		    want_stored_event(fill, &fill->events[i], f) == -1)
			return -1;
	if (velocity_store_send(
		&fill->states, r->db, r->arena, VELOCITY_LOCK_ALL, f) == -1 ||
	    db_sync(r->db, r->arena, &rows, 1, f) == -1)
		return -1;
	return velocity_store_read(&fill->states, &rows, r->arena, f);
}

static int
want_stored_event(
    struct velocity_filling *fill, struct stored_event *ev, struct fail *f)
{
	uint8_t key[VELOCITY_KEY_SIZE];
	const struct counted_velocity *c;
	size_t i;

	for (i = 0; i < fill->set.n; i++) {
		c = &fill->set.list[i];
		if (counted_already(ev, c->velocity))
			continue;
		if (velocity_hash_key(fill->secret, c->velocity, &ev->event,
			fill->run->arena, key, &ev->has[i]) == -1)
			return fail_memory(f);
		if (ev->has[i])
			velocity_store_want(&fill->states, c, key, ev->user);
	}
	return 0;
}

/* Whether the decision itself has counted it: its sample has the value. */
static bool
counted_already(const struct stored_event *ev, const struct velocity *v)
{
	const struct velocity_values *values = ev->sample->signals.velocities;
	size_t i;

	for (i = 0; values != NULL && i < values->n; i++)
		if (values->list[i].id == v->id)
			return true;
	return false;
}

/* Add the decisions to the states in the order of want_stored(), and write. */
static int
count_stored(struct velocity_filling *fill, struct fail *f)
{
	struct job_run *r = fill->run;
	struct rows rows[2];
	size_t next = 0;
	int i;

	for (i = 0; i < fill->decisions.n; i++)
		if (fill->events[i].sample != NULL &&
		    count_stored_event(fill, &fill->events[i], &next, f) == -1)
			return -1;
	if (velocity_store_write(&fill->states, r->db, r->arena, f) == -1)
		return -1;
	return db_queued(r->db) == 0
	    ? 0
	    : db_sync(r->db, r->arena, rows, db_queued(r->db), f);
}

static int
count_stored_event(struct velocity_filling *fill, const struct stored_event *ev,
    size_t *next, struct fail *f)
{
	struct arena *a = fill->run->arena;
	struct velocity_row *row;
	struct velocity_item item;
	const struct velocity *v;
	uint64_t hash;
	size_t i;

	for (i = 0; i < fill->set.n; i++) {
		if (!ev->has[i])
			continue;
		row = &fill->states.wanted[(*next)++];
		row = row->same == NULL ? row : row->same;
		v = fill->set.list[i].velocity;
		velocity_item(v, &ev->event, &ev->sample->signals,
		    ev->sample->verdict, &item);
		if (!item.counts)
			continue;
		if (velocity_hash_item(fill->secret, v, &item, a, &hash, f) ==
			-1 ||
		    velocity_store_add(row, ev->decided_at, fill->now, &item,
			hash, a, f) == -1)
			return -1;
	}
	return 0;
}
