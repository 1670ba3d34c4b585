/* SPDX-License-Identifier: ISC */
/* The file of a GeoIP database, and what is known of its source. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "cron/geoip_file.h"
#include "cron/geoip_unpack.h"
#include "lib/engine/geoip.h"
#include "lib/sys/crypt.h"

#define SOURCE_MAX 1024 /* bytes of PATH.source */
#define HEX_SIZE (2 * CRYPT_SHA256_SIZE + 1)

static const char *read_source_tag(
    struct arena *a, const struct geoip_file *file);
static int write_source_tag(struct arena *a, const struct geoip_file *file,
    const char *tag, struct fail *f);
static int write_draft(const struct geoip_file *file, const void *bytes,
    size_t size, struct fail *f);
static int probe_draft(const struct geoip_file *file, struct fail *f);
static int move_draft(
    struct arena *a, const struct geoip_file *file, struct fail *f);
static int hash_file(const char *path, char ret[HEX_SIZE]);
static const char *with_suffix(
    struct arena *a, const char *path, const char *suffix);
static const char *directory_of(struct arena *a, const char *path);
static int fail_file(struct fail *f, const char *what);

int
geoip_file_open(struct arena *a, enum geoip_subject subject, const char *path,
    const char *from, struct geoip_file *ret, struct fail *f)
{
	ret->subject = subject;
	ret->path = path;
	ret->from = from;
	ret->tag = NULL;
	ret->source = -1;
	ret->source_path = with_suffix(a, path, ".source");
	ret->draft_path = with_suffix(a, path, ".new");
	if (a->overflow)
		return fail_memory(f);
	ret->source = open(ret->source_path,
	    O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	if (ret->source == -1)
		return fail_file(f, "the file .source cannot be opened");
	if (flock(ret->source, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK
		    ? fail_set(f, FAIL_DENIED, INVALID_REQUEST, NULL,
			  "another companion is fetching the database")
		    : fail_file(f, "the file .source cannot be locked");
	ret->tag = read_source_tag(a, ret);
	return 0;
}

int
geoip_file_replace(struct arena *a, struct geoip_file *file, const void *bytes,
    size_t size, const char *tag, struct fail *f)
{
	if (write_draft(file, bytes, size, f) == -1 ||
	    probe_draft(file, f) == -1 || move_draft(a, file, f) == -1) {
		unlink(file->draft_path);
		return -1;
	}
	return write_source_tag(a, file, tag, f);
}

void
geoip_file_close(struct geoip_file *file)
{
	if (file->source != -1)
		close(file->source);
	file->source = -1;
}

/* The line is "FROM HASH-OF-THE-DATABASE TAG". */
static const char *
read_source_tag(struct arena *a, const struct geoip_file *file)
{
	char *line = arena_alloc(a, SOURCE_MAX);
	char hex[HEX_SIZE], *hash, *tag, *end;
	ssize_t n;

	if (line == NULL ||
	    (n = pread(file->source, line, SOURCE_MAX - 1, 0)) <= 0 ||
	    hash_file(file->path, hex) == -1)
		return NULL;
	line[n] = '\0';
	if ((hash = strchr(line, ' ')) == NULL ||
	    (tag = strchr(hash + 1, ' ')) == NULL ||
	    (end = strchr(tag, '\n')) == NULL)
		return NULL;
	*hash++ = *tag++ = *end = '\0';
	return strcmp(line, file->from) == 0 && strcmp(hash, hex) == 0 ? tag
								       : NULL;
}

/*
 * Without the line the next run fetches the database again; part of it names no
 * tag.
 */
static int
write_source_tag(struct arena *a, const struct geoip_file *file,
    const char *tag, struct fail *f)
{
	char hex[HEX_SIZE];
	const char *line;
	struct str s;

	str_init(&s, a);
	if (tag != NULL && hash_file(file->path, hex) == 0)
		str_addf(&s, "%s %s %s\n", file->from, hex, tag);
	if ((line = str_text(&s)) == NULL)
		return fail_memory(f);
	if (ftruncate(file->source, 0) == -1 ||
	    pwrite(file->source, line, strlen(line), 0) == -1)
		return fail_file(f, "the file .source cannot be written");
	return 0;
}

static int
write_draft(const struct geoip_file *file, const void *bytes, size_t size,
    struct fail *f)
{
	const char *name = strrchr(file->path, '/') + 1;
	int fd, r;

	fd = open(file->draft_path,
	    O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd == -1)
		return fail_file(f, "the file .new cannot be opened");
	if ((r = geoip_unpack(bytes, size, name, fd, f)) == 0 &&
	    fsync(fd) == -1)
		r = fail_file(f, "the database cannot be written");
	close(fd);
	return r;
}

static int
probe_draft(const struct geoip_file *file, struct fail *f)
{
	const char *paths[GEOIP__MAX] = { NULL };
	struct geoip *geoip;

	paths[file->subject] = file->draft_path;
	if ((geoip = geoip_open(paths, NULL)) == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the file is not a database of %s",
		    file->subject == GEOIP_ASN ? "autonomous systems"
					       : "countries or cities");
	geoip_close(geoip);
	return 0;
}

static int
move_draft(struct arena *a, const struct geoip_file *file, struct fail *f)
{
	const char *directory = directory_of(a, file->path);
	int fd, r = 0;

	if (directory == NULL)
		return fail_memory(f);
	if ((fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1)
		return fail_file(f, "the directory cannot be opened");
	if (rename(file->draft_path, file->path) == -1 || fsync(fd) == -1)
		r = fail_file(f, "the database cannot be renamed");
	close(fd);
	return r;
}

static int
hash_file(const char *path, char ret[HEX_SIZE])
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	uint8_t hash[CRYPT_SHA256_SIZE];
	void *bytes = MAP_FAILED;
	struct stat st;

	if (fd == -1)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		bytes = mmap(
		    NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return -1;
	crypt_sha256(bytes, (size_t)st.st_size, hash);
	munmap(bytes, (size_t)st.st_size);
	crypt_hex(hash, sizeof(hash), ret);
	return 0;
}

static const char *
with_suffix(struct arena *a, const char *path, const char *suffix)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "%s%s", path, suffix);
	return str_text(&s);
}

/* The path is absolute. */
static const char *
directory_of(struct arena *a, const char *path)
{
	struct str s;

	str_init(&s, a);
	str_addn(&s, path, (size_t)(strrchr(path, '/') - path + 1));
	return str_text(&s);
}

static int
fail_file(struct fail *f, const char *what)
{
	return fail_set(
	    f, FAIL_US, INTERNAL, NULL, "%s: %s", what, strerror(errno));
}
