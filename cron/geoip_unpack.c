/* SPDX-License-Identifier: ISC */
/* Unpacking a GeoIP database. */
#include "config.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "cron/geoip_unpack.h"

#define PIECE ((size_t)64 << 10)
#define SUFFIX ".mmdb"

static int unpack_members(
    struct archive *a, const char *name, int fd, struct fail *f);
static bool is_database(struct archive *a, struct archive_entry *e);
static const char *member_name(struct archive_entry *e);
static int unpack_member(
    struct archive *a, struct archive_entry *e, int fd, struct fail *f);
static int write_piece(int fd, const char *piece, size_t n, struct fail *f);
static int refuse_archive(struct fail *f, const char *why);

/* Of its many formats libarchive reads only those that are enabled here. */
int
geoip_unpack(
    const void *bytes, size_t size, const char *name, int fd, struct fail *f)
{
	struct archive *a = archive_read_new();
	int r;

	if (a == NULL)
		return fail_memory(f);
	if (archive_read_support_filter_gzip(a) != ARCHIVE_OK ||
	    archive_read_support_format_tar(a) != ARCHIVE_OK ||
	    archive_read_support_format_raw(a) != ARCHIVE_OK ||
	    archive_read_open_memory(a, bytes, size) != ARCHIVE_OK)
		r = refuse_archive(f, "the file is damaged or incomplete");
	else
		r = unpack_members(a, name, fd, f);
	archive_read_free(a);
	return r;
}

/* Take the member of that name, or the only one that is a database. */
static int
unpack_members(struct archive *a, const char *name, int fd, struct fail *f)
{
	struct archive_entry *e;
	bool named = false;
	int n = 0, r = ARCHIVE_OK;

	while (!named && (r = archive_read_next_header(a, &e)) == ARCHIVE_OK) {
		if (!is_database(a, e))
			continue;
		named = strcmp(member_name(e), name) == 0;
		if (n++ > 0 && !named)
			continue;
		if (unpack_member(a, e, fd, f) == -1)
			return -1;
	}
	if (r != ARCHIVE_OK && r != ARCHIVE_EOF)
		return refuse_archive(f, "the file is damaged or incomplete");
	if (n == 0)
		return refuse_archive(f, "the archive holds no database");
	if (n > 1 && !named)
		return refuse_archive(f,
		    "the archive holds several databases, none with the name "
		    "of the file that it is for");
	return 0;
}

/* A file that is no archive has one member. */
static bool
is_database(struct archive *a, struct archive_entry *e)
{
	const char *name = member_name(e);
	const size_t n = strlen(name), suffix = strlen(SUFFIX);

	if (archive_format(a) == ARCHIVE_FORMAT_RAW)
		return true;
	return archive_entry_filetype(e) == AE_IFREG &&
	    archive_entry_hardlink(e) == NULL && n > suffix &&
	    strcmp(name + n - suffix, SUFFIX) == 0;
}

/* The name without its directories. */
static const char *
member_name(struct archive_entry *e)
{
	const char *path = archive_entry_pathname(e);
	const char *slash = path == NULL ? NULL : strrchr(path, '/');

	return slash != NULL ? slash + 1 : path == NULL ? "" : path;
}

/* Replace what the file has by the member. */
static int
unpack_member(
    struct archive *a, struct archive_entry *e, int fd, struct fail *f)
{
	char piece[PIECE];
	int64_t total = 0;
	la_ssize_t n;

	if (archive_entry_size(e) > GEOIP_UNPACKED_MAX)
		return refuse_archive(f, "the database is too large");
	if (ftruncate(fd, 0) == -1 || lseek(fd, 0, SEEK_SET) == -1)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the database cannot be written: %s", strerror(errno));
	while ((n = archive_read_data(a, piece, sizeof(piece))) > 0) {
		if ((total += n) > GEOIP_UNPACKED_MAX)
			return refuse_archive(f, "the database is too large");
		if (write_piece(fd, piece, (size_t)n, f) == -1)
			return -1;
	}
	return n == 0 ? 0
		      : refuse_archive(f, "the file is damaged or incomplete");
}

static int
write_piece(int fd, const char *piece, size_t n, struct fail *f)
{
	ssize_t done;

	for (; n > 0; piece += done, n -= (size_t)done) {
		done = write(fd, piece, n);
		if (done == -1 && errno == EINTR)
			done = 0;
		if (done == -1)
			return fail_set(f, FAIL_US, INTERNAL, NULL,
			    "the database cannot be written: %s",
			    strerror(errno));
	}
	return 0;
}

static int
refuse_archive(struct fail *f, const char *why)
{
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s", why);
}
