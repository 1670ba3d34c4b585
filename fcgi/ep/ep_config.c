/* SPDX-License-Identifier: ISC */
/* /v1/config: the whole configuration, and several changes of it at once. */
#include "config.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/gate/audit.h"
#include "fcgi/gate/inner_request.h"
#include "fcgi/gate/proposal.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define CHANGES_MAX 200
#define ACTION_MAX 512
#define ETAG_SIZE 32

static int check_etag(struct req *req);
static int make_changes(
    struct req *req, struct json_object *changes, struct str *ret);
static int make_change(
    struct req *req, struct json_object *change, struct resp *ret);
static bool is_change(enum route_id id);
static int name_change(struct req *req, size_t i, const struct fail *f);
static int describe_changes(struct req *req, size_t n);
static int add_etag(struct req *req, struct str *s);

static const struct body_field fields[] = {
	{ "etag", BODY_STRING, BODY_REQUIRED, ETAG_SIZE, ETAG_SIZE },
	{ "changes", BODY_ARRAY, BODY_REQUIRED, 1, CHANGES_MAX },
	{ "rehearse", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
};

static const struct body_field change_fields[] = {
	{ "action", BODY_STRING, BODY_REQUIRED, 1, ACTION_MAX },
	{ "body", BODY_ANY, BODY_NULLABLE, 0, 0 },
};

/*
 * POST /v1/config.  Run the requests in "changes" in one transaction: all are
 * made, or none.  With "rehearse" check them and change nothing.  200: the new
 * etag, and what each request answered; 400: a field is wrong, or a request
 * cannot be part of it; 409: the configuration is not the one of "etag"
 * (CONFIG_CHANGED), or a change must be proposed; and what a request itself
 * answers with if it fails, with its place in the field.
 */
int
config_apply(struct req *req, struct resp *resp)
{
	struct json_object *changes;
	struct str results, s;
	bool rehearse;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	changes = json_object_object_get(req->json, "changes");
	rehearse = body_int(req->json, "rehearse", 0) != 0;
	str_init(&results, req->arena);
	if (describe_changes(req, json_object_array_length(changes)) == -1 ||
	    (rehearse && sql_reply_none(req, STMT_REHEARSAL_BEGIN) == -1) ||
	    check_etag(req) == -1 ||
	    make_changes(req, changes, &results) == -1 ||
	    (rehearse && sql_reply_none(req, STMT_REHEARSAL_UNDO) == -1))
		return -1;
	if (rehearse)
		req->change->committed = NULL;
	if (str_text(&results) == NULL)
		return fail_memory(&req->fail);
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	if (add_etag(req, &s) == -1)
		return -1;
	writer_json(&s, "results", rehearse ? "[]" : str_text(&results));
	writer_end(&s);
	resp_header(req, resp, "Cache-Control: no-store"); /* secrets */
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * Check the etag.  Other changes of the configuration wait until the
 * transaction ends.
 */
static int
check_etag(struct req *req)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, body_string(req->json, "etag"));
	if (db_one(req->db, req->arena, STMT_CONFIG_BEGIN, &p, &rows,
		&req->fail) == -1)
		return -1;
	return sql_reply_refused(req, &rows);
}

/* Make all changes, and append their answers as an array. */
static int
make_changes(struct req *req, struct json_object *changes, struct str *ret)
{
	const size_t n = json_object_array_length(changes);
	struct resp answer;
	struct fail f;
	size_t i;

	writer_array(ret, NULL);
	for (i = 0; i < n; i++) {
		answer = (struct resp) { 0 };
		if (make_change(req, json_object_array_get_idx(changes, i),
			&answer) == -1) {
			f = req->fail;
			return name_change(req, i, &f);
		}
		writer_json(ret, NULL, answer.body);
	}
	writer_end(ret);
	return 0;
}

/*
 * Make one change, with an audit entry as if it had been sent by itself.  A
 * proposal has one entry with all its changes.
 */
static int
make_change(struct req *req, struct json_object *change, struct resp *ret)
{
	struct inner_request request;
	struct req_change own = *req->change;
	struct req inner;
	const char *action;

	if (body_check(
		change, change_fields, nitems(change_fields), &req->fail) == -1)
		return -1;
	action = body_string(change, "action");
	if (inner_request_read(req, action,
		json_object_object_get(change, "body"), &request) == -1)
		return -1;
	if (!is_change(request.route->id))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "action",
		    "must be method and path of a change of the configuration");
	if (req->change->approved &&
	    (request.route->id == ROUTE_webhook_create ||
		request.route->id == ROUTE_webhook_revoke))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "action",
		    "cannot be part of a proposal, which shows no webhooks");
	inner = inner_request_for(req, &request);
	inner.method = request.route->method;
	inner.path = request.path;
	inner.change = &own;
	own.audited = NULL;
	if ((!req->change->approved && !body_int(req->json, "rehearse", 0) &&
		proposal_gate(&inner) == -1) ||
	    request.route->handler(&inner, ret) == -1 ||
	    (!req->change->approved &&
		audit_add_entry(&inner, ret->status, &inner.fail) == -1)) {
		req->fail = inner.fail;
		return -1;
	}
	req->change->committed = own.committed;
	return 0;
}

/* Whether a request with this route can be part of a change. */
static bool
is_change(enum route_id id)
{
	static const enum route_id changes[] = { ROUTE_rule_publish,
		ROUTE_policy_publish, ROUTE_queue_put, ROUTE_setting_put_rates,
		ROUTE_setting_put_alerts, ROUTE_setting_put_retention,
		ROUTE_webhook_create, ROUTE_webhook_revoke };
	size_t i;

	for (i = 0; i < nitems(changes); i++)
		if (changes[i] == id)
			return true;
	return false;
}

/* Fail as a change did, and say which one it is. */
static int
name_change(struct req *req, size_t i, const struct fail *f)
{
	char where[sizeof(f->where)];

	snprintf(where, sizeof(where), "changes[%zu]:%s%.*s", i,
	    f->where[0] == '\0' ? "" : " ", (int)sizeof(where) - 32, f->where);
	return fail_set(&req->fail, f->kind, f->code, where, "%s",
	    f->why[0] == '\0' ? fail_code_text(f->code) : f->why);
}

/* The audit entry counts the changes; each has its own entry. */
static int
describe_changes(struct req *req, size_t n)
{
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "etag", body_string(req->json, "etag"));
	writer_int(&s, "changes", (int64_t)n);
	writer_bool(&s, "rehearse", body_int(req->json, "rehearse", 0) != 0);
	writer_end(&s);
	if (str_text(&s) == NULL)
		return fail_memory(&req->fail);
	req->change->audited =
	    body_parse(req->arena, str_text(&s), s.len, &req->fail);
	return req->change->audited == NULL ? -1 : 0;
}

/* Append the etag of what is active now. */
static int
add_etag(struct req *req, struct str *s)
{
	struct rows rows;

	if (db_one(req->db, req->arena, STMT_CONFIG_ETAG, NULL, &rows,
		&req->fail) == -1)
		return -1;
	writer_text(s, "etag", rows_text(&rows, 0, "etag"));
	return 0;
}
