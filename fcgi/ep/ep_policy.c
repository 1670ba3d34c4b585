/* SPDX-License-Identifier: ISC */
/* /v1/policies: the policies and their versions. */
#include "config.h"

#include <json-c/json_object.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/policy.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/query.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"

#define HISTOGRAM_DAYS 28
#define HISTOGRAM_DAYS_MAX 90

static int find_active(struct req *req, struct policy *ret);

/* body_policy() checks the last two. */
static const struct body_field fields[] = {
	{ "id", BODY_STRING, BODY_REQUIRED, 1, 128 },
	{ "version", BODY_LABEL, BODY_REQUIRED, 0, 0 },
	{ "onError", BODY_ANY, BODY_NULLABLE, 0, 0 },
	{ "bands", BODY_ANY, BODY_NULLABLE, 0, 0 },
};

static const struct body_field rollback_fields[] = {
	{ "toVersion", BODY_LABEL, BODY_REQUIRED, 0, 0 },
};

static const struct body_field simulate_fields[] = {
	{ "score", BODY_NUMBER, BODY_REQUIRED, 0, 100 },
};

/*
 * POST /v1/policies.  200: the version is active from now on; 400: a field is
 * wrong, or the policy (POLICY_INVALID); 404: unknown policy; 409: the label is
 * used.
 */
int
policy_publish(struct req *req, struct resp *resp)
{
	struct policy policy = { 0 };
	struct params p;
	struct str bands;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    body_policy(req->arena, req->json, "", &policy, &req->fail) == -1)
		return -1;
	str_init(&bands, req->arena);
	body_bands(&bands, &policy);
	params_init(&p, req->arena);
	params_text(&p, body_string(req->json, "id"));
	params_text(&p, body_string(req->json, "version"));
	params_text(&p, policy_on_error_name(policy.on_error));
	params_text(&p, str_text(&bands));
	params_text(&p, req->change->author);
	return sql_reply_write(req, resp, 200, STMT_POLICY_PUBLISH, &p);
}

/*
 * POST /v1/policies/{id}/rollback.  200: that version is active from now on;
 * 400: a field is wrong; 404: unknown policy or version.
 */
int
policy_rollback(struct req *req, struct resp *resp)
{
	struct params p;

	if (body_check(req->json, rollback_fields, nitems(rollback_fields),
		&req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, body_string(req->json, "toVersion"));
	return sql_reply_write(req, resp, 200, STMT_POLICY_ROLLBACK, &p);
}

/*
 * GET /v1/policies/{id}/histogram.  200: how many decisions of the last days
 * had each score; 400: the number of days is wrong; 404: unknown policy.
 */
int
policy_histogram(struct req *req, struct resp *resp)
{
	struct params p;
	int64_t days;

	if (query_int(&req->params, "days", 1, HISTOGRAM_DAYS_MAX,
		HISTOGRAM_DAYS, &days, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_int(&p, days);
	return sql_reply_write(req, resp, 200, STMT_POLICY_HISTOGRAM, &p);
}

/*
 * POST /v1/policies/{id}/simulate.  200: the verdict for a score; 400: a field
 * is wrong; 404: unknown policy.
 */
int
policy_simulate(struct req *req, struct resp *resp)
{
	struct policy policy = { 0 };
	const struct band *band;
	struct str s;

	if (body_check(req->json, simulate_fields, nitems(simulate_fields),
		&req->fail) == -1 ||
	    find_active(req, &policy) == -1)
		return -1;
	band = policy_band(&policy,
	    json_object_get_double(json_object_object_get(req->json, "score")));
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "verdict", verdict_name(band->verdict));
	if (band->verdict == VERDICT_REVIEW)
		writer_text(&s, "reviewQueue", policy_queue(band));
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Read the active version of the policy in the path. */
static int
find_active(struct req *req, struct policy *ret)
{
	struct json_object *json;
	struct params p;
	struct rows rows;
	const char *body;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_run(req->db, req->arena, STMT_POLICY_FIND, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return fail_set(
		    &req->fail, FAIL_INPUT, POLICY_MISSING, NULL, "%s", "");
	body = rows_text(&rows, 0, "body");
	json = body_parse(req->arena, body, strlen(body), &req->fail);
	if (json == NULL)
		return -1;
	return body_policy(req->arena, json, "", ret, &req->fail);
}
