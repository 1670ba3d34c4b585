/* SPDX-License-Identifier: ISC */
/* /v1/decisions/async: queue an event, to be decided by the companion. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "fcgi/access/auth.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/event_digest.h"
#include "lib/json/body.h"
#include "lib/shared/metric.h"
#include "lib/sys/log.h"

static int enqueue_event(
    struct req *req, const struct event *ev, bool *ret_mismatch);
static int store_event(struct req *req, struct params *p,
    const struct event *ev, bool *ret_mismatch);

/*
 * POST /v1/decisions/async.  202: the event is in the queue, or its id was
 * queued or decided before (with X-Engine-Idempotent-Mismatch if that was
 * another event); 400: a field is wrong, it has no id, or a dry run is
 * requested, whose answer no caller would get; 401, 403: the API key; 422:
 * another event has this id, if IDEMPOTENCY_MISMATCH is refuse; 503: it could
 * not be stored.
 */
int
decision_async(struct req *req, struct resp *resp)
{
	struct event ev;
	struct str s;
	bool dry_run, mismatch;

	if (req_dry_run(req, &dry_run) == -1 ||
	    body_event(req->arena, req->json, conf.MASKED_ATTRIBUTES, &ev,
		&req->fail) == -1)
		return -1;
	if (dry_run)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "X-Engine-Mode",
		    "must not be shadow here: a dry run cannot be queued");
	if (ev.id == NULL)
		return fail_set(&req->fail, FAIL_INPUT, INGEST_INVALID, "id",
		    "is required");
	if (auth_apikey(req) == -1 || enqueue_event(req, &ev, &mismatch) == -1)
		return -1;
	req_count_event(req, &ev);
	metric_add(req->worker->slot, METRIC_ID_MISMATCHES, 0, 0, mismatch);
	if (mismatch && strcmp(conf.IDEMPOTENCY_MISMATCH, "refuse") == 0)
		return fail_set(&req->fail, FAIL_INPUT, IDEMPOTENCY_MISMATCH,
		    NULL, "%s", fail_code_text(IDEMPOTENCY_MISMATCH));
	if (mismatch)
		resp_header(req, resp, RESP_MISMATCH);
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_bool(&s, "accepted", true);
	writer_text(&s, "id", ev.id);
	writer_text(&s, "correlationId", req->correlation_id);
	writer_end(&s);
	return resp_json(req, resp, 202, str_text(&s));
}

/*
 * Store the event.  Any failure is UNAVAILABLE, because the caller has to send
 * the event again.
 */
static int
enqueue_event(struct req *req, const struct event *ev, bool *ret_mismatch)
{
	struct params p;
	struct str s;

	str_init(&s, req->arena);
	body_unmasked(&s, ev);
	if (str_text(&s) == NULL)
		return fail_memory(&req->fail);
	params_init(&p, req->arena);
	params_text(&p, ev->id);
	params_text(&p, ev->user);
	params_text(&p, str_text(&s));
	params_text(&p, req->correlation_id);
	if (store_event(req, &p, ev, ret_mismatch) == 0)
		return 0;
	log_error("event=async_enqueue_failed why=%s", req->fail.why);
	return fail_set(&req->fail, FAIL_US, UNAVAILABLE, NULL, "%s", "");
}

/*
 * Add the digest of the event, and store the event.  Load the engine first if
 * it has no digest key yet.
 */
static int
store_event(struct req *req, struct params *p, const struct event *ev,
    bool *ret_mismatch)
{
	struct worker *w = req->worker;
	struct rows rows;

	if (worker_has_db(w, &req->fail) == -1 ||
	    (engine_digest_key(w->engine) == NULL &&
		engine_load(w->engine, w->db, req->arena, &req->fail) == -1))
		return -1;
	params_int(
	    p, event_digest(engine_digest_key(w->engine), req->arena, ev));
	if (db_one(w->db, req->arena, STMT_ASYNC_ADD, p, &rows, &req->fail) ==
	    -1)
		return -1;
	*ret_mismatch = rows_bool(&rows, 0, "mismatch");
	return 0;
}
