/* SPDX-License-Identifier: ISC */
/* Acts on the database: each is in the audit trail, in its transaction. */
#ifndef CTL_CMD_AUDIT_ENTRY_H
#define CTL_CMD_AUDIT_ENTRY_H

#include <stddef.h>

struct arena;
struct db;
struct fail;

/* One member of an entry's params. */
struct audit_entry_param {
	const char *name;
	const char *text;
};

/* Begin the transaction of an act.  Returns 0, or -1 with f set. */
int audit_entry_begin(struct db *db, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Add the entry of the act, and commit both.  The actor is "assayctl:" and the
 * name of the system's user, the action "assayctl " and the command.  Returns
 * 0, or -1 with f set: then the caller says so, and what was done goes with
 * the session.
 */
int audit_entry_commit(struct db *db, struct arena *a, const char *command,
    const struct audit_entry_param *params, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

#endif
