/* SPDX-License-Identifier: ISC */
/* A job of the companion: one process that runs short steps. */
#ifndef CRON_JOB_H
#define CRON_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/db/stmt.gen.h"

struct arena;
struct db;
struct fail;
struct job_run;
struct shm;
struct worker_slot;

#define JOB_COUNTS 6 /* the most numbers that a job logs */

/* Options of single jobs, as bit numbers of a set. */
enum job_option {
#define OPTION(name, job, help) JOB_OPTION_##name,
#include "cron/options.tbl"
#undef OPTION
	JOB_OPTION__MAX
};

/*
 * Do one step: a bounded part of the work that is due.  The work is committed
 * when the step returns, so that a kill leaves nothing half done.  Set
 * *ret_more to whether more work is due.  A job that waits for anything but the
 * database waits here, no longer than its pause.  Return 0, or -1 with f set;
 * then the run repeats the step after a second, or ends if it runs once.
 */
typedef int job_step_fn(struct job_run *r, bool *ret_more, struct fail *f);

/* Check that the settings of a job are complete.  Return 0, or -1 with f set.
 */
typedef int job_check_fn(struct fail *f);

/*
 * Prepare the job before its first step, without the database.  Return 0, or -1
 * with f set.
 */
typedef int job_open_fn(struct job_run *r, struct fail *f);

/* Release what open allocated; also called if open failed. */
typedef void job_close_fn(struct job_run *r);

/* A row of jobs.tbl. */
struct job {
	const char *name;
	bool works; /* "assay-cron work" runs it by default */
	const char *const *url; /* the setting that names its database */
	enum stmt session; /* for db_new(): sets up a session */
	int timeout_ms; /* of one statement */
	int pause_ms; /* before the next step if no work is due */
	job_check_fn *check; /* may be NULL */
	job_open_fn *open; /* may be NULL */
	job_step_fn *step;
	job_close_fn *close; /* may be NULL */
	const char *help;
	const char *counts[JOB_COUNTS]; /* names of count[] in job_run */
};

extern const struct job jobs[];
extern const size_t jobs_n;

/* The state of a running job. */
struct job_run {
	const struct job *job;
	struct db *db;
	struct arena *arena; /* scratch memory, reset after each step */
	struct shm *shm; /* private to this process */
	struct worker_slot *slot; /* for metric_add(), saved every second */
	bool unsaved; /* the last save failed, which is logged */
	int64_t until; /* clock_ticks() at which the run ends; 0: run once */
	unsigned options; /* 1 << enum job_option */
	int64_t count[JOB_COUNTS]; /* since the run began */
	void *own; /* private data of the job */
};

/* Return the job with this name, or NULL. */
const struct job *job_find(const char *name);

/*
 * Run a job until that time (clock_ticks()), or with until 0 until no work is
 * due.  TERM or INT ends the run after the current step.  options is a set of
 * 1 << enum job_option.  Return an exit status of sysexits(3); it is
 * EX_TEMPFAIL if the database could not be reached at the end.
 */
int job_run(const struct job *job, int64_t until, unsigned options);

/* Make TERM and INT end the run of this process, also before it begins. */
void job_listen(void);

/* Return whether the run must end: its time has passed, or TERM or INT came. */
bool job_must_stop(const struct job_run *r);

/*
 * Run these jobs at the same time with job_run(), each in its own process, and
 * wait for all of them.  Pass TERM and INT on to them.  Restart a killed one
 * unless until has passed.  Return the highest of their exit statuses.
 */
int supervisor_work(
    const struct job *const *list, size_t n, int64_t until, unsigned options);

#endif
