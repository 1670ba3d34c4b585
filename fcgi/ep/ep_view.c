/* SPDX-License-Identifier: ISC */
/* /v1/views: filters of the console's screens that operators have saved. */
#include "config.h"

#include <json-c/json.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "core/event/pan.h"
#include "core/rule/rule.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/query.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define NAME_MAX_BYTES 128
#define SCREEN_MAX 16 /* bytes of its word */

static int check_screen(struct req *req, const char *screen);
static int check_parameter(
    struct req *req, const char *name, struct json_object *value);
static const char *read_parameters(struct req *req);

static const struct body_field fields[] = {
	{ "name", BODY_NAME, BODY_REQUIRED, 1, NAME_MAX_BYTES },
	{ "screen", BODY_STRING, BODY_REQUIRED, 1, SCREEN_MAX },
	{ "query", BODY_OBJECT, BODY_REQUIRED, 0, 0 },
	{ "shared", BODY_BOOL, BODY_REQUIRED, 0, 0 },
};

/*
 * POST /v1/views.  201: the view; 400: a field is wrong; 409: the caller has a
 * view of this name, or too many.
 */
int
view_create(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	const char *screen, *parameters;
	struct params p;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	screen = body_string(req->json, "screen");
	if (check_screen(req, screen) == -1 ||
	    (parameters = read_parameters(req)) == NULL)
		return -1;
	crypt_id("viw_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(&p, req->operator.email);
	params_text(&p, screen);
	params_text(&p, body_string(req->json, "name"));
	params_text(&p, parameters);
	params_int(&p, body_int(req->json, "shared", 0));
	return sql_reply_write(req, resp, 201, STMT_VIEW_CREATE, &p);
}

static int
check_screen(struct req *req, const char *screen)
{
	if (strcmp(screen, "cases") == 0 || strcmp(screen, "decisions") == 0)
		return 0;
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "screen",
	    "must be cases or decisions");
}

/*
 * Return the parameters as a JSON object.  Each is a text that a query can
 * hold.  Return NULL with req->fail set.
 */
static const char *
read_parameters(struct req *req)
{
	struct json_object *query = json_object_object_get(req->json, "query");
	struct str s;

	if (json_object_object_length(query) > QUERY_PAIRS_MAX) {
		fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "query",
		    "must have at most %d parameters", QUERY_PAIRS_MAX);
		return NULL;
	}
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	json_object_object_foreach(query, name, value)
	{
		if (check_parameter(req, name, value) == -1)
			return NULL;
		writer_text(&s, name, json_object_get_string(value));
	}
	writer_end(&s);
	if (str_text(&s) == NULL)
		fail_memory(&req->fail);
	return str_text(&s);
}

static int
check_parameter(struct req *req, const char *name, struct json_object *value)
{
	const char *text = json_object_get_string(value);

	if (!rule_ident(name) ||
	    !json_object_is_type(value, json_type_string) ||
	    strlen(text) > QUERY_VALUE_MAX || !event_plain(text, strlen(text)))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "query", "must have names and texts of query parameters");
	if (pan_in_text(name, strlen(name)) || pan_in_text(text, strlen(text)))
		return fail_set(&req->fail, FAIL_INPUT, INGEST_PAN_REJECTED,
		    "query", "%s", BODY_PAN_RULE);
	return 0;
}
