/* SPDX-License-Identifier: ISC */
/* /v1/config/retention/run: run a retention sweep, for admins. */
#include "config.h"

#include <stdbool.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/gate/audit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/host_semaphore.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/retention/retention.h"
#include "lib/shared/metric.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"

#define RUN_TIME (570 * CLOCK_SECOND) /* of the route's 600 s */

/* The sweep of a request. */
struct retention_request {
	struct req *req;
	int64_t until; /* clock_ticks() */
	int64_t *removed; /* rows of each collection, so far */
};

static int run_exclusive(struct req *req, int64_t removed[RETENTION__MAX]);
static int run_retention(struct req *req, int64_t removed[RETENTION__MAX]);
static int sweep_once(struct retention_request *rr, struct db *db);
static bool sweep_must_stop(void *arg);
static void count_piece(
    struct retention_request *rr, const int64_t piece[RETENTION__MAX]);
static int refuse_running(struct req *req);
static int answer_sweep(struct req *req, struct resp *resp, int64_t at,
    const int64_t removed[RETENTION__MAX]);

/*
 * POST /v1/config/retention/run.  200: what was removed, as much as the time of
 * the route or a stopping pool allows.  503: a sweep is already running, here
 * or on another host, or the database is unavailable; what was removed stays
 * removed.
 */
int
retention_run(struct req *req, struct resp *resp)
{
	int64_t removed[RETENTION__MAX] = { 0 };
	const int64_t at = clock_now();

	if (audit_suspend(req) == -1 || run_exclusive(req, removed) == -1 ||
	    audit_resume(req) == -1)
		return -1;
	return answer_sweep(req, resp, at, removed);
}

/*
 * Run one sweep at a time on this host, so that at most one connection is
 * added.
 */
static int
run_exclusive(struct req *req, int64_t removed[RETENTION__MAX])
{
	_Atomic int32_t *slot = &req->worker->shm->retaining;
	int r;

	if (host_semaphore_acquire(slot, 1, getpid()) == -1)
		return refuse_running(req);
	r = run_retention(req, removed);
	host_semaphore_release(slot, 0);
	return r;
}

/*
 * Run on a connection with the role of retention.  What was removed stays
 * removed, however the sweep ends.
 */
static int
run_retention(struct req *req, int64_t removed[RETENTION__MAX])
{
	struct retention_request rr = { req, clock_ticks() + RUN_TIME,
		removed };
	struct db_shared own = { 0 };
	struct db *db;
	enum retention i;
	int r;

	db = db_new(conf.RETAIN_DATABASE_URL, "assay retain",
	    RETENTION_TIMEOUT_MS, STMT_SESSION, &req->fail);
	if (db == NULL)
		return -1;
	db_share(db, &own);
	db_set_cancel_check(db, sweep_must_stop, &rr);
	r = db_ready(db, &req->fail) == -1 ? -1 : sweep_once(&rr, db);
	db_close(db);
	for (i = 0; r == -1 && i < RETENTION__MAX; i++)
		req->change->part_committed |= removed[i] > 0;
	return r;
}

/* Continue where the last sweep was stopped, until this one has to stop. */
static int
sweep_once(struct retention_request *rr, struct db *db)
{
	struct req *req = rr->req;
	int64_t piece[RETENTION__MAX];
	struct retention_sweep sw;
	bool more;

	if (retention_begin(&sw, db, req->arena, 0, &more, &req->fail) == -1)
		return -1;
	if (!more)
		return refuse_running(req);
	while (more && !sweep_must_stop(rr)) {
		if (retention_next(&sw, req->arena, piece, &more, &req->fail) ==
		    -1)
			return -1;
		count_piece(rr, piece);
	}
	return 0;
}

/* Return whether the pool is stopping or the time of the route is used up. */
static bool
sweep_must_stop(void *arg)
{
	const struct retention_request *rr = arg;

	return atomic_load(&rr->req->worker->shm->stopping) ||
	    clock_ticks() >= rr->until;
}

static void
count_piece(struct retention_request *rr, const int64_t piece[RETENTION__MAX])
{
	struct req *req = rr->req;
	enum retention i;

	for (i = 0; i < RETENTION__MAX; i++) {
		metric_add(req->worker->slot, METRIC_ID_PRUNED, i, 0,
		    (uint64_t)piece[i]);
		rr->removed[i] += piece[i];
	}
}

static int
refuse_running(struct req *req)
{
	return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
	    "retention is running already; try again when it is done");
}

static int
answer_sweep(struct req *req, struct resp *resp, int64_t at,
    const int64_t removed[RETENTION__MAX])
{
	char text[CLOCK_TEXT_SIZE];
	enum retention i;
	struct str s;

	clock_text(at, text);
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "ranAt", text);
	writer_object(&s, "pruned");
	for (i = 0; i < RETENTION__MAX; i++)
		writer_int(&s, retention_name(i), removed[i]);
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}
