/* SPDX-License-Identifier: ISC */
/* /v1/queues: review queues and their targets. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/pan.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define TARGET_MAX 525600 /* minutes: a year */

static int check_name(struct req *req, const char *name);

static const struct body_field target_fields[] = {
	{ "targetMinutes", BODY_INT, BODY_REQUIRED | BODY_NULLABLE, 1,
	    TARGET_MAX },
};

/*
 * PUT /v1/queues/{name}.  200: the queue has this target, or none; 400: the
 * name or the target is wrong.
 */
int
queue_put(struct req *req, struct resp *resp)
{
	struct params p;
	int64_t target;

	if (body_check(req->json, target_fields, nitems(target_fields),
		&req->fail) == -1 ||
	    check_name(req, req->arg[0]) == -1)
		return -1;
	target = body_int(req->json, "targetMinutes", 0);
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (target == 0)
		params_null(&p);
	else
		params_int(&p, target);
	return sql_reply_read(req, resp, STMT_QUEUE_PUT, &p);
}

/* A queue has the name that a policy may give it. */
static int
check_name(struct req *req, const char *name)
{
	const size_t size = strlen(name);

	if (size > EVENT_ID_MAX || !event_line(name))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "name",
		    "must be one line, not blank, of 1 to %d bytes",
		    EVENT_ID_MAX);
	if (pan_in_text(name, size))
		return fail_set(&req->fail, FAIL_INPUT, INGEST_PAN_REJECTED,
		    "name", "%s", BODY_PAN_RULE);
	return 0;
}
