/* SPDX-License-Identifier: ISC */
/*
 * Serve the requests that wait: take them along, decide the single decisions
 * among them as one set in one transaction, answer each.
 */
#ifndef FCGI_POOL_REQUEST_LOOP_H
#define FCGI_POOL_REQUEST_LOOP_H

#include <stddef.h>

struct fail;
struct request_loop;
struct worker;

/*
 * What a worker needs to serve the listening socket, max requests at a time.
 * NULL with f set when there is no memory.
 */
struct request_loop *request_loop_new(
    struct worker *w, int listener, size_t max, struct fail *f);

/* Free; NULL is harmless. */
void request_loop_free(struct request_loop *s);

/*
 * Accept one connection, and with it those that already wait behind it, up to
 * the maximum; answer them all.  That another worker was quicker is no error.
 * Returns 0, or -1 when accepting fails for a reason that stays (errno), so
 * that a fresh worker may do better.
 */
int request_loop_waiting(struct request_loop *s);

#endif
