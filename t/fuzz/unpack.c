/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: a download with a GeoIP database.  A refusal says why; the same
 * bytes give the same database again; and that database in an archive of its
 * own unpacks to itself.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "cron/geoip_unpack.h"
#include "t/fuzz/fuzz.h"

#define INPUT_MAX ((size_t)64 << 10) /* gzip makes up to 64 MiB of it */
#define WRAP_MAX ((size_t)1 << 20)
#define NAME "places.mmdb"
#define BLOCK ((size_t)512) /* of tar */

/* What became of a download. */
struct unpacked {
	int rc;
	struct fail fail;
	void *bytes;
	size_t size;
};

static struct unpacked unpack(const void *bytes, size_t size);
static void *read_whole(int fd, size_t *ret_size);
static void check_same(const struct unpacked *a, const struct unpacked *b);
static void *wrap(const struct unpacked *u, size_t *ret_size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct unpacked first, again;
	size_t wrapped_size;
	void *wrapped;

	if (size > INPUT_MAX)
		return 0;
	first = unpack(data, size);
	again = unpack(data, size);
	check_same(&first, &again);
	free(again.bytes);
	if (first.rc == 0 && first.size <= WRAP_MAX) {
		wrapped = wrap(&first, &wrapped_size);
		again = unpack(wrapped, wrapped_size);
		check_same(&first, &again);
		free(again.bytes);
		free(wrapped);
	}
	free(first.bytes);
	return 0;
}

static struct unpacked
unpack(const void *bytes, size_t size)
{
	struct unpacked u = { 0 };
	const int fd = memfd_create("unpack", MFD_CLOEXEC);

	assert(fd != -1);
	u.rc = geoip_unpack(bytes, size, NAME, fd, &u.fail);
	if (u.rc == 0) {
		u.bytes = read_whole(fd, &u.size);
	} else {
		assert(u.rc == -1 && u.fail.kind == FAIL_INPUT);
		assert(u.fail.why[0] != '\0');
	}
	close(fd);
	return u;
}

static void *
read_whole(int fd, size_t *ret_size)
{
	struct stat st;
	void *bytes;

	assert(fstat(fd, &st) == 0 && st.st_size <= GEOIP_UNPACKED_MAX);
	*ret_size = (size_t)st.st_size;
	assert((bytes = malloc(*ret_size + 1)) != NULL);
	assert(pread(fd, bytes, *ret_size, 0) == (ssize_t)*ret_size);
	return bytes;
}

static void
check_same(const struct unpacked *a, const struct unpacked *b)
{
	assert(a->rc == b->rc && a->size == b->size);
	assert(a->size == 0 || memcmp(a->bytes, b->bytes, a->size) == 0);
	assert(strcmp(a->fail.why, b->fail.why) == 0);
}

/* A tar archive (POSIX.1-1988) with the database as its only member. */
static void *
wrap(const struct unpacked *u, size_t *ret_size)
{
	const size_t body = (u->size + BLOCK - 1) / BLOCK * BLOCK;
	char *tar = calloc(1, BLOCK + body + 2 * BLOCK);
	unsigned sum = 0;
	size_t i;

	assert(tar != NULL);
	memcpy(tar, NAME, sizeof(NAME));
	memcpy(tar + 100, "0000644", 8);
	snprintf(tar + 124, 12, "%011zo", u->size);
	memcpy(tar + 136, "00000000000", 12);
	memset(tar + 148, ' ', 8);
	tar[156] = '0';
	memcpy(tar + 257, "ustar\00000", 8);
	for (i = 0; i < BLOCK; i++)
		sum += (unsigned char)tar[i];
	snprintf(tar + 148, 8, "%06o", sum);
	memcpy(tar + BLOCK, u->bytes, u->size);
	*ret_size = BLOCK + body + 2 * BLOCK;
	return tar;
}
