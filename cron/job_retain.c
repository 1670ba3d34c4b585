/* SPDX-License-Identifier: ISC */
/* The job "retain": run sweeps when due, and create partitions ahead. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/retention/retention.h"
#include "lib/shared/metric.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define COUNT_PARTITIONS RETENTION__MAX /* after the collections */
#define AHEAD_PAUSE (60 * CLOCK_SECOND)

/* State that lasts from step to step. */
struct retain_state {
	struct retention_sweep sweep;
	bool sweeping;
	int64_t ahead_at; /* clock_ticks() of the next check of partitions */
	int64_t session; /* db_session() in which all this is valid */
};

static bool sweep_ended(void *arg);
static int sweep_batches(
    struct job_run *r, struct retain_state *s, bool *ret_more, struct fail *f);
static int make_partitions_ahead(
    struct job_run *r, struct retain_state *s, struct fail *f);
static void count_removed(
    struct job_run *r, const int64_t removed[RETENTION__MAX]);

int
job_retain_open(struct job_run *r, struct fail *f)
{
	r->own = calloc(1, sizeof(struct retain_state));
	if (r->own == NULL)
		return fail_memory(f);
	return 0;
}

/* A step that the end of the run cancels is not a failure. */
int
job_retain_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	int result;

	db_set_cancel_check(r->db, sweep_ended, r);
	result = sweep_batches(r, r->own, ret_more, f);
	db_set_cancel_check(r->db, NULL, NULL);
	if (result == 0 || !db_cancelled(r->db))
		return result;
	memset(f, 0, sizeof(*f));
	return 0;
}

void
job_retain_close(struct job_run *r)
{
	free(r->own);
}

static bool
sweep_ended(void *arg)
{
	return job_must_stop(arg);
}

/* Create partitions first: decisions cannot be stored without them. */
static int
sweep_batches(
    struct job_run *r, struct retain_state *s, bool *ret_more, struct fail *f)
{
	int64_t removed[RETENTION__MAX];
	bool sweeping;

	/* A new session may be with another server, which lacks partitions. */
	if (s->session != db_session(r->db))
		*s = (struct retain_state) { .session = db_session(r->db) };

	/* If this step fails, the next one begins a new sweep. */
	sweeping = s->sweeping;
	s->sweeping = false;
	if (clock_ticks() >= s->ahead_at &&
	    make_partitions_ahead(r, s, f) == -1)
		return -1;
	if (!sweeping &&
	    retention_begin(&s->sweep, r->db, r->arena,
		conf.RETENTION_SWEEP_MINUTES, &sweeping, f) == -1)
		return -1;
	if (!sweeping)
		return 0;
	if (retention_next(&s->sweep, r->arena, removed, ret_more, f) == -1)
		return -1;
	count_removed(r, removed);
	s->sweeping = *ret_more;
	if (s->sweeping)
		return 0;
	if (s->sweep.no_vacuum)
		log_warn("event=vacuum_skipped why=RETENTION_VACUUM needs "
			 "autovacuum, which the server has off");
	log_info("event=sweep_ended");
	return 0;
}

static int
make_partitions_ahead(struct job_run *r, struct retain_state *s, struct fail *f)
{
	int64_t made;

	if (retention_ahead(r->db, r->arena, &made, f) == -1)
		return -1;
	r->count[COUNT_PARTITIONS] += made;
	s->ahead_at = clock_ticks() + AHEAD_PAUSE;
	return 0;
}

static void
count_removed(struct job_run *r, const int64_t removed[RETENTION__MAX])
{
	enum retention i;

	for (i = 0; i < RETENTION__MAX; i++) {
		r->count[i] += removed[i];
		metric_add(
		    r->slot, METRIC_ID_PRUNED, i, 0, (uint64_t)removed[i]);
	}
}
