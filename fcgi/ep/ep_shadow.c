/* SPDX-License-Identifier: ISC */
/* /v1/model/shadow: what decides on probation, what came of it, its end. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/body_model.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define PLACE_MODEL "model" /* of assay.shadow; others are event types */

static const char *model_text(struct req *req);
static int end_shadow(struct req *req, struct resp *resp, bool promoted);
static int find_shadow(struct req *req, const char *type, struct rows *ret);
static int check_readable(struct req *req, const char *type, const char *text);

static const struct body_field fields[] = {
	{ "model", BODY_OBJECT, true, false, 0, 0 },
};

static const struct body_field end_fields[] = {
	{ "eventType", BODY_STRING, false, false, 1, 64 },
	{ "id", BODY_STRING, false, false, 1, 64 },
};

/*
 * GET /v1/model/shadow.  200: what is on probation for each event type, or was
 * last, beside what serves.
 */
int
shadow_list(struct req *req, struct resp *resp)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, conf.SCORER_SHADOW);
	return sql_reply_read(req, resp, STMT_SHADOW_LIST, &p);
}

/*
 * POST /v1/model/shadow.  200: the model scores from now on, without effect,
 * every event whose type has no ruleset on probation; 400: it is none.
 */
int
shadow_begin(struct req *req, struct resp *resp)
{
	char hash[2 * CRYPT_SHA256_SIZE + 1], id[CRYPT_ID_SIZE];
	uint8_t digest[CRYPT_SHA256_SIZE];
	struct model m = *model_bundled();
	struct params p;
	const char *text;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	if ((text = model_text(req)) == NULL)
		return fail_set(&req->fail, FAIL_US, INTERNAL, NULL, "%s", "");
	if (body_model(req->arena, text, strlen(text), &m, &req->fail) == -1)
		return -1;
	crypt_sha256(text, strlen(text), digest);
	crypt_hex(digest, sizeof(digest), hash);
	crypt_id("shd_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, hash);
	params_text(&p, text);
	params_text(&p, id);
	return sql_reply_write(req, resp, 200, STMT_SHADOW_MODEL, &p);
}

/*
 * POST /v1/model/shadow/promote.  200: the candidate serves from now on, the
 * ruleset of "eventType" or, without it, the model; 400: a field is wrong, or
 * it cannot be read any more; 404: nothing is on probation there; 409: another
 * than "id", or a setting.
 */
int
shadow_promote(struct req *req, struct resp *resp)
{
	return end_shadow(req, resp, true);
}

/*
 * POST /v1/model/shadow/end.  200: the candidate decides no more; 400, 404 and
 * 409 as above.
 */
int
shadow_end(struct req *req, struct resp *resp)
{
	return end_shadow(req, resp, false);
}

/*
 * What was sent as the one member of the body, from its first brace to the
 * last one of the body: the bytes of a file that somebody put there.
 */
static const char *
model_text(struct req *req)
{
	const char *from = strchr(req->body, ':') + 1;

	from += strspn(from, " \t\r\n");
	return arena_strndup(
	    req->arena, from, (size_t)(strrchr(from, '}') - from));
}

/* End what is on probation where the body says. */
static int
end_shadow(struct req *req, struct resp *resp, bool promoted)
{
	const char *type;
	struct params p;
	struct rows found;

	if (body_check(req->json, end_fields, nitems(end_fields), &req->fail) ==
	    -1)
		return -1;
	type = body_string(req->json, "eventType");
	if (find_shadow(req, type, &found) == -1)
		return -1;
	if (promoted &&
	    check_readable(req, type, rows_get_text(&found, "text")) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type == NULL ? PLACE_MODEL : type);
	params_text(&p, rows_get_text(&found, "id"));
	params_text(&p, promoted ? "promoted" : "ended");
	return sql_reply_write(req, resp, 200, STMT_SHADOW_END, &p);
}

/* What is on probation for an event type, or (NULL) the model that is. */
static int
find_shadow(struct req *req, const char *type, struct rows *ret)
{
	const char *id = body_string(req->json, "id");
	struct params p;

	if (type != NULL && event_type_parse(type) == EVENT_TYPE__NONE)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "eventType",
		    "must be a type of event, such as card.authorize");
	params_init(&p, req->arena);
	params_text(&p, type == NULL ? PLACE_MODEL : type);
	if (db_run(req->worker->db, req->arena, STMT_SHADOW_FIND, &p, ret,
		&req->fail) == -1)
		return -1;
	if (ret->n == 0 && type == NULL && conf.SCORER_SHADOW != NULL)
		return fail_set(
		    &req->fail, FAIL_INPUT, SHADOW_SETTING, NULL, "%s", "");
	if (ret->n == 0)
		return fail_set(
		    &req->fail, FAIL_INPUT, SHADOW_MISSING, NULL, "%s", "");
	if (id != NULL && strcmp(id, rows_get_text(ret, "id")) != 0)
		return fail_set(
		    &req->fail, FAIL_INPUT, SHADOW_CHANGED, NULL, "%s", "");
	return 0;
}

/* What no worker can load must never serve. */
static int
check_readable(struct req *req, const char *type, const char *text)
{
	struct model m = *model_bundled();

	if (type == NULL)
		return body_model(
		    req->arena, text, strlen(text), &m, &req->fail);
	return rule_compile(req->arena, text, strlen(text), &req->fail) == NULL
	    ? -1
	    : 0;
}
