/* SPDX-License-Identifier: ISC */
/* Move records from the spool into the database, each once. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "lib/db/db.h"
#include "lib/spool/spool.h"
#include "lib/spool/spool_drain.h"

static int drain_step_once(struct spool *sp, struct db *db, struct arena *a,
    const struct spool_file *file, size_t max, struct spool_drain *ret,
    struct fail *f);
static int drain_begin(struct db *db, struct arena *a,
    const struct spool_file *file, int64_t *ret_done, struct fail *f);
static int drain_commit(struct db *db, struct arena *a,
    const struct spool_file *file, const struct spool_piece *piece,
    struct fail *f);
static int send_log(struct db *db, struct arena *a,
    const struct spool_piece *piece, struct fail *f);
static bool refuses_record(const struct db *db);
static int drain_finish(struct spool *sp, struct db *db, struct arena *a,
    struct spool_file *file, struct fail *f);

int
spool_drain_step(struct spool *sp, struct db *db, struct arena *a,
    struct spool_drain *ret, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	struct spool_file file;
	size_t max = SPOOL_DRAIN_AT_ONCE;
	int r;

	memset(ret, 0, sizeof(*ret));
	if (db_ready(db, f) == -1)
		return -1;
	if ((r = spool_take(sp, &file, f)) != 1)
		return r;

	/* Halve the number of records until the refused one is alone. */
	r = drain_step_once(sp, db, a, &file, max, ret, f);
	while (r == -1 && max > 0 && refuses_record(db)) {
		max /= 2;
		arena_rewind(a, mark);
		r = drain_step_once(sp, db, a, &file, max, ret, f);
	}
	db_rollback(db);
	if (r == 1)
		return drain_finish(sp, db, a, &file, f);
	spool_leave(sp, &file);
	return r;
}

/*
 * Drain up to max records in one transaction.  With max 0, quarantine the first
 * record; a record that this program cannot read is quarantined, too.  Returns
 * 1 if the file has no more records, 0 if it may have, or -1 with f set.
 */
static int
drain_step_once(struct spool *sp, struct db *db, struct arena *a,
    const struct spool_file *file, size_t max, struct spool_drain *ret,
    struct fail *f)
{
	struct spool_piece piece;
	bool quarantined;
	int64_t done;
	size_t n = 0;

	db_rollback(db);
	if (drain_begin(db, a, file, &done, f) == -1 ||
	    spool_read(file, done, max == 0 ? 1 : max, a, &piece, f) == -1)
		return -1;
	if (piece.end == done)
		return 1;

	/*
	 * Take the records before the first unreadable one, or only that one.
	 */
	while (n < piece.n && piece.records[n].id != NULL)
		n++;
	quarantined = piece.n > 0 && (max == 0 || n == 0);
	if (quarantined || n < piece.n)
		piece.end = piece.ends[quarantined ? 0 : n - 1];
	piece.n = quarantined ? 0 : n;
	if ((quarantined &&
		spool_quarantine(sp, file, piece.lines[0], f) == -1) ||
	    drain_commit(db, a, file, &piece, f) == -1)
		return -1;
	ret->drained += piece.n;
	ret->partial += piece.partial;
	ret->quarantined += quarantined ? 1 : 0;
	if (piece.n > 0 || quarantined)
		spool_drained(sp, quarantined ? 1 : piece.n,
		    piece.records[quarantined ? 0 : piece.n - 1].decided_at);
	return 0;
}

/*
 * Begin, and read how far the file is drained.  The lock on its row waits until
 * the transaction of a killed process has ended in the server.
 */
static int
drain_begin(struct db *db, struct arena *a, const struct spool_file *file,
    int64_t *ret_done, struct fail *f)
{
	struct params p;
	struct rows rows[3];

	params_init(&p, a);
	params_text(&p, file->name);
	if (db_send(db, STMT_BEGIN, NULL, f) == -1 ||
	    db_send(db, STMT_SPOOL_ADD, &p, f) == -1 ||
	    db_send(db, STMT_SPOOL_LOCK, &p, f) == -1 ||
	    db_sync(db, a, rows, nitems(rows), f) == -1)
		return -1;
	*ret_done = rows_int(&rows[2], 0, "drained");
	return 0;
}

/* Log the records of a piece, store its end as drained, and commit. */
static int
drain_commit(struct db *db, struct arena *a, const struct spool_file *file,
    const struct spool_piece *piece, struct fail *f)
{
	struct rows rows[4];
	struct params p;

	params_init(&p, a);
	params_text(&p, file->name);
	params_int(&p, piece->end);
	if ((piece->n > 0 &&
		(db_send(db, STMT_ERASURE_GUARD, NULL, f) == -1 ||
		    send_log(db, a, piece, f) == -1)) ||
	    db_send(db, STMT_SPOOL_ADVANCE, &p, f) == -1 ||
	    db_send(db, STMT_COMMIT, NULL, f) == -1)
		return -1;
	return db_sync(db, a, rows, piece->n > 0 ? 4 : 2, f);
}

/* Queue the rows of verdict_log and decision_detail. */
static int
send_log(struct db *db, struct arena *a, const struct spool_piece *piece,
    struct fail *f)
{
	const struct spool_record *r;
	struct cols c;

	if (cols_init(&c, a, STMT_SPOOL_LOG, piece->n, f) == -1)
		return -1;
	for (; c.n < piece->n; c.n++) {
		r = &piece->records[c.n];
		cols_time(&c, SPOOL_LOG_DECIDED_AT, r->decided_at);
		cols_int(&c, SPOOL_LOG_SCORE, r->score);
		cols_text(&c, SPOOL_LOG_ID, r->id);
		cols_text(&c, SPOOL_LOG_EVENT_ID, r->event_id);
		cols_text(&c, SPOOL_LOG_EVENT_TYPE, r->event_type);
		cols_text(&c, SPOOL_LOG_VERDICT, r->verdict);
		cols_text(&c, SPOOL_LOG_REASONS, r->reasons);
		cols_text(&c, SPOOL_LOG_POLICY_ID, r->policy_id);
		cols_text(&c, SPOOL_LOG_POLICY_VERSION, r->policy_version);
		cols_text(&c, SPOOL_LOG_CORRELATION_ID, r->correlation_id);
		cols_text(&c, SPOOL_LOG_USER_ID, r->user);
		cols_text(&c, SPOOL_LOG_IDEMPOTENCY_KEY, r->idempotency_key);
		cols_text(&c, SPOOL_LOG_REQUEST, r->request);
	}
	return cols_send(&c, db, f);
}

/*
 * Whether a record caused the failure, by its content or because no partition
 * takes it (SQLSTATE classes 22 and 23): a retry would fail, too.
 */
static bool
refuses_record(const struct db *db)
{
	const char *state = db_sqlstate(db);

	return db_trouble(db) != DB_FINE && db_trouble(db) != DB_LOST &&
	    (strncmp(state, "22", 2) == 0 || strncmp(state, "23", 2) == 0);
}

/* The whole file is in the database: remove it, then its row. */
static int
drain_finish(struct spool *sp, struct db *db, struct arena *a,
    struct spool_file *file, struct fail *f)
{
	struct params p;

	if (spool_remove(sp, file, f) == -1)
		return -1;
	params_init(&p, a);
	params_text(&p, file->name);
	return db_run(db, a, STMT_SPOOL_FORGET, &p, NULL, f);
}
