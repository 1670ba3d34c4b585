/* SPDX-License-Identifier: ISC */
/* What the companion does: one job a process, in steps that each end soon. */
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

#define JOB_COUNTS 6 /* that a job tells of at its end, at most */

/* What a job can be told besides: bits of a set. */
enum job_option {
#define OPTION(name, job, help) JOB_OPTION_##name,
#include "cron/options.tbl"
#undef OPTION
	JOB_OPTION__MAX
};

/*
 * One step: a bounded piece of what is due, durable when it returns, so that
 * whoever is killed leaves nothing half done.  *ret_more says whether more is
 * due by now.  A job that waits for something besides the database does so
 * here, for as long as its pause.  Returns 0, or -1 with f set: the step is
 * tried again after a while, or ends a run that is made once.
 */
typedef int job_step_fn(struct job_run *r, bool *ret_more, struct fail *f);

/* Whether the settings have all that a job needs; f names what is missing. */
typedef int job_check_fn(struct fail *f);

/* Before the first step, without a database; f names what is missing. */
typedef int job_open_fn(struct job_run *r, struct fail *f);

/* After the last step, also when opening failed. */
typedef void job_close_fn(struct job_run *r);

/* A kind of work, a row of jobs.tbl. */
struct job {
	const char *name;
	bool works; /* one of those that "assay-cron work" does */
	const char *const *url; /* the setting that names its database */
	enum stmt session; /* of db_new() */
	int timeout_ms; /* of one statement */
	int pause_ms; /* before it looks again for what is due */
	job_check_fn *check; /* may be NULL */
	job_open_fn *open; /* may be NULL */
	job_step_fn *step;
	job_close_fn *close; /* may be NULL */
	const char *help;
	const char
	    *counts[JOB_COUNTS]; /* what count[] of struct job_run counts */
};

extern const struct job jobs[];
extern const size_t jobs_n;

/* A job at work, in a process of its own. */
struct job_run {
	const struct job *job;
	struct db *db;
	struct arena *arena; /* scratch of one step */
	struct shm *shm; /* of this process alone */
	struct worker_slot
	    *slot; /* for metric_add(); saved about once a second */
	bool unsaved; /* saving it failed, and it was said */
	int64_t until; /* clock_ticks() when its time is over; 0: once */
	unsigned options; /* told: 1 << enum job_option */
	int64_t count[JOB_COUNTS]; /* since it began */
	void *own; /* the job's */
};

/* The job of that name, or NULL. */
const struct job *job_find(const char *name);

/*
 * Do a job until the time is over (clock_ticks()), or with until 0 once until
 * nothing is due, or until TERM or INT.  options are what it was told besides,
 * 1 << enum job_option.  The step in hand is always finished.
 * Returns an exit status of sysexits(3): EX_TEMPFAIL when the database was
 * away at the end.
 */
int run_job(const struct job *job, int64_t until, unsigned options);

/* From now on TERM and INT end the run of this process, also one to come. */
void run_listen(void);

/* Whether the run is to end: its time is over or somebody ends it. */
bool run_must_stop(const struct job_run *r);

/*
 * Do these jobs at once, each in a process of its own, as by run_job(), and
 * wait for them all; TERM and INT are passed on.  One that is killed begins
 * again while there is time.  Returns the highest of their exit statuses.
 */
int work_jobs(
    const struct job *const *list, size_t n, int64_t until, unsigned options);

#endif
