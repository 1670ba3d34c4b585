/* SPDX-License-Identifier: ISC */
/*
 * The erasures that a log of the pool has: its lines with event=user_erased.  A
 * database that was restored from a backup repeats those that it lacks.
 */
#ifndef CTL_CMD_ERASURE_LIST_H
#define CTL_CMD_ERASURE_LIST_H

#include <stdint.h>
#include <stdio.h>

struct arena;
struct db;
struct fail;

struct erasure_list {
	FILE *file;
	int64_t n; /* erasures in it */
};

/*
 * Open the log at path, a regular file, and check its lines of erasures; other
 * lines do not matter.  Return 0.  Return -1 with f set if the file cannot be
 * read or has no such line, or if a line is cut or its time is in the future.
 */
int erasure_list_open(struct erasure_list *el, const char *path, struct fail *f)
    __attribute__((warn_unused_result));

void erasure_list_close(struct erasure_list *el);

/*
 * Add the erasures to the database, then erase the users of whom it has older
 * data, each in short transactions.  A run that was interrupted is repeated as
 * a whole.  Return the number of these users, or -1 with f set.
 */
int64_t erasure_list_repeat(
    struct erasure_list *el, struct db *db, struct arena *a, struct fail *f);

#endif
