/* SPDX-License-Identifier: ISC */
/* The audit trail: each change that an operator makes, and each refused one. */
#ifndef FCGI_GATE_AUDIT_H
#define FCGI_GATE_AUDIT_H

#include "core/base/fail.h"

struct req;
struct resp;

/*
 * Run the handler of an audited route in a transaction that also adds the audit
 * entry, so that both are committed or neither.  A handler whose work is too
 * long for one transaction calls audit_checkpoint() between its parts; a
 * handler that must act after the commit sets req->change->committed.  Return
 * what the handler returned, or -1 with req->fail set if its work cannot be
 * committed.
 */
int audit_handle(struct req *req, struct resp *resp)
    __attribute__((warn_unused_result));

/*
 * Add an entry for a request, with its path, its body or req->change->audited,
 * and this status.  Return 0, or -1 with f set.
 */
int audit_add_entry(struct req *req, int status, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Commit what the handler has done so far and begin a new transaction.  The
 * first call adds the audit entry of a success; if the rest fails,
 * audit_refused() adds another entry.  Return 0, or -1 with req->fail set.
 */
int audit_checkpoint(struct req *req) __attribute__((warn_unused_result));

/*
 * The two halves of audit_checkpoint(), without the entry: commit, and begin a
 * new transaction.  They are for work of minutes outside the transaction, so
 * that none stays open and idle meanwhile.  A handler that fails between them
 * after a change sets req->change->part_committed.  Return 0, or -1 with
 * req->fail set.  A rehearsal ends here: -1 with REHEARSAL_DONE.
 */
int audit_suspend(struct req *req) __attribute__((warn_unused_result));
int audit_resume(struct req *req) __attribute__((warn_unused_result));

/*
 * Add an entry for a request on an audited route that req->fail refused.  Add
 * none for a caller that is not authenticated, and none for UNAVAILABLE unless
 * part of the work is committed.  Log a failure to add the entry.
 */
void audit_refused(struct req *req);

/*
 * Add an entry for a login with the right password.  The login must fail if
 * this fails.  refusal is CODE__NONE if it succeeds, or CODE_REQUIRED: then
 * also log it, because someone who guessed the password gets that far.  Return
 * 0, or -1 with req->fail set.
 */
int audit_login(struct req *req, const char *email, enum code refusal)
    __attribute__((warn_unused_result));

/*
 * Record a failed login: log the account and the client as keyed hashes, which
 * are equal on all hosts with the same AUTH_SECRET, and add an audit entry for
 * the 1st, 10th, 100th and so on of an account in an hour.  Log a failure to
 * add it.
 */
void audit_login_failed(struct req *req, const char *email);

#endif
