/* SPDX-License-Identifier: ISC */
/* The job "deliver": publish events, and send webhooks and alerts. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "cron/delivery_body.h"
#include "cron/delivery_send.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/net/http.h"
#include "lib/shared/metric.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define TRANSFERS_MAX 256 /* at the same time */
#define PER_SUBSCRIBER_MAX 16 /* to one subscriber */
#define PER_FAILING_MAX 2 /* to one whose last delivery failed */
#define LEASE_MS 20000 /* longer than a transfer and storing its result */
#define GATHER (CLOCK_SECOND / 100) /* wait for more after a first response */
#define END_WAIT CLOCK_SECOND /* for open transfers at the end */
#define CHORES_EVERY (10 * CLOCK_SECOND)
#define FORGET_MAX 5000

struct delivery_job {
	struct http *http;
	size_t sending; /* number of transfers in this state */
	size_t done; /* the same */
	char *after; /* id of the last subscriber of the last claim */
	int64_t chores_at; /* clock_ticks() of the next do_chores() */
	struct delivery_transfer transfers[TRANSFERS_MAX];
};

static int do_chores(struct job_run *r, bool *ret_more, struct fail *f);
static int claim_deliveries(struct job_run *r, size_t *ret_n, struct fail *f);
static int begin_transfer(struct job_run *r, const struct rows *rows, int row,
    struct delivery_transfer *transfer, struct fail *f);
static void drive_transfers(struct job_run *r, int64_t until, bool run_ended);
static bool take_finished(struct delivery_job *d, int ms);
static bool read_responses(void *arg);
static int settle_deliveries(struct job_run *r, struct fail *f);
static int release_claims(struct job_run *r, struct fail *f);
static size_t list_transfers(struct delivery_job *d,
    enum delivery_send_state state,
    struct delivery_transfer *ret[TRANSFERS_MAX]);
static void name_claims(struct job_run *r,
    struct delivery_transfer *const *transfer, size_t n, struct params *p);

int
job_deliver_open(struct job_run *r, struct fail *f)
{
	struct delivery_job *d = calloc(1, sizeof(*d));

	r->own = d;
	if (d == NULL || (d->after = strdup("")) == NULL)
		return fail_memory(f);
	d->http = http_new(TRANSFERS_MAX, f);
	db_set_cancel_check(r->db, read_responses, d);
	return d->http == NULL ? -1 : 0;
}

/*
 * Publish new events, claim due deliveries, send them, and store their results.
 * Transfers that are still open continue in the next step.
 */
int
job_deliver_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct delivery_job *d = r->own;
	bool published = false, moved = false;
	size_t claimed = 0;

	if (job_publish_step(r, &published, f) == -1 ||
	    do_chores(r, &moved, f) == -1 ||
	    claim_deliveries(r, &claimed, f) == -1)
		return -1;
	drive_transfers(
	    r, clock_ticks() + r->job->pause_ms * CLOCK_SECOND / 1000, false);
	*ret_more = published || moved || claimed > 0 || d->sending > 0;
	return settle_deliveries(r, f);
}

/* Release transfers that do not end soon; the next run sends them again. */
void
job_deliver_close(struct job_run *r)
{
	struct delivery_job *d = r->own;
	struct fail f = { 0 };
	size_t i;

	if (d == NULL)
		return;
	db_set_cancel_check(r->db, NULL, NULL);
	drive_transfers(r, clock_ticks() + END_WAIT, true);
	if ((d->done > 0 && settle_deliveries(r, &f) == -1) ||
	    (d->sending > 0 && release_claims(r, &f) == -1))
		log_error(
		    "event=run_end_failed where=%s why=%s", f.where, f.why);
	for (i = 0; i < TRANSFERS_MAX; i++)
		delivery_send_clear(&d->transfers[i], d->http);
	http_free(d->http);
	free(d->after);
	free(d);
}

/*
 * Every ten seconds, drop the deliveries of revoked subscribers, send dead
 * letters again whose subscribers answer, and probe subscribers that fail.
 */
static int
do_chores(struct job_run *r, bool *ret_more, struct fail *f)
{
	static const enum stmt resends[] = { STMT_DELIVERY_RESEND,
		STMT_DELIVERY_PROBE };
	struct delivery_job *d = r->own;
	struct params p;
	struct rows rows;
	size_t i;

	*ret_more = false;
	if (clock_ticks() < d->chores_at)
		return 0;

	/* The next step goes on without the chore that fails. */
	d->chores_at = clock_ticks() + CHORES_EVERY;
	params_init(&p, r->arena);
	params_int(&p, FORGET_MAX);
	if (db_one(r->db, r->arena, STMT_DELIVERY_FORGET, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows_int(&rows, 0, "n") == FORGET_MAX;
	if (*ret_more)
		d->chores_at = 0;
	for (i = 0; i < nitems(resends) && conf.RESEND_DEAD_LETTERS; i++)
		if (db_run(r->db, r->arena, resends[i], NULL, NULL, f) == -1)
			return -1;
	return 0;
}

/* Claim due deliveries for the free transfers, and start to send them. */
static int
claim_deliveries(struct job_run *r, size_t *ret_n, struct fail *f)
{
	struct delivery_job *d = r->own;
	const size_t room = TRANSFERS_MAX - d->sending - d->done;
	struct delivery_transfer *transfer = d->transfers;
	struct params p;
	struct rows rows;
	char *after;
	int i;

	if (room == 0)
		return 0;
	params_init(&p, r->arena);
	params_int(&p, (int64_t)room);
	params_int(&p, PER_SUBSCRIBER_MAX);
	params_int(&p, PER_FAILING_MAX);
	params_int(&p, LEASE_MS);
	params_text(&p, d->after);
	if (db_run(r->db, r->arena, STMT_DELIVERY_CLAIM, &p, &rows, f) == -1)
		return -1;
	for (i = 0; i < rows.n; i++) {
		while (transfer->state != DELIVERY_SEND_FREE)
			transfer++;
		if (begin_transfer(r, &rows, i, transfer, f) == -1)
			return -1;
	}
	*ret_n = (size_t)rows.n;
	if (rows.n == 0)
		return 0;

	/* The next claim begins after the last subscriber of this one. */
	after = strdup(rows_text(&rows, rows.n - 1, "subscriber_id"));
	if (after == NULL)
		return fail_memory(f);
	free(d->after);
	d->after = after;
	return 0;
}

static int
begin_transfer(struct job_run *r, const struct rows *rows, int row,
    struct delivery_transfer *transfer, struct fail *f)
{
	const int64_t until = rows_time(rows, row, "claimed_until");
	struct delivery_job *d = r->own;
	const struct delivery_message me = {
		.form = rows_text(rows, row, "form"),
		.id = rows_text(rows, row, "id"),
		.event = rows_text(rows, row, "event"),
		.data = rows_text(rows, row, "data"),
		.correlation = rows_text(rows, row, "correlation_id"),
		.target = rows_text(rows, row, "target"),
		.at = rows_time(rows, row, "occurred_at"),
	};
	const struct delivery_claim cl = {
		.message = &me,
		.url = rows_text(rows, row, "url"),
		.secret = rows_text(rows, row, "secret"),
		.at = until - LEASE_MS * CLOCK_SECOND / 1000,
		.until = until,
		.attempts = (int)rows_int(rows, row, "attempts"),
	};

	if (delivery_send_start(transfer, d->http, &cl, r->arena, f) == -1)
		return -1;
	if (transfer->state == DELIVERY_SEND_SENDING)
		d->sending++;
	else
		d->done++;
	return 0;
}

/*
 * Send and receive until that time (clock_ticks()).  Return earlier soon after
 * a transfer has ended, or when the run must end.  With run_ended, continue
 * until all transfers have ended or the time has passed.
 */
static void
drive_transfers(struct job_run *r, int64_t until, bool run_ended)
{
	struct delivery_job *d = r->own;
	int64_t left;

	while (d->sending > 0 && (left = until - clock_ticks()) > 0 &&
	    (run_ended || !job_must_stop(r)))
		if (take_finished(d, (int)(left / (CLOCK_SECOND / 1000)) + 1) &&
		    !run_ended && left > GATHER)
			until = clock_ticks() + GATHER;
}

/* Wait up to ms for a transfer to end; return whether one has ended. */
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
 * Keep reading responses while waiting for PostgreSQL, so that none times out.
 * Return false: the statement is not to be cancelled.
 */
static bool
read_responses(void *arg)
{
	while (take_finished(arg, 0))
		continue;
	return false;
}

/* Store the results of the transfers that have ended. */
static int
settle_deliveries(struct job_run *r, struct fail *f)
{
	struct delivery_job *d = r->own;
	struct delivery_transfer *done[TRANSFERS_MAX];
	const char *errors[TRANSFERS_MAX];
	int64_t waits[TRANSFERS_MAX], n;
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
		n = rows_int(&rows, row, "n");
		result = (size_t)rows_int(&rows, row, "result");
		r->count[JOB_PUBLISH_COUNTS + result] += n;
		metric_add(r->slot, METRIC_ID_DELIVERIES,
		    rows_bool(&rows, row, "alert") ? 1 : 0, result,
		    (uint64_t)n);
	}
	for (i = 0; i < count; i++)
		delivery_send_clear(done[i], d->http);
	d->done -= count;
	return 0;
}

/* Release the claims of the open transfers. */
static int
release_claims(struct job_run *r, struct fail *f)
{
	struct delivery_transfer *sending[TRANSFERS_MAX];
	const size_t n = list_transfers(r->own, DELIVERY_SEND_SENDING, sending);
	struct params p;

	name_claims(r, sending, n, &p);
	return db_run(r->db, r->arena, STMT_DELIVERY_RELEASE, &p, NULL, f);
}

/* List the transfers in this state; return their number. */
static size_t
list_transfers(struct delivery_job *d, enum delivery_send_state state,
    struct delivery_transfer *ret[TRANSFERS_MAX])
{
	size_t i, n = 0;

	for (i = 0; i < TRANSFERS_MAX; i++)
		if (d->transfers[i].state == state)
			ret[n++] = &d->transfers[i];
	return n;
}

/* Set the first two parameters: the ids of deliveries and their claims. */
static void
name_claims(struct job_run *r, struct delivery_transfer *const *transfer,
    size_t n, struct params *p)
{
	const char *ids[TRANSFERS_MAX];
	int64_t claims[TRANSFERS_MAX];
	size_t i;

	for (i = 0; i < n; i++) {
		ids[i] = transfer[i]->id;
		claims[i] = transfer[i]->claim;
	}
	params_init(p, r->arena);
	params_texts(p, ids, n);
	params_times(p, claims, n);
}
