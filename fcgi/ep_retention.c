/* SPDX-License-Identifier: ISC */
/* /v1/config/retention/run: a sweep at once, for admins. */
#include "config.h"

#include <unistd.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/str.h"
#include "fcgi/audit.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/route.h"
#include "fcgi/turn.h"
#include "fcgi/worker.h"
#include "lib/clock.h"
#include "lib/conf.h"
#include "lib/db.h"
#include "lib/metric.h"
#include "lib/retain.h"
#include "lib/shm.h"

#define RUN_TIME (570 * CLOCK_SECOND) /* of the route's 600 */

static int run(struct req *req, int64_t gone[RETAIN__MAX]);
static int run_alone(struct req *req, int64_t gone[RETAIN__MAX]);
static int answer(struct req *req, struct resp *resp, int64_t at,
    const int64_t gone[RETAIN__MAX]);

/*
 * POST /v1/config/retention/run.  200: what has been removed; of very much,
 * what the time of the route allows.  503: a run goes on already, here or on
 * another host, or the database is away; what was done stays done.
 */
int
retention_run(struct req *req, struct resp *resp)
{
	int64_t gone[RETAIN__MAX] = { 0 };
	const int64_t at = clock_now();

	if (audit_leave(req) == -1 || run_alone(req, gone) == -1 ||
	    audit_enter(req) == -1)
		return -1;
	return answer(req, resp, at, gone);
}

/* One run on this host, so that there is one connection more at most. */
static int
run_alone(struct req *req, int64_t gone[RETAIN__MAX])
{
	_Atomic int32_t *turn = &req->worker->shm->sh_retaining;
	int r;

	if (turn_take(turn, 1, getpid(), 0) == -1)
		return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "retention is running already; try again when it is done");
	r = run(req, gone);
	turn_give(turn, 0);
	return r;
}

/* Over a connection of its own; what is gone is counted however it ends. */
static int
run(struct req *req, int64_t gone[RETAIN__MAX])
{
	struct db *db;
	enum retain i;
	int r;

	db = db_open(conf.RETAIN_DATABASE_URL, "assay retain",
	    RETAIN_TIMEOUT_MS, STMT_SESSION, &req->fail);
	if (db == NULL)
		return -1;
	r = retain_run(
	    db, req->arena, clock_ticks() + RUN_TIME, gone, &req->fail);
	db_close(db);
	for (i = 0; i < RETAIN__MAX; i++) {
		metric_add(req->worker->slot, METRIC_ID_PRUNED, i, 0,
		    (uint64_t)gone[i]);
		req->kept = req->kept || (r == -1 && gone[i] > 0);
	}
	return r;
}

static int
answer(struct req *req, struct resp *resp, int64_t at,
    const int64_t gone[RETAIN__MAX])
{
	char text[CLOCK_TEXT_SIZE];
	enum retain i;
	struct str s;

	clock_text(at, text);
	str_init(&s, req->arena);
	str_addf(&s, "{\"ranAt\":\"%s\",\"pruned\":{", text);
	for (i = 0; i < RETAIN__MAX; i++)
		str_addf(&s, "%s\"%s\":%lld", i == 0 ? "" : ",", retain_name(i),
		    (long long)gone[i]);
	str_add(&s, "}}");
	return resp_json(req, resp, 200, str_text(&s));
}
