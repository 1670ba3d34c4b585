/* SPDX-License-Identifier: ISC */
/* /v1/labels: the chargebacks that services report. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "fcgi/access/auth.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/audit/audit_redact.h"
#include "lib/auth/apikey.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define FULL_PAUSE 60 /* seconds until waiting labels are counted again */

static const struct body_field fields[] = {
	{ "eventId", BODY_OPAQUE, BODY_REQUIRED, 1, EVENT_TEXT_MAX },
	{ "outcome", BODY_STRING, BODY_OPTIONAL, 1, 16 },
	{ "reasonCode", BODY_NAME, BODY_OPTIONAL, 1, 16 },
};

static const char *const fraud_reasons[] = {
#define REASON(code, meaning) code,
#include "fcgi/ep/chargeback_reasons.tbl"
#undef REASON
};

enum chargeback { CHARGEBACK_FRAUD, CHARGEBACK_OTHER, CHARGEBACK_OVER };

static int read_chargeback(struct req *req, enum chargeback *ret);
static bool says_fraud(const char *reason);
static int record_fraud(struct req *req, struct resp *resp, const char *event);
static int withdraw_label(struct req *req, const char *event);

/*
 * POST /v1/labels/chargeback.  202: the label is recorded or taken back, now or
 * before; 400: a field is wrong; 401, 403: the API key; 429: the event is
 * unknown, and too many labels of unknown events wait; 503: it could not be
 * recorded.
 */
int
label_chargeback(struct req *req, struct resp *resp)
{
	const char *event;
	enum chargeback kind;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    read_chargeback(req, &kind) == -1)
		return -1;
	event = body_string(req->json, "eventId");
	if (!event_plain(event, strlen(event)))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "eventId", "must not have control characters");
	if (auth_apikey(req) == -1)
		return -1;
	if ((kind == CHARGEBACK_FRAUD &&
		record_fraud(req, resp, event) == -1) ||
	    (kind == CHARGEBACK_OVER && withdraw_label(req, event) == -1))
		return -1;
	if (!body_has(req->json, "outcome") &&
	    !body_has(req->json, "reasonCode"))
		return resp_json(req, resp, 202, "{\"recorded\":true}");
	return resp_json(req, resp, 202,
	    kind == CHARGEBACK_FRAUD ? "{\"recorded\":true,\"label\":\"fraud\"}"
				     : "{\"recorded\":true,\"label\":null}");
}

/* A lost dispute is fraud unless its reason is another one. */
static int
read_chargeback(struct req *req, enum chargeback *ret)
{
	const char *outcome = body_string(req->json, "outcome");
	const char *reason = body_string(req->json, "reasonCode");

	if (outcome != NULL && strcmp(outcome, "lost") != 0) {
		*ret = CHARGEBACK_OVER;
		if (strcmp(outcome, "won") == 0 ||
		    strcmp(outcome, "withdrawn") == 0)
			return 0;
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "outcome", "must be lost, won or withdrawn");
	}
	*ret = reason == NULL || says_fraud(reason) ? CHARGEBACK_FRAUD
						    : CHARGEBACK_OTHER;
	return 0;
}

/* Whether a reason code, in any case, is that of a fraud. */
static bool
says_fraud(const char *reason)
{
	size_t i;

	for (i = 0; i < nitems(fraud_reasons); i++)
		if (strcasecmp(fraud_reasons[i], reason) == 0)
			return true;
	return false;
}

static int
record_fraud(struct req *req, struct resp *resp, const char *event)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, event);
	params_text(&p, req->correlation_id);
	params_int(&p, conf.LABELS_WAITING_MAX);
	if (db_one(req->db, req->arena, STMT_LABEL_CHARGEBACK, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (!rows_bool(&rows, 0, "recorded")) {
		resp_header(req, resp, "Retry-After: %d", FULL_PAUSE);
		return fail_set(&req->fail, FAIL_DENIED, LABELS_FULL, NULL,
		    "%s", fail_code_text(LABELS_FULL));
	}
	return 0;
}

/* The audit trail names the key by the part that lists of keys show. */
static int
withdraw_label(struct req *req, const char *event)
{
	char prefix[APIKEY_PREFIX_SIZE];
	struct params p;
	struct rows rows;
	struct str s;

	snprintf(prefix, sizeof(prefix), "%s", req->api_key);
	str_init(&s, req->arena);
	audit_redact_body(&s, req->json);
	if (str_text(&s) == NULL)
		return fail_memory(&req->fail);
	params_init(&p, req->arena);
	params_text(&p, event);
	params_text(&p, req->correlation_id);
	params_text(&p, prefix);
	params_text(&p, str_text(&s));
	return db_one(
	    req->db, req->arena, STMT_LABEL_WITHDRAW, &p, &rows, &req->fail);
}
