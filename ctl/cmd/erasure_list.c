/* SPDX-License-Identifier: ISC */
/* Repeat the erasures that a log of the pool has. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "ctl/cmd/erasure_list.h"
#include "lib/db/db.h"
#include "lib/retention/user_erasure.h"
#include "lib/sys/clock.h"

#define BATCH 1000 /* erasures per statement */
#define NAME_SIZE 65 /* a pseudonym of 64 digits and NUL */
#define EVENT "event=user_erased "
#define FUTURE_MAX (60 * CLOCK_SECOND) /* that a clock may be wrong */

/* Some erasures of the list. */
struct erasure_batch {
	char name[BATCH][NAME_SIZE];
	const char *names[BATCH];
	int64_t at[BATCH];
	size_t n;
};

static int check_lines(
    struct erasure_list *el, uint64_t *line_no, struct fail *f);
static int read_erasures(
    FILE *file, struct erasure_batch *ret, uint64_t *line_no, struct fail *f);
static const char *find_event(const char *line, size_t size);
static int read_erasure(
    const char *event, char name[NAME_SIZE], int64_t *ret_at, struct fail *f);
static int add_batch(const struct erasure_batch *batch, struct db *db,
    struct arena *a, struct fail *f);
static int erase_again(
    struct db *db, struct arena *a, const char *user, struct fail *f);

int
erasure_list_open(struct erasure_list *el, const char *path, struct fail *f)
{
	uint64_t line_no = 0;
	struct stat st;
	int r;

	el->n = 0;
	if ((el->file = fopen(path, "r")) == NULL ||
	    fstat(fileno(el->file), &st) == -1)
		r = fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL, "%s",
		    strerror(errno));
	else if (!S_ISREG(st.st_mode))
		r = fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "is no regular file; write the lines to a file first");
	else
		r = check_lines(el, &line_no, f);
	if (r == 0)
		return 0;
	if (line_no > 0)
		snprintf(
		    f->where, sizeof(f->where), "%s:%" PRIu64, path, line_no);
	else
		snprintf(f->where, sizeof(f->where), "%s", path);
	erasure_list_close(el);
	return -1;
}

void
erasure_list_close(struct erasure_list *el)
{
	if (el->file != NULL)
		fclose(el->file);
	el->file = NULL;
}

int64_t
erasure_list_repeat(
    struct erasure_list *el, struct db *db, struct arena *a, struct fail *f)
{
	static struct erasure_batch batch;
	struct arena_mark mark = arena_mark(a);
	uint64_t line_no = 0;
	struct rows rows;
	int i, r;

	rewind(el->file);
	while ((r = read_erasures(el->file, &batch, &line_no, f)) == 1) {
		if (add_batch(&batch, db, a, f) == -1)
			return -1;
		arena_rewind(a, mark);
	}
	if (r == -1 || db_run(db, a, STMT_ERASURES_TIDY, NULL, NULL, f) == -1 ||
	    db_run(db, a, STMT_ERASURES_LEFT, NULL, &rows, f) == -1)
		return -1;
	mark = arena_mark(a);
	for (i = 0; i < rows.n; i++) {
		if (erase_again(db, a, rows_text(&rows, i, "user_id"), f) == -1)
			return -1;
		arena_rewind(a, mark);
	}
	return rows.n;
}

/* Check and count the erasures; *line_no is that of a fault, or 0. */
static int
check_lines(struct erasure_list *el, uint64_t *line_no, struct fail *f)
{
	static struct erasure_batch batch;
	int r;

	while ((r = read_erasures(el->file, &batch, line_no, f)) == 1)
		el->n += (int64_t)batch.n;
	if (r == -1 || el->n > 0)
		return r;
	*line_no = 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "has no line with " EVENT "that can be read; if no user was "
	    "erased since the backup, leave out --erased");
}

/*
 * Read the next erasures.  Return 1 if the list had some, 0 at its end, and -1
 * with f set after a fault.  *line_no becomes the number of the last line read.
 */
static int
read_erasures(
    FILE *file, struct erasure_batch *ret, uint64_t *line_no, struct fail *f)
{
	const char *event;
	char *line = NULL;
	size_t space = 0;
	ssize_t size;
	int r = 0;

	ret->n = 0;
	while (r == 0 && ret->n < BATCH &&
	    (size = getline(&line, &space, file)) != -1) {
		++*line_no;
		if ((event = find_event(line, (size_t)size)) == NULL)
			continue;
		ret->names[ret->n] = ret->name[ret->n];
		r = read_erasure(event, ret->name[ret->n], &ret->at[ret->n], f);
		ret->n += r == 0;
	}
	if (r == 0 && ret->n < BATCH && !feof(file))
		r = fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "cannot be read further: %s", strerror(errno));
	free(line);
	return r == 0 && ret->n > 0 ? 1 : r;
}

/*
 * Find the event of a line, the pairs of which are separated by blanks.  What a
 * caller has sent is in quotes, and is no event.
 */
static const char *
find_event(const char *line, size_t size)
{
	const size_t len = strlen(EVENT);
	bool quoted = false;
	size_t i;

	for (i = 0; i + len <= size; i++) {
		if (!quoted && (i == 0 || line[i - 1] == ' ') &&
		    memcmp(line + i, EVENT, len) == 0)
			return line + i;
		if (line[i] == '"')
			quoted = !quoted;
		else if (line[i] == '\\' && quoted)
			i++;
	}
	return NULL;
}

/* Read what follows in the line, which ends with it. */
static int
read_erasure(
    const char *event, char name[NAME_SIZE], int64_t *ret_at, struct fail *f)
{
	char at[CLOCK_TEXT_SIZE];
	int end = 0;

	if (sscanf(event, EVENT "hash=%64[0-9a-f] at=%24s%n", name, at, &end) !=
		2 ||
	    strlen(name) != NAME_SIZE - 1 || strlen(at) != sizeof(at) - 1 ||
	    event[end + (int)strspn(event + end, "\r\n")] != '\0' ||
	    clock_parse(at, ret_at) == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "is not a whole line of the pool's log: " EVENT
		    "hash=... at=...");
	if (*ret_at > clock_now() + FUTURE_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "is of the future; correct the clock of this host");
	return 0;
}

static int
add_batch(const struct erasure_batch *batch, struct db *db, struct arena *a,
    struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_texts(&p, batch->names, batch->n);
	params_times(&p, batch->at, batch->n);
	return db_run(db, a, STMT_ERASURES_ADD, &p, NULL, f);
}

/* Erase a user whole. */
static int
erase_again(struct db *db, struct arena *a, const char *user, struct fail *f)
{
	struct user_erasure er = { 0 };
	bool more = true;

	while (more)
		if (user_erasure_identity(&er, db, a, user, &more, f) == -1)
			return -1;
	for (more = true; more;)
		if (user_erasure_details(&er, db, a, user, &more, f) == -1)
			return -1;
	return 0;
}
