/* SPDX-License-Identifier: ISC */
/* /v1/backtest: decide the samples again with a candidate policy or ruleset. */
#include "config.h"

#include <inttypes.h>
#include <json-c/json_object.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/analyse/backtest.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/decide.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "fcgi/ep/flip_page.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/ep/routes.h"
#include "fcgi/ep/sample_batch.h"
#include "fcgi/ep/sample_turn.h"
#include "fcgi/gate/long_request.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/engine/sample_velocities.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define BACKTEST_ID_SIZE 21 /* "bkt_", 16 digits and a NUL */
#define SMALL 20000 /* samples; so many are no long request */
#define STANDBY_SHARE 10 /* the part of the time that a standby may take, */
#define STANDBY_MIN 5000 /* or so many ms */
#define SLACK CLOCK_SECOND /* for the server's own timeout to come first */
#define SMALL_LIMIT 15 /* seconds */
#define SMALL_ROWS 100000 /* decisions of all types to look at */
#define NEWEST_MAX 1000000
#define EXAMPLES_MAX 20

/* The latest flips of one pair of verdicts. */
struct backtest_flips {
	char event[EXAMPLES_MAX][EVENT_ID_MAX + 1]; /* a ring */
	int64_t n; /* of all flips */
};

/* One backtest. */
struct backtest_state {
	int64_t id;
	bool small;
	int limit_s;
	int64_t newest; /* samples to read; 0: all */
	int64_t examples; /* of each pair; 0: none */
	struct backtest_flips flips[VERDICT__MAX][VERDICT__MAX];
	enum event_type type;
	bool whole; /* read whole samples, not only their heads */
	struct live_book live; /* its ruleset only with candidate rules */
	struct policy candidate; /* n_bands 0: use the live policy */
	struct rulebook book; /* no ruleset: use the recorded scores */
	int64_t started; /* clock_ticks() */
	int64_t deadline;
	struct sample sample; /* the current one */
	struct sample_velocities velocities;
	struct flip_page page;
	struct backtest counts;
	int64_t other; /* samples scored by another scorer */
	int64_t unreadable; /* samples in an unknown format */
};

static struct worker_slot *find_worker(
    const struct req *req, int64_t *ret_number);
static void cancel_running(struct req *req);
static bool is_small_backtest(const struct req *req);
static int test_candidate(struct req *req, struct resp *resp);
static int read_candidate(struct req *req, struct backtest_state *bt);
static void read_size(struct req *req, struct backtest_state *bt);
static int run_backtest(
    struct req *req, struct resp *resp, struct backtest_state *bt);
static int open_samples(
    struct req *req, struct resp *resp, struct backtest_state *bt);
static int find_start(
    struct req *req, const struct backtest_state *bt, const char **ret_since);
static int choose_velocities(
    struct req *req, struct backtest_state *bt, const char *since);
static int read_live(struct req *req, struct backtest_state *bt);
static int check_continue(struct req *req, const struct backtest_state *bt);
static int64_t call_limit_ms(
    const struct req *req, const struct backtest_state *bt);
static void explain_end(struct req *req, const struct backtest_state *bt);
static int fail_too_long(struct req *req, const struct backtest_state *bt);
static int publish_progress(struct req *req, const struct backtest_state *bt);
static int count_samples(
    struct req *req, const char *type, const char *since, int64_t *ret);
static void add_running(struct str *s, const struct worker_slot *slot);
static int decide_samples(struct backtest_state *bt, const struct rows *rows,
    struct arena *a, struct fail *f);
static int decide_sample_row(struct backtest_state *bt, const struct rows *rows,
    int row, struct arena *a, struct fail *f);
static int decide_sample(struct backtest_state *bt,
    struct backtest_label_result *result, struct arena *a, struct fail *f);
static void note_result(struct backtest_state *bt, const struct rows *rows,
    int row, const struct backtest_label_result *result);
static int verdict_by(const struct backtest_state *bt,
    const struct rulebook *book, enum verdict *ret, struct arena *a,
    struct fail *f);
static void note_flip(struct backtest_state *bt,
    const struct backtest_label_result *result, const char *event);
static void add_examples(struct str *s, const struct backtest_state *bt);
static void backtest_id_text(int64_t id, char ret[BACKTEST_ID_SIZE]);
static void keep_result(
    struct req *req, const struct backtest_state *bt, int64_t ms);
static enum verdict verdict_of(
    const struct policy *policy, int score, bool watched);
static void add_active(
    struct str *s, const struct backtest_state *bt, bool personal);
static void add_answer(
    struct str *s, const struct backtest_state *bt, int64_t ms, bool personal);
static bool is_kept(const struct backtest_state *bt);
static int answer_backtest(struct req *req, struct resp *resp,
    const struct backtest_state *bt, int64_t us);

static const struct body_field fields[] = {
	{ "eventType", BODY_STRING, BODY_REQUIRED, 1, 64 },
	{ "policy", BODY_OBJECT, BODY_OPTIONAL, 0, 0 },
	{ "rules", BODY_ARRAY, BODY_OPTIONAL, 0, RULES_MAX },
	{ "dsl", BODY_STRING, BODY_OPTIONAL, 0, RULE_TEXT_MAX },
	{ "newest", BODY_INT, BODY_OPTIONAL, 1, NEWEST_MAX },
	{ "examples", BODY_INT, BODY_OPTIONAL, 0, EXAMPLES_MAX },
	{ "flips", BODY_INT, BODY_OPTIONAL, 0, FLIP_PAGE_MAX },
	{ "flipsFrom", BODY_STRING, BODY_OPTIONAL, 1, 16 },
	{ "flipsTo", BODY_STRING, BODY_OPTIONAL, 1, 16 },
	{ "flipsBefore", BODY_STRING, BODY_OPTIONAL, 1, CRYPT_ID_SIZE - 1 },
};

static const struct body_field policy_fields[] = {
	{ "bands", BODY_ARRAY, BODY_REQUIRED, 1, POLICY_BANDS_MAX },
	{ "onError", BODY_STRING, BODY_REQUIRED, 1, 16 },
};

/*
 * POST /v1/backtest.  200: over the samples of the event type, the verdicts of
 * the candidate compared with those of what is active now and of the original
 * decisions; 400: a field, the policy or the rules are wrong; 409: an operator
 * cancelled it; 429: two small ones of the operator are running; 503: it took
 * too long, the caller has disconnected, or the pool is stopping.
 */
int
backtest_run(struct req *req, struct resp *resp)
{
	const int r = is_small_backtest(req)
	    ? test_candidate(req, resp)
	    : long_request_run(req, resp, test_candidate);

	/* Last: who sees that none runs may start another. */
	atomic_store(&req->worker->slot->backtest_type, 0);
	return r;
}

/*
 * GET /v1/backtest.  200: the progress of the backtests that run on this host,
 * and the kept results of long ones.
 */
int
backtest_list(struct req *req, struct resp *resp)
{
	const struct shm *shm = req->worker->shm;
	struct rows rows;
	struct str s;
	size_t i;

	if (db_one(req->db, req->arena, STMT_BACKTEST_KEPT, NULL, &rows,
		&req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_array(&s, "running");
	for (i = 0; i < SHM_SLOTS; i++)
		add_running(&s, &shm->slot[i]);
	writer_end(&s);
	writer_json(&s, "kept", rows_text(&rows, 0, "kept"));
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/* GET /v1/backtest/{id}.  200: the answer of a kept backtest; 404: no such. */
int
backtest_get(struct req *req, struct resp *resp)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	if (db_run(req->db, req->arena, STMT_BACKTEST_FIND, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return fail_set(&req->fail, FAIL_INPUT, NOT_FOUND, NULL,
		    "there is no kept result of this id");
	return resp_json(req, resp, 200, rows_text(&rows, 0, "body"));
}

/*
 * POST /v1/backtest/{id}/cancel.  200: the backtest ends soon, with 409; 404:
 * no backtest of this id runs on this host.
 */
int
backtest_cancel(struct req *req, struct resp *resp)
{
	int64_t number;

	if (find_worker(req, &number) == NULL)
		return fail_set(&req->fail, FAIL_INPUT, NOT_FOUND, NULL,
		    "no backtest of this id runs on this host");
	req->change->committed = cancel_running;
	return resp_json(req, resp, 200, "{\"ok\":true}");
}

/* Find the worker of the backtest in the path.  Return NULL if none runs it. */
static struct worker_slot *
find_worker(const struct req *req, int64_t *ret_number)
{
	struct shm *shm = req->worker->shm;
	struct worker_slot *slot;
	char id[BACKTEST_ID_SIZE];

	for (slot = shm->slot; slot < shm->slot + SHM_SLOTS; slot++) {
		*ret_number = atomic_load(&slot->backtest_id);
		backtest_id_text(*ret_number, id);
		if (atomic_load(&slot->backtest_type) != 0 &&
		    strcmp(id, req->arg[0]) == 0)
			return slot;
	}
	return NULL;
}

/* The audit entry is committed: cancel the backtest, if it still runs. */
static void
cancel_running(struct req *req)
{
	int64_t number;
	struct worker_slot *slot = find_worker(req, &number);

	if (slot != NULL)
		atomic_store(&slot->backtest_cancelled, number);
}

static void
backtest_id_text(int64_t id, char ret[BACKTEST_ID_SIZE])
{
	snprintf(ret, BACKTEST_ID_SIZE, "bkt_%016" PRIx64, (uint64_t)id);
}

/* Whether the body asks for so few samples that it is no long request. */
static bool
is_small_backtest(const struct req *req)
{
	struct json_object *newest;

	return json_object_object_get_ex(req->json, "newest", &newest) &&
	    json_object_is_type(newest, json_type_int) &&
	    json_object_get_int64(newest) <= SMALL;
}

/* Test the candidate of the body. */
static int
test_candidate(struct req *req, struct resp *resp)
{
	struct backtest_state *bt = arena_alloc(req->arena, sizeof(*bt));
	int r;

	if (bt == NULL)
		return fail_memory(&req->fail);
	bt->started = req->began;
	if (read_candidate(req, bt) == -1 ||
	    flip_page_read(&bt->page, req->json, &req->fail) == -1)
		return -1;
	read_size(req, bt);
	bt->deadline = bt->started + bt->limit_s * CLOCK_SECOND;
	r = run_backtest(req, resp, bt);
	live_scoring_clear(&bt->live.scoring);
	sample_velocities_clear(&bt->velocities);
	if (r == -1 && req->fail.kind == FAIL_US)
		explain_end(req, bt);
	db_set_deadline(req->db, 0);
	db_rollback(req->db);
	if (r == -1)
		return -1;
	return answer_backtest(req, resp, bt, clock_ticks() - bt->started);
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

/* Read how many samples to test. */
static void
read_size(struct req *req, struct backtest_state *bt)
{
	const struct worker *w = req->worker;

	bt->small = is_small_backtest(req);
	bt->limit_s = bt->small ? SMALL_LIMIT : req->route->limit_s;
	bt->newest = body_int(req->json, "newest", 0);
	bt->examples = body_int(req->json, "examples", 0);
	bt->whole = bt->book.ruleset != NULL || bt->page.limit > 0;

	/* The time and the worker make the id unique, and it sorts by time. */
	bt->id = clock_now() * SHM_SLOTS + (w->slot - w->shm->slot);
}

/* Decide all samples, batch by batch, in one transaction. */
static int
run_backtest(struct req *req, struct resp *resp, struct backtest_state *bt)
{
	struct arena *a = req->arena;
	struct arena_mark mark;
	struct rows rows;
	int r;

	if (check_continue(req, bt) == -1 ||
	    open_samples(req, resp, bt) == -1 || sample_batch_ask(req) == -1)
		return -1;
	mark = arena_mark(a);
	do {
		r = check_continue(req, bt);
		if (r == 0)
			r = sample_batch_take(req, &rows);
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
open_samples(struct req *req, struct resp *resp, struct backtest_state *bt)
{
	struct db *db = req->db;
	struct arena *a = req->arena;
	struct fail *f = &req->fail;
	struct params p;
	const char *since;

	if (db_run(db, a, STMT_BACKTEST_BEGIN, NULL, NULL, f) == -1 ||
	    (bt->small && sample_turn_take(req, resp) == -1))
		return -1;
	params_init(&p, a);
	params_int(&p, call_limit_ms(req, bt));
	if (db_run(db, a, STMT_BACKTEST_TUNE, &p, NULL, f) == -1 ||
	    read_live(req, bt) == -1 || check_continue(req, bt) == -1 ||
	    find_start(req, bt, &since) == -1 ||
	    choose_velocities(req, bt, since) == -1 ||
	    check_continue(req, bt) == -1 || publish_progress(req, bt) == -1 ||
	    check_continue(req, bt) == -1)
		return -1;
	if (sample_velocities_any(&bt->velocities))
		return sample_velocities_open(
		    &bt->velocities, bt->type, since, db, a, f);
	params_init(&p, a);
	params_text(&p, event_type_name(bt->type));
	params_int(&p, bt->whole ? 0 : SAMPLE_HEAD);
	if (bt->newest == 0)
		return db_run(db, a, STMT_BACKTEST_OPEN, &p, NULL, f);
	params_text(&p, since);
	params_int(&p, bt->newest);
	return db_run(db, a, STMT_BACKTEST_OPEN_SINCE, &p, NULL, f);
}

/* Choose which velocities of the candidate and the active rules to compute. */
static int
choose_velocities(struct req *req, struct backtest_state *bt, const char *since)
{
	const struct ruleset *const rulesets[] = { bt->book.ruleset,
		bt->live.book.ruleset };

	return sample_velocities_choose(&bt->velocities, rulesets,
	    nitems(rulesets), since, bt->small ? SMALL_ROWS : 0, req->db,
	    req->arena, &req->fail);
}

/* Find the time from which on there are as many samples as wanted. */
static int
find_start(
    struct req *req, const struct backtest_state *bt, const char **ret_since)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, event_type_name(bt->type));
	params_int(&p, bt->newest);
	params_int(&p, bt->small ? SMALL_ROWS : INT64_MAX);
	if (db_one(req->db, req->arena, STMT_BACKTEST_START, &p, &rows,
		&req->fail) == -1)
		return -1;
	*ret_since = rows_text(&rows, 0, "since");
	return 0;
}

/*
 * Publish in the shared region that the backtest runs, and over how many
 * samples.  The master clears this if the worker is killed.
 */
static int
publish_progress(struct req *req, const struct backtest_state *bt)
{
	struct worker_slot *slot = req->worker->slot;
	int64_t total = bt->newest;
	int r = 0;

	if (sample_velocities_any(&bt->velocities))
		r = count_samples(req, NULL, bt->velocities.start, &total);
	else if (total == 0)
		r = count_samples(
		    req, event_type_name(bt->type), "-infinity", &total);
	if (r == -1)
		return -1;
	atomic_store(&slot->backtest_samples, 0);
	atomic_store(&slot->backtest_total, total);
	atomic_store(&slot->backtest_id, bt->id);
	atomic_store(&slot->backtest_began, bt->started);
	atomic_store(&slot->backtest_type, (int32_t)bt->type);
	return 0;
}

/* Count the samples of a type, or of all if it is NULL, since a time. */
static int
count_samples(
    struct req *req, const char *type, const char *since, int64_t *ret)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, type);
	params_text(&p, since);
	if (db_one(req->db, req->arena, STMT_BACKTEST_COUNT, &p, &rows,
		&req->fail) == -1)
		return -1;
	*ret = rows_int(&rows, 0, "samples");
	return 0;
}

/* Append the backtest of a worker, if it runs one. */
static void
add_running(struct str *s, const struct worker_slot *slot)
{
	const int32_t type = atomic_load(&slot->backtest_type);
	const int64_t us = clock_ticks() - atomic_load(&slot->backtest_began);
	char id[BACKTEST_ID_SIZE];

	if (type == 0)
		return;
	backtest_id_text(atomic_load(&slot->backtest_id), id);
	writer_object(s, NULL);
	writer_text(s, "id", id);
	writer_text(s, "eventType", event_type_name((enum event_type)type));
	writer_int(s, "samples", atomic_load(&slot->backtest_samples));
	writer_int(s, "of", atomic_load(&slot->backtest_total));
	writer_number(s, "seconds", (double)(us / 1000) / 1000);
	writer_end(s);
}

/*
 * Read what is active: the baseline, and the default of the candidate.  Only
 * candidate rules are compared with the active ones.
 */
static int
read_live(struct req *req, struct backtest_state *bt)
{
	struct live_book *live = &bt->live;

	if (bt->book.ruleset != NULL) {
		if (live_book_load(req, bt->type, live) == -1)
			return -1;
	} else {
		if (live_book_load_policy(req, bt->type, &live->policy) == -1 ||
		    live_scoring_load(
			&live->scoring, req->db, req->arena, &req->fail) == -1)
			return -1;
		live->book.policy = &live->policy;
	}
	bt->book.scoring = &live->scoring.scoring;
	bt->book.policy =
	    bt->candidate.n_bands > 0 ? &bt->candidate : &live->policy;
	return 0;
}

/*
 * Fail if the caller has disconnected, the pool is stopping, or time is up.
 * Allow the next call of the database some time.
 */
static int
check_continue(struct req *req, const struct backtest_state *bt)
{
	db_set_deadline(
	    req->db, clock_ticks() + call_limit_ms(req, bt) * 1000 + SLACK);
	if (req_abandoned(req))
		return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "the caller has disconnected");
	if (atomic_load(&req->worker->shm->stopping))
		return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "the service is being stopped; try again");
	if (atomic_load(&req->worker->slot->backtest_cancelled) == bt->id)
		return fail_set(&req->fail, FAIL_DENIED, BACKTEST_CANCELLED,
		    NULL, "%s", "");
	if (clock_ticks() >= bt->deadline)
		return fail_too_long(req, bt);
	return 0;
}

/*
 * How long one call of the database may take: as long as is left, but with a
 * standby only a part of that, because the primary can do the work again.
 */
static int64_t
call_limit_ms(const struct req *req, const struct backtest_state *bt)
{
	int64_t left = (bt->deadline - clock_ticks()) / 1000;
	int64_t part = bt->limit_s * 1000 / STANDBY_SHARE;

	if (left < 1)
		left = 1; /* 0 is no limit */
	if (part < STANDBY_MIN)
		part = STANDBY_MIN;
	return req->db == req->worker->db || left < part ? left : part;
}

/*
 * The database has failed.  If the backtest must end anyway, say that instead:
 * so the primary does not do the work again.
 */
static void
explain_end(struct req *req, const struct backtest_state *bt)
{
	const struct fail why = req->fail;

	if (check_continue(req, bt) == -1)
		return;
	req->fail = why;
	if (db_trouble(req->db) == DB_TIMEOUT && req->db == req->worker->db)
		fail_too_long(req, bt);
}

static int
fail_too_long(struct req *req, const struct backtest_state *bt)
{
	return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
	    "the backtest was ended: it may take no longer than %d seconds",
	    bt->limit_s);
}

/* Decide and count a batch of samples. */
static int
decide_samples(struct backtest_state *bt, const struct rows *rows,
    struct arena *a, struct fail *f)
{
	struct arena_mark mark;
	int i;

	if (rows->n == 0)
		return 0;
	mark = arena_mark(a);
	for (i = 0; i < rows->n; i++) {
		if (decide_sample_row(bt, rows, i, a, f) == -1)
			return -1;
		arena_rewind(a, mark);
	}
	return 0;
}

/*
 * Decide and count the sample of a row, unless it cannot be read or is read
 * only for the velocities of those that follow.
 */
static int
decide_sample_row(struct backtest_state *bt, const struct rows *rows, int row,
    struct arena *a, struct fail *f)
{
	struct backtest_label_result result = { .label = LABEL_NONE };
	const bool computes = sample_velocities_any(&bt->velocities);
	const bool tested = !computes || rows_bool(rows, row, "tested");
	size_t len;
	const char *text = rows_bytes(rows, row, "sample", &len);

	if ((bt->whole ? sample_read(a, text, len, &bt->sample)
		       : sample_read_head(text, len, &bt->sample)) == -1) {
		bt->unreadable += tested;
		return 0;
	}
	if (computes &&
	    sample_velocities_next(
		&bt->velocities, &bt->sample, rows, row, tested, a, f) == -1)
		return -1;
	if (!tested)
		return 0;
	if (!rows_null(rows, row, "fraud"))
		result.label =
		    rows_bool(rows, row, "fraud") ? LABEL_FRAUD : LABEL_LEGIT;
	if (decide_sample(bt, &result, a, f) == -1)
		return -1;
	note_result(bt, rows, row, &result);
	return 0;
}

/*
 * Decide and count the current sample.  The active rules decide it again only
 * beside candidate rules: both see the same signals, weights and model.
 * Otherwise both use the recorded score.
 */
static int
decide_sample(struct backtest_state *bt, struct backtest_label_result *result,
    struct arena *a, struct fail *f)
{
	const struct sample *sample = &bt->sample;

	bt->other += sample->scorer != bt->live.scoring.scoring.scorer;
	if (verdict_by(bt, &bt->live.book, &result->active, a, f) == -1 ||
	    verdict_by(bt, &bt->book, &result->candidate, a, f) == -1)
		return -1;
	result->answered = sample->verdict;
	result->baseline =
	    verdict_of(&bt->live.policy, sample->score, sample->watched);
	result->signals = bt->whole ? &sample->signals : NULL;
	backtest_add(&bt->counts, result);
	if (bt->book.ruleset != NULL)
		sample_velocities_note(
		    &bt->velocities, bt->book.ruleset, sample);
	return 0;
}

/* Note a sample whose verdict differs. */
static void
note_result(struct backtest_state *bt, const struct rows *rows, int row,
    const struct backtest_label_result *result)
{
	struct flip_sample flip = { .result = result };

	flip.event = rows_text(rows, row, "event_id");
	if (result->candidate != result->answered)
		note_flip(bt, result, flip.event);
	if (result->candidate == result->active || bt->page.limit == 0)
		return;
	flip.at = rows_time(rows, row, "decided_at");
	flip.id = rows_text(rows, row, "verdict_id");
	flip.user = rows_text(rows, row, "user_id");
	flip_page_add(&bt->page, &flip);
}

/* Decide the current sample by a rulebook; without rules at its score. */
static int
verdict_by(const struct backtest_state *bt, const struct rulebook *book,
    enum verdict *ret, struct arena *a, struct fail *f)
{
	int score = bt->sample.score;
	struct decision d;

	if (book->ruleset != NULL) {
		if (decide(book, &bt->sample.signals, a, &d, f) == -1)
			return -1;
		score = d.score.total;
	}
	*ret = verdict_of(book->policy, score, bt->sample.watched);
	return 0;
}

/* Note the event of a flip in place of the oldest one of its pair. */
static void
note_flip(struct backtest_state *bt, const struct backtest_label_result *result,
    const char *event)
{
	struct backtest_flips *flips =
	    &bt->flips[result->answered][result->candidate];

	if (bt->examples > 0)
		snprintf(flips->event[flips->n++ % bt->examples],
		    sizeof(flips->event[0]), "%s", event);
}

/* Append the latest flips of each pair, newest first. */
static void
add_examples(struct str *s, const struct backtest_state *bt)
{
	const struct backtest_flips *flips;
	unsigned int from, to;
	int64_t i;

	writer_array(s, "examples");
	for (from = VERDICT_ALLOW; from < VERDICT__MAX; from++) {
		for (to = VERDICT_ALLOW; to < VERDICT__MAX; to++) {
			flips = &bt->flips[from][to];
			if (flips->n == 0)
				continue;
			writer_object(s, NULL);
			writer_text(
			    s, "from", verdict_name((enum verdict)from));
			writer_text(s, "to", verdict_name((enum verdict)to));
			writer_array(s, "eventIds");
			for (i = flips->n - 1;
			     i >= 0 && i >= flips->n - bt->examples; i--)
				writer_text(
				    s, NULL, flips->event[i % bt->examples]);
			writer_end(s);
			writer_end(s);
		}
	}
	writer_end(s);
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

/* Append what compares the candidate with what is active. */
static void
add_active(struct str *s, const struct backtest_state *bt, bool personal)
{
	const struct ruleset *rs = bt->live.book.ruleset;

	writer_object(s, "active");
	writer_text(s, "ruleset", rs == NULL ? NULL : rs->version);
	writer_text(s, "policy", bt->live.policy.version);
	backtest_active_json(s, &bt->counts);
	if (bt->page.limit > 0)
		flip_page_json(s, &bt->page, personal);
	writer_end(s);
}

/* Append the answer, without what an erasure removes if it is kept. */
static void
add_answer(
    struct str *s, const struct backtest_state *bt, int64_t ms, bool personal)
{
	char id[BACKTEST_ID_SIZE];

	writer_object(s, NULL);
	if (is_kept(bt)) {
		backtest_id_text(bt->id, id);
		writer_text(s, "id", id);
	}
	writer_text(s, "eventType", event_type_name(bt->type));
	writer_text(s, "scorer", scorer_name(bt->live.scoring.scoring.scorer));
	backtest_json(s, &bt->counts);
	if (bt->examples > 0)
		add_examples(s, bt);
	add_active(s, bt, personal);
	if (bt->book.ruleset != NULL && bt->book.ruleset->n_velocities > 0)
		sample_velocities_json(s, &bt->velocities, bt->book.ruleset);
	writer_int(s, "otherScorer", bt->other);
	writer_number(s, "seconds", (double)ms / 1000);
	writer_int(
	    s, "samplesPerSecond", backtest_samples(&bt->counts) * 1000 / ms);
	writer_end(s);
}

/* Small ones are not kept, nor are further pages of flips. */
static bool
is_kept(const struct backtest_state *bt)
{
	return !bt->small && bt->page.before == NULL;
}

static int
answer_backtest(struct req *req, struct resp *resp,
    const struct backtest_state *bt, int64_t us)
{
	const int64_t n = backtest_samples(&bt->counts);
	const int64_t ms = us / 1000 + 1;
	struct str s;

	log_info(
	    "event=backtest_done type=%s scorer=%s rules=%s samples=%" PRId64
	    " labeled=%" PRId64 " ms=%" PRId64 " per_second=%" PRId64,
	    event_type_name(bt->type),
	    scorer_name(bt->live.scoring.scoring.scorer),
	    bt->book.ruleset == NULL ? "recorded" : "candidate", n,
	    bt->counts.labeled, ms, n * 1000 / ms);
	if (bt->unreadable > 0)
		log_warn("event=backtest_samples_unreadable samples=%" PRId64,
		    bt->unreadable);
	if (is_kept(bt))
		keep_result(req, bt, ms);
	str_init(&s, req->arena);
	add_answer(&s, bt, ms, true);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * Keep the result, without users and amounts: erasure does not search kept
 * results.  If that fails, the caller still gets it.
 */
static void
keep_result(struct req *req, const struct backtest_state *bt, int64_t ms)
{
	char id[BACKTEST_ID_SIZE];
	struct fail f = { 0 };
	struct params p;
	struct str s;

	str_init(&s, req->arena);
	add_answer(&s, bt, ms, false);
	if (str_text(&s) == NULL)
		return;
	backtest_id_text(bt->id, id);
	params_init(&p, req->arena);
	params_text(&p, id);
	params_text(&p, event_type_name(bt->type));
	params_text(&p, req->operator.email);
	params_text(&p, str_text(&s));
	if (db_run(req->worker->db, req->arena, STMT_BACKTEST_KEEP, &p, NULL,
		&f) == -1)
		log_warn("event=backtest_not_kept why=\"%s\"", f.why);
}
