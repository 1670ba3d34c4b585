/* SPDX-License-Identifier: ISC */
/* Retention: what is older than its window goes, in small transactions. */
#ifndef LIB_RETAIN_H
#define LIB_RETAIN_H

#include <stdint.h>

struct arena;
struct db;
struct fail;

/* The collections, in the order of the metric's label. */
enum retain {
	RETAIN_VERDICTS = 0,
	RETAIN_ACTIVITY,
	RETAIN_REPLAY,
	RETAIN_IDEMPOTENCY,
	RETAIN_DEAD_LETTER,
	RETAIN__MAX
};

#define RETAIN_TIMEOUT_MS 300000 /* of one statement, for the connection */

/*
 * Remove what the windows in effect do not hold any more, over a connection
 * of the role that owns the partitions: whole months are detached and
 * dropped, the edge goes in batches.  What belongs to a decision never
 * outlives its verdict: the window of verdicts bounds the others.  Until says
 * when to stop, a moment of clock_ticks(); 0 is never.
 *
 * Each step is a transaction of its own: what a killed run has done is done,
 * the next goes on from there.  One run at a time goes on over all hosts.
 * ret counts what is gone, also when the run failed later.  Returns 0, or -1
 * with f set: UNAVAILABLE while another run goes on, or without a database.
 */
int retain_run(struct db *db, struct arena *a, int64_t until,
    int64_t ret[RETAIN__MAX], struct fail *f)
    __attribute__((warn_unused_result));

/* "verdicts", "activity", "replay", "idempotency", "deadLetter". */
const char *retain_name(enum retain which);

#endif
