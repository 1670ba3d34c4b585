/* SPDX-License-Identifier: ISC */
/*
 * Timelines: each promotion of a standby begins a later one.  A server that
 * takes writes on an earlier timeline than one that was seen is a former
 * primary.  What is written there is lost, so no session begins there and none
 * stays.
 */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db_connect_error.h"
#include "lib/db/db_int.h"
#include "lib/sys/clock.h"

static int64_t ask_host(struct db *db, size_t i, int64_t deadline);
static void log_dial_error(struct db *db, size_t i);
static bool is_later(int64_t a, int64_t b);
static int64_t latest_timeline(const struct db *db);
static void raise_timeline(struct db *db, int64_t timeline);

void
db_timeline_find(struct db *db, int64_t deadline)
{
	const int64_t half = (clock_ticks() + deadline) / 2;
	int64_t latest = 0, timeline;
	size_t i;

	for (i = 0; i < db->hosts.n && clock_ticks() < half; i++) {
		timeline =
		    ask_host(db, i, db_host_deadline(half, db->hosts.n - i));
		if (timeline == 0 ||
		    (latest != 0 && !is_later(timeline, latest)))
			continue;
		latest = timeline;
		atomic_store(&db->shared->host, (int32_t)i);
	}
	raise_timeline(db, latest);
}

int
db_timeline_check(struct db *db, int64_t timeline, struct fail *f)
{
	db->timeline = timeline;
	if (!is_later(latest_timeline(db), timeline)) {
		raise_timeline(db, timeline);
		return 0;
	}
	if (db->shared != &db->own)
		db_log_connect_failure(
		    db, db->host, DB_CONNECT_ERROR_FORMER, "");
	db->unfit = DB_FORMER;
	db_lost(db, NULL);
	return fail_set(
	    f, FAIL_US, UNAVAILABLE, NULL, "%s", db_unfit_text(db->unfit));
}

bool
db_timeline_passed(const struct db *db)
{
	return is_later(latest_timeline(db), db->timeline) && db->queued == 0 &&
	    PQtransactionStatus(db->conn) == PQTRANS_IDLE;
}

/* Log why a host does not answer, unless it may be a standby. */
static void
log_dial_error(struct db *db, size_t i)
{
	char sqlstate[DB_SQLSTATE_SIZE];
	const enum db_connect_error why = db_dial_error(db, sqlstate);

	if (why != DB_CONNECT_ERROR_READONLY && db->shared != &db->own)
		db_log_connect_failure(db, i, why, sqlstate);
}

/* Return the timeline of a host that takes writes, else 0. */
static int64_t
ask_host(struct db *db, size_t i, int64_t deadline)
{
	_Alignas(16) char block[1024];
	const int64_t until = db->until;
	struct fail ignored = { 0 };
	int64_t timeline = 0;
	struct params p;
	struct arena a;
	struct rows rows;

	db->until = deadline;
	arena_init(&a, block, sizeof(block));
	params_init(&p, &a);
	if (db_dial(db, &db->hosts.all[i], deadline) == -1)
		log_dial_error(db, i);
	else if (db_run_unprepared(
		     db, &a, STMT_TIMELINE, &p, &rows, &ignored) == 0)
		timeline = rows_int(&rows, 0, "timeline");
	arena_reset(&a);
	db_end_session(db);
	db->until = until;
	return timeline;
}

/* Whether a is later than b in the same cluster.  0 is no timeline. */
static bool
is_later(int64_t a, int64_t b)
{
	return a != 0 && b != 0 && a >> 32 == b >> 32 && a > b;
}

/* The latest timeline that this program has seen with one of its strings. */
static int64_t
latest_timeline(const struct db *db)
{
	const int64_t ours = atomic_load(&db->shared->timeline);
	const int64_t others =
	    db->other == NULL ? 0 : atomic_load(&db->other->timeline);

	return is_later(others, ours) ? others : ours;
}

/* Keep the later one; a timeline of another cluster replaces any. */
static void
raise_timeline(struct db *db, int64_t timeline)
{
	int64_t known = atomic_load(&db->shared->timeline);

	while (timeline != 0 && timeline != known &&
	    !is_later(known, timeline) &&
	    !atomic_compare_exchange_weak(
		&db->shared->timeline, &known, timeline))
		continue;
}
