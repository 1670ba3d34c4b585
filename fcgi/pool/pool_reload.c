/* SPDX-License-Identifier: ISC */
/* A reload that reports to its caller whether the settings were valid. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "fcgi/pool/pool_reload.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define QUESTION 0x61736179 /* value of a SIGHUP that wants an answer */
#define ACCEPTED 1
#define REFUSED 2
#define WAIT (10 * CLOCK_SECOND)

/*
 * Signals are the only channel between a sandboxed service and its ExecReload=.
 * Only the service itself can check the settings, because only it has the
 * credentials.
 */
int
pool_reload_request(pid_t master)
{
	const union sigval question = { .sival_int = QUESTION };
	const int64_t deadline = clock_ticks() + WAIT;
	const struct timespec tick = { .tv_nsec = 100000000 };
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (sigqueue(master, SIGHUP, question) == -1)
		log_exit(EX_NOHOST, "process %ld: %s", (long)master,
		    strerror(errno));
	while (clock_ticks() < deadline) {
		if (sigtimedwait(&set, &info, &tick) == -1 ||
		    info.si_code != SI_QUEUE || info.si_pid != master)
			continue;
		if (info.si_value.sival_int == ACCEPTED)
			return EX_OK;
		log_exit(EX_CONFIG,
		    "the settings are refused; the pool continues with the "
		    "old ones, and its log says why");
	}
	log_exit(EX_UNAVAILABLE, "process %ld did not answer", (long)master);
}

void
pool_reload_answer(const siginfo_t *info, bool accepted)
{
	const union sigval answer = { .sival_int =
					  accepted ? ACCEPTED : REFUSED };

	/* If the caller has exited, the log still has the result. */
	if (info->si_code == SI_QUEUE && info->si_value.sival_int == QUESTION)
		(void)sigqueue(info->si_pid, SIGUSR1, answer);
}
