/* SPDX-License-Identifier: ISC */
/*
 * The work of a worker between requests: load policies, check readiness, drain
 * the spool, report the spool, measure what is stored, share the settings,
 * notice new GeoIP databases.
 */
#ifndef FCGI_POOL_IDLE_TASK_H
#define FCGI_POOL_IDLE_TASK_H

struct worker;

/*
 * Load the policies before the first request if the database is available.
 * Otherwise this worker would have no onError verdict if the database failed
 * before its first decision.
 */
void idle_task_start(struct worker *w);

/*
 * Run the tasks that are due, in small steps; one worker of the host runs each,
 * but every worker looks for new GeoIP databases.
 * Return after how many milliseconds to call again, or -1 if no task is left
 * until a request creates one.
 */
int idle_task_run(struct worker *w);

#endif
