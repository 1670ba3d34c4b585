/* SPDX-License-Identifier: ISC */
/* /v1/exceptions: rules that are silenced for one user, device or value. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/query.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/list_entry.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MAX 500
#define ACTIVE_MAX 10000 /* exceptions; each worker holds them */
#define DAYS_MAX 366 /* that an exception may last */
#define VALUE_MAX 256 /* bytes of a value as sent, with blanks */

/* An exception that a body asks for. */
struct exception_input {
	struct list_entry_input entry; /* all but its kind */
	enum event_type type; /* EVENT_TYPE__NONE: every type */
	struct rule_silence silence;
};

static int read_exception(struct req *req, struct exception_input *ret);
static int read_matched(struct req *req, struct list_entry_input *ret);
static int check_silenced_name(
    struct req *req, const struct exception_input *in);
static int find_name(struct req *req, const char *text,
    const struct rule_silence *silence, bool *ret_found);

static const struct body_field fields[] = {
	{ "kind", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "name", BODY_STRING, BODY_REQUIRED, 1, RULE_ID_MAX },
	{ "eventType", BODY_STRING, BODY_NULLABLE, 1, 64 },
	{ "subject", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "value", BODY_OPAQUE, BODY_REQUIRED, 1, VALUE_MAX },
	{ "reason", BODY_STRING, BODY_REQUIRED, 1, LIST_REASON_MAX },
	{ "expiresAt", BODY_STRING, BODY_REQUIRED, 1, 64 },
};

/*
 * GET /v1/exceptions.  200: a page of exceptions, newest first; 400: a
 * parameter is wrong.
 */
int
exception_list(struct req *req, struct resp *resp)
{
	const char *state = query_text(&req->params, "state");
	int64_t limit, offset;
	struct params p;

	if (state != NULL && strcmp(state, "active") != 0 &&
	    strcmp(state, "expired") != 0 && strcmp(state, "ended") != 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "state", "must be active, expired or ended");
	if (query_int(&req->params, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT,
		&limit, &req->fail) == -1 ||
	    query_int(&req->params, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, state);
	params_int(&p, limit);
	params_int(&p, offset);
	return sql_reply_read(req, resp, STMT_EXCEPTION_PAGE, &p);
}

/*
 * POST /v1/exceptions.  201: the exception; 400: a field is wrong, or no active
 * or shadow ruleset has the rule or the tag; 409: the same one is active, or
 * too many are.
 */
int
exception_create(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	struct exception_input in;
	struct params p;

	if (read_exception(req, &in) == -1 ||
	    check_silenced_name(req, &in) == -1)
		return -1;
	crypt_id("exc_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(
	    &p, in.type == EVENT_TYPE__NONE ? NULL : event_type_name(in.type));
	params_text(&p, in.silence.tag ? "tag" : "rule");
	params_text(&p, in.silence.name);
	params_text(&p, list_subject_name(in.entry.subject));
	params_text(&p, in.entry.value);
	params_text(&p, in.entry.reason);
	params_time(&p, in.entry.expires);
	params_text(&p, req->change->author);
	params_int(&p, ACTIVE_MAX);
	return sql_reply_write(req, resp, 201, STMT_EXCEPTION_CREATE, &p);
}

/* Read the body. */
static int
read_exception(struct req *req, struct exception_input *ret)
{
	struct fail *f = &req->fail;
	const char *kind, *type;

	if (body_check(req->json, fields, nitems(fields), f) == -1)
		return -1;
	kind = body_string(req->json, "kind");
	ret->silence.tag = strcmp(kind, "tag") == 0;
	if (!ret->silence.tag && strcmp(kind, "rule") != 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "kind",
		    "must be rule or tag");
	ret->silence.name = body_string(req->json, "name");
	type = body_string(req->json, "eventType");
	ret->type = event_type_parse(type);
	if (type != NULL && ret->type == EVENT_TYPE__NONE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "eventType",
		    "must be a type of event, such as card.authorize");
	return read_matched(req, &ret->entry);
}

/* Read the fields that a list entry has, too. */
static int
read_matched(struct req *req, struct list_entry_input *ret)
{
	const char *text[LIST_ENTRY_FIELD__MAX] = { NULL };
	const int64_t now = clock_now();
	struct fail *f = &req->fail;
	enum list_entry_field field;

	text[LIST_ENTRY_KIND] = list_kind_name(LIST_ALLOW);
	for (field = LIST_ENTRY_SUBJECT; field < LIST_ENTRY_FIELD__MAX; field++)
		text[field] =
		    body_string(req->json, list_entry_field_name(field));
	if (list_entry_read(text, ret, f) == -1)
		return -1;
	if (ret->subject == LIST_IP && strchr(ret->value, '/') != NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "value",
		    "must be one address, not a network");
	if (ret->expires <= now)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "expiresAt",
		    "is in the past");
	if (ret->expires > now + DAYS_MAX * INT64_C(86400) * CLOCK_SECOND)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "expiresAt",
		    "must be within %d days", DAYS_MAX);
	return 0;
}

/*
 * Refuse a name that no active rule has: an exception with a mistyped name
 * would have no effect.
 */
static int
check_silenced_name(struct req *req, const struct exception_input *in)
{
	bool found = false;
	struct rows rows;
	int i;

	if (db_run(req->db, req->arena, STMT_EXCEPTION_RULESETS, NULL, &rows,
		&req->fail) == -1)
		return -1;
	for (i = 0; i < rows.n && !found; i++) {
		if (in->type != EVENT_TYPE__NONE &&
		    event_type_parse(rows_text(&rows, i, "event_type")) !=
			in->type)
			continue;
		if (find_name(req, rows_text(&rows, i, "text"), &in->silence,
			&found) == -1)
			return -1;
	}
	if (found)
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "name",
	    "must be the %s of a rule%s, active or of a shadow",
	    in->silence.tag ? "tag" : "id",
	    in->type == EVENT_TYPE__NONE ? "" : " of the event type");
}

/* Set *ret_found if the text of a ruleset has a rule that would be silenced. */
static int
find_name(struct req *req, const char *text, const struct rule_silence *silence,
    bool *ret_found)
{
	const struct rule_silences alone = { .list = silence, .n = 1 };
	const struct arena_mark mark = arena_mark(req->arena);
	const struct ruleset *rs;
	size_t i;

	rs = rule_compile(req->arena, text, strlen(text), &req->fail);
	if (rs == NULL)
		return fail_set(&req->fail, FAIL_US, INTERNAL, NULL,
		    "an active ruleset cannot be read");
	for (i = 0; i < rs->n_rules && !*ret_found; i++)
		*ret_found = rule_silenced(&rs->rules[i], &alone);
	arena_rewind(req->arena, mark);
	return 0;
}
