/* SPDX-License-Identifier: ISC */
/* A database in MaxMind format, copied into memory. */
#include "config.h"

#include <sys/mman.h>
#include <sys/sendfile.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "lib/engine/mmdb_copy.h"

#define DEPTH_MAX 130 /* nodes that wait in a walk: a path and its siblings */
#define VISITS_MAX 20000 /* nodes and records that a walk looks at */

static bool is_same_file(const struct stat *a, const struct stat *b);
static bool is_changing(struct mmdb_copy *c, const struct stat *file);
static int read_copy(const struct mmdb_copy *c, const char *setting,
    MMDB_s *ret, struct fail *f);
static int copy_bytes(const struct mmdb_copy *c, int copy);
static int open_copy(int copy, MMDB_s *ret);
static unsigned families_of(const MMDB_s *db, mmdb_wanted_fn *wanted);
static bool has_wanted(
    const MMDB_s *db, uint32_t root, uint32_t except, mmdb_wanted_fn *wanted);

int
mmdb_copy_refresh(struct mmdb_copy *c, const char *setting, struct fail *f)
{
	struct stat file = { 0 };
	const int error = stat(c->path, &file) == -1 ? errno : 0;
	MMDB_s db;
	unsigned families;

	if (c->tried && is_same_file(&file, &c->file))
		return 0;
	if (c->tried && is_changing(c, &file))
		return 0;
	c->tried = true;
	c->file = file;
	if (error != 0)
		return fail_set(f, FAIL_US, INTERNAL, setting,
		    "cannot be read: %s", strerror(error));
	if (read_copy(c, setting, &db, f) == -1)
		return -1;
	if ((families = families_of(&db, c->wanted)) == 0) {
		fail_set(f, FAIL_US, INTERNAL, setting,
		    "has nothing of what it is for; its type is %.64s",
		    db.metadata.database_type);
		MMDB_close(&db);
		return -1;
	}
	mmdb_copy_close(c);
	c->db = db;
	c->families = families;
	return 1;
}

void
mmdb_copy_close(struct mmdb_copy *c)
{
	if (c->families != 0)
		MMDB_close(&c->db);
	c->families = 0;
}

static bool
is_same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
	    a->st_size == b->st_size &&
	    a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
	    a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/*
 * Whether the file that was tried last is being written: it is the same one,
 * but not as it was at the last call.
 */
static bool
is_changing(struct mmdb_copy *c, const struct stat *file)
{
	if (file->st_ino != c->file.st_ino || file->st_dev != c->file.st_dev ||
	    is_same_file(file, &c->changing))
		return false;
	c->changing = *file;
	return true;
}

/*
 * Copy the file into memory and open the copy.  The library opens paths only,
 * so the memory is a file without a name.
 */
static int
read_copy(
    const struct mmdb_copy *c, const char *setting, MMDB_s *ret, struct fail *f)
{
	const int copy = memfd_create("assay-mmdb", MFD_CLOEXEC);
	int error = MMDB_SUCCESS, r = -1;

	if (copy != -1 && copy_bytes(c, copy) == 0) {
		error = open_copy(copy, ret);
		r = error == MMDB_SUCCESS ? 0 : -1;
	}
	if (r == -1)
		fail_set(f, FAIL_US, INTERNAL, setting, "cannot be read: %s",
		    error == MMDB_SUCCESS ? strerror(errno)
					  : MMDB_strerror(error));
	if (copy != -1)
		close(copy);
	return r;
}

/* Copy a file that is still the one that was found; -1 with errno set. */
static int
copy_bytes(const struct mmdb_copy *c, int copy)
{
	const int from = open(c->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat file;
	ssize_t n = 1;

	if (from == -1)
		return -1;
	while (n > 0)
		n = sendfile(copy, from, NULL, 1 << 30);
	if (n == 0 && fstat(from, &file) == 0 &&
	    !is_same_file(&file, &c->file)) {
		errno = EBUSY;
		n = -1;
	}
	close(from);
	return (int)n;
}

static int
open_copy(int copy, MMDB_s *ret)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", copy);
	return MMDB_open(path, MMDB_MODE_MMAP, ret);
}

/*
 * The families that have wanted records.  In a database of both families, IPv4
 * is a branch of IPv6.
 */
static unsigned
families_of(const MMDB_s *db, mmdb_wanted_fn *wanted)
{
	const uint32_t ipv4 = db->ipv4_start_node.node_value;
	unsigned families = 0;

	if (ipv4 < db->metadata.node_count &&
	    has_wanted(db, ipv4, UINT32_MAX, wanted))
		families |= MMDB_IPV4;
	if (db->metadata.ip_version == 6 && has_wanted(db, 0, ipv4, wanted))
		families |= MMDB_IPV6;
	return families;
}

/*
 * Whether one of the first records below the node root, but not below except,
 * is wanted.
 */
static bool
has_wanted(
    const MMDB_s *db, uint32_t root, uint32_t except, mmdb_wanted_fn *wanted)
{
	uint32_t waiting[DEPTH_MAX] = { root };
	MMDB_search_node_s node;
	int visits, n = 1;

	for (visits = 0; n > 0 && visits < VISITS_MAX; visits++) {
		if (MMDB_read_node(db, waiting[--n], &node) != MMDB_SUCCESS)
			return false;
		if ((node.left_record_type == MMDB_RECORD_TYPE_DATA &&
			wanted(&node.left_record_entry)) ||
		    (node.right_record_type == MMDB_RECORD_TYPE_DATA &&
			wanted(&node.right_record_entry)))
			return true;
		if (n + 2 > DEPTH_MAX)
			return false;
		if (node.right_record_type == MMDB_RECORD_TYPE_SEARCH_NODE &&
		    node.right_record != except)
			waiting[n++] = (uint32_t)node.right_record;
		if (node.left_record_type == MMDB_RECORD_TYPE_SEARCH_NODE &&
		    node.left_record != except)
			waiting[n++] = (uint32_t)node.left_record;
	}
	return false;
}
