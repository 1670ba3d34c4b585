/* SPDX-License-Identifier: ISC */
/* Memory for the work of a worker between requests. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/arena.h"
#include "fcgi/worker/scratch.h"
#include "lib/sys/log.h"

#define SCRATCH_SIZE ((size_t)32 << 20)

int
scratch_open(struct arena *a)
{
	void *block = mmap(NULL, SCRATCH_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (block == MAP_FAILED) {
		log_error("event=worker_out_of_memory why=%s", strerror(errno));
		return -1;
	}
	arena_init(a, block, SCRATCH_SIZE);
	return 0;
}

void
scratch_close(struct arena *a)
{
	arena_reset(a);
	munmap(a->base, SCRATCH_SIZE);
}
