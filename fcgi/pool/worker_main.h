/* SPDX-License-Identifier: ISC */
/* The main loop of a worker. */
#ifndef FCGI_POOL_WORKER_MAIN_H
#define FCGI_POOL_WORKER_MAIN_H

struct worker;

/*
 * Serve connections of the listening socket until TERM, which takes effect
 * between two requests.  The caller sets group, shared, shm and slot of w.
 * Return an exit status of sysexits(3).
 */
int worker_main_run(struct worker *w, int listener);

#endif
