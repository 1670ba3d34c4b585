/* SPDX-License-Identifier: ISC */
/*
 * Audit entries of commands that change the database directly.  Each entry is
 * written in the transaction of its change.
 */
#ifndef CTL_CMD_AUDIT_ENTRY_H
#define CTL_CMD_AUDIT_ENTRY_H

#include <stddef.h>

struct arena;
struct db;
struct fail;

/* One member of the params of an entry. */
struct audit_entry_param {
	const char *name;
	const char *text;
};

/* Begin the transaction.  Return 0, or -1 with f set. */
int audit_entry_begin(struct db *db, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Add the entry and commit the transaction.  The actor is "assayctl:" and the
 * name of the system user, the action "assayctl " and the command.  Return 0,
 * or -1 with f set: the change is rolled back when the caller closes the
 * session.
 */
int audit_entry_commit(struct db *db, struct arena *a, const char *command,
    const struct audit_entry_param *params, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

#endif
