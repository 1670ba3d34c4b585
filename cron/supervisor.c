/* SPDX-License-Identifier: ISC */
/* Run several jobs at the same time, each in its own process. */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "cron/job.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define PAUSE_KILLED 1000 /* ms before a killed job is restarted */

/* A job and its process. */
struct supervised_job {
	const struct job *job;
	pid_t pid; /* 0: not running */
};

struct supervisor_state {
	struct supervised_job *children;
	size_t n;
	int64_t until; /* for job_run() */
	unsigned options;
	pid_t self;
	sigset_t before; /* signals that were blocked at the start */
	bool ending; /* TERM or INT came */
	int status; /* the highest exit status so far */
};

static void start_child(struct supervisor_state *w, struct supervised_job *c);
static bool child_is_running(const struct supervisor_state *w);
static void stop_children(struct supervisor_state *w);
static void reap_child(struct supervisor_state *w);
static void settle_child(
    struct supervisor_state *w, struct supervised_job *c, int wait_status);
static int exit_status_of_child(const struct job *job, int wait_status);
static void raise_status(struct supervisor_state *w, int status);

int
supervisor_work(
    const struct job *const *list, size_t n, int64_t until, unsigned options)
{
	struct supervisor_state w = {
		.children = calloc(n, sizeof(*w.children)),
		.n = n,
		.until = until,
		.options = options,
		.self = getpid(),
		.status = EX_OK,
	};
	sigset_t awaited;
	size_t i;
	int got;

	if (w.children == NULL) {
		log_error("event=work_start_failed why=%s", strerror(errno));
		return EX_OSERR;
	}
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGINT);
	sigaddset(&awaited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &awaited, &w.before);
	for (i = 0; i < n; i++) {
		w.children[i].job = list[i];
		start_child(&w, &w.children[i]);
	}

	while (child_is_running(&w)) {
		got = sigwaitinfo(&awaited, NULL);
		if (got == SIGTERM || got == SIGINT)
			stop_children(&w);
		reap_child(&w);
	}
	free(w.children);
	return w.status;
}

/*
 * The kernel sends TERM to the child when its parent dies.  The child unblocks
 * signals only after it has installed its handlers, so an early TERM ends it
 * properly, too.
 */
static void
start_child(struct supervisor_state *w, struct supervised_job *c)
{
	const pid_t pid = fork();

	if (pid == -1) {
		log_error("event=job_start_failed job=%s why=%s", c->job->name,
		    strerror(errno));
		raise_status(w, EX_OSERR);
		return;
	}
	if (pid != 0) {
		c->pid = pid;
		return;
	}
	job_listen();
	sigprocmask(SIG_SETMASK, &w->before, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == -1 || getppid() != w->self)
		_exit(EX_TEMPFAIL);
	exit(job_run(c->job, w->until, w->options));
}

static bool
child_is_running(const struct supervisor_state *w)
{
	size_t i;

	for (i = 0; i < w->n && w->children[i].pid == 0; i++)
		continue;
	return i < w->n;
}

static void
stop_children(struct supervisor_state *w)
{
	size_t i;

	w->ending = true;
	for (i = 0; i < w->n; i++)
		if (w->children[i].pid != 0)
			kill(w->children[i].pid, SIGTERM);
}

/* Note the exit status of each child that has ended; restart killed ones. */
static void
reap_child(struct supervisor_state *w)
{
	int wait_status;
	pid_t pid;
	size_t i;

	while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0)
		for (i = 0; i < w->n; i++)
			if (w->children[i].pid == pid)
				settle_child(w, &w->children[i], wait_status);
}

/*
 * Restart a job that was killed, by hand or for lack of memory: its work would
 * otherwise stop for the rest of the run.
 */
static void
settle_child(
    struct supervisor_state *w, struct supervised_job *c, int wait_status)
{
	c->pid = 0;
	raise_status(w, exit_status_of_child(c->job, wait_status));
	if (!WIFSIGNALED(wait_status) || w->ending || clock_ticks() >= w->until)
		return;
	poll(NULL, 0, PAUSE_KILLED);
	start_child(w, c);
}

static int
exit_status_of_child(const struct job *job, int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	log_error("event=job_killed job=%s signal=%d", job->name,
	    WTERMSIG(wait_status));
	return EX_SOFTWARE;
}

static void
raise_status(struct supervisor_state *w, int status)
{
	if (status > w->status)
		w->status = status;
}
