/* SPDX-License-Identifier: ISC */
/* Memory for the work of a worker between requests. */
#ifndef FCGI_WORKER_SCRATCH_H
#define FCGI_WORKER_SCRATCH_H

struct arena;

/*
 * Map an arena of 32 MiB of address space.  Return 0, or -1 after logging that
 * memory is exhausted.
 */
int scratch_open(struct arena *a) __attribute__((warn_unused_result));

/* Run the deferred functions of the arena, and unmap it. */
void scratch_close(struct arena *a);

#endif
