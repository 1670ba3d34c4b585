/* SPDX-License-Identifier: ISC */
/* assayctl train: a training table out of a file. */
#include "config.h"

#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "core/backtest.h"
#include "core/fail.h"
#include "core/features.h"
#include "lib/clock.h"
#include "lib/csv.h"
#include "ctl/ctl.h"
#include "ctl/train.h"

#define ROWS_FIRST 4096 /* room that a table begins with */
#define SLOTS_FIRST 4096
#define PROGRESS_ROWS 4096 /* rows between two calls of progress */

/* Columns that are no features. */
enum column { COLUMN_USER, COLUMN_AT, COLUMN_FRAUD, COLUMN_KNOWN, COLUMN__MAX };

static const char *const column_names[COLUMN__MAX] = {
	"user_id",
	"decided_at",
	"fraud",
	"labelled_at",
};

/* A slot of the table of names. */
struct user_id {
	char *name; /* NULL: free */
	uint32_t number;
};

/* One reading. */
struct reading {
	struct table *tb;
	const char *path;
	gzFile file;
	off_t size;
	struct csv csv;
	int column[COLUMN__MAX];
	int feature[FEATURE__MAX];
	struct span keep;
};

static int read_header(struct reading *, struct fail *);
static int read_rows(
    struct reading *, bool (*)(int64_t, int64_t), struct fail *);
static int read_row(struct reading *, struct fail *);
static int read_label(struct reading *, size_t, struct fail *);
static int read_features(struct reading *, double *, struct fail *);
static int grow(struct table *);
static int resize(void *, size_t, size_t);
static int user_number(struct table *, const char *, uint32_t *);
static int user_grow(struct table *);
static struct user_id *user_slot(const struct table *, const char *);
static int bad(
    const struct reading *, const char *, const char *, struct fail *);

int
table_read(struct table *tb, const char *path, struct span keep,
    bool (*progress)(int64_t, int64_t), struct fail *f)
{
	static struct reading rd;
	struct stat st;
	int r = -1;

	memset(tb, 0, sizeof(*tb));
	rd = (struct reading) { .tb = tb, .path = path, .keep = keep };
	if (stat(path, &st) == -1 || (rd.file = gzopen(path, "r")) == NULL)
		return fail_set(f, FAIL_DENIED, INVALID_REQUEST, path, "%s",
		    strerror(errno));
	rd.size = st.st_size;
	csv_init(&rd.csv, ctl_gz_read, rd.file);
	if (read_header(&rd, f) == 0)
		r = read_rows(&rd, progress, f);
	gzclose(rd.file);
	return r;
}

void
table_clear(struct table *tb)
{
	size_t i;

	for (i = 0; i < tb->tb_n_slots; i++)
		free(tb->tb_slots[i].name);
	free(tb->tb_slots);
	free(tb->tb_x);
	free(tb->tb_at);
	free(tb->tb_known);
	free(tb->tb_user);
	free(tb->tb_label);
	memset(tb, 0, sizeof(*tb));
}

size_t
table_at(const struct table *tb, int64_t at)
{
	size_t low = 0, high = tb->tb_n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (tb->tb_at[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Find the columns. */
static int
read_header(struct reading *rd, struct fail *f)
{
	struct fail inner = { 0 };
	const char *name;
	int i, r;

	if ((r = csv_next(&rd->csv, &inner)) != 1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, rd->path, "%s",
		    r == 0 ? "is empty" : inner.why);
	for (i = 0; i < COLUMN__MAX + FEATURE__MAX; i++) {
		name = i < COLUMN__MAX
		    ? column_names[i]
		    : feature_name((enum feature)(i - COLUMN__MAX));
		if ((r = csv_find(&rd->csv, name)) == -1)
			return bad(rd, name,
			    "is no column of it: this program's "
			    "'replay --offline' makes one that has all",
			    f);
		if (i < COLUMN__MAX)
			rd->column[i] = r;
		else
			rd->feature[i - COLUMN__MAX] = r;
	}
	return 0;
}

static int
read_rows(
    struct reading *rd, bool (*progress)(int64_t, int64_t), struct fail *f)
{
	struct table *tb = rd->tb;
	struct fail inner = { 0 };
	int r;

	while ((r = csv_next(&rd->csv, &inner)) == 1) {
		if (read_row(rd, f) == -1)
			return -1;
		if (tb->tb_rows % PROGRESS_ROWS == 0 &&
		    progress(gzoffset(rd->file), rd->size))
			return fail_set(f, FAIL_DENIED, INVALID_REQUEST, NULL,
			    "interrupted");
	}
	if (r == -1)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, rd->path, "%s", inner.why);
	return tb->tb_rows > 0
	    ? 0
	    : fail_set(f, FAIL_INPUT, INVALID_REQUEST, rd->path, "has no rows");
}

/* Read the row that is in csv, and keep it if it is wanted. */
static int
read_row(struct reading *rd, struct fail *f)
{
	const char *const at_text = rd->csv.cs_field[rd->column[COLUMN_AT]];
	const char *const user = rd->csv.cs_field[rd->column[COLUMN_USER]];
	struct table *tb = rd->tb;
	const size_t i = tb->tb_n;
	int64_t at;

	if (clock_parse(at_text, &at) == -1)
		return bad(rd, column_names[COLUMN_AT], "must be a time", f);
	if (tb->tb_rows > 0 && at < tb->tb_last)
		return bad(rd, column_names[COLUMN_AT],
		    "is before the row above's; rows must be in time order", f);
	if (tb->tb_rows++ == 0)
		tb->tb_first = at;
	tb->tb_last = at;
	if (at < rd->keep.from || at >= rd->keep.to)
		return 0;
	if (*user == '\0')
		return bad(rd, column_names[COLUMN_USER], "is missing", f);
	if (grow(tb) == -1 || user_number(tb, user, &tb->tb_user[i]) == -1)
		return fail_set(f, FAIL_US, INTERNAL, rd->path,
		    "needs more memory than there is; --train-days and "
		    "--test-days keep less of it");
	tb->tb_at[i] = at;
	if (read_label(rd, i, f) == -1 ||
	    read_features(rd, tb->tb_x + i * FEATURE__MAX, f) == -1)
		return -1;
	tb->tb_n++;
	return 0;
}

/* What is told of the row, and since when; without a time, since it was. */
static int
read_label(struct reading *rd, size_t i, struct fail *f)
{
	const char *const fraud = rd->csv.cs_field[rd->column[COLUMN_FRAUD]];
	const char *const known = rd->csv.cs_field[rd->column[COLUMN_KNOWN]];
	struct table *tb = rd->tb;

	tb->tb_label[i] = strcmp(fraud, "1") == 0 ? LABEL_FRAUD
	    : strcmp(fraud, "0") == 0		  ? LABEL_LEGIT
						  : LABEL_NONE;
	if (tb->tb_label[i] == LABEL_NONE) {
		tb->tb_known[i] = TRAIN_NEVER;
		return *fraud == '\0' ? 0
				      : bad(rd, column_names[COLUMN_FRAUD],
					    "must be 0, 1 or empty", f);
	}
	tb->tb_known[i] = tb->tb_at[i];
	if (*known != '\0' && clock_parse(known, &tb->tb_known[i]) == -1)
		return bad(rd, column_names[COLUMN_KNOWN],
		    "must be a time or empty", f);
	return 0;
}

static int
read_features(struct reading *rd, double *x, struct fail *f)
{
	const char *text;
	char *end;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		text = rd->csv.cs_field[rd->feature[i]];
		x[i] = strtod(text, &end);
		if (end == text || *end != '\0' || !(x[i] >= 0 && x[i] <= 1))
			return bad(rd, feature_name((enum feature)i),
			    "must be a number from 0 to 1", f);
	}
	return 0;
}

/* Make room for another row. */
static int
grow(struct table *tb)
{
	const size_t cap =
	    tb->tb_cap == 0 ? ROWS_FIRST : tb->tb_cap + tb->tb_cap / 2;

	if (tb->tb_n < tb->tb_cap)
		return 0;
	if (resize(&tb->tb_x, cap, FEATURE__MAX * sizeof(*tb->tb_x)) == -1 ||
	    resize(&tb->tb_at, cap, sizeof(*tb->tb_at)) == -1 ||
	    resize(&tb->tb_known, cap, sizeof(*tb->tb_known)) == -1 ||
	    resize(&tb->tb_user, cap, sizeof(*tb->tb_user)) == -1 ||
	    resize(&tb->tb_label, cap, sizeof(*tb->tb_label)) == -1)
		return -1;
	tb->tb_cap = cap;
	return 0;
}

/* Make the array at *array, of whatever type, one of n elements. */
static int
resize(void *array, size_t n, size_t size)
{
	void *old, *made;

	memcpy(&old, array, sizeof(old));
	if (n > SIZE_MAX / size || (made = realloc(old, n * size)) == NULL)
		return -1;
	memcpy(array, &made, sizeof(made));
	return 0;
}

/* The number of a user, a new one for a name not seen before. */
static int
user_number(struct table *tb, const char *name, uint32_t *ret)
{
	struct user_id *slot;

	if (2 * tb->tb_users >= tb->tb_n_slots && user_grow(tb) == -1)
		return -1;
	slot = user_slot(tb, name);
	if (slot->name == NULL) {
		if (tb->tb_users == UINT32_MAX ||
		    (slot->name = strdup(name)) == NULL)
			return -1;
		slot->number = (uint32_t)tb->tb_users++;
	}
	*ret = slot->number;
	return 0;
}

static int
user_grow(struct table *tb)
{
	struct user_id *const old = tb->tb_slots;
	const size_t n_old = tb->tb_n_slots;
	const size_t n = n_old == 0 ? SLOTS_FIRST : 2 * n_old;
	size_t i;

	if ((tb->tb_slots = calloc(n, sizeof(*tb->tb_slots))) == NULL) {
		tb->tb_slots = old;
		return -1;
	}
	tb->tb_n_slots = n;
	for (i = 0; i < n_old; i++)
		if (old[i].name != NULL)
			*user_slot(tb, old[i].name) = old[i];
	free(old);
	return 0;
}

/* The slot of a name, or the free one that it would have (FNV-1a). */
static struct user_id *
user_slot(const struct table *tb, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	const char *p;
	size_t i;

	for (p = name; *p != '\0'; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
	for (i = hash & (tb->tb_n_slots - 1); tb->tb_slots[i].name != NULL;
	     i = (i + 1) & (tb->tb_n_slots - 1))
		if (strcmp(tb->tb_slots[i].name, name) == 0)
			break;
	return &tb->tb_slots[i];
}

/* Say what is wrong with a column of the line in csv. */
static int
bad(const struct reading *rd, const char *column, const char *why,
    struct fail *f)
{
	char where[sizeof(f->where)];

	snprintf(
	    where, sizeof(where), "%s:%" PRIu64, rd->path, rd->csv.cs_row_line);
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, where, "%s %s", column, why);
}
