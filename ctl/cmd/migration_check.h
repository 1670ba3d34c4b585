/* SPDX-License-Identifier: ISC */
/* What the pending migrations would hold up. */
#ifndef CTL_CMD_MIGRATION_CHECK_H
#define CTL_CMD_MIGRATION_CHECK_H

struct arena;
struct db;
struct fail;
struct migration_set;

/*
 * Print each pending migration with what it locks and for how long, by the
 * lines "-- locks:" of its file and the sizes of this database's tables.
 * Return EX_OK, EX_DATAERR if one is not safe while decisions are made, or -1
 * with f set.
 */
int migration_check(const struct migration_set *set, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

#endif
