/* SPDX-License-Identifier: ISC */
/*
 * Serve waiting requests: accept several, decide the single decisions among
 * them in one transaction, answer each.
 */
#ifndef FCGI_POOL_REQUEST_LOOP_H
#define FCGI_POOL_REQUEST_LOOP_H

#include <stddef.h>

struct fail;
struct request_loop;
struct worker;

/*
 * Make what a worker needs to serve a listening socket, up to max requests at a
 * time.  Return NULL with f set if memory is exhausted.
 */
struct request_loop *request_loop_new(
    struct worker *w, int listener, size_t max, struct fail *f);

/* Free; NULL is harmless. */
void request_loop_free(struct request_loop *s);

/*
 * Accept one connection and those that already wait behind it, up to the
 * maximum, and answer all of them.  It is not an error if another worker
 * accepted first.  Return 0, or -1 if accept() fails for a lasting reason
 * (errno); a new worker may succeed.
 */
int request_loop_waiting(struct request_loop *s);

#endif
