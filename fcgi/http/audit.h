/* SPDX-License-Identifier: ISC */
/* The audit trail: every change that an operator makes or is refused. */
#ifndef FCGI_HTTP_AUDIT_H
#define FCGI_HTTP_AUDIT_H

struct req;
struct resp;

/*
 * Run the handler of an audited route in a transaction that also holds the
 * audit entry: both are there or neither.  A handler whose work is too long
 * for one transaction calls audit_checkpoint() between its parts; one that must
 * know when its work is there sets req->committed.  Returns what the handler
 * returned, or -1 with req->fail set when its work cannot be kept.
 */
int audit_handle(struct req *req, struct resp *resp)
    __attribute__((warn_unused_result));

/*
 * Commit what the handler has done so far, the first time with the entry of a
 * success, and go on in a new transaction.  If the rest fails, that has an
 * entry of its own.  Returns 0, or -1 with req->fail set.
 */
int audit_checkpoint(struct req *req) __attribute__((warn_unused_result));

/*
 * The two halves of that, for work that is done elsewhere and takes minutes:
 * commit, and only when it is done begin anew, so that no transaction stands
 * open and idle.  Whoever fails in between and has changed something sets
 * req->part_committed.
 */
int audit_suspend(struct req *req) __attribute__((warn_unused_result));
int audit_resume(struct req *req) __attribute__((warn_unused_result));

/*
 * Note that req->fail refused a request on an audited route.  Of callers who
 * have not proved who they are nothing is noted, nor of UNAVAILABLE unless
 * part of the work is kept.  That there is no database to note it in is not
 * another failure.
 */
void audit_refused(struct req *req);

/*
 * Note that a login with this email succeeded; without that entry it does not.
 * Returns 0, or -1 with req->fail set.
 */
int audit_login(struct req *req, const char *email)
    __attribute__((warn_unused_result));

/*
 * Note that a login with this email failed: a line in the log that names the
 * account and the client by keyed hashes, equal on all hosts for as long as
 * AUTH_SECRET is, and now and then an entry of the trail
 * (sql/functions/audit.sql).  That it cannot be noted is not another failure.
 */
void audit_login_failed(struct req *req, const char *email);

#endif
