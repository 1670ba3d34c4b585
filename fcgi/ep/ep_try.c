/* SPDX-License-Identifier: ISC */
/* /v1/decisions/{id}/try: decide an event again with other signals. */
#include "config.h"

#include <json-c/json_object.h>
#include <json-c/linkhash.h>

#include "core/analyse/explain.h"
#include "core/analyse/sample_change.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/decide.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define CHANGES_MAX 64 /* signals that one request sets */

static int read_recorded(
    struct req *req, struct rows *rows, struct sample *sample);
static int change_sample(
    struct req *req, const struct ruleset *rs, struct sample *sample);
static int value_of(struct json_object *json, struct value *ret);
static int answer_try(struct req *req, struct resp *resp,
    const struct decision *d, const struct ruleset *rs,
    const struct rows *recorded);

static const struct body_field fields[] = {
	{ "set", BODY_OBJECT, BODY_REQUIRED, 0, 0 },
};

/*
 * POST /v1/decisions/{id}/try.  Change nothing.  200: what the active rules,
 * policy and scorer decide on the sample of this event, with the signals of the
 * body; 400: a signal does not exist or cannot have the value; 404: unknown id,
 * not decided yet, or the decision has no sample.
 */
int
decision_try(struct req *req, struct resp *resp)
{
	struct live_book *live = arena_alloc(req->arena, sizeof(*live));
	struct sample *sample = arena_alloc(req->arena, sizeof(*sample));
	struct decision decision;
	struct rows recorded;
	int r;

	if (live == NULL || sample == NULL)
		return fail_memory(&req->fail);
	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    read_recorded(req, &recorded, sample) == -1)
		return -1;
	r = live_book_load(
	    req, event_type_parse(rows_text(&recorded, 0, "event_type")), live);
	if (r == 0)
		r = change_sample(req, live->book.ruleset, sample);
	if (r == 0)
		r = explain_decide(
		    &live->book, sample, req->arena, &decision, &req->fail);
	if (r == 0)
		r = answer_try(
		    req, resp, &decision, live->book.ruleset, &recorded);
	live_scoring_clear(&live->scoring);
	return r;
}

/* Read the decision of the event in the path, and its sample. */
static int
read_recorded(struct req *req, struct rows *rows, struct sample *sample)
{
	struct params p;
	const char *text;
	size_t len;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_one(req->db, req->arena, STMT_EXPLAIN_FIND, &p, rows,
		&req->fail) == -1)
		return -1;
	if (!rows_null(rows, 0, "sample")) {
		text = rows_bytes(rows, 0, "sample", &len);
		if (sample_read(req->arena, text, len, sample) == 0)
			return 0;
	}
	return fail_set(&req->fail, FAIL_INPUT, NOT_FOUND, NULL,
	    "the decision on this event has no sample");
}

/* Give the sample the values of the body. */
static int
change_sample(struct req *req, const struct ruleset *rs, struct sample *sample)
{
	struct json_object *set;
	struct value to;

	json_object_object_get_ex(req->json, "set", &set);
	if (json_object_object_length(set) > CHANGES_MAX)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "set",
		    "must have at most %d members", CHANGES_MAX);
	json_object_object_foreach(set, name, json)
	{
		if (value_of(json, &to) == -1)
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    "set",
			    "must hold numbers, texts, booleans and nulls");
		if (sample_change(
			sample, rs, name, to, req->arena, &req->fail) == -1)
			return -1;
	}
	return 0;
}

static int
value_of(struct json_object *json, struct value *ret)
{
	switch (json_object_get_type(json)) {
	case json_type_null:
		*ret = value_unknown();
		return 0;
	case json_type_boolean:
		*ret = value_bool(json_object_get_boolean(json) != 0);
		return 0;
	case json_type_double:
	case json_type_int:
		*ret = value_number(json_object_get_double(json));
		return 0;
	case json_type_string:
		*ret = value_string(json_object_get_string(json));
		return 0;
	default:
		return -1;
	}
}

static int
answer_try(struct req *req, struct resp *resp, const struct decision *d,
    const struct ruleset *rs, const struct rows *recorded)
{
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "verdict", verdict_name(d->verdict));
	writer_int(&s, "score", d->score.total);
	writer_name(&s, "reasons");
	score_reasons(&s, &d->score);
	writer_text(&s, "policyId", d->policy->id);
	writer_text(&s, "policyVersion", d->policy->version);
	writer_text(&s, "rulesetVersion", rs->version);
	writer_object(&s, "recorded");
	writer_text(&s, "verdict", rows_text(recorded, 0, "verdict"));
	writer_int(&s, "score", rows_int(recorded, 0, "score"));
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}
