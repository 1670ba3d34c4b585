/* SPDX-License-Identifier: ISC */
/* /v1/cases: decisions that analysts review, and what they do with them. */
#include "config.h"

#include <json-c/json_object.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "fcgi/access/password.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/token.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define MOST_MAX 1000 /* cases of one analyst */
#define NOTE_MAX 4000 /* bytes */
#define NOTE_PREFIX "csn_"
#define ORDER_MAX 16 /* bytes of its word */
#define OUTCOME_MAX 32 /* bytes of its word */
#define QUEUE_ALL "*" /* as a queue: all queues */
#define RESOLVE_MAX 100 /* cases of one request */
#define SNOOZE_MAX (30 * 24 * 3600 * CLOCK_SECOND)

static void put_caller(struct params *p, const struct req *req);
static void put_resolution(struct params *p, const struct req *req);
static int check_outcome(struct req *req);
static int read_snooze(struct req *req, int64_t *ret);
static int read_ids(struct req *req, const char *ret[RESOLVE_MAX], size_t *n);
static int answer_results(
    struct req *req, struct resp *resp, const struct rows *rows);
static bool is_one_of(const char *text, const char *const *words, size_t n);

static const char *const outcomes[] = { "fraud", "legit", "inconclusive" };

static const struct body_field next_fields[] = {
	{ "queue", BODY_LINE, BODY_NULLABLE, 1, EVENT_ID_MAX },
	{ "order", BODY_STRING, BODY_OPTIONAL, 1, ORDER_MAX },
	{ "most", BODY_INT, BODY_OPTIONAL, 1, MOST_MAX },
};

static const struct body_field hand_over_fields[] = {
	{ "to", BODY_STRING, BODY_REQUIRED, 1, PASSWORD_EMAIL_MAX },
};

static const struct body_field snooze_fields[] = {
	{ "until", BODY_STRING, BODY_REQUIRED | BODY_NULLABLE, 1, 64 },
};

static const struct body_field note_fields[] = {
	{ "text", BODY_STRING, BODY_REQUIRED, 1, NOTE_MAX },
};

static const struct body_field resolve_fields[] = {
	{ "outcome", BODY_STRING, BODY_REQUIRED, 1, OUTCOME_MAX },
	{ "note", BODY_STRING, BODY_OPTIONAL, 0, NOTE_MAX },
};

static const struct body_field resolve_all_fields[] = {
	{ "ids", BODY_ARRAY, BODY_REQUIRED, 1, RESOLVE_MAX },
	{ "outcome", BODY_STRING, BODY_REQUIRED, 1, OUTCOME_MAX },
	{ "note", BODY_STRING, BODY_OPTIONAL, 0, NOTE_MAX },
};

static const struct body_field reopen_fields[] = {
	{ "note", BODY_STRING, BODY_OPTIONAL, 0, NOTE_MAX },
};

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

/*
 * POST /v1/cases/{id}/hand-over.  200: the case is assigned to another
 * operator; 400: a field is wrong; 404: unknown id, or no enabled operator has
 * the address; 409: it is resolved.
 */
int
case_hand_over(struct req *req, struct resp *resp)
{
	struct params p;
	const char *to;

	if (body_check(req->json, hand_over_fields, nitems(hand_over_fields),
		&req->fail) == -1 ||
	    (to = password_email(req, body_string(req->json, "to"))) == NULL)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, req->operator.email);
	params_text(&p, to);
	params_int(&p, conf.CLAIM_MINUTES);
	return sql_reply_write(req, resp, 200, STMT_CASE_HAND_OVER, &p);
}

/*
 * POST /v1/cases/{id}/snooze.  200: the case is open and snoozed until a time,
 * or no more; 400: the time is wrong; 404: unknown id; 409: it is resolved, or
 * another analyst has it and the caller is no admin.
 */
int
case_snooze(struct req *req, struct resp *resp)
{
	struct params p;
	int64_t until;

	if (body_check(req->json, snooze_fields, nitems(snooze_fields),
		&req->fail) == -1 ||
	    read_snooze(req, &until) == -1)
		return -1;
	params_init(&p, req->arena);
	put_caller(&p, req);
	if (until == 0)
		params_null(&p);
	else
		params_time(&p, until);
	return sql_reply_write(req, resp, 200, STMT_CASE_SNOOZE, &p);
}

/*
 * POST /v1/cases/{id}/notes.  201: the note, which is added to the case; 400:
 * the text is wrong; 404: unknown id; 409: the case has too many notes.
 */
int
case_note(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	const char *text;
	struct params p;

	if (body_check(
		req->json, note_fields, nitems(note_fields), &req->fail) == -1)
		return -1;
	text = body_string(req->json, "text");
	if (event_blank(text))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "text",
		    "must not be blank");
	crypt_id(NOTE_PREFIX, clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, id);
	params_text(&p, req->operator.email);
	params_text(&p, text);
	return sql_reply_write(req, resp, 201, STMT_CASE_NOTE_ADD, &p);
}

/*
 * POST /v1/cases/{id}/resolve.  200: the case is resolved, and its event
 * labelled unless the outcome is inconclusive; 400: a field is wrong; 404:
 * unknown id; 409: it is resolved already.
 */
int
case_resolve(struct req *req, struct resp *resp)
{
	struct params p;

	if (body_check(req->json, resolve_fields, nitems(resolve_fields),
		&req->fail) == -1 ||
	    check_outcome(req) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	put_resolution(&p, req);
	return sql_reply_write(req, resp, 200, STMT_CASE_RESOLVE, &p);
}

/*
 * POST /v1/cases/resolve.  200: a result for each case; a case that cannot be
 * resolved has an error as its result, and all others are resolved in one
 * transaction; 400: a field is wrong.
 */
int
case_resolve_all(struct req *req, struct resp *resp)
{
	const char *ids[RESOLVE_MAX];
	struct params p;
	struct rows rows;
	size_t n;

	if (body_check(req->json, resolve_all_fields,
		nitems(resolve_all_fields), &req->fail) == -1 ||
	    check_outcome(req) == -1 || read_ids(req, ids, &n) == -1)
		return -1;
	params_init(&p, req->arena);
	params_texts(&p, ids, n);
	put_resolution(&p, req);
	if (db_run(req->db, req->arena, STMT_CASES_RESOLVE, &p, &rows,
		&req->fail) == -1)
		return -1;
	return answer_results(req, resp, &rows);
}

/*
 * POST /v1/cases/{id}/reopen.  200: the resolved case is open; 400: the note is
 * wrong; 404: unknown id; 409: it is not resolved.
 */
int
case_reopen(struct req *req, struct resp *resp)
{
	char id[2][CRYPT_ID_SIZE];
	const char *ids[2] = { id[0], id[1] };
	const char *note;
	struct params p;

	if (body_check(req->json, reopen_fields, nitems(reopen_fields),
		&req->fail) == -1)
		return -1;
	crypt_id(NOTE_PREFIX, clock_now(), id[0]);
	crypt_id(NOTE_PREFIX, clock_now(), id[1]);
	note = body_string(req->json, "note");
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, req->operator.email);
	params_texts(&p, ids, nitems(ids));
	params_text(&p, note == NULL || *note == '\0' ? NULL : note);
	return sql_reply_write(req, resp, 200, STMT_CASE_REOPEN, &p);
}

/* Append the case, the operator, and whether that is an admin. */
static void
put_caller(struct params *p, const struct req *req)
{
	params_text(p, req->arg[0]);
	params_text(p, req->operator.email);
	params_int(p, req->operator.role == ROLE_ADMIN);
}

/* Append who resolves cases, how, and the request's id. */
static void
put_resolution(struct params *p, const struct req *req)
{
	const char *note = body_string(req->json, "note");

	params_text(p, req->operator.email);
	params_text(p, body_string(req->json, "outcome"));
	params_text(p, note == NULL || *note == '\0' ? NULL : note);
	params_text(p, req->correlation_id);
}

static int
check_outcome(struct req *req)
{
	if (is_one_of(
		body_string(req->json, "outcome"), outcomes, nitems(outcomes)))
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "outcome",
	    "must be fraud, legit or inconclusive");
}

/* Read the end of a snooze, 0 for null. */
static int
read_snooze(struct req *req, int64_t *ret)
{
	const char *text = body_string(req->json, "until");
	const int64_t now = clock_now();

	*ret = 0;
	if (text == NULL)
		return 0;
	if (clock_parse(text, ret) == -1 || *ret <= now ||
	    *ret > now + SNOOZE_MAX)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "until", "must be a time in the next 30 days, or null");
	return 0;
}

/* Read the ids of cases. */
static int
read_ids(struct req *req, const char *ret[RESOLVE_MAX], size_t *n)
{
	struct json_object *list = json_object_object_get(req->json, "ids");
	struct json_object *id;
	size_t i;

	*n = json_object_array_length(list);
	for (i = 0; i < *n; i++) {
		id = json_object_array_get_idx(list, i);
		if (!json_object_is_type(id, json_type_string) ||
		    json_object_get_string_len(id) > EVENT_ID_MAX)
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    "ids", "must be ids of cases");
		ret[i] = json_object_get_string(id);
	}
	return 0;
}

/* Answer with the result of each case. */
static int
answer_results(struct req *req, struct resp *resp, const struct rows *rows)
{
	const char *refusal;
	struct str s;
	int i;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_array(&s, "results");
	for (i = 0; i < rows->n; i++) {
		refusal = rows_text(rows, i, "refusal");
		writer_object(&s, NULL);
		writer_text(&s, "id", rows_text(rows, i, "id"));
		writer_bool(&s, "ok", refusal == NULL);
		if (refusal == NULL)
			writer_text(&s, "status", "resolved");
		else {
			writer_object(&s, "error");
			writer_text(&s, "code", refusal);
			writer_text(&s, "message",
			    fail_code_text(fail_code_named(refusal)));
			writer_end(&s);
		}
		writer_end(&s);
	}
	writer_end(&s);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
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
