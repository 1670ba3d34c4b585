/* SPDX-License-Identifier: ISC */
/* assayctl lists import: the rows of a file as entries, all or none. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/fail.h"
#include "lib/clock.h"
#include "lib/crypt.h"
#include "lib/csv.h"
#include "lib/db.h"
#include "ctl/ctl.h"
#include "ctl/entry.h"

#define BATCH_MAX 10000 /* entries of one transaction, well under a second */
#define BATCH_SIZE ((size_t)16 << 20) /* for their texts and parameters */
#define FAULTS_SHOWN 20

/* Entries on their way to the database, by column. */
struct batch {
	size_t n;
	const char *id[BATCH_MAX];
	const char *kind[BATCH_MAX];
	const char *subject[BATCH_MAX];
	const char *value[BATCH_MAX];
	const char *reason[BATCH_MAX];
	int64_t expires[BATCH_MAX];
};

/* The whole import. */
struct import {
	const char *im_path; /* as messages name it */
	FILE *im_file;
	struct csv im_csv;
	struct entry_columns im_columns;
	struct batch im_batch;
	struct arena im_arena; /* of the batch */
	uint64_t im_rows; /* that the check found */
	uint64_t im_done; /* of them sent */
	uint64_t im_made;
	uint64_t im_changed;
	uint64_t im_over; /* expired already */
	uint64_t im_faults;
	int64_t im_now;
	int64_t im_drawn; /* ticks of the last progress, 0: none yet */
};

static int source(struct import *, const char *);
static int check(struct import *);
static int write_all(struct import *, struct db *);
static int header(struct import *);
static int next_entry(struct import *, struct entry *);
static void fault(struct import *, const char *, const char *);
static void batch_add(struct import *, const struct entry *);
static int batch_send(struct import *, struct db *);
static void progress(struct import *);
static void progress_clear(const struct import *);
static long read_file(void *, char *, size_t);

int
entry_import(const struct command *cmd, int argc, char **argv)
{
	static struct import im;
	struct db *db;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 1, 1 }, argc, argv);
	im.im_now = clock_now();
	if ((status = source(&im, argv[0])) != EX_OK)
		return status;
	status = check(&im);
	if (status == EX_OK && (db = ctl_database(&status)) != NULL) {
		ctl_arena(&im.im_arena, BATCH_SIZE);
		status = write_all(&im, db);
		ctl_arena_free(&im.im_arena);
		db_close(db);
	}
	fclose(im.im_file);
	return status;
}

/* Open the file; what comes from a pipe is kept, so that it is read twice. */
static int
source(struct import *im, const char *path)
{
	char buf[65536];
	size_t n;

	if (strcmp(path, "-") != 0) {
		im->im_path = path;
		im->im_file = fopen(path, "r");
		if (im->im_file != NULL)
			return EX_OK;
		ctl_say("lists import: %s: %s", path, strerror(errno));
		return EX_NOINPUT;
	}
	im->im_path = "stdin";
	if ((im->im_file = tmpfile()) != NULL) {
		while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0)
			if (fwrite(buf, 1, n, im->im_file) != n)
				break;
		if (!ferror(stdin) && !ferror(im->im_file) &&
		    fflush(im->im_file) == 0)
			return EX_OK;
		fclose(im->im_file);
	}
	ctl_say("lists import: standard input cannot be kept in a temporary "
		"file: %s; import it from a file",
	    strerror(errno));
	return EX_IOERR;
}

/* Read the whole file once and say what is wrong with it. */
static int
check(struct import *im)
{
	struct entry en;
	int r;

	if (header(im) == 0) {
		while ((r = next_entry(im, &en)) == 1) {
			im->im_rows++;
			im->im_over += !list_acts(en.en_expires, im->im_now);
		}
		if (r == 0 && im->im_faults == 0)
			return EX_OK;
	}
	if (im->im_faults > FAULTS_SHOWN)
		fprintf(stderr, "%s: and %" PRIu64 " more\n", im->im_path,
		    im->im_faults - FAULTS_SHOWN);
	ctl_say("nothing was imported; correct the file and import it again");
	return EX_DATAERR;
}

/* Read it again, which finds nothing new unless it was changed meanwhile. */
static int
write_all(struct import *im, struct db *db)
{
	int r, status = EX_OK;
	struct entry en;

	if ((r = header(im)) == 0) {
		while (status == EX_OK && (r = next_entry(im, &en)) == 1) {
			batch_add(im, &en);
			if (im->im_batch.n == BATCH_MAX)
				status = batch_send(im, db);
		}
	}
	if (r == -1 || im->im_faults > 0)
		status = EX_DATAERR;
	if (status == EX_OK && im->im_batch.n > 0)
		status = batch_send(im, db);
	progress_clear(im);
	if (status != EX_OK) {
		ctl_say("%" PRIu64 " of %" PRIu64 " entries are in; import the "
			"whole file again, which changes nothing about them",
		    im->im_done, im->im_rows);
		return status;
	}
	printf("%" PRIu64 " entries: %" PRIu64 " added, %" PRIu64
	       " updated, %" PRIu64 " unchanged\n",
	    im->im_done, im->im_made, im->im_changed,
	    im->im_done - im->im_made - im->im_changed);
	if (im->im_over > 0)
		ctl_say(
		    "%" PRIu64 " of them have expired already", im->im_over);
	return EX_OK;
}

/* Begin to read: which column is which field. */
static int
header(struct import *im)
{
	struct fail f = { 0 };

	rewind(im->im_file);
	csv_init(&im->im_csv, read_file, im->im_file);
	if (entry_header(&im->im_csv, &im->im_columns, &f) == 0)
		return 0;
	fault(im, f.where, f.why);
	return -1;
}

/*
 * The next entry that is good: 1 for one, 0 at the end, -1 when the file
 * cannot be read on.  Rows that are no entries are told and counted.
 */
static int
next_entry(struct import *im, struct entry *ret)
{
	struct fail f = { 0 };
	int r;

	while ((r = entry_next(&im->im_csv, &im->im_columns, ret, &f)) == -1) {
		fault(im, f.where, f.why);
		if (f.where[0] == '\0')
			break;
	}
	return r;
}

/* Tell what is wrong with the row just read, as compilers do; not its text. */
static void
fault(struct import *im, const char *where, const char *why)
{
	unsigned long line;
	int skip = 0;

	/* csv says the line itself. */
	if (*where == '\0' && sscanf(why, "line %lu %n", &line, &skip) == 1)
		why += skip;
	if (++im->im_faults <= FAULTS_SHOWN)
		fprintf(stderr, "%s:%" PRIu64 ": %s%s%s\n", im->im_path,
		    im->im_csv.cs_row_line, where, *where == '\0' ? "" : " ",
		    why);
}

/* Copy an entry into the batch; BATCH_SIZE has room for the longest. */
static void
batch_add(struct import *im, const struct entry *en)
{
	struct batch *b = &im->im_batch;
	struct arena *a = &im->im_arena;
	char id[CRYPT_ID_SIZE];

	crypt_id("lst_", im->im_now, id);
	b->id[b->n] = arena_strdup(a, id);
	b->kind[b->n] = list_kind_name(en->en_kind);
	b->subject[b->n] = list_subject_name(en->en_subject);
	b->value[b->n] = arena_strdup(a, en->en_value);
	b->reason[b->n] = arena_strdup(a, en->en_reason);
	b->expires[b->n++] = en->en_expires;
}

/* Write the batch in a transaction of its own and empty it. */
static int
batch_send(struct import *im, struct db *db)
{
	struct batch *b = &im->im_batch;
	struct fail f = { 0 };
	struct params p;
	struct rows rows;

	params_init(&p, &im->im_arena);
	params_texts(&p, b->id, b->n);
	params_texts(&p, b->kind, b->n);
	params_texts(&p, b->subject, b->n);
	params_texts(&p, b->value, b->n);
	params_texts(&p, b->reason, b->n);
	params_times(&p, b->expires, b->n);
	params_text(&p, ENTRY_CREATED_BY);
	if (db_one(db, &im->im_arena, STMT_LIST_IMPORT, &p, &rows, &f) == -1) {
		progress_clear(im);
		return ctl_failed("lists import", &f);
	}
	im->im_made += (uint64_t)rows_get_int(&rows, "made");
	im->im_changed += (uint64_t)rows_get_int(&rows, "changed");
	im->im_done += b->n;
	b->n = 0;
	arena_reset(&im->im_arena);
	progress(im);
	return EX_OK;
}

/* Say how far it is, where a person can see it. */
static void
progress(struct import *im)
{
	const int64_t now = clock_ticks();

	if (isatty(STDERR_FILENO) != 1 || now - im->im_drawn < CLOCK_SECOND / 4)
		return;
	im->im_drawn = now;
	fprintf(stderr, "\r%" PRIu64 " of %" PRIu64 " entries\033[K",
	    im->im_done, im->im_rows);
}

/* Take the progress line away before something else is printed. */
static void
progress_clear(const struct import *im)
{
	if (im->im_drawn != 0)
		fputs("\r\033[K", stderr);
}

/* csv's source. */
static long
read_file(void *cookie, char *buf, size_t size)
{
	const size_t n = fread(buf, 1, size, cookie);

	return n == 0 && ferror((FILE *)cookie) ? -1 : (long)n;
}
