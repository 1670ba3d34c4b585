/* SPDX-License-Identifier: ISC */
/* /v1/webhooks: endpoints that receive events, for admins. */
#include "config.h"

#include <stdio.h>

#include "core/base/array.h"
#include "fcgi/ep/delivery_admin.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "lib/conf/conf.h"
#include "lib/conf/url_check.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define SECRET_BYTES 32
#define SECRET_PREFIX "whsec_"
#define SECRET_SIZE (sizeof(SECRET_PREFIX) + CRYPT_BASE64_SIZE(SECRET_BYTES))

static void make_secret(char ret[SECRET_SIZE]);

static const struct body_field fields[] = {
	{ "url", BODY_STRING, BODY_REQUIRED, 1, URL_CHECK_URL_MAX },
	{ "events", BODY_ARRAY, BODY_REQUIRED, 1, TOPIC__MAX },
};

/*
 * GET /v1/webhooks.  200: the topics for webhooks, and all endpoints, newest
 * first, also revoked ones.
 */
int
webhook_list(struct req *req, struct resp *resp)
{
	struct params p;

	params_init(&p, req->arena);
	delivery_admin_topics(TOPIC_WEBHOOK, &p);
	return sql_reply_read(req, resp, STMT_WEBHOOK_LIST, &p);
}

/*
 * POST /v1/webhooks.  201: the endpoint, with its secret, which cannot be read
 * again; 400: a field is wrong or unknown, or the URL is not public.
 */
int
webhook_create(struct req *req, struct resp *resp)
{
	const unsigned flags = URL_CHECK_HTTP |
	    (conf.ALLOW_PRIVATE_TARGETS ? URL_CHECK_PRIVATE : 0);
	char id[CRYPT_ID_SIZE], secret[SECRET_SIZE];
	struct params p;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    url_check(body_string(req->json, "url"), flags, &req->fail) == -1)
		return -1;
	crypt_id("whk_", clock_now(), id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(&p, body_string(req->json, "url"));
	if (delivery_admin_events(req, TOPIC_WEBHOOK, &p) == -1)
		return -1;
	make_secret(secret);
	params_text(&p, secret);
	crypt_wipe(secret, sizeof(secret));
	params_text(&p, req->operator.email);
	resp_header(req, resp, "Cache-Control: no-store");
	return sql_reply_write(req, resp, 201, STMT_WEBHOOK_CREATE, &p);
}

static void
make_secret(char ret[SECRET_SIZE])
{
	uint8_t bytes[SECRET_BYTES];
	char text[CRYPT_BASE64_SIZE(SECRET_BYTES)];

	crypt_random(bytes, sizeof(bytes));
	crypt_base64(bytes, sizeof(bytes), text);
	snprintf(ret, SECRET_SIZE, SECRET_PREFIX "%s", text);
	crypt_wipe(bytes, sizeof(bytes));
	crypt_wipe(text, sizeof(text));
}
