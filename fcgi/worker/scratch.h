/* SPDX-License-Identifier: ISC */
/* Memory for work that a worker does between requests. */
#ifndef FCGI_WORKER_SCRATCH_H
#define FCGI_WORKER_SCRATCH_H

struct arena;

/*
 * Map an arena of 32 MiB of address space.  Returns 0, or -1 after logging
 * that there is no memory.
 */
int scratch_open(struct arena *a) __attribute__((warn_unused_result));

/* Run what was deferred on the arena, and unmap it. */
void scratch_close(struct arena *a);

#endif
