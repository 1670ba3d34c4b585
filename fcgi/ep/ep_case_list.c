/* SPDX-License-Identifier: ISC */
/* GET /v1/cases: pages of cases, filtered and in three orders. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "core/decide/score.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"

#define QUEUE_ALL "*" /* as a queue: all queues */
#define LIMIT_DEFAULT 100
#define LIMIT_MAX 500
#define ASSIGNEE_ME "me"

static int put_page(struct params *p, struct req *req);
static int put_event_filters(struct params *p, struct req *req);
static int put_amount_filter(
    struct params *p, struct req *req, const char *name);
static int put_score_filter(
    struct params *p, struct req *req, const char *name);
static int put_time_filter(struct params *p, struct req *req, const char *name);
static int put_snoozed_filter(struct params *p, struct req *req);
static const char *queue_filter(const struct query *query);
static const char *assignee_filter(const struct req *req);
static int check_filters(struct req *req);

static const char *const statuses[] = { "open", "assigned", "resolved" };
static const char *const orders[] = { "newest", "oldest", "score" };
static const char *const truths[] = { "true", "false" };

/*
 * GET /v1/cases.  200: a page of the cases of a queue, of all queues, or of an
 * event or a user; the header Assay-Read-Until has the last case that was read
 * if there may be more than the page shows; 400: a parameter is wrong, or two
 * exclude each other; 404: after or before is not a case.
 */
int
case_list(struct req *req, struct resp *resp)
{
	const char *until;
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	if (check_filters(req) == -1 || put_page(&p, req) == -1 ||
	    put_event_filters(&p, req) == -1 ||
	    put_score_filter(&p, req, "minScore") == -1 ||
	    put_score_filter(&p, req, "maxScore") == -1 ||
	    put_time_filter(&p, req, "openedAfter") == -1 ||
	    put_time_filter(&p, req, "openedBefore") == -1 ||
	    put_snoozed_filter(&p, req) == -1 ||
	    db_one(req->db, req->arena, STMT_CASE_PAGE, &p, &rows,
		&req->fail) == -1 ||
	    sql_reply_refused(req, &rows) == -1)
		return -1;
	until = rows_text(&rows, 0, "read_until");
	if (until != NULL)
		resp_header(req, resp, "Assay-Read-Until: %s", until);
	return resp_json(req, resp, 200, rows_text(&rows, 0, "body"));
}

/* Check which parameters go together, and the words among them. */
static int
check_filters(struct req *req)
{
	const struct query *q = &req->params;

	if (query_text(q, "eventId") != NULL && query_text(q, "userId") != NULL)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "userId", "cannot be combined with eventId");
	if (query_text(q, "before") != NULL && query_text(q, "after") != NULL)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "before", "means the same as after");
	return query_word(q, "status", statuses, nitems(statuses), &req->fail);
}

/* Append which cases, how many and in which order. */
static int
put_page(struct params *p, struct req *req)
{
	const struct query *q = &req->params;
	const char *order = query_text(q, "order");
	const char *after = query_text(q, "after");
	int64_t limit, offset;

	if (query_int(q, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT, &limit,
		&req->fail) == -1 ||
	    query_int(q, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1 ||
	    query_word(q, "order", orders, nitems(orders), &req->fail) == -1)
		return -1;
	params_text(p, queue_filter(q));
	params_text(p, query_text(q, "status"));
	params_text(p, query_text(q, "eventId"));
	params_text(p, query_text(q, "userId"));
	params_int(p, limit);
	params_int(p, offset);
	params_text(p, after != NULL ? after : query_text(q, "before"));
	params_text(p, order != NULL ? order : orders[0]);
	params_text(p, assignee_filter(req));
	return 0;
}

/* Append what the events of the cases must have. */
static int
put_event_filters(struct params *p, struct req *req)
{
	const char *currency = query_text(&req->params, "currency");
	const char *tag = query_text(&req->params, "tag");
	enum event_type type;

	if (query_event_type(&req->params, &type, &req->fail) == -1)
		return -1;
	if (currency != NULL && !event_currency(currency))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "currency", "must be a code of ISO 4217, in upper case");
	if (tag != NULL && !rule_ident(tag))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "tag",
		    "must be 1 to 64 letters, digits and ._@+-");
	params_text(p, type == EVENT_TYPE__NONE ? NULL : event_type_name(type));
	params_text(p, currency);
	if (put_amount_filter(p, req, "minAmount") == -1 ||
	    put_amount_filter(p, req, "maxAmount") == -1)
		return -1;
	params_text(p, tag);
	return 0;
}

/* Append an amount, or null. */
static int
put_amount_filter(struct params *p, struct req *req, const char *name)
{
	const char *text = query_text(&req->params, name);
	char *end = NULL;
	double amount = 0;

	if (text != NULL && strspn(text, "0123456789.") == strlen(text))
		amount = strtod(text, &end);
	if (text != NULL &&
	    (end == NULL || end == text || *end != '\0' ||
		amount > EVENT_AMOUNT_MAX))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, name,
		    "must be a number from 0 to 1e15, in digits");
	params_text(p, text);
	return 0;
}

/* Append a score, or null. */
static int
put_score_filter(struct params *p, struct req *req, const char *name)
{
	int64_t score;

	if (query_int(
		&req->params, name, 0, SCORE_MAX, 0, &score, &req->fail) == -1)
		return -1;
	if (query_text(&req->params, name) == NULL)
		params_null(p);
	else
		params_int(p, score);
	return 0;
}

/* Append a time, or null. */
static int
put_time_filter(struct params *p, struct req *req, const char *name)
{
	int64_t at;

	if (query_time(&req->params, name, 0, &at, &req->fail) == -1)
		return -1;
	if (query_text(&req->params, name) == NULL)
		params_null(p);
	else
		params_time(p, at);
	return 0;
}

/*
 * Append whether the cases are snoozed; null for any.  If this is not given, a
 * single queue has no snoozed cases.
 */
static int
put_snoozed_filter(struct params *p, struct req *req)
{
	const char *word = query_text(&req->params, "snoozed");

	if (query_word(&req->params, "snoozed", truths, nitems(truths),
		&req->fail) == -1)
		return -1;
	params_text(p,
	    word == NULL && queue_filter(&req->params) != NULL ? "false"
							       : word);
	return 0;
}

/*
 * Return the queue to filter by, or NULL for all queues.  "*" means all.  If no
 * queue is given, filter by the default queue; but show the cases of an event
 * or a user from all queues.
 */
static const char *
queue_filter(const struct query *query)
{
	const char *queue = query_text(query, "queue");

	if (queue == NULL)
		return query_text(query, "eventId") != NULL ||
			query_text(query, "userId") != NULL
		    ? NULL
		    : POLICY_QUEUE_DEFAULT;
	return strcmp(queue, QUEUE_ALL) == 0 ? NULL : queue;
}

static const char *
assignee_filter(const struct req *req)
{
	const char *assignee = query_text(&req->params, "assignee");

	if (assignee != NULL && strcmp(assignee, ASSIGNEE_ME) == 0)
		return req->operator.email;
	return assignee;
}
