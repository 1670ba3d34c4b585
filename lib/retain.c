/* SPDX-License-Identifier: ISC */
/* Retention: what is older than its window goes, in small transactions. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/arena.h"
#include "core/fail.h"
#include "lib/clock.h"
#include "lib/db.h"
#include "lib/retain.h"
#include "lib/setting.h"

#define BATCH 5000 /* rows of those that go by number */

/* One run. */
struct run {
	struct db *db;
	struct arena *arena;
	int64_t until; /* clock_ticks(), or 0 */
	int64_t cut[RETAIN__MAX]; /* clock_now() less the windows; 0: never */
	int64_t *gone;
};

static int begin(struct run *r, struct fail *f);
static int end(struct run *r, struct fail *f);
static int read_cuts(struct run *r, struct fail *f);
static int work(struct run *r, struct fail *f);
static int months(struct run *r, struct fail *f);
static int month(struct run *r, bool *ret_more, struct fail *f);
static int sweep(struct run *r, enum retain which, struct fail *f);
static int sweep_batch(struct run *r, enum retain which,
    const struct rows *batches, int row, struct fail *f);
static int by_number(
    struct run *r, enum stmt stmt, int64_t cut, int64_t *gone, struct fail *f);
static enum retain beside(enum retain which);
static bool is_over(const struct run *r);

static const struct {
	const char *name;
	enum setting days;
} collections[RETAIN__MAX] = {
	[RETAIN_VERDICTS] = { "verdicts", SETTING_VERDICTS },
	[RETAIN_ACTIVITY] = { "activity", SETTING_ACTIVITY },
	[RETAIN_REPLAY] = { "replay", SETTING_REPLAY },
	[RETAIN_IDEMPOTENCY] = { "idempotency", SETTING_IDEMPOTENCY },
	[RETAIN_DEAD_LETTER] = { "deadLetter", SETTING_DEAD_LETTER },
};

const char *
retain_name(enum retain which)
{
	return collections[which].name;
}

int
retain_run(struct db *db, struct arena *a, int64_t until,
    int64_t ret[RETAIN__MAX], struct fail *f)
{
	struct run r = { .db = db, .arena = a, .until = until, .gone = ret };

	memset(ret, 0, RETAIN__MAX * sizeof(*ret));
	if (read_cuts(&r, f) == -1 || begin(&r, f) == -1)
		return -1;
	if (work(&r, f) == -1) {
		(void)end(&r, NULL);
		return -1;
	}
	return end(&r, f);
}

/* One runner over all hosts; the lock goes with the session if we do. */
static int
begin(struct run *r, struct fail *f)
{
	struct rows rows;

	if (db_one(r->db, r->arena, STMT_RETAIN_LOCK, NULL, &rows, f) == -1)
		return -1;
	if (!rows_get_bool(&rows, "got"))
		return fail_set(f, FAIL_DENIED, UNAVAILABLE, NULL,
		    "retention is running already; try again when it is done");
	return 0;
}

static int
end(struct run *r, struct fail *f)
{
	return db_run(r->db, r->arena, STMT_RETAIN_UNLOCK, NULL, NULL, f);
}

/* Where the windows end; that of verdicts is over all parts of a decision. */
static int
read_cuts(struct run *r, struct fail *f)
{
	struct settings settings;
	struct params p;
	struct rows rows;
	enum retain i;

	if (setting_read(r->db, r->arena, &settings, f) == -1)
		return -1;
	for (i = 0; i < RETAIN__MAX; i++) {
		params_init(&p, r->arena);
		params_int(
		    &p, (int64_t)setting_value(&settings, collections[i].days));
		if (db_one(r->db, r->arena, STMT_RETAIN_CUT, &p, &rows, f) ==
		    -1)
			return -1;
		r->cut[i] = rows_get_time(&rows, "cut");
		if (i != RETAIN_DEAD_LETTER &&
		    r->cut[i] < r->cut[RETAIN_VERDICTS])
			r->cut[i] = r->cut[RETAIN_VERDICTS];
	}
	return 0;
}

/*
 * Keys first and verdicts last: at no moment is there a key whose decision is
 * gone.
 */
static int
work(struct run *r, struct fail *f)
{
	int64_t labels = 0;

	if (sweep(r, RETAIN_IDEMPOTENCY, f) == -1 || months(r, f) == -1 ||
	    sweep(r, RETAIN_ACTIVITY, f) == -1 ||
	    sweep(r, RETAIN_REPLAY, f) == -1 ||
	    sweep(r, RETAIN_VERDICTS, f) == -1 ||
	    by_number(r, STMT_RETAIN_DEAD, r->cut[RETAIN_DEAD_LETTER],
		&r->gone[RETAIN_DEAD_LETTER], f) == -1)
		return -1;
	return by_number(
	    r, STMT_RETAIN_LABELS, r->cut[RETAIN_VERDICTS], &labels, f);
}

/* Detach and drop whole months, until there is none. */
static int
months(struct run *r, struct fail *f)
{
	struct arena_mark mark;
	bool more = true;
	int result = 0;

	while (result == 0 && more && !is_over(r)) {
		mark = arena_mark(r->arena);
		result = month(r, &more, f);
		arena_rewind(r->arena, mark);
	}

	/* Somebody reads for longer than we wait: the next run goes on. */
	if (result == -1 && db_trouble(r->db) == DB_TIMEOUT) {
		memset(f, 0, sizeof(*f));
		return 0;
	}
	return result;
}

/* One step of that; *ret_more says whether there was one. */
static int
month(struct run *r, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_time(&p, r->cut[RETAIN_VERDICTS]);
	params_time(&p, r->cut[RETAIN_ACTIVITY]);
	params_time(&p, r->cut[RETAIN_REPLAY]);
	if (db_run(r->db, r->arena, STMT_RETAIN_MONTH, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows.ro_n == 1;
	if (!*ret_more)
		return 0;
	if (db_script(r->db, rows_get_text(&rows, "command"), f) == -1)
		return -1;
	r->gone[RETAIN_VERDICTS] += rows_get_int(&rows, "verdicts");
	r->gone[RETAIN_ACTIVITY] += rows_get_int(&rows, "activity");
	r->gone[RETAIN_REPLAY] += rows_get_int(&rows, "replay");
	return 0;
}

/* The edge of a window, inside a month or where there are none. */
static int
sweep(struct run *r, enum retain which, struct fail *f)
{
	const struct arena_mark mark = arena_mark(r->arena);
	struct params p;
	struct rows rows;
	int row = 0, result;

	params_init(&p, r->arena);
	params_text(&p, collections[which].name);
	params_time(&p, r->cut[which]);
	result = db_run(r->db, r->arena, STMT_RETAIN_BATCHES, &p, &rows, f);
	while (result == 0 && row < rows.ro_n && !is_over(r))
		result = sweep_batch(r, which, &rows, row++, f);
	if (result == 0 && row == rows.ro_n)
		result = db_run(r->db, r->arena, STMT_RETAIN_DONE, &p, NULL, f);
	arena_rewind(r->arena, mark);
	return result;
}

/* One row of the batches that there are. */
static int
sweep_batch(struct run *r, enum retain which, const struct rows *batches,
    int row, struct fail *f)
{
	const struct arena_mark mark = arena_mark(r->arena);
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_text(&p, collections[which].name);
	params_int(&p, rows_int(batches, row, rows_col(batches, "part")));
	params_int(&p, rows_int(batches, row, rows_col(batches, "run")));
	params_time(&p, r->cut[which]);
	params_time(&p, r->cut[beside(which)]);
	if (db_one(r->db, r->arena, STMT_RETAIN_BATCH, &p, &rows, f) == -1)
		return -1;
	r->gone[which] += rows_get_int(&rows, "rows_gone");
	r->gone[beside(which)] += rows_get_int(&rows, "others_gone");
	arena_rewind(r->arena, mark);
	return 0;
}

/* What has no months, a batch at a time. */
static int
by_number(
    struct run *r, enum stmt stmt, int64_t cut, int64_t *gone, struct fail *f)
{
	int64_t n = BATCH;
	struct params p;
	struct rows rows;

	while (n == BATCH && !is_over(r)) {
		params_init(&p, r->arena);
		params_time(&p, cut);
		params_int(&p, BATCH);
		if (db_one(r->db, r->arena, stmt, &p, &rows, f) == -1)
			return -1;
		n = rows_get_int(&rows, "gone");
		*gone += n;
	}
	return 0;
}

/* The other part of the same row, where a collection is one of two. */
static enum retain
beside(enum retain which)
{
	if (which == RETAIN_ACTIVITY)
		return RETAIN_REPLAY;
	return which == RETAIN_REPLAY ? RETAIN_ACTIVITY : which;
}

static bool
is_over(const struct run *r)
{
	return r->until != 0 && clock_ticks() >= r->until;
}
