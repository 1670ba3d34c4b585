/* SPDX-License-Identifier: ISC */
/* Check whether this worker can make a decision, and if not, why. */
#include "config.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "fcgi/worker/readiness.h"
#include "fcgi/worker/scratch.h"
#include "fcgi/worker/settings_sync.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define CHECK_TIME (3 * CLOCK_SECOND / 2) /* of the route's 2 seconds */

static enum readiness_status check_all(
    struct worker *w, struct arena *a, char *why, size_t size);
static enum readiness_status check_schema(
    struct worker *w, struct arena *a, char *why, size_t size);
static enum readiness_status explain_failure(
    const struct worker *w, char *why, size_t size, const struct fail *f);
static enum readiness_status explain_old(
    const struct worker *w, char *why, size_t size);
static void log_change(struct worker *w, const struct readiness *r);
static int count_rulebooks(const struct worker *w);

/*
 * How /readyz reports each status: the value of checks.store, and the member of
 * checks that explains it.
 */
static const struct {
	const char *store;
	const char *member;
} words[READINESS__MAX] = {
	[READINESS_YES] = { "ok", NULL },
	[READINESS_DOWN] = { "down", NULL },
	[READINESS_READ_ONLY] = { "read_only", NULL },
	[READINESS_RESTORED] = { "restored", NULL },
	[READINESS_FORMER] = { "down", "engine" },
	[READINESS_OLD] = { "ok", "schema" },
	[READINESS_NEWER] = { "ok", "schema" },
	[READINESS_NO_MONTH] = { "ok", "schema" },
	[READINESS_EMPTY] = { "ok", "engine" },
};

void
readiness_check(struct worker *w, struct arena *a, struct readiness *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (w->db != NULL)
		db_set_deadline(w->db, clock_ticks() + CHECK_TIME);
	ret->state = check_all(w, a, ret->why, sizeof(ret->why));
	if (w->db != NULL)
		db_set_deadline(w->db, 0);
	ret->store = words[ret->state].store;
	ret->member = words[ret->state].member;
	log_change(w, ret);
}

int
readiness_load(struct worker *w, struct fail *f)
{
	struct arena a;
	int r;

	if (scratch_open(&a) == -1)
		return fail_memory(f);
	r = db_ready(w->db, f);
	if (r == 0)
		r = engine_load(w->engine, w->db, &a, f);
	if (r == 0)
		settings_sync_note_epoch(w, &a);
	scratch_close(&a);
	return r;
}

void
readiness_print(const struct worker *w, struct str *s)
{
	metric_gauge("engine_ready",
	    "1 if this host can decide, as /readyz says without Redis, else 0",
	    atomic_load(&w->shm->ready) == READINESS_YES &&
		!atomic_load(&w->shm->stop_announced),
	    s);
	metric_gauge("engine_policies_loaded",
	    "Event types whose rules and policy the worker that answers has",
	    count_rulebooks(w), s);
	metric_gauge("engine_schema_needed",
	    "Last migration that this program knows", SCHEMA_KNOWN, s);
	metric_gauge("engine_schema_version",
	    "Last migration that the database has, 0 before it was seen",
	    (double)atomic_load(&w->shm->schema), s);
	metric_gauge("engine_schema_missing",
	    "First migration that the database lacks, 0 if it has all",
	    (double)atomic_load(&w->shm->missing), s);
	metric_gauge("engine_database_restored",
	    "1 if the database was restored from a dump and is not made ready",
	    atomic_load(&w->shm->unfit) == DB_RESTORED, s);
}

static enum readiness_status
check_all(struct worker *w, struct arena *a, char *why, size_t size)
{
	enum readiness_status state = check_schema(w, a, why, size);
	struct fail f = { 0 };

	if (state != READINESS_YES || count_rulebooks(w) > 0)
		return state;
	if (readiness_load(w, &f) == 0 && count_rulebooks(w) > 0)
		return READINESS_YES;
	snprintf(why, size, "no rules and policies are loaded: %s%s%s", f.where,
	    f.where[0] == '\0' ? "" : " ", f.why);
	return READINESS_EMPTY;
}

/* Read the state of the schema, and keep it for the metrics. */
static enum readiness_status
check_schema(struct worker *w, struct arena *a, char *why, size_t size)
{
	struct fail f = { 0 };
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_text(&p, SCHEMA_MIGRATIONS);
	if (worker_db(w, &f) == -1 ||
	    db_one(w->db, a, STMT_READYZ, &p, &rows, &f) == -1)
		return explain_failure(w, why, size, &f);
	atomic_store(&w->shm->schema, rows_int(&rows, 0, "migration"));
	atomic_store(&w->shm->missing, rows_int(&rows, 0, "missing"));
	atomic_store(&w->shm->unfit, DB_FIT);
	if (atomic_load(&w->shm->missing) != 0)
		return explain_old(w, why, size);
	if (rows_bool(&rows, 0, "read_only")) {
		snprintf(why, size, "the database cannot be written");
		return READINESS_READ_ONLY;
	}
	if (rows_bool(&rows, 0, "has_month"))
		return READINESS_YES;
	snprintf(why, size,
	    "no partition holds the decisions of this month; is the clock of "
	    "the database right, and does assay-cron retain run?");
	return READINESS_NO_MONTH;
}

/*
 * Explain why there is no session or no answer.  If db_unfit() is DB_UNTRIED,
 * this worker has not tried to connect because another worker failed a moment
 * ago; then use the reason that the other worker stored in shm.
 */
static enum readiness_status
explain_failure(
    const struct worker *w, char *why, size_t size, const struct fail *f)
{
	static const enum readiness_status states[DB_UNFIT__MAX] = {
		[DB_NEWER] = READINESS_NEWER,
		[DB_RESTORED] = READINESS_RESTORED,
		[DB_FORMER] = READINESS_FORMER,
	};
	int32_t unfit = w->db == NULL ? DB_FIT : (int32_t)db_unfit(w->db);

	if (unfit == DB_UNTRIED)
		unfit = atomic_load(&w->shm->unfit);
	else if (unfit == DB_OLD)
		atomic_store(&w->shm->missing, db_missing(w->db));
	atomic_store(&w->shm->unfit, unfit);
	if (unfit == DB_OLD)
		return explain_old(w, why, size);
	if (states[unfit] != 0) {
		snprintf(why, size, "%s", db_unfit_text((enum db_unfit)unfit));
		return states[unfit];
	}
	snprintf(why, size, "%s%s%s", f->where, f->where[0] == '\0' ? "" : " ",
	    f->why);
	return READINESS_DOWN;
}

static enum readiness_status
explain_old(const struct worker *w, char *why, size_t size)
{
	snprintf(why, size, "migration %04lld is missing; run assayctl migrate",
	    (long long)atomic_load(&w->shm->missing));
	return READINESS_OLD;
}

/* Log a change once for all workers of the pool. */
static void
log_change(struct worker *w, const struct readiness *r)
{
	const int32_t before =
	    atomic_exchange(&w->shm->ready, (int32_t)r->state);

	if (before == (int32_t)r->state)
		return;
	if (r->state == READINESS_YES)
		log_info("event=pool_ready");
	else if (r->state == READINESS_DOWN)
		log_warn("event=pool_not_ready why=%s", r->why);
	else
		log_error("event=pool_not_ready why=%s", r->why);
}

/* Return how many event types this worker has rules and a policy for. */
static int
count_rulebooks(const struct worker *w)
{
	int n = 0, type;

	for (type = EVENT_TYPE__NONE + 1;
	     w->engine != NULL && type < EVENT_TYPE__MAX; type++)
		n += engine_book(w->engine, (enum event_type)type) != NULL;
	return n;
}
