/* SPDX-License-Identifier: ISC */
/* Retention: what is older than its window goes, in small transactions. */
#ifndef LIB_RETENTION_RETENTION_H
#define LIB_RETENTION_RETENTION_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct db;
struct fail;

/* The collections that retention sweeps. */
enum retention {
#define RETAINED(id, name) RETENTION_##id,
#define COLLECTION(name)
#include "lib/shared/collections.tbl"
#undef COLLECTION
#undef RETAINED
	RETENTION__MAX
};

#define RETENTION_TIMEOUT_MS 300000 /* of one statement, for the connection */
#define RETENTION_BATCHES 64 /* that are known at a time */

/* A sweep at work.  Its connection is db_set_cancel_check()'s, so that it ends
 * soon. */
struct retention_sweep {
	struct db *db;
	int phase; /* of those in retention.c */
	int waits; /* that the step in hand gave way to others */
	int64_t rest; /* us that the last piece took, before the next */
	int64_t cut[RETENTION__MAX]; /* clock_now() less the windows */
	int64_t width; /* minutes of the past that the next look takes in */

	/* Batches of one collection; when they are done, all until then is. */
	int64_t part[RETENTION_BATCHES];
	int64_t run[RETENTION_BATCHES];
	int batch; /* the next of them */
	int batches;
	int64_t until; /* 0 while there may be more before */

	bool no_vacuum; /* RETENTION_VACUUM, and autovacuum is off */
};

/*
 * Begin a sweep by the windows in effect, over a connection of the role that
 * may sweep, if the last one over all hosts began so many minutes
 * ago or was cut short; 0 is at once.  *ret_begun says whether it has: not
 * while another one goes on.  Returns 0, or -1 with f set.
 */
int retention_begin(struct retention_sweep *sw, struct db *db, struct arena *a,
    int64_t minutes, bool *ret_begun, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Do the next piece of a sweep that was begun: whole months are detached and
 * dropped, the edge goes in batches.  Rests first for as long as the last
 * piece took, because decisions go on meanwhile.  Each piece is durable when
 * this returns, so that a sweep may end after any and the next goes on from
 * there; it has ended when the connection is closed.  A piece that
 * db_set_cancel_check() cuts short has done nothing.
 *
 * gone is what this piece removed.  *ret_more is false when the sweep is
 * through.  Returns 0, or -1 with f set: then it has ended, too.
 */
int retention_next(struct retention_sweep *sw, struct arena *a,
    int64_t gone[RETENTION__MAX], bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Make the partitions of the months to come; *ret_made counts them.  Somebody
 * in the way is no failure: the next call does it.
 */
int retention_ahead(struct db *db, struct arena *a, int64_t *ret_made,
    struct fail *f) __attribute__((warn_unused_result));

/* "verdicts", "activity", "replay", "idempotency", "deadLetter". */
const char *retention_name(enum retention which);

#endif
