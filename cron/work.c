/* SPDX-License-Identifier: ISC */
/* Several jobs at once, each in a process of its own. */
#include "config.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <sysexits.h>
#include <unistd.h>

#include "cron/job.h"
#include "lib/log.h"

static pid_t start(const struct job *job, int64_t until, unsigned options,
    const sigset_t *mask, pid_t parent);
static int status_of(const struct job *job, int wait_status);

int
work_jobs(
    const struct job *const *list, size_t n, int64_t until, unsigned options)
{
	const pid_t self = getpid();
	pid_t *pids = calloc(n, sizeof(*pids));
	sigset_t awaited, before;
	int status = EX_OK, ended, got;
	size_t i, left = 0;
	pid_t pid;

	if (pids == NULL) {
		log_error("work=failed why=%s", strerror(errno));
		return EX_OSERR;
	}
	sigemptyset(&awaited);
	sigaddset(&awaited, SIGTERM);
	sigaddset(&awaited, SIGINT);
	sigaddset(&awaited, SIGCHLD);
	sigprocmask(SIG_BLOCK, &awaited, &before);
	for (i = 0; i < n; i++) {
		pids[i] = start(list[i], until, options, &before, self);
		if (pids[i] == -1)
			status = EX_OSERR;
		else
			left++;
	}

	while (left > 0) {
		got = sigwaitinfo(&awaited, NULL);
		for (i = 0; got != SIGCHLD && got != -1 && i < n; i++)
			if (pids[i] > 0)
				kill(pids[i], SIGTERM);
		while ((pid = waitpid(-1, &ended, WNOHANG)) > 0) {
			for (i = 0; i < n && pids[i] != pid; i++)
				continue;
			if (i == n)
				continue;
			pids[i] = 0;
			left--;
			ended = status_of(list[i], ended);
			if (ended > status)
				status = ended;
		}
	}
	free(pids);
	return status;
}

/* A child ends when its parent is killed; what it does is safe to end. */
static pid_t
start(const struct job *job, int64_t until, unsigned options,
    const sigset_t *mask, pid_t parent)
{
	const pid_t pid = fork();

	if (pid == -1)
		log_error(
		    "job=%s start=failed why=%s", job->name, strerror(errno));
	if (pid != 0)
		return pid;
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == -1 || getppid() != parent)
		_exit(EX_TEMPFAIL);
	exit(run_job(job, until, options));
}

static int
status_of(const struct job *job, int wait_status)
{
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	log_error(
	    "job=%s end=killed signal=%d", job->name, WTERMSIG(wait_status));
	return EX_SOFTWARE;
}
