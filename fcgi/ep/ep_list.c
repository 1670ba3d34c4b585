/* SPDX-License-Identifier: ISC */
/* /v1/lists: the entries of the block, allow and watch lists. */
#include "config.h"

#include <json-c/json_object.h>
#include <stddef.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/list_entry.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MAX 1000
#define DAYS_MAX 3650
#define VALUE_MAX 256 /* bytes of a value as sent, with blanks */

static int read_entry(struct req *req, struct list_entry_input *ret);
static int check_filter(const char *kind, const char *subject, struct fail *f);

static const struct body_field fields[] = {
	{ "kind", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "subject", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "value", BODY_OPAQUE, BODY_REQUIRED, 1, VALUE_MAX },
	{ "reason", BODY_STRING, BODY_NULLABLE, 1, LIST_REASON_MAX },
	{ "expiresAt", BODY_STRING, BODY_NULLABLE, 0, 64 },
};

static const struct body_field search_fields[] = {
	{ "kind", BODY_STRING, BODY_NULLABLE, 1, 16 },
	{ "subject", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "value", BODY_OPAQUE, BODY_REQUIRED, 1, VALUE_MAX },
};

/*
 * GET /v1/lists.  200: a page of entries, newest first; 400: a parameter is
 * wrong.
 */
int
list_show(struct req *req, struct resp *resp)
{
	const char *kind = query_text(&req->params, "kind"),
		   *subject = query_text(&req->params, "subject");
	int64_t limit, offset, days;
	struct params p;

	if (check_filter(kind, subject, &req->fail) == -1 ||
	    query_int(&req->params, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT,
		&limit, &req->fail) == -1 ||
	    query_int(&req->params, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1 ||
	    query_int(&req->params, "expiring", 1, DAYS_MAX, 0, &days,
		&req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, kind);
	params_text(&p, subject);
	params_int(&p, limit);
	params_int(&p, offset);
	params_text(&p, query_text(&req->params, "createdBy"));
	if (days > 0)
		params_int(&p, days);
	else
		params_null(&p);
	return sql_reply_read(req, resp, STMT_LIST_PAGE, &p);
}

/*
 * POST /v1/lists/search.  200: the entries of a value, which must not be in a
 * URL because it may be personal; 400: a field is wrong.
 */
int
list_search(struct req *req, struct resp *resp)
{
	char value[LIST_VALUE_SIZE];
	const char *kind, *name;
	enum list_subject subject;
	struct params p;

	if (body_check(req->json, search_fields, nitems(search_fields),
		&req->fail) == -1)
		return -1;
	kind = body_string(req->json, "kind");
	name = body_string(req->json, "subject");
	if (check_filter(kind, name, &req->fail) == -1)
		return -1;
	subject = list_subject_parse(name);
	if (list_entry_value(subject, body_string(req->json, "value"), value) ==
	    -1)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "value", "%s", list_entry_value_rule(subject));
	params_init(&p, req->arena);
	params_text(&p, kind);
	params_text(&p, name);
	params_text(&p, value);
	return sql_reply_read(req, resp, STMT_LIST_SEARCH, &p);
}

/*
 * POST /v1/lists.  201: a new entry; 200: the entry that existed for this kind,
 * subject and value, with the new reason and expiry; 400: a field is wrong.
 */
int
list_save(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	struct list_entry_input en;
	struct params p;
	struct rows rows;

	if (read_entry(req, &en) == -1)
		return -1;
	crypt_id("lst_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(&p, list_kind_name(en.kind));
	params_text(&p, list_subject_name(en.subject));
	params_text(&p, en.value);
	params_text(&p, en.reason);
	params_time(&p, en.expires);
	params_text(&p, req->change->author);
	if (db_one(req->db, req->arena, STMT_LIST_SAVE, &p, &rows,
		&req->fail) == -1)
		return -1;
	return resp_json(req, resp, rows_bool(&rows, 0, "made") ? 201 : 200,
	    rows_text(&rows, 0, "body"));
}

/* DELETE /v1/lists/{id}.  200: the entry is removed; 404: unknown id. */
int
list_delete(struct req *req, struct resp *resp)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_one(req->db, req->arena, STMT_LIST_REMOVE, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (!rows_bool(&rows, 0, "found"))
		return fail_set(
		    &req->fail, FAIL_INPUT, NOT_FOUND, NULL, "%s", "");
	return resp_json(req, resp, 200, "{\"ok\":true}");
}

/* Read the entry of a body.  Refuse an expiry in the past. */
static int
read_entry(struct req *req, struct list_entry_input *ret)
{
	const char *text[LIST_ENTRY_FIELD__MAX];
	enum list_entry_field field;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	for (field = 0; field < LIST_ENTRY_FIELD__MAX; field++)
		text[field] =
		    body_string(req->json, list_entry_field_name(field));
	if (list_entry_read(text, ret, &req->fail) == -1)
		return -1;
	if (list_acts(ret->expires, clock_now()))
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "expiresAt",
	    "is in the past");
}

/* Check a kind and a subject; NULL means any. */
static int
check_filter(const char *kind, const char *subject, struct fail *f)
{
	if (kind != NULL && list_kind_parse(kind) == LIST_KIND__NONE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "kind", "%s",
		    LIST_KIND_RULE);
	if (subject != NULL &&
	    list_subject_parse(subject) == LIST_SUBJECT__NONE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "subject", "%s",
		    LIST_SUBJECT_RULE);
	return 0;
}
