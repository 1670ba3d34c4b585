/* SPDX-License-Identifier: ISC */
/* /v1/decisions/async: events that are decided later. */
#include "config.h"

#include "core/event.h"
#include "core/fail.h"
#include "core/str.h"
#include "fcgi/auth.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/route.h"
#include "fcgi/worker.h"
#include "lib/body.h"
#include "lib/db.h"
#include "lib/log.h"

static int enqueue(struct req *req, const struct event *ev);

/*
 * POST /v1/decisions/async.  202: the event is in the queue, or was before,
 * or has been decided; 400: a field is wrong, it has no id, or a shadow is
 * asked for, whose answer nobody would see; 401, 403: the key; 503: it could
 * not be stored.
 */
int
decision_async(struct req *req, struct resp *resp)
{
	struct event ev;
	struct str s;
	bool shadow;

	if (req_shadow(req, &shadow) == -1 ||
	    body_event(req->arena, req->json, &ev, &req->fail) == -1)
		return -1;
	if (shadow)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "X-Engine-Mode", "shadows are decided at once, or not");
	if (ev.id == NULL)
		return fail_set(&req->fail, FAIL_INPUT, INGEST_INVALID, "id",
		    "is required");
	if (auth_apikey(req) == -1 || enqueue(req, &ev) == -1)
		return -1;
	str_init(&s, req->arena);
	str_add(&s, "{\"accepted\":true,\"id\":");
	str_json(&s, ev.id);
	str_add(&s, ",\"correlationId\":");
	str_json(&s, req->correlation_id);
	str_addc(&s, '}');
	return resp_json(req, resp, 202, str_text(&s));
}

/* Whatever keeps it from being stored, the caller has to send it again. */
static int
enqueue(struct req *req, const struct event *ev)
{
	struct params p;
	struct str s;

	str_init(&s, req->arena);
	body_unmasked(&s, ev);
	if (str_text(&s) == NULL)
		return fail_set(&req->fail, FAIL_US, INTERNAL, NULL, "%s", "");
	params_init(&p, req->arena);
	params_text(&p, ev->id);
	params_text(&p, ev->user);
	params_text(&p, str_text(&s));
	params_text(&p, req->correlation_id);
	if (worker_has_db(req->worker, &req->fail) == 0 &&
	    db_run(req->worker->db, req->arena, STMT_ASYNC_ADD, &p, NULL,
		&req->fail) == 0)
		return 0;
	log_error("async=failed why=%s", req->fail.why);
	return fail_set(&req->fail, FAIL_US, UNAVAILABLE, NULL, "%s", "");
}
