/* SPDX-License-Identifier: ISC */
/* /v1/decisions: decide one event or a batch, and show a decision. */
#include "config.h"

#include <string.h>

#include <json-c/json_object.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "fcgi/access/auth.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/shared/metric.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"
#include "lib/txn/txn.h"

#define KEY_MAX 255 /* bytes of an Idempotency-Key header */
#define BATCH_TIME (TXN_TIMEOUT_MANY * (CLOCK_SECOND / 1000))

/* Optional members of an answer. */
enum decision_field {
	FIELD_EVENT = 1,
	FIELD_POLICY = 2,
	FIELD_TIME = 4,
	FIELD_SHADOW = 8
};

/* One event of a batch. */
struct batch_event {
	bool ok; /* item has its decision; else fail says why not */
	struct event event;
	struct decision_request item;
	struct fail fail;
};

static int decision_answer(struct req *req, struct resp *resp);
static int check_key(const char *key, struct fail *f);
static void item_init(struct decision_request *item, const struct req *req,
    const struct event *ev, bool dry_run);
static int batch_answer(
    struct req *req, struct resp *resp, struct batch_event *batch, size_t n);
static int count_outcome(struct req *req, const struct decision_request *item);
static void count_decision(
    struct req *req, const struct decision_request *item);
static void print_answer(struct str *s, const char *name,
    const struct decision_answer *ans, unsigned fields);
static void print_error(struct str *s, const struct fail *f);

/*
 * POST /v1/decisions, before the transaction: set req->item and req->answer.
 * 400: a field is wrong.
 */
int
decision_post(struct req *req, struct resp *resp)
{
	struct event *ev = arena_alloc(req->arena, sizeof(*ev));
	struct decision_request *item = arena_alloc(req->arena, sizeof(*item));
	bool dry_run;

	(void)resp;
	if (ev == NULL || item == NULL)
		return fail_memory(&req->fail);
	if (check_key(req->idempotency_key, &req->fail) == -1 ||
	    req_dry_run(req, &dry_run) == -1 ||
	    body_event(req->arena, req->json, conf.MASKED_ATTRIBUTES, ev,
		&req->fail) == -1 ||
	    worker_has_db(req->worker, &req->fail) == -1)
		return -1;
	req_count_event(req, ev);
	item_init(item, req, ev, dry_run);
	item->idempotency_key = req->idempotency_key;
	req->item = item;
	req->answer = decision_answer;
	return 0;
}

/*
 * POST /v1/decisions, after the transaction.  200: the decision; the earlier
 * one of the same idempotency key (with X-Engine-Idempotent-Replay, and
 * X-Engine-Idempotent-Mismatch if the event is another); or the policy's
 * onError verdict if the event could not be decided.  401, 403: the API key.
 * 422: another event, if IDEMPOTENCY_MISMATCH is refuse.  503: a dry run could
 * not be decided, or a degraded decision could not be logged; or the database
 * is unavailable and this host has not verified the key lately, or this worker
 * has never loaded the policy.
 */
static int
decision_answer(struct req *req, struct resp *resp)
{
	const struct decision_request *item = req->item;
	struct str s;

	if (count_outcome(req, item) == -1)
		return -1;
	if (item->outcome == TXN_REPLAYED)
		resp_header(req, resp, "X-Engine-Idempotent-Replay: true");
	if (item->mismatch)
		resp_header(req, resp, RESP_MISMATCH);
	if (item->dry_run)
		resp_header(req, resp, "X-Engine-Mode: shadow");
	resp->verdict = verdict_name(item->answer.verdict);
	str_init(&s, req->arena);
	print_answer(&s, NULL, &item->answer,
	    FIELD_EVENT | FIELD_POLICY | FIELD_TIME |
		(item->dry_run ? FIELD_SHADOW : 0));
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * POST /v1/decisions/batch.  200: a result for each event, in input order; a
 * wrong event has an error as its result.  400: not an array of 1 to 100
 * events.  401, 403: the API key.  503: none of the valid events could be
 * decided.
 */
int
decision_batch(struct req *req, struct resp *resp)
{
	struct json_object *events = NULL;
	struct batch_event *batch;
	struct decision_request **items;
	size_t i, n, valid = 0;
	bool dry_run;

	if (!json_object_is_type(req->json, json_type_object) ||
	    !json_object_object_get_ex(req->json, "events", &events) ||
	    !json_object_is_type(events, json_type_array) ||
	    (n = json_object_array_length(events)) < 1 || n > TXN_MAX)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_BATCH, NULL,
		    "%s", fail_code_text(INVALID_BATCH));
	if (req_dry_run(req, &dry_run) == -1)
		return -1;
	batch = arena_array(req->arena, n, sizeof(*batch));
	items = arena_array(req->arena, n, sizeof(*items));
	if (batch == NULL || items == NULL)
		return fail_memory(&req->fail);

	/* Only the valid events go into the transaction. */
	for (i = 0; i < n; i++) {
		if (body_event(req->arena, json_object_array_get_idx(events, i),
			conf.MASKED_ATTRIBUTES, &batch[i].event,
			&batch[i].fail) == -1)
			continue;
		req_count_event(req, &batch[i].event);
		item_init(&batch[i].item, req, &batch[i].event, dry_run);
		items[valid++] = &batch[i].item;
		batch[i].ok = true;
	}
	if (valid == 0) {
		if (auth_apikey(req) == -1)
			return -1;
	} else if (worker_has_db(req->worker, &req->fail) == -1) {
		return -1;
	} else {
		txn_run(req->worker->engine, req->db, req->arena, items, valid,
		    TXN_WAIT, clock_ticks() + BATCH_TIME);
	}

	if (dry_run)
		resp_header(req, resp, "X-Engine-Mode: shadow");
	return batch_answer(req, resp, batch, n);
}

/*
 * GET /v1/decisions/{id}.  200: the newest scored decision of an event, else
 * the newest one.  401, 403: the API key.  404: unknown id, or not decided yet.
 */
int
decision_get(struct req *req, struct resp *resp)
{
	struct decision_answer ans = { 0 };
	struct params p;
	struct rows r;
	struct str s;

	if (auth_apikey(req) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_one(req->db, req->arena, STMT_VERDICT_OF_EVENT, &p, &r,
		&req->fail) == -1)
		return -1;
	ans.id = rows_text(&r, 0, "id");
	ans.event_id = rows_text(&r, 0, "event_id");
	ans.verdict = verdict_parse(rows_text(&r, 0, "verdict"));
	ans.score = (int)rows_int(&r, 0, "score");
	ans.reasons = rows_text(&r, 0, "reasons");
	ans.decided_at = rows_time(&r, 0, "decided_at");
	str_init(&s, req->arena);
	print_answer(&s, NULL, &ans, FIELD_EVENT | FIELD_TIME);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * Answer with a result for each event, in input order.  Fail as a whole if the
 * API key was refused, or if an event could not be decided and no other was.
 */
static int
batch_answer(
    struct req *req, struct resp *resp, struct batch_event *batch, size_t n)
{
	const struct fail *failed = NULL;
	struct batch_event *b;
	bool mismatch = false;
	size_t answered = 0;
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_array(&s, "results");
	for (b = batch; b < batch + n; b++) {
		if (b->ok && count_outcome(req, &b->item) == -1) {
			/* All events have the same key. */
			if (b->item.outcome == TXN_REFUSED)
				return -1;
			b->ok = false;
			b->fail = req->fail;
			if (b->item.outcome == TXN_FAILED)
				failed = &b->fail;
		}
		if (!b->ok) {
			print_error(&s, &b->fail);
			continue;
		}
		answered++;
		mismatch = mismatch || b->item.mismatch;
		writer_object(&s, NULL);
		writer_bool(&s, "ok", true);
		print_answer(&s, "decision", &b->item.answer,
		    b->item.dry_run ? FIELD_SHADOW : 0);
		writer_end(&s);
	}
	writer_end(&s);
	writer_end(&s);
	if (failed != NULL && answered == 0) {
		req->fail = *failed;
		return -1;
	}
	if (mismatch)
		resp_header(req, resp, RESP_MISMATCH);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Check that an Idempotency-Key is 1 to 255 printable ASCII characters. */
static int
check_key(const char *key, struct fail *f)
{
	size_t len = key == NULL ? 1 : strlen(key);
	const char *p;

	for (p = key; p != NULL && *p != '\0'; p++) {
		if (*p < ' ' || *p > '~')
			len = 0;
	}
	if (len >= 1 && len <= KEY_MAX)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "Idempotency-Key",
	    "must be 1 to %d printable ASCII characters", KEY_MAX);
}

static void
item_init(struct decision_request *item, const struct req *req,
    const struct event *ev, bool dry_run)
{
	item->event = ev;
	item->idempotency_key = NULL;
	item->correlation_id = req->correlation_id;
	item->key_hash = req->key_hash;
	item->scope = (unsigned)req->route->scope;
	item->queued = 0;
	item->dry_run = dry_run;
	item->keep = dry_run;
}

/*
 * Count the outcome of an event in the metrics.  Return 0, or -1 with req->fail
 * set if there is no verdict to answer with.
 */
static int
count_outcome(struct req *req, const struct decision_request *item)
{
	if (item->outcome == TXN_REFUSED) {
		req->fail = item->fail;
		return -1;
	}
	if (item->outcome == TXN_FAILED) {
		log_error("event=decision_failed why=%s %s", item->fail.where,
		    item->fail.why);
		return fail_set(&req->fail, FAIL_US, UNAVAILABLE, NULL, "%s",
		    fail_code_text(UNAVAILABLE));
	}
	req->key_verified = true;
	count_decision(req, item);
	if (item->outcome == TXN_MISMATCHED) {
		req->fail = item->fail;
		return -1;
	}
	return 0;
}

static void
count_decision(struct req *req, const struct decision_request *item)
{
	txn_count(req->worker->slot, item);
	if (item->outcome == TXN_DEGRADED)
		log_error("event=decision_degraded log=%s code=%s why=%s",
		    item->spooled ? "spool" : "database",
		    fail_code_name(item->fail.code), item->fail.why);
}

/* Print a decision with the optional fields of its endpoint. */
static void
print_answer(struct str *s, const char *name, const struct decision_answer *ans,
    unsigned fields)
{
	char at[CLOCK_TEXT_SIZE];

	writer_object(s, name);
	writer_text(s, "id", ans->id);
	if ((fields & FIELD_EVENT) != 0)
		writer_text(s, "eventId", ans->event_id);
	writer_text(s, "verdict", verdict_name(ans->verdict));
	writer_int(s, "score", ans->score);
	writer_json(s, "reasons", ans->reasons);
	if ((fields & FIELD_POLICY) != 0) {
		writer_text(s, "policyId", ans->policy_id);
		writer_text(s, "policyVersion", ans->policy_version);
	}
	if ((fields & FIELD_TIME) != 0) {
		clock_text(ans->decided_at, at);
		writer_text(s, "decidedAt", at);
	}
	if ((fields & FIELD_SHADOW) != 0)
		writer_bool(s, "shadow", true);
	writer_end(s);
}

/* Print the error of one event of a batch. */
static void
print_error(struct str *s, const struct fail *f)
{
	char message[FAIL_TEXT_SIZE];

	writer_object(s, NULL);
	writer_bool(s, "ok", false);
	writer_object(s, "error");
	writer_text(s, "code", fail_code_name(f->code));
	writer_text(s, "message", fail_text(f, message));
	writer_end(s);
	writer_end(s);
}
