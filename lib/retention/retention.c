/* SPDX-License-Identifier: ISC */
/* Retention: remove rows past their window, in small transactions. */
#include "config.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/retention/retention.h"
#include "lib/shared/runtime_setting.h"
#include "lib/sys/clock.h"

#define BATCH 5000 /* rows of collections without months */
#define MONTHS_AHEAD 24
#define WAITS_MAX 6 /* retries of one piece, each after REST_MAX */
#define WIDTH_MIN 60 /* minutes */
#define WIDTH_MAX 40000 /* minutes: about a month */
#define REST_MAX (CLOCK_SECOND / 2)

/* Do one piece of a phase; *ret_more is false at its end. */
typedef int piece_fn(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f);

static int set_up(struct db *db, struct arena *a, struct fail *f);
static int read_cuts(
    struct retention_sweep *sw, struct arena *a, struct fail *f);
static int next_piece(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f);
static bool is_cancelled(const struct db *db);
static bool is_blocked(const struct db *db);
static void rest_between(const struct retention_sweep *sw);
static piece_fn step_months, sweep_rows, remove_dead_letters, remove_aside,
    ask_vacuum, end_sweep;
static int find_batches(struct retention_sweep *sw, struct arena *a,
    enum retention which, bool *ret_more, struct fail *f);
static int remove_batch(struct retention_sweep *sw, struct arena *a,
    enum retention which, int64_t removed[RETENTION__MAX], struct fail *f);
static int raise_watermark(struct retention_sweep *sw, struct arena *a,
    enum retention which, struct fail *f);
static int remove_oldest(struct retention_sweep *sw, struct arena *a,
    enum stmt stmt, int64_t cut, int64_t *removed, bool *ret_more,
    struct fail *f);
static enum retention same_row_part(enum retention which);

static const struct {
	const char *name;
	enum runtime_setting days;
} collections[RETENTION__MAX] = {
#define RETAINED(id, name) { #name, SETTING_##id },
#define COLLECTION(name)
#include "lib/shared/collections.tbl"
#undef COLLECTION
#undef RETAINED
};

/* Keys before verdicts, so that each key has its decision at all times. */
static const struct {
	piece_fn *piece;
	enum retention which; /* collection of sweep_rows(), or the one whose
				 window remove_aside() takes */
	enum stmt stmt; /* of remove_aside() */
	bool skipped; /* this sweep skips it if locks block it */
} phases[] = {
	{ .piece = sweep_rows, .which = RETENTION_IDEMPOTENCY },
	{ .piece = step_months, .skipped = true },
	{ .piece = sweep_rows, .which = RETENTION_ACTIVITY },
	{ .piece = sweep_rows, .which = RETENTION_REPLAY },
	{ .piece = sweep_rows, .which = RETENTION_VERDICTS },
	{ .piece = remove_dead_letters },

	/* Labels of events that were never seen; what exceptions and
	 * redecisions did. */
	{ .piece = remove_aside,
	    .which = RETENTION_VERDICTS,
	    .stmt = STMT_RETAIN_LABELS },
	{ .piece = remove_aside,
	    .which = RETENTION_VERDICTS,
	    .stmt = STMT_RETAIN_EXCEPTIONS },
	{ .piece = remove_aside,
	    .which = RETENTION_VERDICTS,
	    .stmt = STMT_RETAIN_REDECISIONS },

	/* Erasures: spooled decisions of their users are past retention. */
	{ .piece = remove_aside,
	    .which = RETENTION_ACTIVITY,
	    .stmt = STMT_RETAIN_ERASURES },
	{ .piece = ask_vacuum },
	{ .piece = end_sweep },
};

const char *
retention_name(enum retention which)
{
	return collections[which].name;
}

void
retention_days(const struct runtime_settings *s, int64_t ret[RETENTION__MAX])
{
	int64_t *const keys = &ret[RETENTION_IDEMPOTENCY];
	enum retention i;

	for (i = 0; i < RETENTION__MAX; i++)
		ret[i] = (int64_t)runtime_setting_value(s, collections[i].days);
	if (ret[RETENTION_VERDICTS] != 0 &&
	    (*keys == 0 || *keys > ret[RETENTION_VERDICTS]))
		*keys = ret[RETENTION_VERDICTS];
}

int
retention_begin(struct retention_sweep *sw, struct db *db, struct arena *a,
    int64_t minutes, bool *ret_begun, struct fail *f)
{
	struct params p;
	struct rows rows;
	long long ahead;

	memset(sw, 0, sizeof(*sw));
	sw->db = db;
	sw->width = WIDTH_MIN;
	if (set_up(db, a, f) == -1)
		return -1;
	params_init(&p, a);
	params_int(&p, minutes);
	params_time(&p, clock_now());
	if (db_one(db, a, STMT_RETAIN_BEGIN, &p, &rows, f) == -1)
		return -1;
	*ret_begun = rows_bool(&rows, 0, "begun");
	if (*ret_begun)
		return read_cuts(sw, a, f);
	ahead = rows_int(&rows, 0, "ahead_ms");
	if (ahead == 0)
		return 0;
	return fail_set(f, FAIL_DENIED, UNAVAILABLE, NULL,
	    "the clock of the database server is %lld s %s that of this host; "
	    "nothing is removed until they agree",
	    llabs(ahead) / 1000, ahead > 0 ? "ahead of" : "behind");
}

int
retention_next(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	int64_t begun;
	int r;

	rest_between(sw);
	begun = clock_ticks();
	memset(removed, 0, RETENTION__MAX * sizeof(*removed));
	sw->rest = 0;
	r = next_piece(sw, a, removed, ret_more, f);
	arena_rewind(a, mark);
	if (sw->rest == 0)
		sw->rest = clock_ticks() - begun;
	return r;
}

int
retention_ahead(
    struct db *db, struct arena *a, int64_t *ret_made, struct fail *f)
{
	struct params p;
	struct rows rows;

	*ret_made = 0;
	params_init(&p, a);
	params_int(&p, MONTHS_AHEAD);
	if (set_up(db, a, f) == -1)
		return -1;
	if (db_one(db, a, STMT_RETAIN_AHEAD, &p, &rows, f) == 0) {
		*ret_made = rows_int(&rows, 0, "made");
		return 0;
	}
	if (!is_blocked(db))
		return -1;
	memset(f, 0, sizeof(*f));
	return 0;
}

/* Set up the session, which may be new. */
static int
set_up(struct db *db, struct arena *a, struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_int(&p, RETENTION_TIMEOUT_MS);
	return db_run(db, a, STMT_RETAIN_SESSION, &p, NULL, f);
}

/* Compute the cutoffs. */
static int
read_cuts(struct retention_sweep *sw, struct arena *a, struct fail *f)
{
	struct runtime_settings settings;
	int64_t days[RETENTION__MAX];
	struct params p;
	struct rows rows;
	enum retention i;

	if (runtime_setting_read(sw->db, a, &settings, f) == -1)
		return -1;
	retention_days(&settings, days);
	for (i = 0; i < RETENTION__MAX; i++) {
		params_init(&p, a);
		params_int(&p, days[i]);
		if (db_one(sw->db, a, STMT_RETAIN_CUT, &p, &rows, f) == -1)
			return -1;
		sw->cut[i] = rows_time(&rows, 0, "cut");
	}
	return 0;
}

/* Do the next piece of the current phase, and handle its failure. */
static int
next_piece(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	bool more = true;

	*ret_more = true;
	if (phases[sw->phase].piece(sw, a, removed, &more, f) == 0)
		sw->waits = 0;
	else if (is_cancelled(sw->db))
		memset(f, 0, sizeof(*f));
	else if (is_blocked(sw->db) &&
	    (++sw->waits < WAITS_MAX || phases[sw->phase].skipped)) {
		/* Retry after a rest, or leave the phase to the next sweep. */
		memset(f, 0, sizeof(*f));
		sw->rest = REST_MAX;
		more = sw->waits < WAITS_MAX;
	} else
		return -1;
	if (more)
		return 0;
	sw->waits = 0;
	*ret_more = (size_t)++sw->phase < nitems(phases);
	return 0;
}

static bool
is_cancelled(const struct db *db)
{
	return db_trouble(db) == DB_TIMEOUT && db_cancelled(db);
}

/* Return whether the last call failed because of a lock of another session. */
static bool
is_blocked(const struct db *db)
{
	return db_trouble(db) == DB_AGAIN ||
	    (db_trouble(db) == DB_TIMEOUT &&
		strcmp(db_sqlstate(db), "55P03") == 0);
}

/* Sleep; a signal ends this. */
static void
rest_between(const struct retention_sweep *sw)
{
	const int64_t us = sw->rest < REST_MAX ? sw->rest : REST_MAX;

	if (us >= 1000)
		poll(NULL, 0, (int)(us / 1000));
}

static int
remove_dead_letters(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	return remove_oldest(sw, a, STMT_RETAIN_DEAD,
	    sw->cut[RETENTION_DEAD_LETTER], &removed[RETENTION_DEAD_LETTER],
	    ret_more, f);
}

/* Remove rows that no collection counts. */
static int
remove_aside(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	int64_t n;

	(void)removed;
	return remove_oldest(sw, a, phases[sw->phase].stmt,
	    sw->cut[phases[sw->phase].which], &n, ret_more, f);
}

/* Detach or drop the next whole month. */
static int
step_months(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_time(&p, sw->cut[RETENTION_VERDICTS]);
	params_time(&p, sw->cut[RETENTION_ACTIVITY]);
	params_time(&p, sw->cut[RETENTION_REPLAY]);
	if (db_run(sw->db, a, STMT_RETAIN_MONTH, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows.n == 1;
	if (!*ret_more)
		return 0;
	removed[RETENTION_VERDICTS] = rows_int(&rows, 0, "verdicts");
	removed[RETENTION_ACTIVITY] = rows_int(&rows, 0, "activity");
	removed[RETENTION_REPLAY] = rows_int(&rows, 0, "samples");
	return 0;
}

/*
 * Remove the rows past a cutoff within a month, or of a table without months, a
 * batch at a time.
 */
static int
sweep_rows(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	const enum retention which = phases[sw->phase].which;

	if (sw->batch < sw->batches)
		return remove_batch(sw, a, which, removed, f);
	if (sw->until != 0)
		return raise_watermark(sw, a, which, f);
	return find_batches(sw, a, which, ret_more, f);
}

/* Find the next batches; *ret_more is false if there are none. */
static int
find_batches(struct retention_sweep *sw, struct arena *a, enum retention which,
    bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;
	int i;

	params_init(&p, a);
	params_text(&p, collections[which].name);
	params_time(&p, sw->cut[which]);
	params_int(&p, RETENTION_BATCHES);
	params_int(&p, sw->width);
	if (db_run(sw->db, a, STMT_RETAIN_BATCHES, &p, &rows, f) == -1)
		return -1;
	*ret_more = rows.n > 0;
	if (!*ret_more)
		return 0;
	sw->batch = 0;
	sw->batches = rows_null(&rows, 0, "part") ? 0 : rows.n;
	for (i = 0; i < sw->batches; i++) {
		sw->part[i] = rows_int(&rows, i, "part");
		sw->page_range[i] = rows_int(&rows, i, "page_range");
	}
	sw->until = rows_null(&rows, 0, "done_until")
	    ? 0
	    : rows_time(&rows, 0, "done_until");
	if (sw->until == 0 && sw->width > WIDTH_MIN)
		sw->width /= 2;
	else if (sw->batches < RETENTION_BATCHES / 2 && sw->width < WIDTH_MAX)
		sw->width *= 2;
	return 0;
}

static int
remove_batch(struct retention_sweep *sw, struct arena *a, enum retention which,
    int64_t removed[RETENTION__MAX], struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_text(&p, collections[which].name);
	params_int(&p, sw->part[sw->batch]);
	params_int(&p, sw->page_range[sw->batch]);
	params_time(&p, sw->cut[which]);
	params_time(&p, sw->cut[same_row_part(which)]);
	if (db_one(sw->db, a, STMT_RETAIN_BATCH, &p, &rows, f) == -1)
		return -1;
	removed[which] += rows_int(&rows, 0, "rows_gone");
	removed[same_row_part(which)] += rows_int(&rows, 0, "others_gone");
	sw->batch++;
	return 0;
}

/* Record that all rows before until are removed; later sweeps skip them. */
static int
raise_watermark(struct retention_sweep *sw, struct arena *a,
    enum retention which, struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_text(&p, collections[which].name);
	params_time(&p, sw->until);
	if (db_run(sw->db, a, STMT_RETAIN_DONE, &p, NULL, f) == -1)
		return -1;
	sw->until = 0;
	return 0;
}

/* Remove up to BATCH rows older than cut with stmt, and count them. */
static int
remove_oldest(struct retention_sweep *sw, struct arena *a, enum stmt stmt,
    int64_t cut, int64_t *removed, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_time(&p, cut);
	params_int(&p, BATCH);
	if (db_one(sw->db, a, stmt, &p, &rows, f) == -1)
		return -1;
	*removed = rows_int(&rows, 0, "gone");
	*ret_more = *removed == BATCH;
	return 0;
}

/* Let the server's autovacuum free the space of removed rows soon. */
static int
ask_vacuum(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	struct rows rows;

	(void)removed;
	*ret_more = false;
	if (!conf.RETENTION_VACUUM)
		return 0;
	if (db_one(sw->db, a, STMT_RETAIN_VACUUM, NULL, &rows, f) == -1)
		return -1;
	sw->no_vacuum = !rows_bool(&rows, 0, "autovacuum");
	return 0;
}

/* End the sweep; the next is due after RETENTION_SWEEP_MINUTES. */
static int
end_sweep(struct retention_sweep *sw, struct arena *a,
    int64_t removed[RETENTION__MAX], bool *ret_more, struct fail *f)
{
	(void)removed;
	*ret_more = false;
	return db_run(sw->db, a, STMT_RETAIN_END, NULL, NULL, f);
}

/* The other collection in the same row; without one, the same collection. */
static enum retention
same_row_part(enum retention which)
{
	if (which == RETENTION_ACTIVITY)
		return RETENTION_REPLAY;
	return which == RETENTION_REPLAY ? RETENTION_ACTIVITY : which;
}
