/* SPDX-License-Identifier: ISC */
/* Move records from the spool into the database, each once. */
#ifndef LIB_SPOOL_SPOOL_DRAIN_H
#define LIB_SPOOL_SPOOL_DRAIN_H

#include <stddef.h>

struct arena;
struct db;
struct fail;
struct spool;

#define SPOOL_DRAIN_AT_ONCE 200 /* records of one transaction */

/* The counts of one step. */
struct spool_drain {
	size_t drained; /* records moved to the database */
	size_t partial; /* partial lines; no caller got their answers */
	size_t quarantined; /* records that the database refused */
};

/*
 * Move one piece of the spool into the database.  The same transaction stores
 * how far the file is drained, so that after a crash the next process goes on
 * there.  A record that the database refuses because of its content is
 * quarantined.  Do nothing if another process is draining.  Returns 0, or -1
 * with f set; then retry later.  *ret has the counts in both cases.
 */
int spool_drain_step(struct spool *sp, struct db *db, struct arena *a,
    struct spool_drain *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
