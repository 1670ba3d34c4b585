/* SPDX-License-Identifier: ISC */
/* The shared region of a test. */
#ifndef T_UNIT_SHM_FIXTURE_H
#define T_UNIT_SHM_FIXTURE_H

#include "lib/shared/shm.h"
#include "lib/sys/crypt.h"
#include "t/unit/unit.h"

static struct shm *shm;

static void
map_shm(void)
{
	shm = shm_new(NULL);
	ck_assert_ptr_nonnull(shm);
}

static void
unmap_shm(void)
{
	shm_free(shm);
}

/* Return the hash of a number. */
static inline const uint8_t *
hash(uint64_t n)
{
	static uint8_t ret[CRYPT_SHA256_SIZE];

	crypt_sha256(&n, sizeof(n), ret);
	return ret;
}

#endif
