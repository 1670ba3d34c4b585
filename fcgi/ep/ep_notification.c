/* SPDX-License-Identifier: ISC */
/* /v1/notifications: alert channels, for admins. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/policy.h"
#include "fcgi/ep/delivery_admin.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "lib/audit/audit_redact.h"
#include "lib/conf/conf.h"
#include "lib/conf/url_check.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define TARGET_BYTES 128 /* of a chat id */

/* The types of channels. */
struct alert_type {
	const char *name;
	bool targeted; /* a URL serves many chats, so the body names one */
};

static int check_channel(struct req *req);
static const struct alert_type *type_named(const char *name);
static int put_url(struct req *req, struct params *p);
static void put_throttle(struct req *req, struct params *p);

static const struct alert_type types[] = {
	{ "slack", false },
	{ "telegram", true },
	{ "webhook", false },
};

static const struct body_field fields[] = {
	{ "type", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "url", BODY_STRING, BODY_REQUIRED, 1, URL_CHECK_URL_MAX },
	{ "target", BODY_LINE, BODY_OPTIONAL, 1, TARGET_BYTES },
	{ "events", BODY_ARRAY, BODY_REQUIRED, 1, TOPIC__MAX },
	{ "minVerdict", BODY_STRING, BODY_OPTIONAL, 1, 16 },
	{ "throttlePerMin", BODY_INT, BODY_OPTIONAL, 0, INT32_MAX },
};

/*
 * GET /v1/notifications.  200: the topics for channels, and all channels,
 * newest first, also revoked ones.
 */
int
notification_list(struct req *req, struct resp *resp)
{
	struct params p;

	params_init(&p, req->arena);
	delivery_admin_topics(TOPIC_ALERT, &p);
	params_int(&p, conf.NOTIFY_THROTTLE_PER_MIN);
	return sql_reply_read(req, resp, STMT_CHANNEL_LIST, &p);
}

/*
 * POST /v1/notifications.  201: the channel, with its URL shortened; 400: a
 * field is wrong, unknown or for another type, or the URL is not public.
 */
int
notification_create(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	struct params p;

	if (check_channel(req) == -1)
		return -1;
	crypt_id("ntf_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(&p, body_string(req->json, "type"));
	if (put_url(req, &p) == -1)
		return -1;
	params_text(&p, body_string(req->json, "target"));
	if (delivery_admin_events(req, TOPIC_ALERT, &p) == -1)
		return -1;
	params_text(&p, body_string(req->json, "minVerdict"));
	put_throttle(req, &p);
	params_text(&p, req->operator.email);
	params_int(&p, conf.NOTIFY_THROTTLE_PER_MIN);
	return sql_reply_write(req, resp, 201, STMT_CHANNEL_CREATE, &p);
}

/*
 * POST /v1/notifications/{id}/test.  200: a test alert is queued; 404: unknown
 * id, or the channel is revoked.
 */
int
notification_test(struct req *req, struct resp *resp)
{
	char id[CRYPT_ID_SIZE];
	struct params p;

	crypt_id(DELIVERY_ADMIN_ALERT, clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_text(&p, id);
	params_text(&p, req->correlation_id);
	return sql_reply_write(req, resp, 200, STMT_CHANNEL_TEST, &p);
}

/* Check the fields of a new channel, except its events. */
static int
check_channel(struct req *req)
{
	const unsigned flags =
	    conf.ALLOW_PRIVATE_TARGETS ? URL_CHECK_HTTP | URL_CHECK_PRIVATE : 0;
	struct fail *f = &req->fail;
	const struct alert_type *type;
	const char *verdict;

	if (body_check(req->json, fields, nitems(fields), f) == -1)
		return -1;
	type = type_named(body_string(req->json, "type"));
	if (type == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "type",
		    "must be slack, telegram or webhook");
	if (type->targeted != body_has(req->json, "target"))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "target",
		    type->targeted ? "is required for %s"
				   : "is not known to %s",
		    type->name);
	verdict = body_string(req->json, "minVerdict");
	if (verdict != NULL && verdict_parse(verdict) == 0)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "minVerdict",
		    "must be allow, challenge, review or deny");
	return url_check(body_string(req->json, "url"), flags, f);
}

static const struct alert_type *
type_named(const char *name)
{
	size_t i;

	for (i = 0; i < nitems(types); i++)
		if (strcmp(types[i].name, name) == 0)
			return &types[i];
	return NULL;
}

/* Append the URL, and the part of it that may be shown. */
static int
put_url(struct req *req, struct params *p)
{
	const char *url = body_string(req->json, "url");
	struct str hint;

	str_init(&hint, req->arena);
	audit_redact_url(&hint, url);
	if (str_text(&hint) == NULL)
		return fail_memory(&req->fail);
	params_text(p, url);
	params_text(p, str_text(&hint));
	return 0;
}

static void
put_throttle(struct req *req, struct params *p)
{
	if (body_has(req->json, "throttlePerMin"))
		params_int(p, body_int(req->json, "throttlePerMin", 0));
	else
		params_null(p);
}
