/* SPDX-License-Identifier: ISC */
/* Handle failures: a lost session, or an error that the server reported. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/db/db_connect_error.h"
#include "lib/db/db_int.h"
#include "lib/sys/clock.h"

#define POOLER_PAUSE (10 * CLOCK_SECOND) /* until the next attempt */

static void note_abandoned_session(struct db *db);
static const struct unusable *unusable_find(const char *sqlstate);
static int leave_host(struct db *db, const struct unusable *un, struct fail *f);

/*
 * Errors of a statement that say that its server cannot be used: it takes no
 * writes, or each transaction gets another of the sessions of a pooler.
 */
static const struct unusable {
	const char *sqlstate[2];
	enum db_connect_error why;
	int64_t pause; /* us until the next attempt */
	const char *text; /* for clients */
} unusables[] = {
	{ { "25006" }, DB_CONNECT_ERROR_READONLY, RETRY_MIN,
	    "the database takes no writes; try again" },
	{ { "26000", "42P05" }, DB_CONNECT_ERROR_POOLER, POOLER_PAUSE,
	    "a pooler mixes the sessions of the database" },
};

int
db_lost(struct db *db, struct fail *f)
{
	fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "the database cannot be reached; try again");
	if (db->setup == 0 && db->conn != NULL)
		fail_set(f, FAIL_US, UNAVAILABLE, NULL, "%s",
		    PQerrorMessage(db->conn));
	note_abandoned_session(db);
	PQfinish(db->conn);
	db->conn = NULL;
	db->queued = 0;
	db->started = false;
	db->trouble = DB_LOST;
	db->sqlstate[0] = '\0';
	return -1;
}

void
db_end_session(struct db *db)
{
	PQfinish(db->conn);
	db->conn = NULL;
	db->queued = 0;
	db->started = false;
}

/* The server may still run the statement of this session: remember it. */
static void
note_abandoned_session(struct db *db)
{
	if (db->backend != 0 && PQstatus(db->conn) == CONNECTION_OK &&
	    PQtransactionStatus(db->conn) == PQTRANS_ACTIVE)
		db_abandoned_add(&db->shared->left, db->backend);
	db->backend = 0;
}

int
db_refused(struct db *db, const PGresult *res, struct fail *f)
{
	static const struct {
		const char *prefix;
		enum db_trouble trouble;
		enum code code; /* UNAVAILABLE: a retry may succeed */
	} classes[] = {
		{ "23505", DB_DUPLICATE, INTERNAL },
		{ "40", DB_AGAIN, UNAVAILABLE },
		{ "53", DB_REFUSED, UNAVAILABLE },
		{ "57014", DB_TIMEOUT, UNAVAILABLE },
		{ "55P03", DB_TIMEOUT, UNAVAILABLE },
		{ "08", DB_LOST, UNAVAILABLE },
		{ "57P", DB_LOST, UNAVAILABLE },
		{ "", DB_REFUSED, INTERNAL },
	};
	const char *state = PQresultErrorField(res, PG_DIAG_SQLSTATE);
	const struct unusable *un;
	size_t i = 0;

	if (state == NULL)
		return db_lost(db, f);
	snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", state);
	while (
	    strncmp(state, classes[i].prefix, strlen(classes[i].prefix)) != 0)
		i++;
	if (db->setup != 0 && (un = unusable_find(state)) != NULL)
		return leave_host(db, un, f);
	if (classes[i].trouble == DB_LOST) {
		db->backend = 0; /* the server ends the session itself */
		return db_lost(db, f);
	}
	db->trouble = classes[i].trouble;

	/*
	 * Show the text of the server only to migrations: it may quote values.
	 */
	if (db->setup == 0)
		return fail_set(f, FAIL_US, INTERNAL, NULL, "%s (%s)",
		    PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY), state);
	return fail_set(f, FAIL_US, classes[i].code, NULL,
	    "database error %s%s", state,
	    classes[i].code == UNAVAILABLE ? "; try again" : "");
}

static const struct unusable *
unusable_find(const char *sqlstate)
{
	const struct unusable *un;
	size_t i;

	for (un = unusables; un < unusables + nitems(unusables); un++)
		for (i = 0; i < nitems(un->sqlstate); i++)
			if (un->sqlstate[i] != NULL &&
			    strcmp(un->sqlstate[i], sqlstate) == 0)
				return un;
	return NULL;
}

/* End the session; the next attempt begins with the next host. */
static int
leave_host(struct db *db, const struct unusable *un, struct fail *f)
{
	const size_t n = db->hosts.n;
	char state[DB_SQLSTATE_SIZE];
	int32_t ours = (int32_t)db->host;

	if (db->shared != &db->own)
		db_log_connect_failure(db, db->host, un->why, db->sqlstate);

	/* Do nothing if another worker has already changed the host. */
	atomic_compare_exchange_strong(
	    &db->shared->host, &ours, (int32_t)((db->host + 1) % n));
	db->pause = un->pause;
	if (db->retry_at != NULL)
		atomic_store(db->retry_at, clock_ticks() + un->pause);
	db->backend = 0; /* nothing runs in the server: it gave an error */
	memcpy(state, db->sqlstate, sizeof(state));
	db_lost(db, NULL);
	memcpy(db->sqlstate, state, sizeof(state));
	return fail_set(f, FAIL_US, UNAVAILABLE, NULL, "%s", un->text);
}
