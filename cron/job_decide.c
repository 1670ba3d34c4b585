/* SPDX-License-Identifier: ISC */
/* The job "decide": decide the events of the async queue. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/geoip.h"
#include "lib/json/body.h"
#include "lib/shared/metric.h"
#include "lib/shared/runtime_setting.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"
#include "lib/txn/txn.h"

#define USERS_MAX 32 /* per step, one event each */
#define TRIES_MAX 8 /* attempts before an event is degraded */
#define TXN_TIME CLOCK_SECOND
#define RETRY_TIME (CLOCK_SECOND / 2) /* to start events that failed before */

enum queue_result {
#define ASYNC_RESULT(id, name) RESULT_##id,
#include "lib/shared/async_results.tbl"
#undef ASYNC_RESULT
	RESULT__MAX
};

/* The job visits the users with queued events in rounds. */
struct queue_decider {
	struct geoip *geoip;
	int64_t geoip_at; /* clock_ticks() of the next geoip_refresh() */
	struct engine *engine;
	char user[EVENT_ID_MAX + 1]; /* the last one visited; "": none */
	bool progress; /* an event left the queue in this round */
	int64_t session; /* db_session() in which settings were read */
};

/* A queued event. */
struct queue_waiting {
	struct decision_request item;
	struct event event;
	int64_t tries; /* failed attempts */
	int64_t accepted_at;
	bool unreadable;
};

/* The events of one step. */
struct queue_load {
	struct queue_waiting *all;
	size_t n;
	int64_t failed[USERS_MAX]; /* queue numbers to retry later */
	size_t n_failed;
};

static void refresh_geoip(struct queue_decider *d);
static int read_next_users(
    struct job_run *r, struct queue_load *l, bool *ret_last, struct fail *f);
static void read_event(struct arena *a, const struct rows *rows, int row,
    struct queue_waiting *ret);
static int refresh_engine(struct job_run *r, struct fail *f);
static void decide_fresh(struct job_run *r, struct queue_load *l);
static int retry_failed(
    struct job_run *r, struct queue_load *l, struct fail *f);
static int fail_unreadable(struct job_run *r, struct queue_load *l,
    struct queue_waiting *w, struct fail *f);
static void decide_together(struct job_run *r, struct queue_load *l,
    struct queue_waiting *const *list, size_t n);
static void settle_queued(
    struct job_run *r, struct queue_load *l, struct queue_waiting *w);
static void count_queued_result(
    struct job_run *r, const struct queue_waiting *w, enum queue_result result);
static void log_queued_result(
    const struct queue_waiting *w, enum queue_result result);
static int record_failures(
    struct job_run *r, const struct queue_load *l, struct fail *f);

/* The job works without GeoIP but not without an engine. */
int
job_decide_open(struct job_run *r, struct fail *f)
{
	const char *const paths[GEOIP__MAX] = GEOIP_PATHS(conf);
	struct queue_decider *d = calloc(1, sizeof(*d));

	if ((r->own = d) == NULL)
		return fail_memory(f);
	d->geoip = geoip_new(paths, f);
	if (d->geoip == NULL)
		return -1;
	refresh_geoip(d);

	/* No spool (NULL): events that cannot be stored stay queued. */
	d->engine = engine_new(scorer_parse(conf.SCORER),
	    scorer_parse(conf.SCORER_SHADOW), d->geoip, NULL, r->shm, f);
	return d->engine == NULL ? -1 : 0;
}

/*
 * Decide the oldest event of each of the next users in one transaction.  Later
 * events of a user follow in later steps, so a user with many events does not
 * delay others.  Events that failed before are decided alone.
 */
int
job_decide_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct queue_decider *d = r->own;
	struct queue_load l = { 0 };
	bool last;

	refresh_geoip(d);
	if (read_next_users(r, &l, &last, f) == -1)
		return -1;
	if (l.n > 0) {
		if (refresh_engine(r, f) == -1)
			return -1;
		decide_fresh(r, &l);
		if (retry_failed(r, &l, f) == -1 ||
		    record_failures(r, &l, f) == -1)
			return -1;
	}

	/* After a round without progress no more work is due. */
	*ret_more = !last || d->progress;
	if (last)
		d->progress = false;
	return 0;
}

void
job_decide_close(struct job_run *r)
{
	struct queue_decider *d = r->own;

	if (d == NULL)
		return;
	engine_free(d->engine);
	geoip_close(d->geoip);
	free(d);
}

/* Use the GeoIP databases that have replaced those in use. */
static void
refresh_geoip(struct queue_decider *d)
{
	struct fail f = { 0 };
	unsigned i;

	if (clock_ticks() < d->geoip_at)
		return;
	d->geoip_at = clock_ticks() + GEOIP_REFRESH_PAUSE;
	for (i = 0; i < GEOIP__MAX; i++)
		if (geoip_refresh(d->geoip, i, &f) == -1)
			log_warn("event=geoip_open_failed path=%s why=%s",
			    geoip_path(d->geoip, i), f.why);
}

/* Read the next users' due events; *ret_last: the round ends with them. */
static int
read_next_users(
    struct job_run *r, struct queue_load *l, bool *ret_last, struct fail *f)
{
	struct queue_decider *d = r->own;
	struct params p;
	struct rows rows;
	int i;

	params_init(&p, r->arena);
	params_text(&p, d->user);
	params_int(&p, USERS_MAX);
	if (db_run(r->db, r->arena, STMT_ASYNC_HEADS, &p, &rows, f) == -1)
		return -1;
	l->all = arena_array(r->arena, USERS_MAX, sizeof(*l->all));
	if (l->all == NULL)
		return fail_memory(f);
	for (i = 0; i < rows.n; i++) {
		if (rows_bool(&rows, i, "due"))
			read_event(r->arena, &rows, i, &l->all[l->n++]);
	}
	*ret_last = rows.n < USERS_MAX;
	snprintf(d->user, sizeof(d->user), "%s",
	    *ret_last ? "" : rows_text(&rows, USERS_MAX - 1, "user_id"));
	return 0;
}

/* Parse the stored event.  Its id and user must be those of the row. */
static void
read_event(struct arena *a, const struct rows *rows, int row,
    struct queue_waiting *ret)
{
	const char *user = rows_text(rows, row, "user_id");
	const char *id = rows_text(rows, row, "event_id");
	const char *text = rows_text(rows, row, "event");
	struct decision_request *item = &ret->item;
	struct event *ev = &ret->event;
	struct json_object *json;

	ret->accepted_at = rows_time(rows, row, "accepted_at");
	ret->tries = rows_int(rows, row, "attempts");
	item->event = ev;
	item->correlation_id = rows_text(rows, row, "correlation_id");
	item->queued = rows_int(rows, row, "number");
	item->keep = ret->tries + 1 < TRIES_MAX;
	json = body_parse(a, text, strlen(text), &item->fail);
	ret->unreadable = json == NULL ||
	    body_event(a, json, conf.MASKED_ATTRIBUTES, ev, &item->fail) == -1;
	if (ret->unreadable)
		return;
	if (ev->id == NULL || strcmp(ev->id, id) != 0 ||
	    strcmp(ev->user, user) != 0) {
		fail_set(&item->fail, FAIL_US, INTERNAL, "event",
		    "does not match its row");
		ret->unreadable = true;
	}
}

/* Load rules, policies, lists and settings if they have changed. */
static int
refresh_engine(struct job_run *r, struct fail *f)
{
	struct queue_decider *d = r->own;

	if (engine_load(d->engine, r->db, r->arena, f) == -1)
		return -1;
	if (d->session == db_session(r->db) &&
	    runtime_setting_shared(r->shm, engine_settings(d->engine)))
		return 0;
	if (runtime_setting_share(r->shm, r->db, r->arena, f) == -1)
		return -1;
	d->session = db_session(r->db);
	return 0;
}

/* Decide the events without a failed attempt together. */
static void
decide_fresh(struct job_run *r, struct queue_load *l)
{
	struct queue_waiting *list[USERS_MAX];
	size_t i, n = 0;

	for (i = 0; i < l->n; i++) {
		if (l->all[i].tries == 0 && !l->all[i].unreadable)
			list[n++] = &l->all[i];
	}
	if (n > 0)
		decide_together(r, l, list, n);
}

/*
 * Decide the events that failed before one by one, so that a bad one affects no
 * other.  Those for which the time is too short wait for the next round.
 */
static int
retry_failed(struct job_run *r, struct queue_load *l, struct fail *f)
{
	const int64_t until = clock_ticks() + RETRY_TIME;
	struct queue_waiting *w;

	for (w = l->all; w < l->all + l->n; w++) {
		if (w->unreadable && fail_unreadable(r, l, w, f) == -1)
			return -1;
		if (w->unreadable || w->tries == 0)
			continue;
		if (job_must_stop(r) || clock_ticks() >= until ||
		    db_trouble(r->db) == DB_LOST)
			continue;
		decide_together(r, l, &w, 1);
	}
	return 0;
}

/*
 * An event that cannot be parsed gets no verdict.  Retry it like any failed
 * event, because a newer companion may be able to parse it; then remove it.
 */
static int
fail_unreadable(struct job_run *r, struct queue_load *l,
    struct queue_waiting *w, struct fail *f)
{
	struct params p;

	if (w->item.keep) {
		w->item.outcome = TXN_FAILED;
		settle_queued(r, l, w);
		return 0;
	}
	params_init(&p, r->arena);
	params_ints(&p, &w->item.queued, 1);
	if (db_run(r->db, r->arena, STMT_TXN_TAKE, &p, NULL, f) == -1)
		return db_trouble(r->db) == DB_AGAIN ? 0 : -1;
	count_queued_result(r, w, RESULT_UNREADABLE);
	return 0;
}

/* Decide these events in one transaction. */
static void
decide_together(struct job_run *r, struct queue_load *l,
    struct queue_waiting *const *list, size_t n)
{
	struct queue_decider *d = r->own;
	struct decision_request *items[USERS_MAX];
	size_t i;

	for (i = 0; i < n; i++)
		items[i] = &list[i]->item;
	txn_run(d->engine, r->db, r->arena, items, n, TXN_SKIP,
	    clock_ticks() + TXN_TIME);
	for (i = 0; i < n; i++)
		settle_queued(r, l, list[i]);
}

/* Count and log the result of an event, and note it for a retry if it failed.
 */
static void
settle_queued(struct job_run *r, struct queue_load *l, struct queue_waiting *w)
{
	static const enum queue_result results[TXN__MAX] = {
		[TXN_DECIDED] = RESULT_DECIDED,
		[TXN_REPLAYED] = RESULT_DROPPED,
		[TXN_DEGRADED] = RESULT_DEGRADED,
		[TXN_FAILED] = RESULT_FAILED,
		[TXN_BUSY] = RESULT_FAILED,
	};
	const struct decision_request *item = &w->item;
	const enum queue_result result = results[item->outcome];

	/* Another process decides or has decided it: not a failure. */
	if (item->outcome == TXN_DEQUEUED ||
	    (item->outcome == TXN_BUSY && item->fail.code == CODE__NONE))
		return;
	if (result == RESULT_FAILED)
		l->failed[l->n_failed++] = item->queued;
	if (result == RESULT_DECIDED || result == RESULT_DEGRADED)
		metric_add(r->slot, METRIC_ID_ASYNC_DECISIONS,
		    (size_t)item->answer.verdict - VERDICT_ALLOW, 0, 1);
	metric_add(r->slot, METRIC_ID_MISMATCHES, 0, 0,
	    result == RESULT_DROPPED && item->mismatch);
	count_queued_result(r, w, result);
}

/* Count and log the result of an event. */
static void
count_queued_result(
    struct job_run *r, const struct queue_waiting *w, enum queue_result result)
{
	struct queue_decider *d = r->own;

	d->progress = d->progress || result != RESULT_FAILED;
	r->count[result]++;
	metric_add(r->slot, METRIC_ID_ASYNC, result, 0, 1);
	if (result == RESULT_DECIDED)
		metric_observe(r->slot, METRIC_ID_ASYNC_SECONDS,
		    w->item.answer.decided_at - w->accepted_at);
	log_context("req", w->item.correlation_id);
	log_queued_result(w, result);
	log_context("job", r->job->name);
}

static void
log_queued_result(const struct queue_waiting *w, enum queue_result result)
{
	const struct decision_request *item = &w->item;

	switch (result) {
	case RESULT_DECIDED:
		log_info("event=queued_event_decided ms=%lld verdict=%s",
		    (long long)(item->answer.decided_at - w->accepted_at) /
			1000,
		    verdict_name(item->answer.verdict));
		break;
	case RESULT_DROPPED:
		if (item->mismatch)
			log_warn("event=queued_event_dropped mismatch=yes "
				 "why=its id was decided for another event");
		else
			log_info("event=queued_event_dropped verdict=%s",
			    verdict_name(item->answer.verdict));
		break;
	case RESULT_DEGRADED:
		log_error("event=decision_degraded log=database code=%s why=%s",
		    fail_code_name(item->fail.code), item->fail.why);
		break;
	case RESULT_UNREADABLE:
		log_error(
		    "event=queued_event_removed number=%lld where=%s why=%s",
		    (long long)item->queued, item->fail.where, item->fail.why);
		break;
	case RESULT_FAILED:
	case RESULT__MAX:
		log_warn("event=queued_event_failed tries=%lld code=%s why=%s",
		    (long long)w->tries + 1, fail_code_name(item->fail.code),
		    item->fail.why);
	}
}

/* Record the failures; each event, and its user's later ones, waits longer. */
static int
record_failures(struct job_run *r, const struct queue_load *l, struct fail *f)
{
	struct params p;

	if (l->n_failed == 0)
		return 0;
	params_init(&p, r->arena);
	params_ints(&p, l->failed, l->n_failed);
	return db_run(r->db, r->arena, STMT_ASYNC_FAILED, &p, NULL, f);
}
