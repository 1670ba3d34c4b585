/* SPDX-License-Identifier: ISC */
/* What a worker shares with the watchdog of the master. */
#include "config.h"

#include "fcgi/worker/watchdog.h"

static bool is_late(int64_t due, int64_t now, int64_t term_at, int64_t limit);

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
watchdog_condemn(
    _Atomic int64_t *word, int64_t now, int64_t term_at, int64_t limit)
{
	int64_t due = atomic_load(word);

	/* The exchange fails if the worker has set a new deadline meanwhile. */
	return due != WATCHDOG_CONDEMNED && is_late(due, now, term_at, limit) &&
	    atomic_compare_exchange_strong(word, &due, WATCHDOG_CONDEMNED);
}

static bool
is_late(int64_t due, int64_t now, int64_t term_at, int64_t limit)
{
	const int64_t idle_since = -due;

	if (limit != 0 && now > limit)
		return true;
	if (due > 0)
		return now - due > WATCHDOG_GRACE;
	return term_at != 0 &&
	    now - (idle_since > term_at ? idle_since : term_at) >
	    WATCHDOG_GRACE;
}
