/* SPDX-License-Identifier: ISC */
/* What a worker shares with the watchdog of the master. */
#include "config.h"

#include "fcgi/worker/watchdog.h"

static bool is_late(int64_t due, const struct watchdog_times *times);
static int64_t later_time(int64_t a, int64_t b);
static bool idle_too_long(
    int64_t idle_since, const struct watchdog_times *times);

bool
watchdog_set(_Atomic int64_t *word, int64_t due)
{
	int64_t before = atomic_load(word);

	do
		if (before == WATCHDOG_CONDEMNED)
			return false;
	while (!atomic_compare_exchange_weak(word, &before, due));
	return true;
}

bool
watchdog_condemn(_Atomic int64_t *word, const struct watchdog_times *times)
{
	int64_t due = atomic_load(word);

	/* The exchange fails if the worker has set a new deadline meanwhile. */
	return due != WATCHDOG_CONDEMNED && is_late(due, times) &&
	    atomic_compare_exchange_strong(word, &due, WATCHDOG_CONDEMNED);
}

/* A worker is not late if the master was frozen, too. */
static bool
is_late(int64_t due, const struct watchdog_times *times)
{
	if (times->limit != 0 && times->now > times->limit)
		return true;
	if (due <= 0)
		return idle_too_long(-due, times);
	return times->now - later_time(due, times->awake_at) > WATCHDOG_GRACE;
}

static int64_t
later_time(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * After TERM the grace begins with TERM or the end of the last work.  Without
 * it only a frozen worker is late.
 */
static bool
idle_too_long(int64_t idle_since, const struct watchdog_times *times)
{
	const int64_t from =
	    times->term_at != 0 ? times->term_at : times->awake_at;

	if (times->term_at == 0 && idle_since == WATCHDOG_IDLE)
		return false;
	return times->now - later_time(idle_since, from) >
	    (times->term_at != 0 ? WATCHDOG_GRACE : WATCHDOG_FROZEN);
}
