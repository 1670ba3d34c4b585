/* SPDX-License-Identifier: ISC */
/* assayctl train: read a training table from a file. */
#include "config.h"

#include <sys/stat.h>

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "core/base/fail.h"
#include "core/signal/features.h"
#include "ctl/ctl.h"
#include "ctl/train/train_report.h"
#include "lib/sys/clock.h"
#include "lib/sys/csv.h"

#define PROGRESS_ROWS 4096 /* rows between two calls of progress */

/* Columns that are not features. */
enum column { COLUMN_USER, COLUMN_AT, COLUMN_FRAUD, COLUMN_KNOWN, COLUMN__MAX };

static const char *const column_names[COLUMN__MAX] = {
	"user_id",
	"decided_at",
	"fraud",
	"labelled_at",
};

/* The state of reading a file. */
struct csv_reading {
	struct train_table *tb;
	const char *path;
	gzFile file;
	off_t size;
	struct csv csv;
	int column[COLUMN__MAX]; /* indexes in the file */
	int feature[FEATURE__MAX]; /* indexes in the file */
};

static int read_header(struct csv_reading *rd, struct fail *f);
static int read_csv_rows(
    struct csv_reading *rd, progress_fn *progress, struct fail *f);
static int read_csv_row(struct csv_reading *rd, struct fail *f);
static int read_label(
    const struct csv_reading *rd, struct table_row *row, struct fail *f);
static int read_features(
    const struct csv_reading *rd, double *x, struct fail *f);
static int refuse_column(const struct csv_reading *rd, const char *column,
    const char *why, struct fail *f);

int
train_table_read(struct train_table *tb, const char *path,
    progress_fn *progress, struct fail *f)
{
	static struct csv_reading rd;
	struct stat st;
	int r = -1;

	rd = (struct csv_reading) { .tb = tb, .path = path };
	if (stat(path, &st) == -1 || (rd.file = gzopen(path, "r")) == NULL)
		return fail_set(f, FAIL_DENIED, INVALID_REQUEST, path, "%s",
		    strerror(errno));
	rd.size = st.st_size;
	csv_init(&rd.csv, ctl_gz_read, rd.file);
	if (read_header(&rd, f) == 0)
		r = read_csv_rows(&rd, progress, f);
	gzclose(rd.file);
	return r;
}

/* Read the header and find the columns. */
static int
read_header(struct csv_reading *rd, struct fail *f)
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
			return refuse_column(rd, name,
			    "is missing; 'assayctl replay --offline "
			    "--export' writes all columns",
			    f);
		if (i < COLUMN__MAX)
			rd->column[i] = r;
		else
			rd->feature[i - COLUMN__MAX] = r;
	}
	return 0;
}

static int
read_csv_rows(struct csv_reading *rd, progress_fn *progress, struct fail *f)
{
	struct train_table *tb = rd->tb;
	struct fail inner = { 0 };
	int r;

	while ((r = csv_next(&rd->csv, &inner)) == 1) {
		if (read_csv_row(rd, f) == -1)
			return -1;
		if (tb->rows % PROGRESS_ROWS == 0 &&
		    progress(gzoffset(rd->file), rd->size))
			return fail_set(f, FAIL_DENIED, INVALID_REQUEST, NULL,
			    "interrupted");
	}
	if (r == -1)
		return fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, rd->path, "%s", inner.why);
	return tb->rows > 0
	    ? 0
	    : fail_set(f, FAIL_INPUT, INVALID_REQUEST, rd->path, "has no rows");
}

/* Check the current row of csv, and add it unless tb->keep leaves it out. */
static int
read_csv_row(struct csv_reading *rd, struct fail *f)
{
	struct train_table *const tb = rd->tb;
	struct table_row row = {
		.user = rd->csv.field[rd->column[COLUMN_USER]],
		.type = EVENT_TYPE__NONE,
	};

	if (clock_parse(rd->csv.field[rd->column[COLUMN_AT]], &row.at) == -1)
		return refuse_column(
		    rd, column_names[COLUMN_AT], "must be a time", f);
	if (tb->rows > 0 && row.at < tb->last)
		return refuse_column(rd, column_names[COLUMN_AT],
		    "is earlier than in the row before; rows must be in time "
		    "order",
		    f);
	if (!train_table_count_row(tb, row.at))
		return 0;
	if (*row.user == '\0')
		return refuse_column(
		    rd, column_names[COLUMN_USER], "is missing", f);
	if (read_label(rd, &row, f) == -1 || read_features(rd, row.x, f) == -1)
		return -1;
	return train_table_add(tb, &row, f);
}

/* Read the label and its time, by default the time of the event. */
static int
read_label(const struct csv_reading *rd, struct table_row *row, struct fail *f)
{
	const char *const fraud = rd->csv.field[rd->column[COLUMN_FRAUD]];
	const char *const known = rd->csv.field[rd->column[COLUMN_KNOWN]];

	row->label = strcmp(fraud, "1") == 0 ? LABEL_FRAUD
	    : strcmp(fraud, "0") == 0	     ? LABEL_LEGIT
					     : LABEL_NONE;
	if (row->label == LABEL_NONE) {
		row->known = TRAIN_NEVER;
		return *fraud == '\0'
		    ? 0
		    : refuse_column(rd, column_names[COLUMN_FRAUD],
			  "must be 0, 1 or empty", f);
	}
	row->known = row->at;
	if (*known != '\0' && clock_parse(known, &row->known) == -1)
		return refuse_column(rd, column_names[COLUMN_KNOWN],
		    "must be a time or empty", f);
	return 0;
}

static int
read_features(const struct csv_reading *rd, double *x, struct fail *f)
{
	const char *text;
	char *end;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		text = rd->csv.field[rd->feature[i]];
		x[i] = strtod(text, &end);
		if (end == text || *end != '\0' || !(x[i] >= 0 && x[i] <= 1))
			return refuse_column(rd, feature_name((enum feature)i),
			    "must be a number from 0 to 1", f);
	}
	return 0;
}

/* Set f to an error about a column of the current line; return -1. */
static int
refuse_column(const struct csv_reading *rd, const char *column, const char *why,
    struct fail *f)
{
	char where[sizeof(f->where)];

	snprintf(
	    where, sizeof(where), "%s:%" PRIu64, rd->path, rd->csv.row_line);
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, where, "%s %s", column, why);
}
