/* SPDX-License-Identifier: ISC */
/* Report to the database what this host's spool holds. */
#ifndef FCGI_WORKER_SPOOL_REPORT_H
#define FCGI_WORKER_SPOOL_REPORT_H

struct arena;
struct fail;
struct worker;

/*
 * Store how many records this host's spool holds and how many quarantined
 * files: an erasure is complete only if no spool can hold data of the user.
 * The spool_id in shm must be set; a is scratch memory.  Return 0, or -1 with f
 * set.
 */
int spool_report_send(struct worker *w, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

#endif
