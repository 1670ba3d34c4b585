/* SPDX-License-Identifier: ISC */
/* Helpers of all commands: messages, files, the database. */
#include "config.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <zlib.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "ctl/ctl.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"

/* Bytes. */
#define KILOBYTE 1024
#define MEGABYTE 1e6

#define TIMEOUT_MS 15000 /* of one statement, as for requests of operators */

static int write_all(int fd, const char *text);

void
ctl_say(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("assayctl: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

void
ctl_say_cost(int64_t began)
{
	struct rusage use = { 0 };

	getrusage(RUSAGE_SELF, &use);
	ctl_say("took %.1f s and %.0f MB of memory",
	    (double)(clock_ticks() - began) / CLOCK_SECOND,
	    (double)use.ru_maxrss * KILOBYTE / MEGABYTE);
}

int
ctl_failed(const char *doing, const struct fail *f)
{
	const char *why = f->why[0] != '\0' ? f->why : fail_code_text(f->code);

	ctl_say("%s: %s%s%s", doing, f->where, f->where[0] == '\0' ? "" : ": ",
	    why);
	switch (f->kind) {
	case FAIL_INPUT:
		return EX_DATAERR;
	case FAIL_DENIED:
		return EX_NOPERM;
	case FAIL_UNCERTAIN:
		return EX_TEMPFAIL;
	case FAIL_US:
	case FAIL__MAX:
		break;
	}
	return f->code == UNAVAILABLE ? EX_UNAVAILABLE : EX_SOFTWARE;
}

void
ctl_arena(struct arena *a, size_t size)
{
	void *block = aligned_alloc(16, size);

	if (block == NULL) {
		ctl_say("out of memory");
		exit(EX_OSERR);
	}
	arena_init(a, block, size);
}

void
ctl_arena_free(struct arena *a)
{
	arena_reset(a);
	free(a->base);
}

char *
ctl_read_file(struct arena *a, const char *path, size_t max, size_t *ret_size,
    struct fail *f)
{
	char *text = NULL;
	FILE *file;

	if ((file = fopen(path, "r")) == NULL) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path, "%s",
		    strerror(errno));
		return NULL;
	}
	if ((text = arena_alloc(a, max + 1)) == NULL) {
		fail_set(f, FAIL_US, INTERNAL, path, "out of memory");
		goto out;
	}
	*ret_size = fread(text, 1, max + 1, file);
	if (ferror(file)) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path, "%s",
		    strerror(errno));
		text = NULL;
	} else if (*ret_size > max) {
		fail_set(f, FAIL_INPUT, INVALID_REQUEST, path,
		    "is larger than %zu bytes", max);
		text = NULL;
	} else {
		text[*ret_size] = '\0';
	}
out:
	fclose(file);
	return text;
}

int
ctl_replace_file(const char *path, const char *text, struct fail *f)
{
	char other[4096];
	struct stat st;
	int fd, error = 0;
	mode_t mode = stat(path, &st) == 0 ? st.st_mode & 07777 : 0644;

	if (snprintf(other, sizeof(other), "%s.XXXXXX", path) >=
	    (int)sizeof(other))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the path is too long");
	if ((fd = mkstemp(other)) == -1)
		return fail_set(
		    f, FAIL_US, INTERNAL, path, "%s", strerror(errno));
	if (write_all(fd, text) == -1 || fchmod(fd, mode) == -1 ||
	    fsync(fd) == -1)
		error = errno;
	if (close(fd) == -1 && error == 0)
		error = errno;
	if (error == 0 && rename(other, path) == 0)
		return 0;
	error = error == 0 ? errno : error;
	unlink(other);
	return fail_set(f, FAIL_US, INTERNAL, path, "%s", strerror(error));
}

int
ctl_check_output(const char *path, struct fail *f)
{
	struct stat st;

	if (stat(path, &st) == -1 || S_ISREG(st.st_mode))
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, path,
	    "exists and is not a regular file");
}

long
ctl_gz_read(void *file, char *buf, size_t size)
{
	int error, n;

	n = gzread(file, buf, (unsigned)size);
	if (n == 0) {
		/* For a truncated gzip file gzread() returns 0, as at the end.
		 */
		gzerror(file, &error);
		if (error != Z_OK && error != Z_STREAM_END)
			return -1;
	}
	return n;
}

void
ctl_rule_place(struct fail *f, const char *path)
{
	unsigned line = 1, column = 1;

	sscanf(f->where, "line %u, column %u", &line, &column);
	snprintf(f->where, sizeof(f->where), "%s:%u:%u", path, line, column);
}

const char *
ctl_database_url(void)
{
	const char *url = getenv("ADMIN_DATABASE_URL");

	if (url == NULL || *url == '\0')
		url = getenv("DATABASE_URL");
	if (url != NULL && *url != '\0')
		return url;
	ctl_say("no database is set; set ADMIN_DATABASE_URL (for the owner) or "
		"DATABASE_URL, e.g. postgresql:///assay");
	return NULL;
}

struct db *
ctl_database(int *ret_exit)
{
	struct fail f = { 0 };
	const char *url;
	struct db *db;

	*ret_exit = EX_CONFIG;
	if ((url = ctl_database_url()) == NULL)
		return NULL;
	db = db_open(url, "assayctl", TIMEOUT_MS, STMT_SESSION, &f);
	if (db == NULL) {
		*ret_exit = ctl_failed("database", &f);
		if (f.code != UNAVAILABLE)
			ctl_say("the schema may be older than this program; "
				"run 'assayctl migrate'");
	}
	return db;
}

bool
ctl_colour(int fd)
{
	const char *no = getenv("NO_COLOR");
	const char *term = getenv("TERM");

	return (no == NULL || *no == '\0') && term != NULL &&
	    strcmp(term, "dumb") != 0 && isatty(fd) == 1;
}

static int
write_all(int fd, const char *text)
{
	size_t left = strlen(text);
	ssize_t n;

	for (; left > 0; left -= (size_t)n, text += n)
		if ((n = write(fd, text, left)) == -1)
			return -1;
	return 0;
}
