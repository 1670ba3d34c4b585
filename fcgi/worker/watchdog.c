/* SPDX-License-Identifier: ISC */
/* What a worker shares with the watchdog of the master. */
#include "config.h"

#include "fcgi/worker/watchdog.h"

static bool is_late(int64_t due, const struct watchdog_times *times);
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

static bool
is_late(int64_t due, const struct watchdog_times *times)
{
	if (times->limit != 0 && times->now > times->limit)
		return true;
	return due > 0 ? times->now - due > WATCHDOG_GRACE
		       : idle_too_long(-due, times);
}

/*
 * After TERM the grace begins with TERM or the end of the last work.  Without
 * it only a frozen worker is late, and not because the master was frozen, too.
 */
static bool
idle_too_long(int64_t idle_since, const struct watchdog_times *times)
{
	const int64_t from =
	    times->term_at != 0 ? times->term_at : times->awake_at;

	if (times->term_at == 0 && idle_since == WATCHDOG_IDLE)
		return false;
	return times->now - (idle_since > from ? idle_since : from) >
	    (times->term_at != 0 ? WATCHDOG_GRACE : WATCHDOG_FROZEN);
}
