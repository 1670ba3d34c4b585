/* SPDX-License-Identifier: ISC */
/* /v1/backtest: decide the samples again with a candidate policy or ruleset. */
#include "config.h"

#include <inttypes.h>
#include <json-c/json_object.h>
#include <stdatomic.h>
#include <string.h>

#include "core/analyse/backtest.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

/* One backtest. */
struct backtest_state {
	enum event_type type;
	struct policy live;
	struct policy candidate; /* n_bands 0: use the live policy */
	struct rulebook book; /* no ruleset: use the recorded scores */
	struct live_scoring live_scoring; /* as decisions are scored now */
	int64_t started; /* clock_ticks() */
	int64_t deadline;
	struct sample sample; /* the current one */
	struct decision decision;
	struct backtest counts;
	int64_t other; /* samples scored by another scorer */
	int64_t unreadable; /* samples in an unknown format */
};

static int read_candidate(struct req *req, struct backtest_state *bt);
static int run_backtest(struct req *req, struct backtest_state *bt);
static int open_samples(struct req *req, struct backtest_state *bt);
static int read_live(struct req *req, struct backtest_state *bt);
static int check_continue(struct req *req, const struct backtest_state *bt);
static int fail_too_long(struct req *req);
static int publish_progress(struct req *req, const struct backtest_state *bt);
static bool add_running(
    struct str *s, const char *comma, const struct worker_slot *slot);
static int decide_samples(struct backtest_state *bt, const struct rows *rows,
    struct arena *a, struct fail *f);
static int decide_sample(struct backtest_state *bt, const char *text,
    size_t len, enum backtest_label label, struct arena *a, struct fail *f);
static enum verdict verdict_of(
    const struct policy *policy, int score, bool watched);
static int answer_backtest(struct req *req, struct resp *resp,
    const struct backtest_state *bt, int64_t us);

static const struct body_field fields[] = {
	{ "eventType", BODY_STRING, true, false, 1, 64 },
	{ "policy", BODY_OBJECT, false, false, 0, 0 },
	{ "rules", BODY_ARRAY, false, false, 0, RULES_MAX },
	{ "dsl", BODY_STRING, false, false, 0, RULE_TEXT_MAX },
};

static const struct body_field policy_fields[] = {
	{ "bands", BODY_ARRAY, true, false, 1, POLICY_BANDS_MAX },
	{ "onError", BODY_STRING, true, false, 1, 16 },
};

/*
 * POST /v1/backtest.  Change nothing.  200: over all samples of the event type,
 * the verdicts of the candidate compared with those of the live policy and of
 * the original decisions; 400: a field, the policy or the rules are wrong; 503:
 * it took longer than the route allows, the caller has disconnected, or the
 * pool is stopping.
 */
int
backtest_run(struct req *req, struct resp *resp)
{
	struct backtest_state *bt = arena_alloc(req->arena, sizeof(*bt));
	int r;

	if (bt == NULL)
		return fail_memory(&req->fail);
	bt->started = clock_ticks();
	if (read_candidate(req, bt) == -1)
		return -1;
	bt->deadline = bt->started + req->route->limit_s * CLOCK_SECOND;
	db_set_deadline(req->worker->db, bt->deadline + CLOCK_SECOND);
	r = run_backtest(req, bt);
	live_scoring_clear(&bt->live_scoring);
	atomic_store(&req->worker->slot->backtest_type, 0);
	if (r == -1 && db_trouble(req->worker->db) == DB_TIMEOUT)
		fail_too_long(req);
	db_set_deadline(req->worker->db, 0);
	db_rollback(req->worker->db);
	if (r == -1)
		return -1;
	return answer_backtest(req, resp, bt, clock_ticks() - bt->started);
}

/*
 * GET /v1/backtest.  200: the progress of the backtests that run on this host.
 */
int
backtest_list(struct req *req, struct resp *resp)
{
	const struct shm *shm = req->worker->shm;
	const char *comma = "";
	struct str s;
	size_t i;

	str_init(&s, req->arena);
	str_add(&s, "{\"running\":[");
	for (i = 0; i < SHM_SLOTS; i++)
		if (add_running(&s, comma, &shm->slot[i]))
			comma = ",";
	str_add(&s, "]}");
	return resp_json(req, resp, 200, str_text(&s));
}

/* Read the candidate. */
static int
read_candidate(struct req *req, struct backtest_state *bt)
{
	struct fail *f = &req->fail;
	struct json_object *policy;
	const char *text;

	if (body_check(req->json, fields, nitems(fields), f) == -1)
		return -1;
	bt->type = event_type_parse(body_string(req->json, "eventType"));
	if (bt->type == EVENT_TYPE__NONE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "eventType",
		    "must be a type of event, such as card.authorize");
	if (json_object_object_get_ex(req->json, "policy", &policy) &&
	    (body_check_in(policy, policy_fields, nitems(policy_fields),
		 POLICY_INVALID, "policy", f) == -1 ||
		body_policy(req->arena, policy, "policy", &bt->candidate, f) ==
		    -1))
		return -1;
	if (!body_has(req->json, "rules") && !body_has(req->json, "dsl"))
		return 0;
	bt->book.ruleset = body_ruleset(req->arena, req->json, &text, f);
	return bt->book.ruleset == NULL ? -1 : 0;
}

/* Decide all samples, batch by batch, in one transaction. */
static int
run_backtest(struct req *req, struct backtest_state *bt)
{
	struct arena *a = req->arena;
	struct arena_mark mark;
	struct rows rows;
	int r;

	if (open_samples(req, bt) == -1)
		return -1;
	mark = arena_mark(a);
	do {
		r = check_continue(req, bt);
		if (r == 0)
			r = db_run(req->worker->db, a, STMT_BACKTEST_NEXT, NULL,
			    &rows, &req->fail);
		if (r == 0)
			r = decide_samples(bt, &rows, a, &req->fail);
		if (r == 0)
			atomic_fetch_add(
			    &req->worker->slot->backtest_samples, rows.n);
		arena_rewind(a, mark);
	} while (r == 0 && rows.n > 0);
	return r;
}

/* Open one snapshot, and read the live policy and the samples in it. */
static int
open_samples(struct req *req, struct backtest_state *bt)
{
	struct db *db = req->worker->db;
	struct arena *a = req->arena;
	struct fail *f = &req->fail;
	struct params p;

	if (db_run(db, a, STMT_BACKTEST_BEGIN, NULL, NULL, f) == -1)
		return -1;
	params_init(&p, a);
	params_int(&p, req->route->limit_s * 1000);
	if (db_run(db, a, STMT_BACKTEST_TUNE, &p, NULL, f) == -1 ||
	    read_live(req, bt) == -1 ||
	    live_scoring_load(req, &bt->live_scoring) == -1 ||
	    publish_progress(req, bt) == -1)
		return -1;
	params_init(&p, a);
	params_text(&p, event_type_name(bt->type));
	params_int(&p, bt->book.ruleset == NULL ? SAMPLE_HEAD : 0);
	return db_run(db, a, STMT_BACKTEST_OPEN, &p, NULL, f);
}

/*
 * Publish in the shared region that the backtest runs, and over how many
 * samples.  The master clears this if the worker is killed.
 */
static int
publish_progress(struct req *req, const struct backtest_state *bt)
{
	struct worker_slot *slot = req->worker->slot;
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, event_type_name(bt->type));
	if (db_one(req->worker->db, req->arena, STMT_BACKTEST_COUNT, &p, &rows,
		&req->fail) == -1)
		return -1;
	atomic_store(&slot->backtest_samples, 0);
	atomic_store(&slot->backtest_total, rows_get_int(&rows, "samples"));
	atomic_store(&slot->backtest_began, bt->started);
	atomic_store(&slot->backtest_type, (int32_t)bt->type);
	return 0;
}

/* Append the backtest of a worker.  Return false if it runs none. */
static bool
add_running(struct str *s, const char *comma, const struct worker_slot *slot)
{
	const int32_t type = atomic_load(&slot->backtest_type);
	const int64_t us = clock_ticks() - atomic_load(&slot->backtest_began);

	if (type == 0)
		return false;
	str_addf(s,
	    "%s{\"eventType\":\"%s\",\"samples\":%" PRId64 ",\"of\":%" PRId64
	    ",\"seconds\":",
	    comma, event_type_name((enum event_type)type),
	    atomic_load(&slot->backtest_samples),
	    atomic_load(&slot->backtest_total));
	str_number(s, (double)(us / 1000) / 1000);
	str_addc(s, '}');
	return true;
}

/* Read the live policy: the baseline, and the default of the candidate. */
static int
read_live(struct req *req, struct backtest_state *bt)
{
	struct fail *f = &req->fail;
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, event_type_name(bt->type));
	if (db_one(req->worker->db, req->arena, STMT_BACKTEST_POLICY, &p, &rows,
		f) == -1)
		return -1;
	if (body_policy_text(
		req->arena, rows_get_text(&rows, "policy"), &bt->live, f) == -1)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the active policy cannot be read");
	bt->book.scoring = &bt->live_scoring.scoring;
	bt->book.policy =
	    bt->candidate.n_bands > 0 ? &bt->candidate : &bt->live;
	return 0;
}

/* Fail if the caller has disconnected, the pool is stopping, or time is up. */
static int
check_continue(struct req *req, const struct backtest_state *bt)
{
	if (req_abandoned(req))
		return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "the caller has disconnected");
	if (atomic_load(&req->worker->shm->stopping))
		return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "the service is being stopped; try again");
	if (clock_ticks() >= bt->deadline)
		return fail_too_long(req);
	return 0;
}

static int
fail_too_long(struct req *req)
{
	return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
	    "the backtest was ended: it may take no longer than %d seconds",
	    req->route->limit_s);
}

/* Decide and count a batch of samples; skip one that cannot be read. */
static int
decide_samples(struct backtest_state *bt, const struct rows *rows,
    struct arena *a, struct fail *f)
{
	struct arena_mark mark;
	const char *text;
	enum backtest_label label;
	size_t len;
	int i, sample, fraud;

	if (rows->n == 0)
		return 0;
	sample = rows_col(rows, "sample");
	fraud = rows_col(rows, "fraud");
	mark = arena_mark(a);
	for (i = 0; i < rows->n; i++) {
		text = rows_bytes(rows, i, sample, &len);
		label = LABEL_NONE;
		if (!rows_null(rows, i, fraud))
			label = rows_bool(rows, i, fraud) ? LABEL_FRAUD
							  : LABEL_LEGIT;
		if (decide_sample(bt, text, len, label, a, f) == -1)
			return -1;
		arena_rewind(a, mark);
	}
	return 0;
}

static int
decide_sample(struct backtest_state *bt, const char *text, size_t len,
    enum backtest_label label, struct arena *a, struct fail *f)
{
	struct sample *sample = &bt->sample;
	struct backtest_label_result result = { .label = label };
	int score;

	if ((bt->book.ruleset == NULL
		    ? sample_read_head(text, len, sample)
		    : sample_read(a, text, len, sample)) == -1) {
		bt->unreadable++;
		return 0;
	}
	bt->other += sample->scorer != bt->live_scoring.scoring.scorer;
	score = sample->score;
	if (bt->book.ruleset != NULL) {
		if (decide(&bt->book, &sample->signals, a, &bt->decision, f) ==
		    -1)
			return -1;
		score = bt->decision.score.total;
	}
	result.answered = sample->verdict;
	result.baseline = verdict_of(&bt->live, sample->score, sample->watched);
	result.candidate = verdict_of(bt->book.policy, score, sample->watched);
	backtest_add(&bt->counts, &result);
	return 0;
}

/*
 * Return the verdict of a policy for a score.  The watch list raises it to a
 * review, as in decide().
 */
static enum verdict
verdict_of(const struct policy *policy, int score, bool watched)
{
	const enum verdict verdict = policy_band(policy, score)->verdict;

	return watched && verdict < VERDICT_REVIEW ? VERDICT_REVIEW : verdict;
}

static int
answer_backtest(struct req *req, struct resp *resp,
    const struct backtest_state *bt, int64_t us)
{
	const int64_t n = backtest_samples(&bt->counts);
	const int64_t ms = us / 1000 + 1;
	struct str s;

	str_init(&s, req->arena);
	str_addf(&s, "{\"eventType\":\"%s\",\"scorer\":\"%s\",",
	    event_type_name(bt->type),
	    scorer_name(bt->live_scoring.scoring.scorer));
	backtest_json(&s, &bt->counts);
	str_addf(&s, ",\"otherScorer\":%" PRId64, bt->other);
	str_add(&s, ",\"seconds\":");
	str_number(&s, (double)ms / 1000);
	str_addf(&s, ",\"samplesPerSecond\":%" PRId64 "}", n * 1000 / ms);
	log_info(
	    "event=backtest_done type=%s scorer=%s rules=%s samples=%" PRId64
	    " labeled=%" PRId64 " ms=%" PRId64 " per_second=%" PRId64,
	    event_type_name(bt->type),
	    scorer_name(bt->live_scoring.scoring.scorer),
	    bt->book.ruleset == NULL ? "recorded" : "candidate", n,
	    bt->counts.labeled, ms, n * 1000 / ms);
	if (bt->unreadable > 0)
		log_warn("event=backtest_samples_unreadable samples=%" PRId64,
		    bt->unreadable);
	return resp_json(req, resp, 200, str_text(&s));
}
