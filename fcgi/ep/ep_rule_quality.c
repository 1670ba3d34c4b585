/* SPDX-License-Identifier: ISC */
/* /v1/analytics/rules: how well the active rules of an event type find fraud.
 */
#include "config.h"

#include "core/analyse/rule_quality.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/sample.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/ep/routes.h"
#include "fcgi/ep/sample_batch.h"
#include "fcgi/ep/sample_turn.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"

#define DAYS_DEFAULT 30
#define DAYS_MAX 90
/* assay.log_start_of() may find a quarter and a thousand more. */
#define DECISIONS_WANTED ((RULE_QUALITY_SAMPLES_MAX - 1000) / 5 * 4)

/* One count over samples. */
struct quality_run {
	enum event_type type;
	int64_t days;
	int64_t since; /* the samples are from then on */
	struct live_book live;
	struct rule_quality quality;
	struct sample sample; /* the current one */
};

static int read_query(struct req *req, struct quality_run *run);
static int count_firings(
    struct req *req, struct resp *resp, struct quality_run *run);
static int open_newest(struct req *req, struct quality_run *run);
static int count_batch(struct quality_run *run, const struct rows *rows,
    struct arena *a, struct fail *f);

/*
 * GET /v1/analytics/rules.  200: how often each active rule fired on the newest
 * samples of the last days, what its labels are, and on how many it is
 * decisive; 400: a parameter is wrong; 429: two such requests of the operator
 * are running.
 */
int
rule_quality_get(struct req *req, struct resp *resp)
{
	struct quality_run *run = arena_alloc(req->arena, sizeof(*run));
	char since[CLOCK_TEXT_SIZE], mature[CLOCK_TEXT_SIZE];
	struct str s;
	int r;

	if (run == NULL)
		return fail_memory(&req->fail);
	if (read_query(req, run) == -1)
		return -1;
	r = count_firings(req, resp, run);
	live_scoring_clear(&run->live.scoring);
	db_rollback(req->db);
	if (r == -1)
		return -1;
	clock_text(run->since, since);
	clock_text(run->quality.mature_until, mature);
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "eventType", event_type_name(run->type));
	writer_int(&s, "days", run->days);
	writer_text(&s, "since", since);
	writer_text(&s, "matureUntil", mature);
	rule_quality_json(&s, &run->quality);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

static int
read_query(struct req *req, struct quality_run *run)
{
	if (query_event_type(&req->params, &run->type, &req->fail) == -1 ||
	    query_int(&req->params, "days", 1, DAYS_MAX, DAYS_DEFAULT,
		&run->days, &req->fail) == -1)
		return -1;
	if (run->type == EVENT_TYPE__NONE)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "eventType", "is required");
	return 0;
}

/* Evaluate the active rules on the samples, batch by batch, in one snapshot. */
static int
count_firings(struct req *req, struct resp *resp, struct quality_run *run)
{
	struct arena *a = req->arena;
	struct db *db = req->db;
	const int64_t now = clock_now();
	struct arena_mark mark;
	struct rows rows;
	int r;

	if (db_run(db, a, STMT_BACKTEST_BEGIN, NULL, NULL, &req->fail) == -1 ||
	    sample_turn_take(req, resp) == -1 ||
	    live_book_load(req, run->type, &run->live) == -1 ||
	    open_newest(req, run) == -1 ||
	    rule_quality_init(&run->quality, &run->live.book, run->since, now,
		now - conf.LABEL_DELAY_DAYS * 86400 * CLOCK_SECOND, a,
		&req->fail) == -1 ||
	    sample_batch_ask(req) == -1)
		return -1;
	mark = arena_mark(a);
	do {
		r = sample_batch_take(req, &rows);
		if (r == 0)
			r = count_batch(run, &rows, a, &req->fail);
		arena_rewind(a, mark);
	} while (r == 0 && rows.n > 0);
	return r;
}

/* Find where the newest samples begin, and open them. */
static int
open_newest(struct req *req, struct quality_run *run)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_int(&p, run->days);
	params_int(&p, DECISIONS_WANTED);
	if (db_one(req->db, req->arena, STMT_BACKTEST_NEWEST, &p, &rows,
		&req->fail) == -1)
		return -1;
	run->since = rows_time(&rows, 0, "since");
	params_init(&p, req->arena);
	params_text(&p, event_type_name(run->type));
	params_time(&p, run->since);
	params_int(&p, RULE_QUALITY_SAMPLES_MAX);
	return db_run(req->db, req->arena, STMT_BACKTEST_OPEN_NEWEST, &p, NULL,
	    &req->fail);
}

/* Count a batch of samples; skip one that cannot be read. */
static int
count_batch(struct quality_run *run, const struct rows *rows, struct arena *a,
    struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	enum backtest_label label;
	const char *text;
	size_t len;
	int i;

	if (rows->n == 0)
		return 0;
	for (i = 0; i < rows->n; i++) {
		text = rows_bytes(rows, i, "sample", &len);
		label = rows_null(rows, i, "fraud") ? LABEL_NONE
		    : rows_bool(rows, i, "fraud")   ? LABEL_FRAUD
						    : LABEL_LEGIT;
		if (sample_read(a, text, len, &run->sample) == 0 &&
		    rule_quality_add(&run->quality, &run->sample.signals, label,
			rows_time(rows, i, "decided_at"), a, f) == -1)
			return -1;
		arena_rewind(a, mark);
	}
	return 0;
}
