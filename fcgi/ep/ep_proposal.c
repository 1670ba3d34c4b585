/* SPDX-License-Identifier: ISC */
/* /v1/proposals: changes that one operator makes and another one approves. */
#include "config.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/ep/routes.h"
#include "fcgi/gate/proposal.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define ACTION_MAX 512
#define REASON_MAX 1000
#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200

/* What a rehearsal has found out. */
struct outcome {
	const char *target;
	const char *after; /* the text of what it changes, or NULL */
};

static int rehearse_request(
    struct req *req, const struct proposal *p, struct outcome *ret);
static int read_outcome(struct req *req, const struct proposal *p,
    const struct resp *answer, struct outcome *ret);
static int digest_of(struct req *req, const char *action,
    const struct proposal *p, char ret[2 * CRYPT_SHA256_SIZE + 1]);
static int begin_run(struct req *req, struct rows *ret);
static int run_proposal(
    struct req *req, const struct rows *begun, struct resp *ret);
static int describe_run(struct req *req, const struct rows *begun);
static int end_run(struct req *req, const char *status, struct fail *f);
static int fail_run(struct req *req);
static int close_proposal(
    struct req *req, struct resp *resp, const char *status);

static const struct body_field fields[] = {
	{ "action", BODY_STRING, BODY_REQUIRED, 1, ACTION_MAX },
	{ "body", BODY_ANY, BODY_NULLABLE, 0, 0 },
	{ "reason", BODY_LINE, BODY_REQUIRED, 1, REASON_MAX },
};

static const struct body_field approve_fields[] = {
	{ "reason", BODY_LINE, BODY_NULLABLE, 1, REASON_MAX },
};

static const struct body_field reject_fields[] = {
	{ "reason", BODY_LINE, BODY_REQUIRED, 1, REASON_MAX },
};

static const char *const statuses[] = { "pending", "running", "approved",
	"failed", "rejected", "withdrawn", "expired" };

/*
 * POST /v1/proposals.  201: the proposal; 400: the action cannot be proposed or
 * a field is wrong; 403: the role may not propose the action; 413: the body is
 * too large for its action; 429: too many proposals wait; and what the action
 * itself answers with if it fails.
 */
int
proposal_create(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE], digest[2 * CRYPT_SHA256_SIZE + 1];
	const char *action;
	struct outcome out = { 0 };
	struct proposal p;
	struct params params;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	action = body_string(req->json, "action");
	if (proposal_read(req, action,
		json_object_object_get(req->json, "body"), &p) == -1 ||
	    rehearse_request(req, &p, &out) == -1 ||
	    digest_of(req, action, &p, digest) == -1)
		return -1;
	crypt_id("prp_", clock_now(), id);
	json_object_object_add(
	    req->json, "digest", json_object_new_string(digest));
	params_init(&params, req->arena);
	params_text(&params, id);
	params_text(&params, action);
	params_text(&params, approval_word(p.subject));
	params_text(&params, out.target);
	params_text(&params, p.request.text);
	params_text(&params, digest);
	params_text(&params, out.after);
	params_text(&params, body_string(req->json, "reason"));
	params_text(&params, req->operator.email);
	params_text(&params, token_role_name(p.role));
	return sql_reply_write(req, resp, 201, STMT_PROPOSAL_CREATE, &params);
}

/*
 * GET /v1/proposals.  200: a page of proposals, newest first, for an analyst
 * only the own ones; 400: a parameter is wrong.
 */
int
proposal_list(struct req *req, struct resp *resp)
{
	const char *status = query_text(&req->params, "status");
	bool known = status == NULL;
	struct params p;
	int64_t limit;
	size_t i;

	for (i = 0; !known && i < nitems(statuses); i++)
		known = strcmp(statuses[i], status) == 0;
	if (!known)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "status", "is not a status of proposals");
	if (query_int(&req->params, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT,
		&limit, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, status);
	params_int(&p, limit);
	params_text(&p, query_text(&req->params, "before"));
	params_text(&p, req->operator.email);
	return sql_reply_read(req, resp, STMT_PROPOSAL_PAGE, &p);
}

/*
 * POST /v1/proposals/{id}/approve.  200: the change is made; 400: a field is
 * wrong; 404: unknown id; 409: it is the sender's own proposal, is decided
 * already, its author may no longer propose, or its base has changed; and what
 * the action itself answers with if it fails.
 */
int
proposal_approve(struct req *req, struct resp *resp)
{
	struct resp answer = { 0 };
	struct rows begun;
	struct str s;

	if (body_check(req->json, approve_fields, nitems(approve_fields),
		&req->fail) == -1 ||
	    begin_run(req, &begun) == -1)
		return -1;
	if (run_proposal(req, &begun, &answer) == -1 ||
	    end_run(req, "approved", &req->fail) == -1)
		return fail_run(req);
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_bool(&s, "ok", true);
	writer_json(&s, "result", answer.body);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * POST /v1/proposals/{id}/reject.  200: the proposal; 400: a field is wrong;
 * 404: unknown id; 409: it is decided already.
 */
int
proposal_reject(struct req *req, struct resp *resp)
{
	if (body_check(req->json, reject_fields, nitems(reject_fields),
		&req->fail) == -1)
		return -1;
	return close_proposal(req, resp, "rejected");
}

/*
 * POST /v1/proposals/{id}/withdraw.  200: the proposal; 403: it is another
 * author's; 404: unknown id, or one of another operator for an analyst; 409: it
 * is decided already.
 */
int
proposal_withdraw(struct req *req, struct resp *resp)
{
	return close_proposal(req, resp, "withdrawn");
}

/*
 * Run a request to check it, and undo what it has changed.  Until the proposal
 * is stored no other shadow begins: its text would not be the one that the
 * proposal shows.
 */
static int
rehearse_request(struct req *req, const struct proposal *p, struct outcome *ret)
{
	struct resp answer = { 0 };

	if (p->subject == APPROVAL_SHADOW &&
	    sql_reply_none(req, STMT_SHADOW_LOCK) == -1)
		return -1;
	if (sql_reply_none(req, STMT_REHEARSAL_BEGIN) == -1 ||
	    proposal_rehearse(req, p, &answer) == -1 ||
	    read_outcome(req, p, &answer, ret) == -1)
		return -1;
	return sql_reply_none(req, STMT_REHEARSAL_UNDO);
}

/*
 * Read what the rehearsal has changed: the state of what decides, or the shadow
 * that would run beside it.
 */
static int
read_outcome(struct req *req, const struct proposal *p,
    const struct resp *answer, struct outcome *ret)
{
	struct params params;
	struct rows rows;

	if (proposal_target(req, p, answer, &ret->target) == -1)
		return -1;
	params_init(&params, req->arena);
	if (!p->shadow)
		params_text(&params, approval_word(p->subject));
	params_text(&params, ret->target);
	if (db_one(req->db, req->arena,
		p->shadow ? STMT_SHADOW_STATE : STMT_PROPOSAL_STATE, &params,
		&rows, &req->fail) == -1)
		return -1;
	ret->after = rows_text(&rows, 0, "state");
	return 0;
}

/* Hash the action, a newline and the body, in hexadecimal digits. */
static int
digest_of(struct req *req, const char *action, const struct proposal *p,
    char ret[2 * CRYPT_SHA256_SIZE + 1])
{
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct str s;

	str_init(&s, req->arena);
	str_add(&s, action);
	str_addc(&s, '\n');
	str_add(&s, p->request.text == NULL ? "" : p->request.text);
	if (str_text(&s) == NULL)
		return fail_memory(&req->fail);
	crypt_sha256(str_text(&s), s.len, hash);
	crypt_hex(hash, sizeof(hash), ret);
	return 0;
}

/* Begin the run of the proposal in the path. */
static int
begin_run(struct req *req, struct rows *ret)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, req->operator.email);
	params_text(&p, body_string(req->json, "reason"));
	if (db_one(req->db, req->arena, STMT_PROPOSAL_BEGIN, &p, ret,
		&req->fail) == -1)
		return -1;
	return sql_reply_refused(req, ret);
}

/* Run the request of a proposal; the audit entry names both operators. */
static int
run_proposal(struct req *req, const struct rows *begun, struct resp *ret)
{
	const char *text = rows_text(begun, 0, "body");
	struct json_object *json = NULL, *entry;
	struct proposal p;
	int r;

	if (text != NULL &&
	    (json = body_parse(req->arena, text, strlen(text), &req->fail)) ==
		NULL)
		return -1;
	if (proposal_read(req, rows_text(begun, 0, "action"), json, &p) == -1 ||
	    describe_run(req, begun) == -1)
		return -1;
	entry = req->change->audited;
	if (!p.request.route->csv)
		json_object_object_add(entry, "body", json_object_get(json));
	r = proposal_run(req, &p, rows_text(begun, 0, "author"), ret);
	/* For a body of CSV the handler has left its counts. */
	if (r == 0 && p.request.route->csv)
		json_object_object_add(
		    entry, "body", json_object_get(req->change->audited));
	req->change->audited = entry;
	return r;
}

/* Have the audit entry say what was approved. */
static int
describe_run(struct req *req, const struct rows *begun)
{
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "author", rows_text(begun, 0, "author"));
	writer_text(&s, "action", rows_text(begun, 0, "action"));
	if (body_has(req->json, "reason"))
		writer_text(&s, "reason", body_string(req->json, "reason"));
	writer_end(&s);
	if (str_text(&s) == NULL)
		return fail_memory(&req->fail);
	req->change->audited =
	    body_parse(req->arena, str_text(&s), s.len, &req->fail);
	return req->change->audited == NULL ? -1 : 0;
}

/* Record the end of the run of the proposal in the path. */
static int
end_run(struct req *req, const char *status, struct fail *f)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, status);
	return db_run(req->db, req->arena, STMT_PROPOSAL_END, &p, NULL, f);
}

/*
 * The run has failed.  If a part of it is committed, so is its begin: record
 * the failure, and have the audit trail tell it.  If that fails too, the run
 * counts as failed after some minutes.
 */
static int
fail_run(struct req *req)
{
	struct fail f = { 0 };

	if (!req->change->suspended)
		return -1;
	db_rollback(req->db);
	if (end_run(req, "failed", &f) == -1)
		log_warn("event=proposal_end_failed why=%s", f.why);
	req->change->part_committed = true;
	return -1;
}

/* Reject or withdraw the proposal in the path. */
static int
close_proposal(struct req *req, struct resp *resp, const char *status)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, req->operator.email);
	params_text(&p, status);
	params_text(&p, body_string(req->json, "reason"));
	return sql_reply_write(req, resp, 200, STMT_PROPOSAL_CLOSE, &p);
}
