/* SPDX-License-Identifier: ISC */
/* /v1/queues: review queues and their targets; and the next case of a queue. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/pan.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define QUEUE_ALL "*" /* as a queue: all queues */
#define ORDER_MAX 16 /* bytes of its word */
#define MOST_MAX 1000 /* cases of one analyst */
#define TARGET_MAX 525600 /* minutes: a year */

static int check_name(struct req *req, const char *name);

static const struct body_field target_fields[] = {
	{ "targetMinutes", BODY_INT, BODY_REQUIRED | BODY_NULLABLE, 1,
	    TARGET_MAX },
};

static const struct body_field next_fields[] = {
	{ "queue", BODY_LINE, BODY_NULLABLE, 1, EVENT_ID_MAX },
	{ "order", BODY_STRING, BODY_OPTIONAL, 1, ORDER_MAX },
	{ "most", BODY_INT, BODY_OPTIONAL, 1, MOST_MAX },
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

/*
 * POST /v1/cases/next.  200: the next case of a queue or of all, now assigned
 * to the caller, or null if none is free or the caller holds most of them
 * already; 400: a field is wrong.
 */
int
case_next(struct req *req, struct resp *resp)
{
	const char *order, *queue;
	struct params p;

	if (body_check(
		req->json, next_fields, nitems(next_fields), &req->fail) == -1)
		return -1;
	order = body_string(req->json, "order");
	if (order != NULL && strcmp(order, "oldest") != 0 &&
	    strcmp(order, "score") != 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "order", "must be oldest or score");
	queue = body_string(req->json, "queue");
	if (queue != NULL && strcmp(queue, QUEUE_ALL) == 0)
		queue = NULL;
	params_init(&p, req->arena);
	params_text(&p, queue);
	params_int(&p, order != NULL && strcmp(order, "score") == 0);
	params_text(&p, req->operator.email);
	params_int(&p, conf.CLAIM_MINUTES);
	if (body_has(req->json, "most"))
		params_int(&p, body_int(req->json, "most", 0));
	else
		params_null(&p);
	return sql_reply_read(req, resp, STMT_CASE_NEXT, &p);
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
