/* SPDX-License-Identifier: ISC */
/* From the spool into the database, each record once. */
#ifndef LIB_SPOOL_SPOOL_DRAIN_H
#define LIB_SPOOL_SPOOL_DRAIN_H

#include <stddef.h>

struct arena;
struct db;
struct fail;
struct spool;

#define SPOOL_DRAIN_AT_ONCE 200 /* records of one transaction */

/* What a turn did. */
struct spool_drain {
	size_t drained; /* records, by now in the log */
	size_t partial; /* lines that nobody was ever answered with */
	size_t quarantined; /* records that the database refuses */
};

/*
 * Bring the records of one piece of the spool into the database, in one
 * transaction that also notes how far the file is drained: whenever this is
 * killed, the next to drain goes on where the last commit left it.  A record
 * that the database refuses for what is in it is set aside.  Does nothing
 * when another process is draining.  Returns 0, or -1 with f set, to be tried
 * again later; *ret says what was done in either case.
 */
int spool_drain_step(struct spool *sp, struct db *db, struct arena *a,
    struct spool_drain *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
