/* SPDX-License-Identifier: ISC */
/* Statements, pipelines and scripts on a session. */
#include "config.h"

#include <assert.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db_int.h"

static int discard_results(struct db *db);
static void result_free(void *res);

int
db_run(struct db *db, struct arena *a, enum stmt stmt, const struct params *p,
    struct rows *ret, struct fail *f)
{
	const bool inside = db->conn != NULL &&
	    PQtransactionStatus(db->conn) == PQTRANS_INTRANS;
	struct rows rows;
	int tries;

	/* A transaction dies with its session: repeat nothing inside it. */
	for (tries = 0; tries < (inside || db->held ? 1 : 2); tries++) {
		if (db_ready(db, f) == -1 || db_prepare_late(db, stmt, f) == -1)
			return -1;
		if (db_send(db, stmt, p, f) != -1 &&
		    db_sync(db, a, &rows, 1, f) == 0) {
			if (ret != NULL)
				*ret = rows;
			return 0;
		}
		if (db->trouble != DB_LOST)
			return -1;

		/*
		 * Do not repeat a write.  The server may have run it, unless it
		 * gave an error.
		 */
		if (!db_stmts[stmt].write)
			continue;
		return db->sqlstate[0] != '\0'
		    ? -1
		    : fail_set(f, FAIL_UNCERTAIN, UNAVAILABLE, NULL,
			  "the connection was lost during a write");
	}
	return -1;
}

int
db_one(struct db *db, struct arena *a, enum stmt stmt, const struct params *p,
    struct rows *ret, struct fail *f)
{
	if (db_run(db, a, stmt, p, ret, f) == -1)
		return -1;
	if (ret->n != 1)
		return fail_set(f, FAIL_INPUT, NOT_FOUND, NULL, "%s",
		    fail_code_text(NOT_FOUND));
	return 0;
}

int
db_script(struct db *db, const char *sql, struct fail *f)
{
	int64_t deadline;
	PGresult *res;
	int r = 0;

	if (db_ready(db, f) == -1)
		return -1;

	/* A script has several statements, which a pipeline refuses. */
	deadline = db_call_deadline(db);
	db->cancelled_at = 0;
	if (!PQexitPipelineMode(db->conn) || !PQsendQuery(db->conn, sql) ||
	    db_flush(db, deadline) == -1)
		return db_lost(db, f);
	while (
	    db->conn != NULL && (res = db_next_result(db, deadline)) != NULL) {
		if (r == 0 && PQresultStatus(res) == PGRES_FATAL_ERROR)
			r = db_refused(db, res, f);
		PQclear(res);
	}
	if (db->conn == NULL)
		return -1;
	if (PQstatus(db->conn) != CONNECTION_OK || PQisBusy(db->conn) ||
	    !PQenterPipelineMode(db->conn))
		return db_lost(db, f);
	return r;
}

int
db_query(struct db *db, struct arena *a, const char *sql,
    const struct params *p, struct rows *ret, struct fail *f)
{
	struct rows rows;

	if (db_ready(db, f) == -1)
		return -1;
	if (p != NULL && p->failed)
		return fail_memory(f);
	if (!PQsendQueryParams(db->conn, sql, p == NULL ? 0 : p->n, NULL,
		p == NULL ? NULL : p->value, p == NULL ? NULL : p->length,
		db_binary, 1))
		return db_lost(db, f);
	db->queued++;
	if (db_sync(db, a, &rows, 1, f) == -1)
		return -1;
	if (ret != NULL)
		*ret = rows;
	return 0;
}

int
db_send(struct db *db, enum stmt stmt, const struct params *p, struct fail *f)
{
	assert(db->prepared[stmt] && !db->started);
	if (p != NULL && p->failed)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "no room for the parameters of %s", db_stmts[stmt].name);
	if (!PQsendQueryPrepared(db->conn, db_stmts[stmt].name,
		p == NULL ? 0 : p->n, p == NULL ? NULL : p->value,
		p == NULL ? NULL : p->length, db_binary, 1))
		return db_lost(db, f);
	return (int)db->queued++;
}

size_t
db_queued(const struct db *db)
{
	return db->queued;
}

int
db_start(struct db *db, struct fail *f)
{
	const size_t n = db->queued;

	if (db_send_sync(db, db_call_deadline(db)) == -1)
		return db_lost(db, f);
	db->queued = n;
	db->started = true;
	return 0;
}

int
db_sync(
    struct db *db, struct arena *a, struct rows *ret, size_t n, struct fail *f)
{
	const int64_t deadline = db_call_deadline(db);
	PGresult *res;
	size_t i;
	int r = 0;

	assert(n == db->queued);
	db->cancelled_at = 0;
	if (db_send_sync(db, deadline) == -1)
		return db_lost(db, f);
	for (i = 0; i < n; i++) {
		res = db_next_result(db, deadline);
		if (res == NULL)
			return db_lost(db, f);
		if (PQresultStatus(res) == PGRES_TUPLES_OK ||
		    PQresultStatus(res) == PGRES_COMMAND_OK) {
			ret[i].result = res;
			ret[i].n = PQntuples(res);
			if (arena_defer(a, result_free, res) == -1 && r == 0)
				r = fail_memory(f);
		} else {
			/*
			 * After the first error the server skips the other
			 * statements.
			 */
			if (r == 0)
				r = db_refused(db, res, f);
			PQclear(res);
			if (db->conn == NULL)
				return -1;
		}

		/* A NULL ends the results of each statement. */
		if ((res = db_next_result(db, deadline)) != NULL)
			PQclear(res);
	}

	/* The result of the sync. */
	if ((res = db_next_result(db, deadline)) == NULL)
		return db_lost(db, f);
	PQclear(res);
	if (r == 0) {
		db->trouble = DB_FINE;
		db_note_writable(db);
	}
	return r;
}

void
db_rollback(struct db *db)
{
	_Alignas(16) char block[1024];
	enum db_trouble trouble = db->trouble;
	struct arena a;
	struct rows rows;

	if (db->conn == NULL)
		return;

	/* Results of what was queued without a sync come first: drop them. */
	if (db->queued > 0 && discard_results(db) == -1) {
		db_lost(db, NULL);
		return;
	}
	if (PQtransactionStatus(db->conn) == PQTRANS_IDLE)
		return;
	arena_init(&a, block, sizeof(block));
	if (db_send(db, STMT_ROLLBACK, NULL, NULL) != -1 &&
	    db_sync(db, &a, &rows, 1, NULL) == 0)
		db->trouble = trouble;
	arena_reset(&a);
}

/* Run what is queued and discard the results. */
static int
discard_results(struct db *db)
{
	const int64_t deadline = db_call_deadline(db);
	PGresult *res;
	bool synced = false;

	if (db_send_sync(db, deadline) == -1)
		return -1;
	while (!synced) {
		res = db_next_result(db, deadline);
		if (res == NULL && PQstatus(db->conn) != CONNECTION_OK)
			return -1;
		if (res == NULL && PQisBusy(db->conn))
			return -1;
		synced = PQresultStatus(res) == PGRES_PIPELINE_SYNC;
		PQclear(res);
	}
	return 0;
}

static void
result_free(void *res)
{
	PQclear(res);
}
