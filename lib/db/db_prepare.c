/* SPDX-License-Identifier: ISC */
/* Prepare named statements: the early ones when a session starts. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db_int.h"
#include "lib/sys/clock.h"

#define PREPARE_MAX (10 * CLOCK_SECOND) /* for all statements */
#define SQL_MISSING                                                            \
	"select min(k) as missing from unnest('" SCHEMA_MIGRATIONS             \
	"'::bigint[]) k where not exists (select from assay.migration m "      \
	"where m.number = k)"

static bool is_prepared_now(
    const struct db *db, enum stmt stmt, enum stmt only);

int
db_prepare_late(struct db *db, enum stmt stmt, struct fail *f)
{
	return db->prepared[stmt] ? 0 : db_prepare(db, stmt, f);
}

int
db_prepare(struct db *db, enum stmt only, struct fail *f)
{
	const int64_t deadline = db_earlier_deadline(db, PREPARE_MAX);
	PGresult *res;
	enum stmt stmt, bad = 0;
	int r = 0;

	for (stmt = 1; stmt < STMT__MAX; stmt++) {
		if (is_prepared_now(db, stmt, only) &&
		    !PQsendPrepare(db->conn, db_stmts[stmt].name,
			db_stmts[stmt].text, 0, NULL))
			return db_lost(db, f);
	}
	if (db_send_sync(db, deadline) == -1)
		return db_lost(db, f);
	for (stmt = 1; stmt < STMT__MAX; stmt++) {
		if (!is_prepared_now(db, stmt, only))
			continue;
		if ((res = db_next_result(db, deadline)) == NULL)
			return db_lost(db, f);
		if (r == 0 && PQresultStatus(res) == PGRES_FATAL_ERROR) {
			r = db_refused(db, res, f);
			bad = stmt;
		}
		PQclear(res);
		if (db->conn == NULL)
			return -1;
		if ((res = db_next_result(db, deadline)) != NULL)
			PQclear(res);
	}

	/* The result of the sync. */
	if ((res = db_next_result(db, deadline)) == NULL)
		return db_lost(db, f);
	PQclear(res);
	if (r == -1 && db->trouble == DB_TIMEOUT) {
		db_end_session(db); /* it waited for a lock: try again */
		return -1;
	}
	if (r == -1)
		return db_refuse_old_schema(db, bad, f);
	for (stmt = 1; stmt < STMT__MAX; stmt++)
		if (is_prepared_now(db, stmt, only))
			db->prepared[stmt] = true;
	return 0;
}

/* Whether this call prepares stmt: it is only, or only is 0 and it is early. */
static bool
is_prepared_now(const struct db *db, enum stmt stmt, enum stmt only)
{
	if (only != 0)
		return stmt == only;
	return !db_stmts[stmt].late || db->setup == STMT_SESSION;
}

int
db_refuse_old_schema(struct db *db, enum stmt bad, struct fail *f)
{
	const enum db_trouble trouble = db->trouble;
	_Alignas(16) char block[1024];
	char state[sizeof(db->sqlstate)];
	int64_t missing = 0;
	struct arena a;
	struct rows rows;

	if (db->conn == NULL)
		return -1;
	memcpy(state, db->sqlstate, sizeof(state));
	arena_init(&a, block, sizeof(block));
	if (db_query(db, &a, SQL_MISSING, NULL, &rows, NULL) == 0)
		missing = rows_int(&rows, 0, "missing");
	arena_reset(&a);
	db_end_session(db);
	db->trouble = trouble;
	memcpy(db->sqlstate, state, sizeof(state));
	if (missing == 0)
		return fail_set(f, FAIL_US, INTERNAL, db_stmts[bad].name,
		    "does not prepare (SQLSTATE %s)", state);
	db->unfit = DB_OLD;
	db->missing = missing;
	return fail_set(f, FAIL_US, INTERNAL, db_stmts[bad].name,
	    "does not prepare (SQLSTATE %s): migration %04" PRId64
	    " is missing; run assayctl migrate",
	    state, missing);
}
