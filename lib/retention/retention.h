/* SPDX-License-Identifier: ISC */
/* Retention: remove rows past their window, in small transactions. */
#ifndef LIB_RETENTION_RETENTION_H
#define LIB_RETENTION_RETENTION_H

#include <stdbool.h>
#include <stdint.h>

struct arena;
struct db;
struct fail;
struct runtime_settings;

/* The collections that retention sweeps. */
enum retention {
#define RETAINED(id, name) RETENTION_##id,
#define COLLECTION(name)
#include "lib/shared/collections.tbl"
#undef COLLECTION
#undef RETAINED
	RETENTION__MAX
};

#define RETENTION_TIMEOUT_MS 300000 /* for the statements of the connection */
#define RETENTION_BATCHES 64 /* batches found at a time */

/* A sweep.  Call db_set_cancel_check() on db, so that it can end soon. */
struct retention_sweep {
	struct db *db;
	int phase; /* index in phases of retention.c */
	int waits; /* how often locks have blocked the current piece */
	int64_t rest; /* microseconds to sleep before the next piece */
	int64_t cut[RETENTION__MAX]; /* cutoffs, microseconds UTC */
	int64_t width; /* minutes of rows that the next search covers */

	/*
	 * The batches of one collection: the number of a table or month, and of
	 * a range of its pages.  After the last of them, all rows older than
	 * until are removed.
	 */
	int64_t part[RETENTION_BATCHES];
	int64_t page_range[RETENTION_BATCHES];
	int batch; /* index of the next batch */
	int batches;
	int64_t until; /* 0: there may be older batches */

	bool no_vacuum; /* RETENTION_VACUUM is set, but autovacuum is off */
};

/*
 * Begin a sweep with the windows in effect, if the latest one of all hosts
 * began that many minutes ago (0: at once) or did not finish, and none is
 * running.  *ret_begun is the result.  db is a connection of the role for
 * retention.  Return 0, or -1 with f set, also if the clocks of the database
 * and of this host differ by more than a minute.
 */
int retention_begin(struct retention_sweep *sw, struct db *db, struct arena *a,
    int64_t minutes, bool *ret_begun, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Do the next piece of a sweep: whole months are detached and dropped, other
 * rows are removed in batches.  Sleep first, about as long as the last piece
 * took, to leave the database to decisions.  Each piece is committed when this
 * returns, so the sweep may stop after any; the next sweep goes on there.
 * Closing the connection ends a sweep.  A piece that db_set_cancel_check()
 * cancels has removed nothing.
 *
 * removed counts the rows that this piece removed.  *ret_more is false at the
 * end of the sweep.  Return 0, or -1 with f set; then the sweep has ended,
 * too.
 */
int retention_next(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Create the partitions of future months; *ret_made counts them.  If locks of
 * others prevent this, return 0; the next call tries again.
 */
int retention_ahead(struct db *db, struct arena *a, int64_t *ret_made,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * The windows in days with these settings; 0: for ever.  Keys are kept no
 * longer than their decisions.
 */
void retention_days(
    const struct runtime_settings *s, int64_t ret[RETENTION__MAX]);

/* The name of a collection in lib/shared/collections.tbl. */
const char *retention_name(enum retention which);

#endif
