/* SPDX-License-Identifier: ISC */
/* /v1/cases: decisions that analysts review. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "fcgi/http/req.h"
#include "fcgi/http/route.h"
#include "fcgi/http/sql_reply.h"
#include "lib/json/body.h"

#define QUEUE_ALL "*" /* as a queue: all queues */
#define LIMIT_DEFAULT 100
#define LIMIT_MAX 500
#define NOTE_MAX 4000 /* bytes */

static const char *queue_filter(const struct query *query, bool of_entity);
static int read_status(
    const struct query *query, const char **ret, struct fail *f);
static bool is_one_of(const char *text, const char *const *words, size_t n);

static const char *const statuses[] = { "open", "assigned", "resolved" };
static const char *const outcomes[] = { "fraud", "legit", "inconclusive" };

static const struct body_field fields[] = {
	{ "outcome", BODY_STRING, true, false, 1, 32 },
	{ "note", BODY_STRING, false, false, 0, NOTE_MAX },
};

/*
 * GET /v1/cases.  200: a page of the cases of a queue, of all queues, or of an
 * event or a user, newest first; 400: status, limit or offset is wrong, or both
 * event and user are given; 404: before is not a case.
 */
int
case_list(struct req *req, struct resp *resp)
{
	const char *event = query_text(&req->params, "eventId");
	const char *user = query_text(&req->params, "userId");
	const char *status;
	int64_t limit, offset;
	struct params p;

	if (read_status(&req->params, &status, &req->fail) == -1 ||
	    query_int(&req->params, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT,
		&limit, &req->fail) == -1 ||
	    query_int(&req->params, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1)
		return -1;
	if (event != NULL && user != NULL)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "userId", "cannot be combined with eventId");
	params_init(&p, req->arena);
	params_text(
	    &p, queue_filter(&req->params, event != NULL || user != NULL));
	params_text(&p, status);
	params_text(&p, event);
	params_text(&p, user);
	params_int(&p, limit);
	params_int(&p, offset);
	params_text(&p, query_text(&req->params, "before"));
	return sql_reply_write(req, resp, 200, STMT_CASE_PAGE, &p);
}

/* GET /v1/cases/{id}.  200: the case and its history; 404: unknown id. */
int
case_get(struct req *req, struct resp *resp)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	return sql_reply_write(req, resp, 200, STMT_CASE_GET, &p);
}

/*
 * POST /v1/cases/{id}/assign.  200: the case is assigned to the caller, also if
 * another operator had it; 404: unknown id; 409: it is resolved.
 */
int
case_assign(struct req *req, struct resp *resp)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, req->operator.email);
	return sql_reply_write(req, resp, 200, STMT_CASE_ASSIGN, &p);
}

/*
 * POST /v1/cases/{id}/resolve.  200: the case is resolved, and its event
 * labelled unless the outcome is inconclusive; 400: a field is wrong; 404:
 * unknown id; 409: it is resolved already.
 */
int
case_resolve(struct req *req, struct resp *resp)
{
	const char *note, *outcome;
	struct params p;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	outcome = body_string(req->json, "outcome");
	if (!is_one_of(outcome, outcomes, nitems(outcomes)))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "outcome", "must be fraud, legit or inconclusive");
	note = body_string(req->json, "note");
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, req->operator.email);
	params_text(&p, outcome);
	params_text(&p, note == NULL || *note == '\0' ? NULL : note);
	params_text(&p, req->correlation_id);
	return sql_reply_write(req, resp, 200, STMT_CASE_RESOLVE, &p);
}

/*
 * Return the queue to filter by, or NULL for all queues.  "*" means all.  If no
 * queue is given, filter by the default queue; but show the cases of an event
 * or a user from all queues.
 */
static const char *
queue_filter(const struct query *query, bool of_entity)
{
	const char *queue = query_text(query, "queue");

	if (queue == NULL)
		return of_entity ? NULL : POLICY_QUEUE_DEFAULT;
	return strcmp(queue, QUEUE_ALL) == 0 ? NULL : queue;
}

/* Read the status to filter by, NULL for any. */
static int
read_status(const struct query *query, const char **ret, struct fail *f)
{
	*ret = query_text(query, "status");
	if (*ret != NULL && !is_one_of(*ret, statuses, nitems(statuses)))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "status",
		    "must be open, assigned or resolved");
	return 0;
}

static bool
is_one_of(const char *text, const char *const *words, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		if (strcmp(text, words[i]) == 0)
			return true;
	}
	return false;
}
