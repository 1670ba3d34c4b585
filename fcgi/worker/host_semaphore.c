/* SPDX-License-Identifier: ISC */
/* Limit how many workers of a host do something costly at the same time. */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "fcgi/worker/host_semaphore.h"
#include "lib/shared/shm.h"

static bool claim_slot(_Atomic int32_t *slot, pid_t pid);
static bool is_held(pid_t holder);

int
host_semaphore_acquire(_Atomic int32_t *slots, int n, pid_t pid)
{
	int i;

	assert(n > 0 && n <= SHM_SLOTS);
	for (i = 0; i < n; i++)
		if (claim_slot(&slots[i], pid))
			return i;
	return -1;
}

int
host_semaphore_spare(int workers, int busy)
{
	const int n = workers - busy - 1;

	return n > 1 ? n : 1;
}

int
host_semaphore_held(_Atomic int32_t *slots)
{
	int i, n = 0;

	for (i = 0; i < SHM_SLOTS; i++)
		n += is_held(atomic_load(&slots[i]));
	return n;
}

void
host_semaphore_release(_Atomic int32_t *slots, int slot)
{
	atomic_store(&slots[slot], 0);
}

/* Take a slot that is free or whose holder is dead. */
static bool
claim_slot(_Atomic int32_t *slot, pid_t pid)
{
	int32_t holder = atomic_load(slot);

	return !is_held(holder) &&
	    atomic_compare_exchange_strong(slot, &holder, pid);
}

static bool
is_held(pid_t holder)
{
	return holder != 0 && (kill(holder, 0) == 0 || errno != ESRCH);
}
