/* SPDX-License-Identifier: ISC */
/* /v1/redecisions: past events are decided again with what is active now. */
#include "config.h"

#include <json-c/json_object.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/velocity.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/query.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ACTS_MAX 10000 /* decisions that one redecision acts on */
#define WAITING_MAX 20 /* redecisions that have not ended */
#define LIMIT_DEFAULT 100
#define LIMIT_MAX 500

/* A redecision that a body asks for. */
struct redecision_input {
	const char *types[EVENT_TYPE__MAX];
	size_t n_types; /* 0: all */
	int64_t since;
	int64_t until;
	const char *ruleset; /* NULL: the active ones */
	int64_t acts; /* 0: it only counts */
};

static int read_redecision(struct req *req, struct redecision_input *ret);
static int read_event_types(struct req *req, struct redecision_input *ret);
static int read_time_span(struct req *req, struct redecision_input *ret);
static int read_time(
    struct req *req, const char *name, int64_t now, int64_t *ret);
static int check_version(struct req *req, const struct redecision_input *in);

static const struct body_field fields[] = {
	{ "eventTypes", BODY_ARRAY, BODY_OPTIONAL, 1, EVENT_TYPE__MAX - 1 },
	{ "since", BODY_STRING, BODY_REQUIRED, 1, 64 },
	{ "until", BODY_STRING, BODY_OPTIONAL, 1, 64 },
	{ "ruleset", BODY_LABEL, BODY_OPTIONAL, 0, 0 },
	{ "act", BODY_INT, BODY_OPTIONAL, 0, ACTS_MAX },
};

/*
 * POST /v1/redecisions.  201: the redecision, which the companion begins soon;
 * 400: a field is wrong; 409: too many wait.
 */
int
redecision_create(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	struct redecision_input in = { .n_types = 0 };
	struct params p;

	if (read_redecision(req, &in) == -1 || check_version(req, &in) == -1)
		return -1;
	crypt_id("rdc_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(&p, req->change->author);
	params_text(&p, req->correlation_id);
	if (in.n_types == 0)
		params_null(&p);
	else
		params_texts(&p, in.types, in.n_types);
	params_time(&p, in.since);
	params_time(&p, in.until);
	params_text(&p, in.ruleset);
	params_int(&p, in.acts);
	params_int(&p, WAITING_MAX);
	return sql_reply_write(req, resp, 201, STMT_REDECISION_CREATE, &p);
}

/*
 * GET /v1/redecisions/{id}/changes.  200: a page of the decisions that have
 * another verdict now, newest first; 400: a parameter is wrong; 404: no such
 * redecision.
 */
int
redecision_changes(struct req *req, struct resp *resp)
{
	int64_t limit, offset;
	struct params p;

	if (query_int(&req->params, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT,
		&limit, &req->fail) == -1 ||
	    query_int(&req->params, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_int(&p, limit);
	params_int(&p, offset);
	return sql_reply_write(req, resp, 200, STMT_REDECISION_CHANGES, &p);
}

/* Read the body. */
static int
read_redecision(struct req *req, struct redecision_input *ret)
{
	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	ret->ruleset = body_string(req->json, "ruleset");
	ret->acts = body_int(req->json, "act", 0);
	if (read_event_types(req, ret) == -1)
		return -1;
	return read_time_span(req, ret);
}

static int
read_event_types(struct req *req, struct redecision_input *ret)
{
	struct json_object *list;
	const char *name;
	size_t i;

	if (!json_object_object_get_ex(req->json, "eventTypes", &list))
		return 0;
	for (i = 0; i < json_object_array_length(list); i++) {
		name =
		    json_object_get_string(json_object_array_get_idx(list, i));
		if (event_type_parse(name) == EVENT_TYPE__NONE)
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    "eventTypes",
			    "must be types of event, such as card.authorize");
		ret->types[ret->n_types++] = name;
	}
	return 0;
}

/* Read the times. */
static int
read_time_span(struct req *req, struct redecision_input *ret)
{
	const int64_t now = clock_now();

	ret->until = now;
	if (read_time(req, "since", now, &ret->since) == -1 ||
	    (body_has(req->json, "until") &&
		read_time(req, "until", now, &ret->until) == -1))
		return -1;
	if (ret->until > now)
		ret->until = now;
	if (ret->since < ret->until)
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "since",
	    "must be earlier than %s",
	    body_has(req->json, "until") ? "until" : "now");
}

/* Read a time, or how long before now it is. */
static int
read_time(struct req *req, const char *name, int64_t now, int64_t *ret)
{
	const char *text = body_string(req->json, name);
	const int64_t window = velocity_window(text, strlen(text));

	if (window > 0)
		*ret = now - window;
	if (window > 0 || (clock_parse(text, ret) == 0 && *ret >= 0))
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, name,
	    "must be a time such as 2026-11-20T08:00:00Z, or how long ago, "
	    "from 1m to 90d");
}

/* A ruleset is of one event type. */
static int
check_version(struct req *req, const struct redecision_input *in)
{
	struct fail *f = &req->fail;
	struct params p;
	struct rows rows;

	if (in->ruleset == NULL)
		return 0;
	if (in->n_types != 1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "eventTypes",
		    "must be the one type of the ruleset");
	params_init(&p, req->arena);
	params_text(&p, in->types[0]);
	params_text(&p, in->ruleset);
	if (db_run(req->db, req->arena, STMT_REDECISION_RULESET, &p, &rows,
		f) == -1)
		return -1;
	return rows.n > 0
	    ? 0
	    : fail_set(f, FAIL_INPUT, INVALID_REQUEST, "ruleset",
		  "must be a version of the rules of %s", in->types[0]);
}
