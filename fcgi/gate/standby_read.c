/* SPDX-License-Identifier: ISC */
/* Reads of operators from a standby: the primary decides. */
#include "config.h"

#include <poll.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/gate/standby_read.h"
#include "fcgi/http/req.h"
#include "fcgi/http/route_type.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define WAIT_MAX (CLOCK_SECOND / 2) /* for the standby to catch up */
#define WAIT_PAUSE 10 /* ms between two questions */
#define READ_MAX (7 * CLOCK_SECOND) /* of a handler that sets no deadline */
#define BOTH_MAX (18 * CLOCK_SECOND) /* with the primary's work after that */
#define REST (5 * CLOCK_SECOND) /* without the standby, after a failure */

/* Who answers, in the order of the metric's label. */
enum standby_use {
	USE_STANDBY,
	USE_PRIMARY_BEHIND, /* the standby did not catch up in time */
	USE_PRIMARY_AWAY, /* no standby of the primary answers */
};

/* A position in the log of the primary, and which primary that is. */
struct log_position {
	int64_t at;
	int64_t timeline;
	int64_t database;
};

static int run_again(struct req *req, struct resp *resp);
static bool take_standby(struct req *req);
static enum standby_use ask_standby(struct req *req, struct fail *f);
static int read_position(
    struct req *req, struct log_position *ret, struct fail *f);
static int ask_missing(struct req *req, const struct log_position *lp,
    int64_t *ret, struct fail *f);
static void release_standby(struct req *req);
static void count_use(struct req *req, enum standby_use use);
static void note_use(
    struct req *req, enum standby_use use, const struct fail *f);

/* By enum route_id. */
static const bool reads_standby[ROUTE__MAX] = {
#define STANDBY_READ(handler) [ROUTE_##handler] = true,
#include "fcgi/gate/standby_reads.tbl"
#undef STANDBY_READ
};

int
standby_read_run(struct req *req, struct resp *resp)
{
	const struct route *route = req->route;
	struct arena_mark mark;
	int r;

	if (req->worker->standby == NULL || !reads_standby[route->id] ||
	    !take_standby(req))
		return route->handler(req, resp);
	mark = arena_mark(req->arena);
	r = route->handler(req, resp);
	release_standby(req);
	if (r == 0 || req->fail.kind != FAIL_US) {
		count_use(req, USE_STANDBY);
		return r;
	}
	if (db_trouble(req->worker->standby) != DB_TIMEOUT)
		note_use(req, USE_PRIMARY_AWAY, &req->fail);
	count_use(req, USE_PRIMARY_AWAY);
	memset(&req->fail, 0, sizeof(req->fail));
	arena_rewind(req->arena, mark);
	return run_again(req, resp);
}

/* The same with the primary, within the time that nginx allows for both. */
static int
run_again(struct req *req, struct resp *resp)
{
	struct worker *w = req->worker;
	int r;

	worker_limit(w, req->route->limit_s);
	db_set_deadline(w->db, req->began + BOTH_MAX);
	r = req->route->handler(req, resp);
	db_set_deadline(w->db, 0);
	return r;
}

/* Give the request the standby, held, unless the primary has to answer. */
static bool
take_standby(struct req *req)
{
	struct worker *w = req->worker;
	struct fail f = { 0 };
	enum standby_use use;

	if (clock_ticks() < atomic_load(&w->shm->standby_rest)) {
		count_use(
		    req, (enum standby_use)atomic_load(&w->shm->standby_use));
		return false;
	}
	db_set_deadline(w->standby, clock_ticks() + 2 * WAIT_MAX);
	use = ask_standby(req, &f);
	note_use(req, use, &f);
	if (use != USE_STANDBY) {
		db_set_deadline(w->standby, 0);
		count_use(req, use);
		return false;
	}

	/* Another session could be with an older copy. */
	db_hold_session(w->standby, true);
	db_set_deadline(w->standby, clock_ticks() + READ_MAX);
	req->db = w->standby;
	return true;
}

static enum standby_use
ask_standby(struct req *req, struct fail *f)
{
	const int64_t end = clock_ticks() + WAIT_MAX;
	struct log_position lp;
	int64_t missing = 0;

	if (read_position(req, &lp, f) == -1)
		return USE_PRIMARY_AWAY;
	for (;;) {
		if (ask_missing(req, &lp, &missing, f) == -1)
			return USE_PRIMARY_AWAY;
		if (missing == 0)
			return USE_STANDBY;
		if (clock_ticks() >= end) {
			fail_set(f, FAIL_US, UNAVAILABLE, NULL,
			    "it has not replayed the last %lld bytes of the "
			    "log",
			    (long long)missing);
			return USE_PRIMARY_BEHIND;
		}
		poll(NULL, 0, WAIT_PAUSE);
	}
}

/* Read where the log of the primary ends. */
static int
read_position(struct req *req, struct log_position *ret, struct fail *f)
{
	struct rows rows;

	if (db_one(req->worker->db, req->arena, STMT_LOG_POSITION, NULL, &rows,
		f) == -1)
		return -1;
	ret->at = rows_int(&rows, 0, "reached");
	ret->timeline = rows_int(&rows, 0, "timeline");
	ret->database = rows_int(&rows, 0, "database");
	return 0;
}

/*
 * Ask the standby how many bytes of the log it has not replayed yet.  Return -1
 * if it does not follow this primary.
 */
static int
ask_missing(struct req *req, const struct log_position *lp, int64_t *ret,
    struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_int(&p, lp->at);
	params_int(&p, lp->timeline);
	params_int(&p, lp->database);
	if (db_one(req->worker->standby, req->arena, STMT_LOG_MISSING, &p,
		&rows, f) == -1)
		return -1;
	if (rows_null(&rows, 0, "missing"))
		return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
		    "it does not stream this database from this primary, or "
		    "the owner of the schema lacks pg_monitor");
	*ret = rows_int(&rows, 0, "missing");
	return 0;
}

static void
release_standby(struct req *req)
{
	db_hold_session(req->worker->standby, false);
	db_set_deadline(req->worker->standby, 0);
	req->db = req->worker->db;
}

static void
count_use(struct req *req, enum standby_use use)
{
	metric_add(req->worker->slot, METRIC_ID_STANDBY_READS, use, 0, 1);
}

/*
 * Keep the result for all workers; log a change; let the standby rest.  A
 * success does not end a rest that another worker has begun meanwhile.
 */
static void
note_use(struct req *req, enum standby_use use, const struct fail *f)
{
	struct shm *shm = req->worker->shm;
	const int64_t now = clock_ticks();
	enum standby_use before;

	if (use == USE_STANDBY && now < atomic_load(&shm->standby_rest))
		return;
	if (use != USE_STANDBY)
		atomic_store(&shm->standby_rest, now + REST);
	before =
	    (enum standby_use)atomic_exchange(&shm->standby_use, (int32_t)use);
	if (use == before)
		return;
	if (use == USE_STANDBY)
		log_warn("event=standby_read_again");
	else
		log_warn("event=standby_read_failed why=%s", f->why);
}
