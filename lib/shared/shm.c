/* SPDX-License-Identifier: ISC */
/* The memory that master and workers share. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/base/fail.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"

struct shm *
shm_new(struct fail *f)
{
	struct shm *shm;

	shm = mmap(NULL, sizeof(*shm), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shm == MAP_FAILED) {
		fail_set(f, FAIL_US, INTERNAL, "shared region", "%s",
		    strerror(errno));
		return NULL;
	}
	atomic_store(&shm->measured_at, clock_ticks());
	return shm;
}

void
shm_free(struct shm *shm)
{
	if (shm != NULL)
		munmap(shm, sizeof(*shm));
}
