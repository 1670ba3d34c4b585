/* SPDX-License-Identifier: ISC */
/* Run one job in one process, step after step, until its time has passed. */
#include "config.h"

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "cron/job.h"
#include "lib/db/db.h"
#include "lib/shared/companion_counter.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define ARENA_SIZE ((size_t)64 << 20) /* address space, used on demand */
#define PAUSE_FAILED 1000 /* ms after a failed step */
#define ABANDONED_MAX 1 /* sessions; see db_limit_sessions() */
#define PROGRESS_EVERY (10 * CLOCK_SECOND)
#define SAVE_EVERY (1 * CLOCK_SECOND)
#define SAVE_TIMEOUT (1 * CLOCK_SECOND)

/* How the latest step ended. */
enum job_state {
	STATE_FINE = 1,
	STATE_AWAY, /* there was no session with the database */
	STATE_FAILED,
	STATE__MAX
};

static void on_signal(int number);
static int prepare_run(struct job_run *r, struct fail *f);
static void finish_run(struct job_run *r, enum job_state state);
static enum job_state run_steps(struct job_run *r);
static enum job_state run_step(
    struct job_run *r, enum job_state last, bool *ret_more);
static void log_state(enum job_state state, const struct fail *f);
static void save_counters(struct job_run *r);
static void log_progress(const struct job_run *r, enum log_level level,
    const char *event, int64_t began);
static int64_t sum_counts(const struct job_run *r);
static int exit_status_of_state(enum job_state state);

static volatile sig_atomic_t stopping;

int
job_run(const struct job *job, int64_t until, unsigned options)
{
	const int64_t began = clock_ticks();
	struct job_run r = { .job = job, .until = until, .options = options };
	struct fail f = { 0 };
	enum job_state state = STATE_FAILED;

	job_listen();
	log_context("job", job->name);
	if (prepare_run(&r, &f) == 0)
		state = run_steps(&r);
	else
		log_error(
		    "event=job_start_failed where=%s why=%s", f.where, f.why);
	finish_run(&r, state);
	log_progress(&r, LOG_LEVEL_INFO, "run_ended", began);
	return exit_status_of_state(state);
}

void
job_listen(void)
{
	const struct sigaction action = { .sa_handler = on_signal };

	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

bool
job_must_stop(const struct job_run *r)
{
	return stopping != 0 || (r->until != 0 && clock_ticks() >= r->until);
}

static void
on_signal(int number)
{
	(void)number;
	stopping = 1;
}

/* Prepare everything that does not need the database. */
static int
prepare_run(struct job_run *r, struct fail *f)
{
	static struct arena arena;
	void *block = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (block == MAP_FAILED)
		return fail_memory(f);
	arena_init(&arena, block, ARENA_SIZE);
	r->arena = &arena;
	if ((r->shm = shm_new(f)) == NULL)
		return -1;
	r->slot = &r->shm->slot[0];
	r->db = db_new(
	    *r->job->url, "assay cron", r->job->timeout_ms, r->job->session, f);
	if (r->db == NULL)
		return -1;
	db_share(r->db, &r->shm->decide_db);
	db_limit_sessions(r->db, NULL, ABANDONED_MAX);
	return r->job->open == NULL ? 0 : r->job->open(r, f);
}

/* Save the counters after close(), which may raise them. */
static void
finish_run(struct job_run *r, enum job_state state)
{
	if (r->job->close != NULL)
		r->job->close(r);
	if (r->db != NULL && state != STATE_AWAY)
		save_counters(r);
	db_close(r->db);
	shm_free(r->shm);
	if (r->arena != NULL) {
		arena_reset(r->arena);
		munmap(r->arena->base, ARENA_SIZE);
	}
}

static enum job_state
run_steps(struct job_run *r)
{
	const int64_t began = clock_ticks();
	int64_t shown_at = began, saved = began, sum = 0;
	enum job_state state = STATE_FINE;
	bool more = true;

	while (!job_must_stop(r)) {
		state = run_step(r, state, &more);
		if (r->until == 0 && (state != STATE_FINE || !more))
			break;
		if (state != STATE_AWAY &&
		    clock_ticks() - saved >= SAVE_EVERY) {
			save_counters(r);
			saved = clock_ticks();
		}
		if (clock_ticks() - shown_at >= PROGRESS_EVERY) {
			shown_at = clock_ticks();
			log_progress(r,
			    sum_counts(r) != sum ? LOG_LEVEL_INFO
						 : LOG_LEVEL_DEBUG,
			    "run_progressed", began);
			sum = sum_counts(r);
		}
		if (state != STATE_FINE)
			poll(NULL, 0, PAUSE_FAILED);
		else if (!more)
			poll(NULL, 0, r->job->pause_ms);
	}
	return state;
}

/* Run a step.  Log a failure when it begins, not at each step. */
static enum job_state
run_step(struct job_run *r, enum job_state last, bool *ret_more)
{
	struct fail f = { 0 };
	enum job_state state = STATE_FINE;

	*ret_more = false;
	if (db_ready(r->db, &f) == -1 || r->job->step(r, ret_more, &f) == -1)
		state =
		    db_trouble(r->db) == DB_LOST ? STATE_AWAY : STATE_FAILED;
	arena_reset(r->arena);
	if (state != last)
		log_state(state, &f);
	return state;
}

static void
log_state(enum job_state state, const struct fail *f)
{
	switch (state) {
	case STATE_FINE:
		log_info("event=job_recovered");
		break;
	case STATE_AWAY:
		log_error("event=job_database_lost where=%s why=%s", f->where,
		    f->why);
		break;
	case STATE_FAILED:
	case STATE__MAX:
		log_error(
		    "event=job_step_failed where=%s why=%s", f->where, f->why);
	}
}

/* Add the counters to those in the database; if it fails, the next call does.
 */
static void
save_counters(struct job_run *r)
{
	struct fail f = { 0 };
	bool failed;

	db_set_deadline(r->db, clock_ticks() + SAVE_TIMEOUT);
	failed = companion_counter_save(r->db, r->arena, r->slot, &f) == -1;
	if (failed && !r->unsaved)
		log_warn("event=counters_save_failed why=%s", f.why);
	r->unsaved = failed;
	db_set_deadline(r->db, 0);
	arena_reset(r->arena);
}

/* Log the numbers of the run so far. */
static void
log_progress(const struct job_run *r, enum log_level level, const char *event,
    int64_t began)
{
	struct log_number numbers[JOB_COUNTS];
	size_t n;

	for (n = 0; n < JOB_COUNTS && r->job->counts[n] != NULL; n++)
		numbers[n] =
		    (struct log_number) { r->job->counts[n], r->count[n] };
	log_numbers(level, numbers, n, "event=%s seconds=%.1f", event,
	    (double)(clock_ticks() - began) / CLOCK_SECOND);
}

/* Counts only rise, so an equal sum means that no count has changed. */
static int64_t
sum_counts(const struct job_run *r)
{
	int64_t sum = 0;
	size_t i;

	for (i = 0; i < JOB_COUNTS && r->job->counts[i] != NULL; i++)
		sum += r->count[i];
	return sum;
}

static int
exit_status_of_state(enum job_state state)
{
	switch (state) {
	case STATE_FINE:
		return EX_OK;
	case STATE_AWAY:
		return EX_TEMPFAIL;
	default:
		return EX_SOFTWARE;
	}
}
