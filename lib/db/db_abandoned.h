/* SPDX-License-Identifier: ISC */
/*
 * Abandoned sessions: their server did not answer in time, but may still run
 * their statement, for instance a commit that waits for a standby.
 */
#ifndef LIB_DB_DB_ABANDONED_H
#define LIB_DB_DB_ABANDONED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define DB_ABANDONED_MAX 256

/*
 * The numbers of sessions as STMT_SESSION gives them; 0 is a free slot.  Begins
 * zeroed; a process that shares it may be killed at any moment.
 */
struct db_abandoned {
	_Atomic int64_t names[DB_ABANDONED_MAX];
};

/* Add a session; without a free slot it is not counted. */
void db_abandoned_add(struct db_abandoned *l, int64_t name);

/* Return how many there are; write their numbers to ret if not NULL. */
size_t db_abandoned_list(
    const struct db_abandoned *l, int64_t ret[DB_ABANDONED_MAX]);

/* Remove a session that has ended. */
void db_abandoned_drop(struct db_abandoned *l, int64_t name);

#endif
