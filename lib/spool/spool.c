/* SPDX-License-Identifier: ISC */
/* The directory of the spool: its files, and the locks for both sides. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "lib/shared/shm.h"
#include "lib/spool/spool.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ACTIVE "active" /* the file that workers append to */
#define SUFFIX_DRAIN ".drain" /* closed for appending, to be drained */
#define SUFFIX_QUARANTINE ".quarantine" /* refused records */

#define ID_PREFIX "spl_" /* of the id of a spool */
#define COUNT_AT_ONCE 1000 /* records */
#define LOCK_TIME (CLOCK_SECOND / 2) /* wait for another writer */
#define LOCK_PAUSE 2 /* ms between tries */

struct spool {
	int dir;
	int write_lock; /* to append, and to rename the active file */
	int drain_lock; /* held while a file is drained */
	struct shm *shm;
};

static int open_lock(const struct spool *sp, const char *name);
static int lock_file(int fd, int how);
static int lock_soon(int fd);
static void unlock_file(int fd);
static int append_records(
    struct spool *sp, const char *text, size_t size, struct fail *f);
static int open_active(const struct spool *sp, struct fail *f);
static int write_whole(int fd, const char *p, size_t size);
static bool ends_partial(int fd, off_t size);
static int next_file(
    struct spool *sp, char ret[SPOOL_NAME_SIZE], struct fail *f);
static int oldest_file(const struct spool *sp, char ret[SPOOL_NAME_SIZE]);
static int rotate_active(
    struct spool *sp, char ret[SPOOL_NAME_SIZE], struct fail *f);
static bool nothing_left(const struct spool *sp);
static int open_drain(
    const struct spool *sp, struct spool_file *file, struct fail *f);
static int cut_records(
    struct arena *a, char *text, size_t n, size_t max, struct spool_piece *ret);
static int count_in(int fd, struct arena *a, int64_t *n, int64_t *oldest);
static void count_file(const struct spool_file *file, struct arena *a,
    int64_t *n, int64_t *oldest);
static void spool_identify(const struct spool *sp);
static int refuse_spool(struct fail *f, const char *what);

struct spool *
spool_open(const char *dir, struct shm *shm, struct fail *f)
{
	struct spool *sp = calloc(1, sizeof(*sp));

	if (sp == NULL) {
		fail_memory(f);
		return NULL;
	}
	sp->shm = shm;
	sp->dir = sp->write_lock = sp->drain_lock = -1;
	if ((mkdir(dir, 0700) == -1 && errno != EEXIST) ||
	    (sp->dir = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) == -1 ||
	    (sp->write_lock = open_lock(sp, "write.lock")) == -1 ||
	    (sp->drain_lock = open_lock(sp, "drain.lock")) == -1) {
		fail_set(f, FAIL_US, UNAVAILABLE, dir, "%s", strerror(errno));
		spool_close(sp);
		return NULL;
	}
	return sp;
}

void
spool_close(struct spool *sp)
{
	if (sp == NULL)
		return;
	close(sp->write_lock);
	close(sp->drain_lock);
	close(sp->dir);
	free(sp);
}

struct shm *
spool_shm(const struct spool *sp)
{
	return sp->shm;
}

void
spool_count(struct spool *sp, struct arena *a)
{
	int64_t n = 0, oldest = 0;

	spool_identify(sp);

	/* readdir() needs its own descriptor. */
	count_in(openat(sp->dir, ".", O_RDONLY | O_CLOEXEC), a, &n, &oldest);
	atomic_store(&sp->shm->spool_records, n);
	atomic_store(&sp->shm->spool_oldest, oldest);
}

int
spool_look(const char *path, struct arena *a, int64_t *ret_records,
    int64_t *ret_oldest)
{
	*ret_records = 0;
	*ret_oldest = 0;
	return count_in(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC), a,
	    ret_records, ret_oldest);
}

int64_t
spool_quarantines(const char *dir)
{
	const size_t suffix = strlen(SUFFIX_QUARANTINE);
	struct dirent *de;
	int64_t n = 0;
	size_t len;
	DIR *d;

	if ((d = opendir(dir)) == NULL)
		return 0;
	while ((de = readdir(d)) != NULL) {
		len = strlen(de->d_name);
		n += len > suffix &&
		    strcmp(de->d_name + len - suffix, SUFFIX_QUARANTINE) == 0;
	}
	closedir(d);
	return n;
}

int
spool_append(struct spool *sp, struct arena *a,
    const struct spool_record *records, size_t n, struct fail *f)
{
	struct shm *shm = sp->shm;
	int64_t none = 0;
	struct str s;
	size_t i;
	int r;

	/*
	 * Begin with a newline; append_records() drops it if it is not needed.
	 */
	str_init(&s, a);
	str_addc(&s, '\n');
	for (i = 0; i < n; i++)
		spool_print(&s, &records[i]);
	if (str_text(&s) == NULL)
		return fail_memory(f);

	if (lock_soon(sp->write_lock) == -1)
		return refuse_spool(f, "locking");

	/* Count before writing: only a count that is too high is corrected. */
	atomic_fetch_add(&shm->spool_records, (int64_t)n);
	atomic_compare_exchange_strong(
	    &shm->spool_oldest, &none, records[0].decided_at);
	r = append_records(sp, str_text(&s), s.len, f);
	if (r == -1)
		atomic_fetch_sub(&shm->spool_records, (int64_t)n);
	unlock_file(sp->write_lock);
	return r;
}

int
spool_take(struct spool *sp, struct spool_file *ret, struct fail *f)
{
	int r;

	if (lock_file(sp->drain_lock, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK ? 0 : refuse_spool(f, "locking");
	r = next_file(sp, ret->name, f);
	if (r == 1)
		r = open_drain(sp, ret, f) == -1 ? -1 : 1;
	if (r != 1)
		unlock_file(sp->drain_lock);
	return r;
}

int
spool_read(const struct spool_file *file, int64_t offset, size_t max,
    struct arena *a, struct spool_piece *ret, struct fail *f)
{
	char *text = arena_alloc(a, SPOOL_CHUNK);
	size_t size = 0;
	ssize_t n = 1;

	*ret = (struct spool_piece) { .end = offset };
	if (text == NULL)
		return fail_memory(f);
	while (n != 0 && size < SPOOL_CHUNK) {
		n = pread(file->fd, text + size, SPOOL_CHUNK - size,
		    offset + (int64_t)size);
		if (n == -1 && errno != EINTR)
			return refuse_spool(f, "reading");
		size += n > 0 ? (size_t)n : 0;
	}
	if (cut_records(a, text, size, max, ret) == -1)
		return fail_memory(f);
	return 0;
}

int
spool_quarantine(struct spool *sp, const struct spool_file *file,
    const char *line, struct fail *f)
{
	char name[SPOOL_NAME_SIZE + sizeof(SUFFIX_QUARANTINE)];
	int fd, r;

	snprintf(name, sizeof(name), "%s" SUFFIX_QUARANTINE, file->name);
	fd = openat(
	    sp->dir, name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd == -1)
		return refuse_spool(f, "quarantining");
	r = write_whole(fd, line, strlen(line)) == -1 ||
	    write_whole(fd, "\n", 1) == -1 || fsync(fd) == -1 ||
	    fsync(sp->dir) == -1;
	close(fd);
	return r ? refuse_spool(f, "quarantining") : 0;
}

void
spool_drained(struct spool *sp, size_t n, int64_t decided_at)
{
	_Atomic int64_t *left = &sp->shm->spool_records;

	/* Only rotate_active() may set 0, when it finds the spool empty. */
	if (atomic_fetch_sub(left, (int64_t)n) <= (int64_t)n)
		atomic_store(left, 1);
	atomic_store(&sp->shm->spool_oldest, decided_at);
}

void
spool_leave(struct spool *sp, struct spool_file *file)
{
	close(file->fd);
	unlock_file(sp->drain_lock);
}

int
spool_remove(struct spool *sp, struct spool_file *file, struct fail *f)
{
	char name[SPOOL_NAME_SIZE + sizeof(SUFFIX_DRAIN)];
	int r = 0;

	snprintf(name, sizeof(name), "%s" SUFFIX_DRAIN, file->name);
	if (unlinkat(sp->dir, name, 0) == -1 || fsync(sp->dir) == -1)
		r = refuse_spool(f, "removing");
	spool_leave(sp, file);
	return r;
}

/* Open a lock file.  It is never removed, so that all lock the same file. */
static int
open_lock(const struct spool *sp, const char *name)
{
	return openat(sp->dir, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
}

static int
lock_file(int fd, int how)
{
	int r;

	do
		r = flock(fd, how);
	while (r == -1 && errno == EINTR);
	return r;
}

/* Wait for another writer, but not long: its disk may hang. */
static int
lock_soon(int fd)
{
	const int64_t until = clock_ticks() + LOCK_TIME;

	while (lock_file(fd, LOCK_EX | LOCK_NB) == -1) {
		if (errno != EWOULDBLOCK)
			return -1;
		if (clock_ticks() >= until) {
			errno = ETIMEDOUT;
			return -1;
		}
		poll(NULL, 0, LOCK_PAUSE);
	}
	return 0;
}

static void
unlock_file(int fd)
{
	flock(fd, LOCK_UN);
}

/* Append the whole text to the active file and sync it, or append nothing. */
static int
append_records(struct spool *sp, const char *text, size_t size, struct fail *f)
{
	off_t before;
	int fd, r = 0;

	if ((fd = open_active(sp, f)) == -1)
		return -1;
	if ((before = lseek(fd, 0, SEEK_END)) == -1) {
		close(fd);
		return refuse_spool(f, "writing");
	}

	/* End the partial line of a killed writer with the newline. */
	if (!ends_partial(fd, before)) {
		text++;
		size--;
	}
	if (write_whole(fd, text, size) == -1 || fsync(fd) == -1) {
		r = refuse_spool(f, "writing");
		if (ftruncate(fd, before) == 0)
			fsync(fd);
	}
	close(fd);
	return r;
}

/* Open the active file; sync its name before its first record. */
static int
open_active(const struct spool *sp, struct fail *f)
{
	struct stat st;
	int fd;

	fd = openat(
	    sp->dir, ACTIVE, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	if (fd == -1)
		return refuse_spool(f, "opening");
	if (fstat(fd, &st) == -1 || (st.st_size == 0 && fsync(sp->dir) == -1)) {
		refuse_spool(f, "opening");
		close(fd);
		return -1;
	}
	return fd;
}

/* Write all bytes, or fail. */
static int
write_whole(int fd, const char *p, size_t size)
{
	ssize_t n;

	do
		n = write(fd, p, size);
	while (n == -1 && errno == EINTR);
	if (n == -1)
		return -1;
	if ((size_t)n < size) {
		errno = ENOSPC;
		return -1;
	}
	return 0;
}

/* Whether a file of this size ends with a partial line. */
static bool
ends_partial(int fd, off_t size)
{
	char last;

	return size > 0 && (pread(fd, &last, 1, size - 1) != 1 || last != '\n');
}

/* The next file to drain: an older one, else the active file, renamed. */
static int
next_file(struct spool *sp, char ret[SPOOL_NAME_SIZE], struct fail *f)
{
	int r = oldest_file(sp, ret);

	if (r == -1)
		return refuse_spool(f, "listing");
	if (r == 1)
		return 1;
	if (lock_soon(sp->write_lock) == -1)
		return refuse_spool(f, "locking");
	r = rotate_active(sp, ret, f);
	unlock_file(sp->write_lock);
	return r;
}

/* Find the oldest file to drain; the names sort by time. */
static int
oldest_file(const struct spool *sp, char ret[SPOOL_NAME_SIZE])
{
	struct dirent *de;
	size_t len;
	DIR *dir;
	int r = 0;

	dir = fdopendir(openat(sp->dir, ".", O_RDONLY | O_CLOEXEC));
	if (dir == NULL)
		return -1;
	while ((de = readdir(dir)) != NULL) {
		len = strlen(de->d_name);
		if (len <= strlen(SUFFIX_DRAIN) ||
		    len - strlen(SUFFIX_DRAIN) >= SPOOL_NAME_SIZE)
			continue;
		len -= strlen(SUFFIX_DRAIN);
		if (strcmp(de->d_name + len, SUFFIX_DRAIN) != 0)
			continue;
		de->d_name[len] = '\0';
		if (r == 0 || strcmp(de->d_name, ret) < 0)
			snprintf(ret, SPOOL_NAME_SIZE, "%s", de->d_name);
		r = 1;
	}
	closedir(dir);
	return r;
}

/*
 * Rename the active file for draining, under the writers' lock.  If it has no
 * records, the whole spool is empty: set the counters to 0, which also corrects
 * those of killed processes.
 */
static int
rotate_active(struct spool *sp, char ret[SPOOL_NAME_SIZE], struct fail *f)
{
	char name[SPOOL_NAME_SIZE + sizeof(SUFFIX_DRAIN)];
	char id[CRYPT_ID_SIZE];

	if (nothing_left(sp)) {
		atomic_store(&sp->shm->spool_records, 0);
		atomic_store(&sp->shm->spool_oldest, 0);
		return 0;
	}
	crypt_id("", clock_now(), id);
	snprintf(ret, SPOOL_NAME_SIZE, "%s", id);
	snprintf(name, sizeof(name), "%s" SUFFIX_DRAIN, id);
	if (renameat(sp->dir, ACTIVE, sp->dir, name) == -1 ||
	    fsync(sp->dir) == -1)
		return refuse_spool(f, "rotating");
	return 1;
}

static bool
nothing_left(const struct spool *sp)
{
	struct stat st;

	if (fstatat(sp->dir, ACTIVE, &st, 0) == -1)
		return errno == ENOENT;
	return st.st_size == 0;
}

static int
open_drain(const struct spool *sp, struct spool_file *file, struct fail *f)
{
	char name[SPOOL_NAME_SIZE + sizeof(SUFFIX_DRAIN)];

	snprintf(name, sizeof(name), "%s" SUFFIX_DRAIN, file->name);
	file->fd = openat(sp->dir, name, O_RDONLY | O_CLOEXEC);
	if (file->fd == -1)
		return refuse_spool(f, "opening");

	/* Sync the name: the process that renamed the file may have died. */
	if (fsync(sp->dir) == 0)
		return 0;
	refuse_spool(f, "opening");
	close(file->fd);
	return -1;
}

/*
 * Split a piece of n bytes into lines and parse them.  If the piece is a full
 * chunk, its incomplete last line belongs to the next piece.  A line without a
 * newline at the end of the file, or longer than a chunk, is a partial line.
 */
static int
cut_records(
    struct arena *a, char *text, size_t n, size_t max, struct spool_piece *ret)
{
	const int64_t offset = ret->end;
	size_t at = 0, lines = 0;
	char *line, *end;
	int known;

	for (line = text; line < text + n && lines < max; line++)
		lines += *line == '\n';
	ret->records = arena_array(a, lines + 1, sizeof(*ret->records));
	ret->lines = arena_array(a, lines + 1, sizeof(*ret->lines));
	ret->ends = arena_array(a, lines + 1, sizeof(*ret->ends));
	if (a->overflow)
		return -1;
	while (ret->n < max && at < n) {
		line = text + at;
		end = memchr(line, '\n', n - at);
		if (end == NULL && at > 0 && n == SPOOL_CHUNK)
			break;
		at = end == NULL ? n : (size_t)(end + 1 - text);
		ret->end = offset + (int64_t)at;
		known = end == NULL ? 0
				    : spool_parse(a, line, (size_t)(end - line),
					  &ret->records[ret->n]);
		if (known == 0) {
			ret->partial++;
			continue;
		}
		*end = '\0';
		if (known == -1)
			ret->records[ret->n].id = NULL;
		ret->lines[ret->n] = line;
		ret->ends[ret->n++] = ret->end;
	}
	return a->overflow ? -1 : 0;
}

/*
 * Add the records of all files in a directory to *n, and lower *oldest to the
 * time of the oldest.  Closes fd.  Returns 0, or -1 if it is no directory.
 */
static int
count_in(int fd, struct arena *a, int64_t *n, int64_t *oldest)
{
	struct spool_file file;
	struct dirent *de;
	DIR *dir;

	if (fd == -1)
		return -1;
	if ((dir = fdopendir(fd)) == NULL) {
		close(fd);
		return -1;
	}
	while ((de = readdir(dir)) != NULL) {
		if (strcmp(de->d_name, ACTIVE) != 0 &&
		    strstr(de->d_name, SUFFIX_DRAIN) == NULL)
			continue;
		file.fd = openat(fd, de->d_name, O_RDONLY | O_CLOEXEC);
		if (file.fd == -1)
			continue;
		count_file(&file, a, n, oldest);
		close(file.fd);
	}
	closedir(dir);
	return 0;
}

static void
count_file(
    const struct spool_file *file, struct arena *a, int64_t *n, int64_t *oldest)
{
	struct spool_piece piece;
	struct fail f = { 0 };
	int64_t at = 0;

	while (spool_read(file, at, COUNT_AT_ONCE, a, &piece, &f) == 0 &&
	    piece.end > at) {
		*n += (int64_t)piece.n;
		at = piece.end;
		if (piece.n > 0 &&
		    (*oldest == 0 || piece.records[0].decided_at < *oldest))
			*oldest = piece.records[0].decided_at;
		arena_reset(a);
	}
}

/*
 * Read the id of this spool, or make it.  It is in the lock file, so that it
 * moves with the disk.  If this fails, the id is "" and the pool does not
 * report the spool.
 */
static void
spool_identify(const struct spool *sp)
{
	char id[CRYPT_ID_SIZE] = "";
	int64_t made;

	if (lock_soon(sp->write_lock) == -1)
		return;
	if (pread(sp->write_lock, id, sizeof(id) - 1, 0) <= 0 ||
	    crypt_id_time(id, ID_PREFIX, &made) == -1) {
		crypt_id(ID_PREFIX, clock_now(), id);
		if (ftruncate(sp->write_lock, 0) == -1 ||
		    pwrite(sp->write_lock, id, strlen(id), 0) !=
			(ssize_t)strlen(id) ||
		    fsync(sp->write_lock) == -1)
			id[0] = '\0';
	}
	unlock_file(sp->write_lock);
	memcpy(sp->shm->spool_id, id, sizeof(id));
}

static int
refuse_spool(struct fail *f, const char *what)
{
	return fail_set(
	    f, FAIL_US, UNAVAILABLE, "spool", "%s: %s", what, strerror(errno));
}
