/* SPDX-License-Identifier: ISC */
/* The job "deliver": send what subscribers wait for, webhooks and alerts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "cron/delivery_body.h"
#include "cron/delivery_send.h"
#include "cron/steps.h"
#include "lib/sys/clock.h"
#include "lib/db/db.h"
#include "lib/net/http.h"
#include "lib/sys/log.h"
#include "lib/shared/metric.h"

#define POSTS 256 /* on their way at once */
#define EACH 16 /* of them to one subscriber */
#define EACH_FAILING 2 /* whose last delivery failed */
#define LEASE_MS 20000 /* of a claim: a transfer, and time to tell */
#define GATHER (CLOCK_SECOND / 100) /* after the first that is done */
#define LEAVE CLOCK_SECOND /* that the end waits for what is under way */
#define FORGET_EVERY (10 * CLOCK_SECOND)
#define FORGET_MAX 5000

struct delivery_job {
	struct http *http;
	size_t sending;
	size_t done;
	char *after; /* the subscriber that was last served */
	int64_t forget_at; /* clock_ticks() */
	struct delivery_transfer post[POSTS];
};

static int drop_revoked_deliveries(
    struct job_run *r, bool *ret_more, struct fail *f);
static int claim_deliveries(struct job_run *r, size_t *ret_n, struct fail *f);
static int begin_transfer(struct job_run *r, const struct rows *rows, int row,
    struct delivery_transfer *po, struct fail *f);
static void drive_transfers(struct job_run *r, int64_t until, bool leaving);
static bool take_finished(struct delivery_job *d, int ms);
static bool move_on(void *arg);
static int settle_deliveries(struct job_run *r, struct fail *f);
static int release_claims(struct job_run *r, struct fail *f);
static size_t list_transfers(struct delivery_job *d,
    enum delivery_send_state state, struct delivery_transfer *ret[POSTS]);
static void name_claims(struct job_run *r, struct delivery_transfer *const *po,
    size_t n, struct params *p);

int
job_deliver_open(struct job_run *r, struct fail *f)
{
	struct delivery_job *d = calloc(1, sizeof(*d));

	r->own = d;
	if (d == NULL || (d->after = strdup("")) == NULL)
		return fail_memory(f);
	d->http = http_new(POSTS, f);
	db_set_cancel_check(r->db, move_on, d);
	return d->http == NULL ? -1 : 0;
}

/*
 * Publish what happened, claim what is due, send it, and tell what came of it.
 * What is under way is moved on here and nowhere else; what hangs is left for
 * the next step.
 */
int
job_deliver_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct delivery_job *d = r->own;
	bool published = false, forgot = false;
	size_t claimed = 0;

	if (job_publish_step(r, &published, f) == -1 ||
	    drop_revoked_deliveries(r, &forgot, f) == -1 ||
	    claim_deliveries(r, &claimed, f) == -1)
		return -1;
	drive_transfers(
	    r, clock_ticks() + r->job->pause_ms * CLOCK_SECOND / 1000, false);
	*ret_more = published || forgot || claimed > 0 || d->sending > 0;
	return settle_deliveries(r, f);
}

/* What does not end soon is left to the next run, as if never begun. */
void
job_deliver_close(struct job_run *r)
{
	struct delivery_job *d = r->own;
	struct fail f = { 0 };
	size_t i;

	if (d == NULL)
		return;
	db_set_cancel_check(r->db, NULL, NULL);
	drive_transfers(r, clock_ticks() + LEAVE, true);
	if ((d->done > 0 && settle_deliveries(r, &f) == -1) ||
	    (d->sending > 0 && release_claims(r, &f) == -1))
		log_error(
		    "event=run_end_failed where=%s why=%s", f.where, f.why);
	for (i = 0; i < POSTS; i++)
		delivery_send_clear(&d->post[i], d->http);
	http_free(d->http);
	free(d->after);
	free(d);
}

/* Now and then: drop what waits for subscribers that were revoked. */
static int
drop_revoked_deliveries(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct delivery_job *d = r->own;
	struct params p;
	struct rows rows;

	*ret_more = false;
	if (clock_ticks() < d->forget_at)
		return 0;
	params_init(&p, r->arena);
	params_int(&p, FORGET_MAX);
	if (db_one(r->db, r->arena, STMT_DELIVERY_FORGET, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows_get_int(&rows, "n") == FORGET_MAX;
	if (!*ret_more)
		d->forget_at = clock_ticks() + FORGET_EVERY;
	return 0;
}

/* Take what is due into the free places, and begin with it. */
static int
claim_deliveries(struct job_run *r, size_t *ret_n, struct fail *f)
{
	struct delivery_job *d = r->own;
	const size_t room = POSTS - d->sending - d->done;
	struct delivery_transfer *po = d->post;
	struct params p;
	struct rows rows;
	char *after;
	int i;

	if (room == 0)
		return 0;
	params_init(&p, r->arena);
	params_int(&p, (int64_t)room);
	params_int(&p, EACH);
	params_int(&p, EACH_FAILING);
	params_int(&p, LEASE_MS);
	params_text(&p, d->after);
	if (db_run(r->db, r->arena, STMT_DELIVERY_CLAIM, &p, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++) {
		while (po->state != DELIVERY_SEND_FREE)
			po++;
		if (begin_transfer(r, &rows, i, po, f) == -1)
			return -1;
	}
	*ret_n = (size_t)rows.n;
	if (rows.n == 0)
		return 0;

	/* The next claim begins behind the last subscriber of this one. */
	after = strdup(
	    rows_text(&rows, rows.n - 1, rows_col(&rows, "subscriber_id")));
	if (after == NULL)
		return fail_memory(f);
	free(d->after);
	d->after = after;
	return 0;
}

static int
begin_transfer(struct job_run *r, const struct rows *rows, int row,
    struct delivery_transfer *po, struct fail *f)
{
	const int64_t until =
	    rows_time(rows, row, rows_col(rows, "claimed_until"));
	struct delivery_job *d = r->own;
	const struct delivery_message me = {
		.form = rows_text(rows, row, rows_col(rows, "form")),
		.id = rows_text(rows, row, rows_col(rows, "id")),
		.event = rows_text(rows, row, rows_col(rows, "event")),
		.data = rows_text(rows, row, rows_col(rows, "data")),
		.correlation =
		    rows_text(rows, row, rows_col(rows, "correlation_id")),
		.target = rows_text(rows, row, rows_col(rows, "target")),
		.at = rows_time(rows, row, rows_col(rows, "occurred_at")),
	};
	const struct delivery_claim cl = {
		.message = &me,
		.url = rows_text(rows, row, rows_col(rows, "url")),
		.secret = rows_text(rows, row, rows_col(rows, "secret")),
		.at = until - LEASE_MS * CLOCK_SECOND / 1000,
		.until = until,
		.attempts =
		    (int)rows_int(rows, row, rows_col(rows, "attempts")),
	};

	if (delivery_send_start(po, d->http, &cl, r->arena, f) == -1)
		return -1;
	if (po->state == DELIVERY_SEND_SENDING)
		d->sending++;
	else
		d->done++;
	return 0;
}

/*
 * Move on what is under way until that time (clock_ticks()), but soon after
 * something was done no longer, nor when the run is over; leaving, wait for
 * them all.
 */
static void
drive_transfers(struct job_run *r, int64_t until, bool leaving)
{
	struct delivery_job *d = r->own;
	int64_t left;

	while (d->sending > 0 && (left = until - clock_ticks()) > 0 &&
	    (leaving || !run_must_stop(r)))
		if (take_finished(d, (int)(left / (CLOCK_SECOND / 1000)) + 1) &&
		    !leaving && left > GATHER)
			until = clock_ticks() + GATHER;
}

/* Wait so many ms for one that is done; whether one was. */
static bool
take_finished(struct delivery_job *d, int ms)
{
	struct http_call *call = http_wait(d->http, ms);

	if (call == NULL)
		return false;
	delivery_send_finish(d->http, call);
	d->sending--;
	d->done++;
	return true;
}

/*
 * The database is waited for, which is not over: no answer is to be late
 * because nobody took it.
 */
static bool
move_on(void *arg)
{
	while (take_finished(arg, 0))
		continue;
	return false;
}

/* Tell the database what came of those that are done. */
static int
settle_deliveries(struct job_run *r, struct fail *f)
{
	struct delivery_job *d = r->own;
	struct delivery_transfer *done[POSTS];
	const char *errors[POSTS];
	int64_t waits[POSTS], n;
	size_t count = list_transfers(d, DELIVERY_SEND_DONE, done), i, result;
	struct params p;
	struct rows rows;
	int row;

	if (count == 0)
		return 0;
	for (i = 0; i < count; i++) {
		errors[i] = done[i]->error[0] == '\0' ? NULL : done[i]->error;
		waits[i] = done[i]->wait;
	}
	name_claims(r, done, count, &p);
	params_texts(&p, errors, count);
	params_ints(&p, waits, count);
	if (db_run(r->db, r->arena, STMT_DELIVERY_SETTLE, &p, &rows, f) == -1)
		return -1;
	for (row = 0; row < rows.n; row++) {
		n = rows_int(&rows, row, rows_col(&rows, "n"));
		result =
		    (size_t)rows_int(&rows, row, rows_col(&rows, "result"));
		r->count[JOB_PUBLISH_COUNTS + result] += n;
		metric_add(r->slot, METRIC_ID_DELIVERIES,
		    rows_bool(&rows, row, rows_col(&rows, "alert")) ? 1 : 0,
		    result, (uint64_t)n);
	}
	for (i = 0; i < count; i++)
		delivery_send_clear(done[i], d->http);
	d->done -= count;
	return 0;
}

/* Give back what is still under way. */
static int
release_claims(struct job_run *r, struct fail *f)
{
	struct delivery_transfer *sending[POSTS];
	const size_t n = list_transfers(r->own, DELIVERY_SEND_SENDING, sending);
	struct params p;

	name_claims(r, sending, n, &p);
	return db_run(r->db, r->arena, STMT_DELIVERY_RELEASE, &p, NULL, f);
}

/* Those in a state; how many they are. */
static size_t
list_transfers(struct delivery_job *d, enum delivery_send_state state,
    struct delivery_transfer *ret[POSTS])
{
	size_t i, n = 0;

	for (i = 0; i < POSTS; i++)
		if (d->post[i].state == state)
			ret[n++] = &d->post[i];
	return n;
}

/* Parameters that begin with these deliveries and their claims. */
static void
name_claims(struct job_run *r, struct delivery_transfer *const *po, size_t n,
    struct params *p)
{
	const char *ids[POSTS];
	int64_t claims[POSTS];
	size_t i;

	for (i = 0; i < n; i++) {
		ids[i] = po[i]->id;
		claims[i] = po[i]->claim;
	}
	params_init(p, r->arena);
	params_texts(p, ids, n);
	params_times(p, claims, n);
}
