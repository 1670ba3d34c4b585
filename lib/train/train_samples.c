/* SPDX-License-Identifier: ISC */
/* Training: read the table from the samples of the database. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "core/decide/sample.h"
#include "core/signal/features.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/train/train.h"

#define BATCH 2000 /* samples per statement, of some 3 KB each */
#define STRETCH_FIRST (3600 * CLOCK_SECOND) /* time range of a statement */
#define STRETCH_MIN CLOCK_SECOND /* shortest time range */

/*
 * The state of reading.  All samples decided before from are read, and those
 * decided at from with ids up to after.
 */
struct samples_reading {
	struct train_table *tb;
	struct db *db;
	const char *type;
	struct arena *arena;
	progress_fn *progress;
	int64_t first;
	int64_t end;
	int64_t from;
	char after[CRYPT_ID_SIZE]; /* id of the last decision read, or "" */
	int64_t stretch; /* time range of the next statement */
	uint64_t labels; /* samples with a label */
	uint64_t unread; /* samples that this version cannot read */
};

static int find_span(struct samples_reading *rd,
    const struct train_wanted *wanted, struct fail *f);
static int read_sample_batch(struct samples_reading *rd, struct fail *f);
static int add_sample_rows(
    struct samples_reading *rd, const struct rows *rows, struct fail *f);
static int add_sample_row(struct samples_reading *rd, struct table_row *row,
    const char *text, size_t len, struct fail *f);
static bool report_progress(void *arg);
static int load_stored_policy(struct db *db, struct arena *a, const char *type,
    struct policy *ret, struct fail *f);

int
train_samples_read(struct train_table *tb, struct db *db,
    const struct train_wanted *wanted, struct arena *a, progress_fn *progress,
    uint64_t *ret_unread, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	struct samples_reading rd = {
		.tb = tb,
		.db = db,
		.type = wanted->type,
		.arena = a,
		.progress = progress,
		.stretch = STRETCH_FIRST,
	};
	int r;

	r = find_span(&rd, wanted, f);
	db_set_cancel_check(db, report_progress, &rd);
	while (r == 0 && rd.from < rd.end) {
		arena_rewind(a, mark);
		r = report_progress(&rd)
		    ? fail_set(f, FAIL_DENIED, UNAVAILABLE, NULL, "interrupted")
		    : read_sample_batch(&rd, f);
	}
	arena_rewind(a, mark);
	db_set_cancel_check(db, NULL, NULL);
	*ret_unread = rd.unread;
	if (r == -1)
		return -1;
	if (tb->rows == 0)
		return fail_set(f, FAIL_INPUT, NOT_FOUND, NULL,
		    "the database has no samples to train on; each scored "
		    "decision leaves one for RETENTION_REPLAY_DAYS");
	return rd.labels > 0
	    ? 0
	    : fail_set(f, FAIL_INPUT, NOT_FOUND, NULL,
		  "none of the %" PRIu64 " samples has a label; 'assayctl "
		  "cases resolve' and 'assayctl label chargeback' add labels",
		  tb->rows);
}

int
train_samples_policies(struct db *db, struct arena *a,
    struct policy ret[EVENT_TYPE__MAX], struct fail *f)
{
	const char *name;
	int type;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		name = event_type_name((enum event_type)type);
		if (load_stored_policy(db, a, name, &ret[type], f) == -1)
			return -1;
	}
	return 0;
}

/* Find the time range of the samples to read. */
static int
find_span(struct samples_reading *rd, const struct train_wanted *wanted,
    struct fail *f)
{
	const int64_t keep = rd->tb->keep.from;
	struct rows rows;

	if (db_one(rd->db, rd->arena, STMT_TRAIN_SPAN, NULL, &rows, f) == -1)
		return -1;
	rd->first = rows_time(&rows, 0, "first");
	rd->end = rows_time(&rows, 0, "last");
	if (rd->first < wanted->since)
		rd->first = wanted->since;
	if (rd->first < keep)
		rd->first = keep;
	rd->from = rd->first;
	return 0;
}

/*
 * Read the next samples.  Halve the time range if it has too many samples for
 * one statement, and double it if it has few.
 */
static int
read_sample_batch(struct samples_reading *rd, struct fail *f)
{
	const int64_t left = rd->end - rd->from;
	const int64_t to =
	    rd->stretch < left ? rd->from + rd->stretch : rd->end;
	struct params p;
	struct rows rows;

	params_init(&p, rd->arena);
	params_time(&p, rd->from);
	params_text(&p, rd->after);
	params_time(&p, to);
	params_text(&p, rd->type);
	params_int(&p, BATCH);
	if (db_run(rd->db, rd->arena, STMT_TRAIN_SAMPLES, &p, &rows, f) == -1 ||
	    add_sample_rows(rd, &rows, f) == -1)
		return -1;
	if (rows.n == BATCH) {
		if (rd->stretch > STRETCH_MIN)
			rd->stretch /= 2;
		return 0;
	}
	rd->from = to;
	rd->after[0] = '\0';
	if (rows.n < BATCH / 4 && rd->stretch < left)
		rd->stretch *= 2;
	return 0;
}

static int
add_sample_rows(
    struct samples_reading *rd, const struct rows *rows, struct fail *f)
{
	const struct arena_mark mark = arena_mark(rd->arena);
	struct table_row row;
	const char *text;
	size_t len;
	int i;

	for (i = 0; i < rows->n; i++) {
		arena_rewind(rd->arena, mark);
		rd->from = rows_time(rows, i, "decided_at");
		snprintf(rd->after, sizeof(rd->after), "%s",
		    rows_text(rows, i, "verdict_id"));
		row = (struct table_row) {
			.user = rows_text(rows, i, "user_id"),
			.at = rd->from,
			.known = TRAIN_NEVER,
			.label = LABEL_NONE,
			.type =
			    event_type_parse(rows_text(rows, i, "event_type")),
		};
		if (!rows_null(rows, i, "fraud")) {
			row.known = rows_time(rows, i, "labelled_at");
			row.label = rows_bool(rows, i, "fraud") ? LABEL_FRAUD
								: LABEL_LEGIT;
		}
		text = rows_bytes(rows, i, "sample", &len);
		if (add_sample_row(rd, &row, text, len, f) == -1)
			return -1;
	}
	return 0;
}

/* Add a sample to the table; count it as unread if it cannot be read. */
static int
add_sample_row(struct samples_reading *rd, struct table_row *row,
    const char *text, size_t len, struct fail *f)
{
	static struct sample sample;

	if (row->type == EVENT_TYPE__NONE ||
	    sample_read(rd->arena, text, len, &sample) == -1 ||
	    sample.rules_score < 0) {
		rd->unread++;
		return 0;
	}
	rd->labels += row->label != LABEL_NONE;
	if (!train_table_count_row(rd->tb, row->at))
		return 0;
	features_extract(&sample.signals, sample.rules_score, row->x);
	return train_table_add(rd->tb, row, f);
}

/*
 * Draw the progress.  Return true to stop.  The connection calls this also
 * while a statement runs (db_set_cancel_check()).
 */
static bool
report_progress(void *arg)
{
	const struct samples_reading *rd = arg;

	return rd->progress(rd->from - rd->first, rd->end - rd->first);
}

/* Read the active policy of an event type. */
static int
load_stored_policy(struct db *db, struct arena *a, const char *type,
    struct policy *ret, struct fail *f)
{
	struct json_object *json;
	struct params p;
	struct rows rows;
	const char *text;

	params_init(&p, a);
	params_text(&p, type);
	if (db_one(db, a, STMT_TRAIN_POLICY, &p, &rows, f) == -1)
		return -1;
	text = rows_text(&rows, 0, "policy");
	if ((json = body_parse(a, text, strlen(text), f)) == NULL ||
	    body_policy(a, json, "", ret, f) == -1)
		return fail_set(f, FAIL_US, INTERNAL, type,
		    "the active policy cannot be read");
	ret->version = "the active policy";
	return 0;
}
