/* SPDX-License-Identifier: ISC */
/* Turns: how many workers of a host do something costly at once. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <time.h>

#include "fcgi/turn.h"
#include "lib/clock.h"
#include "lib/shm.h"

#define POLL_US INT64_C(20000)

static bool claim(_Atomic int32_t *turn, pid_t pid);

int
turn_take(_Atomic int32_t *turns, int n, pid_t pid, int64_t wait_us)
{
	const struct timespec pause = { .tv_nsec = POLL_US * 1000 };
	const int64_t until = clock_ticks() + wait_us;
	int i;

	assert(n > 0 && n <= SHM_SLOTS);
	for (;;) {
		for (i = 0; i < n; i++)
			if (claim(&turns[i], pid))
				return i;
		if (clock_ticks() >= until)
			return -1;
		nanosleep(&pause, NULL);
	}
}

void
turn_give(_Atomic int32_t *turns, int turn)
{
	atomic_store(&turns[turn], 0);
}

/* Take a turn that is free, or whose holder was killed. */
static bool
claim(_Atomic int32_t *turn, pid_t pid)
{
	int32_t holder = atomic_load(turn);

	if (holder != 0 && (kill(holder, 0) == 0 || errno != ESRCH))
		return false;
	return atomic_compare_exchange_strong(turn, &holder, pid);
}
