/* SPDX-License-Identifier: ISC */
/*
 * The word between a worker and the watchdog: until when the worker may be
 * busy, and whether it has been given up.  It is one atomic, so that the limit
 * of one request never meets the start of another, and who finishes at the
 * limit moment is not killed over the next request.
 */
#ifndef FCGI_WORKER_WATCHDOG_H
#define FCGI_WORKER_WATCHDOG_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/clock.h"

#define WATCHDOG_IDLE INT64_C(0)
#define WATCHDOG_CONDEMNED INT64_C(-1)
#define WATCHDOG_GRACE (5 * CLOCK_SECOND) /* how late a worker may be */

/*
 * The worker's side: say until when (clock_ticks()) it may be busy, or that
 * it is idle.  False: it is condemned, and must begin nothing more.
 */
bool watchdog_set(_Atomic int64_t *word, int64_t due);

/*
 * The master's side: condemn a worker that is busy for WATCHDOG_GRACE beyond
 * its due time, or beyond the time limit; or one that was term_at to leave and
 * is idle, but has not left for WATCHDOG_GRACE.  term_at and limit are 0 if
 * there is no such time.  True, once: the worker has to be killed.
 */
bool watchdog_condemn(
    _Atomic int64_t *word, int64_t now, int64_t term_at, int64_t limit);

#endif
