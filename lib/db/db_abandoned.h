/* SPDX-License-Identifier: ISC */
/*
 * Sessions that were given up because their server did not answer, while it may
 * still run what they were doing: a commit that waits for a standby, say.
 */
#ifndef LIB_DB_DB_ABANDONED_H
#define LIB_DB_DB_ABANDONED_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define DB_ABANDONED_MAX 256

/*
 * Names of sessions, as STMT_SESSION makes them; 0 is a free place.  Begins
 * zeroed.  Processes that share it may be killed at any instruction.
 */
struct db_abandoned {
	_Atomic int64_t dl_name[DB_ABANDONED_MAX];
};

/* Note a session; where there is no place left it is not counted. */
void db_abandoned_add(struct db_abandoned *l, int64_t name);

/* How many there are; ret, unless it is NULL, gets their names. */
size_t db_abandoned_list(
    const struct db_abandoned *l, int64_t ret[DB_ABANDONED_MAX]);

/* The session of that name has ended. */
void db_abandoned_drop(struct db_abandoned *l, int64_t name);

#endif
