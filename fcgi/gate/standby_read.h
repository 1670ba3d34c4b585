/* SPDX-License-Identifier: ISC */
/* Reads of operators from a standby: the primary decides. */
#ifndef FCGI_GATE_STANDBY_READ_H
#define FCGI_GATE_STANDBY_READ_H

struct req;
struct resp;

/*
 * Run the handler of a request.  If the route is in standby_reads.tbl, it reads
 * the standby, when that shows all that was committed before this call, for
 * which it waits a moment: no answer is older than one of the primary could be.
 * If the standby fails meanwhile, the handler runs again, with the primary.
 * Return what the handler returns.
 */
int standby_read_run(struct req *req, struct resp *resp);

#endif
