/* SPDX-License-Identifier: ISC */
/* /v1/model/shadow: start, compare, roll out, promote and end shadows. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/decide/model.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "fcgi/ep/routes.h"
#include "fcgi/ep/ruleset_gate.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/model_file.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define PLACE_MODEL "model" /* place of the shadow model */

static const char *model_text(struct req *req);
static int end_shadow(struct req *req, struct resp *resp, bool promoted);
static int find_shadow(struct req *req, const char *type, struct rows *ret);
static int check_promotion(struct req *req, const char *type, const char *text);

static const struct body_field fields[] = {
	{ "model", BODY_OBJECT, BODY_REQUIRED, 0, 0 },
};

static const struct body_field rollout_fields[] = {
	{ "percent", BODY_INT, BODY_REQUIRED, 0, 100 },
	{ "eventType", BODY_STRING, BODY_OPTIONAL, 1, 64 },
	{ "id", BODY_STRING, BODY_OPTIONAL, 1, 64 },
};

static const struct body_field end_fields[] = {
	{ "eventType", BODY_STRING, BODY_OPTIONAL, 1, 64 },
	{ "id", BODY_STRING, BODY_OPTIONAL, 1, 64 },
};

/*
 * GET /v1/model/shadow.  200: the running or last shadow of each event type,
 * compared with the active ruleset or model.
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
 * POST /v1/model/shadow.  200: the model runs as a shadow from now on, for
 * events of all types without a shadow ruleset; 400: it is not a valid model.
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
		return fail_memory(&req->fail);
	if (model_file_read(req->arena, text, strlen(text), &m, &req->fail) ==
	    -1)
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
 * POST /v1/model/shadow/rollout.  200: the shadow decides for this percentage
 * of the users from now on; 400, 404, 409: as for promote, but nothing keeps it
 * from deciding for no one.
 */
int
shadow_rollout(struct req *req, struct resp *resp)
{
	const char *type;
	struct params p;
	struct rows found;
	int64_t percent;

	if (body_check(req->json, rollout_fields, nitems(rollout_fields),
		&req->fail) == -1)
		return -1;
	type = body_string(req->json, "eventType");
	percent = body_int(req->json, "percent", 0);
	if (find_shadow(req, type, &found) == -1 ||
	    (percent > 0 &&
		check_promotion(req, type, rows_text(&found, 0, "text")) == -1))
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type == NULL ? PLACE_MODEL : type);
	params_text(&p, rows_text(&found, 0, "id"));
	params_int(&p, percent);
	return sql_reply_write(req, resp, 200, STMT_SHADOW_ROLLOUT, &p);
}

/*
 * POST /v1/model/shadow/promote.  200: the shadow is active from now on: the
 * ruleset of "eventType" or, without it, the model; 400: a field is wrong, or
 * this release cannot read the shadow; 404: there is no shadow; 409: the shadow
 * is another one than "id", or SCORER_SHADOW set it.
 */
int
shadow_promote(struct req *req, struct resp *resp)
{
	return end_shadow(req, resp, true);
}

/*
 * POST /v1/model/shadow/end.  200: the shadow runs no more; 400, 404, 409: as
 * for promote.
 */
int
shadow_end(struct req *req, struct resp *resp)
{
	return end_shadow(req, resp, false);
}

/*
 * Return the text of the model, the only member of the body: from its first
 * brace up to the last brace of the body, exclusive.  These are the bytes of
 * the file as sent.
 */
static const char *
model_text(struct req *req)
{
	const char *from = strchr(req->body, ':') + 1;

	from += strspn(from, " \t\r\n");
	return arena_strndup(
	    req->arena, from, (size_t)(strrchr(from, '}') - from));
}

/* End or promote the shadow that the body names. */
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
	    check_promotion(req, type, rows_text(&found, 0, "text")) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, type == NULL ? PLACE_MODEL : type);
	params_text(&p, rows_text(&found, 0, "id"));
	params_text(&p, promoted ? "promoted" : "ended");
	return sql_reply_write(req, resp, 200, STMT_SHADOW_END, &p);
}

/* Find the shadow ruleset of an event type, or with NULL the shadow model. */
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
	if (db_run(req->db, req->arena, STMT_SHADOW_FIND, &p, ret,
		&req->fail) == -1)
		return -1;
	if (ret->n == 0 && type == NULL && conf.SCORER_SHADOW != NULL)
		return fail_set(
		    &req->fail, FAIL_INPUT, SHADOW_SETTING, NULL, "%s", "");
	if (ret->n == 0)
		return fail_set(
		    &req->fail, FAIL_INPUT, SHADOW_MISSING, NULL, "%s", "");
	if (id != NULL && strcmp(id, rows_text(ret, 0, "id")) != 0)
		return fail_set(
		    &req->fail, FAIL_INPUT, SHADOW_CHANGED, NULL, "%s", "");
	return 0;
}

/*
 * A shadow that no worker can load must not decide, nor one whose tests fail
 * with the policy of today.
 */
static int
check_promotion(struct req *req, const char *type, const char *text)
{
	struct model m = *model_bundled();
	const struct ruleset *rs;

	if (type == NULL)
		return model_file_read(
		    req->arena, text, strlen(text), &m, &req->fail);
	rs = rule_compile(req->arena, text, strlen(text), &req->fail);
	return rs == NULL ? -1 : ruleset_gate(req, type, rs, true);
}
