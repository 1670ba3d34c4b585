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

/*
 * For the worker: set the deadline of its next work (clock_ticks()), or minus
 * the time since which it is idle.  Return false if it is condemned: then it
 * must begin nothing.
 */
bool watchdog_set(_Atomic int64_t *word, int64_t due);

/*
 * For the master: condemn a worker that is busy for WATCHDOG_GRACE beyond its
 * deadline, that is idle for WATCHDOG_GRACE after TERM at term_at and has not
 * exited, or that runs beyond limit.  0 means no TERM or no limit.  Return true
 * once if the worker has to be killed.
 */
bool watchdog_condemn(
    _Atomic int64_t *word, int64_t now, int64_t term_at, int64_t limit);

#endif
