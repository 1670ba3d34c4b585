/* SPDX-License-Identifier: ISC */
/*
 * What a worker shares with the watchdog of the master, in one atomic word: the
 * deadline of its work, since when it is idle as a negative time, or the mark
 * that it is condemned.  So the master never applies the deadline of one
 * request to the next, and does not kill a worker that finishes at the last
 * moment.
 */
#ifndef FCGI_WORKER_WATCHDOG_H
#define FCGI_WORKER_WATCHDOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/clock.h"

#define WATCHDOG_IDLE INT64_C(0) /* since its start */
#define WATCHDOG_CONDEMNED INT64_MIN
#define WATCHDOG_GRACE (5 * CLOCK_SECOND) /* after its deadline */
#define WATCHDOG_WAKE (5 * CLOCK_SECOND) /* an idle worker sets its word */
#define WATCHDOG_FROZEN (30 * CLOCK_SECOND) /* idle without that */

/* What the master knows beside the word, as times of clock_ticks(). */
struct watchdog_times {
	int64_t now;
	int64_t awake_at; /* since then the master has run without a pause */
	int64_t term_at; /* when the worker got TERM; 0: it has not */
	int64_t limit; /* until then it must have exited; 0: no limit */
};

/*
 * For the worker: set the deadline of its next work (clock_ticks()), or minus
 * the time since which it is idle.  Return false if it is condemned: then it
 * must begin nothing.
 */
bool watchdog_set(_Atomic int64_t *word, int64_t due);

/*
 * For the master: condemn a worker that is busy for WATCHDOG_GRACE beyond its
 * deadline, that is idle for WATCHDOG_GRACE after TERM and has not exited, that
 * is idle and has not set its word for WATCHDOG_FROZEN, or that runs beyond the
 * limit.  Return true once if the worker has to be killed.
 */
bool watchdog_condemn(
    _Atomic int64_t *word, const struct watchdog_times *times);

#endif
