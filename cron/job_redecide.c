/* SPDX-License-Identifier: ISC */
/*
 * The job "redecide": decide past events again, slice by slice in the order of
 * time.  Each slice is one transaction, after which the job rests, so that the
 * decisions of now come first.  What it only reads, to count velocities, is
 * lost with the process: there it does not rest, to reach the first slice.
 */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "cron/jobs.h"
#include "cron/redecision_books.h"
#include "cron/redecision_slice.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/sample_velocities.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define SLICE_ROWS 500 /* decisions of one slice, about */
#define READ_ROWS 4000 /* of one that is only counted for velocities */
#define LEASE 60 /* seconds */
#define FAILURES_MAX 5 /* of one slice, one after the other */
#define RUNS_MAX 3 /* that read, but decide no slice */
#define RELEASE_TIME CLOCK_SECOND

enum { COUNT_DECIDED, COUNT_ACTED, COUNT_ENDED };

/* The redecision of this process, and what it has read for it. */
struct redecider {
	char worker[CRYPT_ID_SIZE]; /* the name of this process */
	char id[CRYPT_ID_SIZE]; /* of the redecision; "": none */
	int64_t reached; /* all decisions before this time are read */
	int failures; /* since the last slice */
	struct redecision_books books;
	struct sample_velocities velocities;
};

/* A redecision as it was claimed. */
struct claimed_redecision {
	const char *id;
	const char *from_text; /* from, as the database writes it */
	int64_t from; /* decisions before this time are done */
	int64_t until;
	int64_t now; /* by the clock of the database */
};

static int run_slice(struct job_run *r, struct redecider *d, bool *ret_more,
    bool *ret_decided, struct fail *f);
static int claim_next(struct job_run *r, const struct redecider *d,
    struct claimed_redecision *ret, struct fail *f);
static int take_up(struct job_run *r, struct redecider *d,
    const struct claimed_redecision *c, struct fail *f);
static int count_run(
    struct job_run *r, const struct claimed_redecision *c, struct fail *f);
static int read_slice(struct job_run *r, struct redecider *d,
    const struct claimed_redecision *c, bool *ret_decided, struct fail *f);
static int decide_slice(struct job_run *r, const struct redecision_reader *rd,
    struct redecision_slice *slice, const struct claimed_redecision *c,
    int64_t ends, struct fail *f);
static bool must_end(
    const struct job_run *r, struct redecider *d, const struct fail *why);
static int end_failed(
    struct job_run *r, const char *id, struct fail *why, struct fail *f);
static void forget_redecision(struct redecider *d);
static void release_lease(struct job_run *r, const struct redecider *d);
static void rest_after_slice(const struct job_run *r, int64_t worked);

int
job_redecide_open(struct job_run *r, struct fail *f)
{
	struct redecider *d = calloc(1, sizeof(*d));

	if ((r->own = d) == NULL)
		return fail_memory(f);
	crypt_id("wrk_", clock_now(), d->worker);
	return 0;
}

void
job_redecide_close(struct job_run *r)
{
	struct redecider *d = r->own;

	if (d == NULL)
		return;
	if (d->id[0] != '\0')
		release_lease(r, d);
	forget_redecision(d);
	free(d);
}

int
job_redecide_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	const int64_t began = clock_ticks();
	struct redecider *d = r->own;
	char id[CRYPT_ID_SIZE];
	struct fail why = { 0 };
	bool decided = false;

	if (run_slice(r, d, ret_more, &decided, &why) == -1) {
		/* What was counted for velocities may not be stored. */
		db_rollback(r->db);
		memcpy(id, d->id, sizeof(id));
		forget_redecision(d);
		if (id[0] != '\0' && must_end(r, d, &why)) {
			d->failures = 0;
			return end_failed(r, id, &why, f);
		}
		*f = why;
		return -1;
	}
	d->failures = 0;
	if (decided)
		rest_after_slice(r, clock_ticks() - began);
	return 0;
}

/*
 * Read the next slice of the oldest redecision, if there is one.  Set
 * *ret_decided to whether it was decided, and not only read.
 */
static int
run_slice(struct job_run *r, struct redecider *d, bool *ret_more,
    bool *ret_decided, struct fail *f)
{
	struct claimed_redecision c;

	if (db_run(r->db, r->arena, STMT_BEGIN, NULL, NULL, f) == -1 ||
	    claim_next(r, d, &c, f) == -1)
		return -1;
	*ret_more = c.id != NULL;
	if (c.id == NULL)
		forget_redecision(d);
	else if (take_up(r, d, &c, f) == -1 ||
	    read_slice(r, d, &c, ret_decided, f) == -1)
		return -1;
	return db_run(r->db, r->arena, STMT_COMMIT, NULL, NULL, f);
}

/* Claim the oldest redecision.  Without one to decide, ret->id is NULL. */
static int
claim_next(struct job_run *r, const struct redecider *d,
    struct claimed_redecision *ret, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_text(&p, d->worker);
	params_int(&p, LEASE);
	if (db_run(r->db, r->arena, STMT_REDECISION_CLAIM, &p, &rows, f) == -1)
		return -1;
	*ret = (struct claimed_redecision) { .id = NULL };
	if (rows.n > 0)
		*ret = (struct claimed_redecision) {
			.id = rows_text(&rows, 0, "id"),
			.from_text = rows_text(&rows, 0, "from_text"),
			.from = rows_time(&rows, 0, "decided_until"),
			.until = rows_time(&rows, 0, "until"),
			.now = rows_time(&rows, 0, "now"),
		};
	return 0;
}

/*
 * Load what the redecision needs, unless it is loaded.  If it was decided less
 * far than this process has read, a slice was lost, and its decisions would be
 * counted twice.
 */
static int
take_up(struct job_run *r, struct redecider *d,
    const struct claimed_redecision *c, struct fail *f)
{
	if (strcmp(d->id, c->id) == 0 && d->reached <= c->from)
		return 0;
	forget_redecision(d);
	snprintf(d->id, sizeof(d->id), "%s", c->id);
	if (redecision_books_load(&d->books, c->id, r->db, r->arena, f) == -1 ||
	    sample_velocities_choose(&d->velocities, d->books.ruleset,
		d->books.n, c->from_text, 0, r->db, r->arena, f) == -1)
		return -1;
	d->reached = sample_velocities_any(&d->velocities)
	    ? d->velocities.start_at
	    : c->from;
	return count_run(r, c, f);
}

/*
 * Fail if runs have ended again and again before they had read what velocities
 * count: each reads it again.  A run by hand has no end.
 */
static int
count_run(struct job_run *r, const struct claimed_redecision *c, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_text(&p, c->id);
	if (db_one(r->db, r->arena, STMT_REDECISION_TAKE_UP, &p, &rows, f) ==
	    -1)
		return -1;
	if (r->until == 0 || rows_int(&rows, 0, "runs") <= RUNS_MAX)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "%d runs of the companion have ended before the windows of its "
	    "velocities were read; create it again with shorter windows, or "
	    "run \"assay-cron redecide\" by hand at once",
	    RUNS_MAX);
}

/* Read the next slice; one before the redecision only for its velocities. */
static int
read_slice(struct job_run *r, struct redecider *d,
    const struct claimed_redecision *c, bool *ret_decided, struct fail *f)
{
	const bool decides = d->reached >= c->from;
	const struct redecision_reader rd = {
		.books = &d->books,
		.velocities = &d->velocities,
		.db = r->db,
		.arena = r->arena,
	};
	struct redecision_slice slice;
	struct params p;
	struct rows rows;
	int64_t ends;

	params_init(&p, r->arena);
	params_time(&p, d->reached);
	params_time(&p, decides ? c->until : c->from);
	params_int(&p, decides ? SLICE_ROWS : READ_ROWS);
	if (db_one(r->db, r->arena, STMT_REDECISION_SLICE, &p, &rows, f) == -1)
		return -1;
	ends = rows_time(&rows, 0, "ends");
	if (redecision_slice_read(&rd, &slice, d->reached, ends, decides, f) ==
		-1 ||
	    (decides && decide_slice(r, &rd, &slice, c, ends, f) == -1))
		return -1;
	d->reached = ends;
	*ret_decided = decides;
	return 0;
}

static int
decide_slice(struct job_run *r, const struct redecision_reader *rd,
    struct redecision_slice *slice, const struct claimed_redecision *c,
    int64_t ends, struct fail *f)
{
	int64_t acted;
	bool done;

	if (redecision_slice_decide(rd, slice, c->now, f) == -1 ||
	    redecision_slice_store(rd, slice, c->id, ends, &acted, &done, f) ==
		-1)
		return -1;
	r->count[COUNT_DECIDED] += (int64_t)slice->n;
	r->count[COUNT_ACTED] += acted;
	r->count[COUNT_ENDED] += done;
	return 0;
}

/*
 * Whether a redecision that has failed must end, so that others can go on:
 * because of what it asks for, or if it fails again and again.
 */
static bool
must_end(const struct job_run *r, struct redecider *d, const struct fail *why)
{
	if (why->kind == FAIL_INPUT)
		return true;
	return db_trouble(r->db) != DB_LOST && ++d->failures >= FAILURES_MAX;
}

/* End a redecision that cannot go on. */
static int
end_failed(struct job_run *r, const char *id, struct fail *why, struct fail *f)
{
	struct params p;

	log_warn("event=redecision_failed id=%s why=%s", id, why->why);
	params_init(&p, r->arena);
	params_text(&p, id);
	params_text(&p, why->why);
	r->count[COUNT_ENDED]++;
	return db_run(r->db, r->arena, STMT_REDECISION_FAIL, &p, NULL, f);
}

static void
forget_redecision(struct redecider *d)
{
	redecision_books_clear(&d->books);
	sample_velocities_clear(&d->velocities);
	memset(&d->velocities, 0, sizeof(d->velocities));
	d->id[0] = '\0';
}

/* Let another run go on now.  If that fails, it waits for the lease to end. */
static void
release_lease(struct job_run *r, const struct redecider *d)
{
	struct fail f = { 0 };
	struct params p;

	db_set_deadline(r->db, clock_ticks() + RELEASE_TIME);
	params_init(&p, r->arena);
	params_text(&p, d->worker);
	if (db_run(r->db, r->arena, STMT_REDECISION_RELEASE, &p, NULL, &f) ==
	    -1)
		log_debug("event=lease_not_released why=%s", f.why);
	db_set_deadline(r->db, 0);
}

/*
 * Rest, so that the job works for REDECIDE_SHARE percent of the time; by hand
 * it does not rest.
 */
static void
rest_after_slice(const struct job_run *r, int64_t worked)
{
	int64_t left = worked * (100 - conf.REDECIDE_SHARE) /
	    (conf.REDECIDE_SHARE * 1000); /* ms */
	int part;

	while (r->until != 0 && left > 0 && !job_must_stop(r)) {
		part = left < r->job->pause_ms ? (int)left : r->job->pause_ms;
		poll(NULL, 0, part);
		left -= part;
	}
}
