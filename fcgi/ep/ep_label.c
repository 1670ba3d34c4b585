/* SPDX-License-Identifier: ISC */
/* /v1/labels: the chargebacks that services report. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "fcgi/http/auth.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define FULL_PAUSE 60 /* seconds until waiting labels are counted again */

static const struct body_field fields[] = {
	{ "eventId", BODY_OPAQUE, true, false, 1, EVENT_TEXT_MAX },
};

/*
 * POST /v1/labels/chargeback.  202: the label is recorded, now or before; 400:
 * a field is wrong; 401, 403: the API key; 429: the event is unknown, and too
 * many labels of unknown events wait; 503: it could not be recorded.
 */
int
label_chargeback(struct req *req, struct resp *resp)
{
	const char *event;
	struct params p;
	struct rows rows;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	event = body_string(req->json, "eventId");
	if (!event_plain(event, strlen(event)))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "eventId", "must not have control characters");
	if (auth_apikey(req) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, event);
	params_text(&p, req->correlation_id);
	params_int(&p, conf.LABELS_WAITING_MAX);
	if (db_one(req->worker->db, req->arena, STMT_LABEL_CHARGEBACK, &p,
		&rows, &req->fail) == -1)
		return -1;
	if (!rows_get_bool(&rows, "recorded")) {
		resp_header(req, resp, "Retry-After: %d", FULL_PAUSE);
		return fail_set(&req->fail, FAIL_DENIED, LABELS_FULL, NULL,
		    "%s", fail_code_text(LABELS_FULL));
	}
	return resp_json(req, resp, 202, "{\"recorded\":true}");
}
