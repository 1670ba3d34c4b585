/* SPDX-License-Identifier: ISC */
/*
 * A cheap scrypt for tests, loaded into a program with LD_PRELOAD: half a
 * second of processor time for each password would be a third of the time of
 * all scenarios. Programs that share a database need it all, or none.
 * t/unit/crypt.c and t/http/1003-login.sh use the real one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

int
libscrypt_scrypt(const uint8_t *password, size_t password_size,
    const uint8_t *salt, size_t salt_size, uint64_t n, uint32_t r, uint32_t p,
    uint8_t *hash, size_t hash_size)
{
	int (*const real)(const uint8_t *, size_t, const uint8_t *, size_t,
	    uint64_t, uint32_t, uint32_t, uint8_t *, size_t) =
	    (int (*)(const uint8_t *, size_t, const uint8_t *, size_t, uint64_t,
		uint32_t, uint32_t, uint8_t *, size_t))dlsym(RTLD_NEXT,
		"libscrypt_scrypt");

	(void)n;
	return real(
	    password, password_size, salt, salt_size, 2, r, p, hash, hash_size);
}
