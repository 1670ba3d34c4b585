/* SPDX-License-Identifier: ISC */
/* What workers do besides requests: policies, the spool, storage. */
#ifndef FCGI_POOL_IDLE_TASK_H
#define FCGI_POOL_IDLE_TASK_H

struct worker;

/*
 * Load the policies before the first request, if the database is there: were
 * it to go away before that, this worker would have no answer.
 */
void idle_task_start(struct worker *w);

/*
 * Do what is due, little at a time and once for all workers of the host.
 * Returns after how many milliseconds to ask again, or -1 when only a request
 * can bring something to do.
 */
int idle_task_run(struct worker *w);

#endif
