/* SPDX-License-Identifier: ISC */
/* The work of a worker between requests, a row for each task. */
#include "config.h"

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/pool/idle_task.h"
#include "fcgi/worker/readiness.h"
#include "fcgi/worker/scratch.h"
#include "fcgi/worker/settings_sync.h"
#include "fcgi/worker/spool_report.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/shared/companion_counter.h"
#include "lib/shared/gauge.h"
#include "lib/shared/shm.h"
#include "lib/shared/storage_stats.h"
#include "lib/spool/spool_drain.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define PAUSE (CLOCK_SECOND / 10) /* between steps: decisions first */
#define PAUSE_FAILED (1 * CLOCK_SECOND)
#define TASK_MAX (2 * CLOCK_SECOND) /* deadline of the database */
#define TASK_LIMIT 5 /* seconds, for the watchdog */
#define CHECK_PAUSE (5 * CLOCK_SECOND)
#define MEASURE_PAUSE (5 * CLOCK_SECOND)
#define SHARE_PAUSE (3 * CLOCK_SECOND)
#define SHARE_PAUSE_FAILED (10 * CLOCK_SECOND)
#define REPORT_PAUSE (1 * CLOCK_SECOND) /* erasures wait for a report */

typedef bool applies_fn(const struct worker *w); /* whether w does this task */
typedef int64_t task_fn(struct worker *w); /* returns the pause after it */

static int run_if_due(struct worker *w, _Atomic int64_t *due, task_fn *run);
static applies_fn is_decide, drains_spool, is_operator, reports_spool;
static task_fn check_ready, drain_spool, measure_database, share_settings,
    report_spool;
static void begin_task(struct worker *w);
static void end_task(struct worker *w);
static void count_drained(struct worker *w, const struct spool_drain *counts);

/*
 * One worker of the host at a time runs each task.  due is the offset in struct
 * shm of the time when the task is due.
 */
static const struct {
	applies_fn *applies;
	size_t due;
	task_fn *run;
} tasks[] = {
	{ is_decide, offsetof(struct shm, check_at), check_ready },
	{ drains_spool, offsetof(struct shm, drain_at), drain_spool },
	{ is_operator, offsetof(struct shm, measure_at), measure_database },
	{ is_operator, offsetof(struct shm, share_at), share_settings },
	{ reports_spool, offsetof(struct shm, report_at), report_spool },
};

void
idle_task_start(struct worker *w)
{
	struct fail f = { 0 };

	if (w->engine == NULL || w->db == NULL)
		return;
	if (readiness_load(w, &f) == -1)
		log_warn(
		    "event=policies_load_failed why=%s %s", f.where, f.why);
	else
		log_debug("event=policies_loaded");
	(void)check_ready(w);
}

int
idle_task_run(struct worker *w)
{
	int wait = -1, ms;
	size_t i;

	for (i = 0; i < nitems(tasks); i++) {
		if (w->db == NULL || !tasks[i].applies(w))
			continue;
		ms = run_if_due(w,
		    (_Atomic int64_t *)((char *)w->shm + tasks[i].due),
		    tasks[i].run);
		if (wait == -1 || ms < wait)
			wait = ms;
	}
	return wait;
}

static bool
is_decide(const struct worker *w)
{
	return w->group == GROUP_DECIDE && w->engine != NULL;
}

/* Decide workers drain the spool while it has records. */
static bool
drains_spool(const struct worker *w)
{
	return w->spool != NULL && atomic_load(&w->shm->spool_records) > 0;
}

/* What can wait runs on operator workers only. */
static bool
is_operator(const struct worker *w)
{
	return w->group == GROUP_OPERATOR || w->shared;
}

static bool
reports_spool(const struct worker *w)
{
	return is_operator(w) && w->shm->spool_id[0] != '\0';
}

/*
 * Run a task if it is due and no other worker has taken it.  Return after how
 * many milliseconds to check again.
 */
static int
run_if_due(struct worker *w, _Atomic int64_t *due, task_fn *run)
{
	const int64_t now = clock_ticks();
	int64_t at = atomic_load(due);

	if (now < at)
		return (int)((at - now) / 1000 + 1);

	/* Only the worker whose exchange succeeds runs the task. */
	if (atomic_compare_exchange_strong(due, &at, now + TASK_MAX))
		atomic_store(due, clock_ticks() + run(w));
	return (int)(PAUSE / 1000);
}

/* Check what /readyz says, for the metrics and the log. */
static int64_t
check_ready(struct worker *w)
{
	struct readiness ready;
	struct arena a;

	if (scratch_open(&a) == -1)
		return CHECK_PAUSE;
	begin_task(w);
	readiness_check(w, &a, &ready);
	end_task(w);
	scratch_close(&a);
	return CHECK_PAUSE;
}

static int64_t
drain_spool(struct worker *w)
{
	struct fail f = { 0 };
	struct spool_drain counts;
	struct arena a;
	int r;

	if (scratch_open(&a) == -1)
		return PAUSE_FAILED;
	begin_task(w);
	r = spool_drain_step(w->spool, w->db, &a, &counts, &f);
	end_task(w);
	scratch_close(&a);
	count_drained(w, &counts);

	/* Each degraded decision already logs a lost database. */
	if (r == -1 && db_trouble(w->db) != DB_LOST)
		log_error("event=spool_drain_failed why=%s %s", f.where, f.why);
	return r == 0 ? PAUSE : PAUSE_FAILED;
}

/* Refresh the metrics that come from the database. */
static int64_t
measure_database(struct worker *w)
{
	struct fail f = { 0 };
	struct arena a;
	int r;

	if (scratch_open(&a) == -1)
		return MEASURE_PAUSE;
	begin_task(w);
	r = storage_stats_measure(w->db, &a, &w->shm->storage, &f);
	if (r == 0)
		r = gauge_measure(w->db, &a, &w->shm->gauges, &f);
	if (r == 0)
		r = companion_counter_read(w->db, &a, &w->shm->counters, &f);
	end_task(w);
	scratch_close(&a);
	if (r == 0)
		atomic_store(&w->shm->measured_at, clock_ticks());
	if (r == -1 && db_trouble(w->db) != DB_LOST)
		log_error(
		    "event=metrics_refresh_failed why=%s %s", f.where, f.why);
	return MEASURE_PAUSE;
}

/*
 * Share the settings, also without requests: at an idle host the first requests
 * after a change would otherwise be counted against the old limit.
 */
static int64_t
share_settings(struct worker *w)
{
	struct arena a;
	bool read;

	if (scratch_open(&a) == -1)
		return SHARE_PAUSE;
	begin_task(w);
	read = settings_sync_read(w, &a);
	end_task(w);
	scratch_close(&a);
	return read ? SHARE_PAUSE : SHARE_PAUSE_FAILED;
}

/* Report what the spool holds; erasures need it (ep_privacy.c). */
static int64_t
report_spool(struct worker *w)
{
	struct fail f = { 0 };
	struct arena a;
	int r;

	if (scratch_open(&a) == -1)
		return REPORT_PAUSE;
	begin_task(w);
	r = spool_report_send(w, &a, &f);
	end_task(w);
	scratch_close(&a);
	if (r == -1 && db_trouble(w->db) != DB_LOST)
		log_error(
		    "event=spool_report_failed why=%s %s", f.where, f.why);
	return REPORT_PAUSE;
}

/* Set a short deadline, so that requests do not wait long. */
static void
begin_task(struct worker *w)
{
	worker_limit(w, TASK_LIMIT);
	db_set_deadline(w->db, clock_ticks() + TASK_MAX);
}

static void
end_task(struct worker *w)
{
	db_set_deadline(w->db, 0);
	worker_limit(w, 0);
}

/* Count and log what was drained. */
static void
count_drained(struct worker *w, const struct spool_drain *counts)
{
	metric_add(w->slot, METRIC_ID_DRAINED, 0, 0, counts->drained);
	metric_add(w->slot, METRIC_ID_QUARANTINED, 0, 0, counts->quarantined);
	metric_add(w->slot, METRIC_ID_PARTIAL, 0, 0, counts->partial);
	if (counts->drained > 0)
		log_info("event=spool_drained records=%zu", counts->drained);
	if (counts->partial > 0)
		log_warn(
		    "event=spool_partial_lines lines=%zu", counts->partial);
	if (counts->quarantined > 0)
		log_error("event=spool_records_quarantined records=%zu",
		    counts->quarantined);
}
