/* SPDX-License-Identifier: ISC */
/* Declarations for the files of lib/db; only they include it and libpq. */
#ifndef LIB_DB_DB_INT_H
#define LIB_DB_DB_INT_H

#include <libpq-fe.h>

#include "lib/db/db.h"
#include "lib/db/db_connect_error.h"

#define POSTGRES_EPOCH INT64_C(946684800000000) /* 2000-01-01 in us UTC */
#define RETRY_MIN (CLOCK_SECOND / 5) /* between two attempts to connect */

struct db {
	PGconn *conn;
	char *url;
	char *name;
	struct db_hosts hosts; /* of url; empty before the first connect */
	struct db_shared *shared; /* of db_share(), or own */
	struct db_shared own;
	const struct db_shared *other; /* of db_limit_sessions() */
	size_t spare; /* of db_limit_sessions() */
	int64_t backend; /* the number of the session, 0 without one */
	int timeout_ms; /* statement timeout of the session */
	int64_t until; /* of db_set_deadline(), or 0 */
	_Atomic int64_t *retry_at; /* of db_set_breaker(), or NULL */
	int64_t pause; /* us that the breaker stays open at least */
	db_cancel_check_fn *cancel_check; /* or NULL */
	void *cancel_arg;
	int64_t cancelled_at; /* clock_ticks(), 0: not cancelled */
	enum stmt setup; /* sets each session up */
	bool held; /* of db_hold_session() */
	int64_t session; /* how many sessions there were */
	int64_t server; /* identifies the server of the last one */
	int64_t timeline; /* of that server, or 0 */
	size_t host; /* the index of its host */
	bool prepared[STMT__MAX];
	size_t queued; /* statements whose results db_sync() will read */
	bool started; /* db_start() has sent their sync */
	enum db_trouble trouble;
	enum db_unfit unfit;
	int64_t missing; /* the first missing migration, if DB_OLD */
	char sqlstate[DB_SQLSTATE_SIZE];
};

/* Every statement of sql/stmt.sql. */
struct db_stmt {
	const char *name;
	const char *text;
	const char *types; /* of its columns: s text, i bigint, t timestamptz,
			      b bytea; empty if it takes no arrays */
	bool write; /* must not be repeated after a lost session */
	bool late; /* decide workers prepare it when they first run it */
};

extern const struct db_stmt db_stmts[STMT__MAX];

/* Formats of parameters: all are binary. */
extern const int db_binary[DB_PARAMS_MAX];

/*
 * Prepare one statement or, with only 0, all that a new session begins with.
 * Returns 0, or -1 with f set; a database that lacks a migration loses its
 * session.
 */
int db_prepare(struct db *db, enum stmt only, struct fail *f);

/*
 * The time until which the next of so many hosts that are left may be waited
 * for: its share of the time to the deadline.
 */
int64_t db_host_deadline(int64_t deadline, size_t left);

/*
 * Connect to a host.  Returns 0, or -1; db_dial_error() then returns the
 * reason, with its SQLSTATE or "".
 */
int db_dial(struct db *db, const struct db_host *host, int64_t deadline);
enum db_connect_error db_dial_error(
    const struct db *db, char ret_sqlstate[DB_SQLSTATE_SIZE]);

/* Run a statement that the session has not prepared.  Returns 0, or -1. */
int db_run_unprepared(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f);

/* Ask all hosts for their timelines, and begin with that of the latest. */
void db_timeline_find(struct db *db, int64_t deadline);

/*
 * Note the timeline of the new session.  Returns 0, or -1 with f set, and
 * without the session, if the server is a former primary.
 */
int db_timeline_check(struct db *db, int64_t timeline, struct fail *f);

/*
 * Whether the server of the session became a former primary: another process
 * has seen a later one.
 */
bool db_timeline_passed(const struct db *db);

/* Queue a sync and send everything.  Returns 0, or -1 if that failed. */
int db_send_sync(struct db *db, int64_t deadline);

/*
 * Send all that is queued, and read meanwhile so that neither side blocks.
 * Returns 0, or -1 if that failed.
 */
int db_flush(struct db *db, int64_t deadline);

/*
 * The next result; NULL also ends the results of one statement.  A dead or
 * silent connection gives NULL, and its status is bad.
 */
PGresult *db_next_result(struct db *db, int64_t deadline);

/*
 * The time at which this call stops waiting for the server: soon after the
 * statement timeout, or the time of db_set_deadline().
 */
int64_t db_call_deadline(const struct db *db);

/* The time us microseconds from now, or that of db_set_deadline() if sooner. */
int64_t db_earlier_deadline(const struct db *db, int64_t us);

/*
 * Drop the session, so that the next call connects again; note it as abandoned
 * if the server may still run its statement.  Sets f and returns -1.
 */
int db_lost(struct db *db, struct fail *f);

/* End the session; the next call connects again. */
void db_end_session(struct db *db);

/* Set f and the trouble by the class of the SQLSTATE of res.  Returns -1. */
int db_refused(struct db *db, const PGresult *res, struct fail *f);

/*
 * Log why host i cannot be used: one line for all processes that share the
 * state, until the reason changes.
 */
void db_log_connect_failure(
    struct db *db, size_t i, enum db_connect_error why, const char *sqlstate);

/*
 * After a statement: log that the server is back if it took no writes before
 * and takes them now.
 */
void db_note_writable(struct db *db);

/*
 * Wait until the socket is ready for events of poll(2).  Returns 0, or -1 at
 * the deadline or CANCEL_MAX after a cancel.
 */
int db_wait_socket(struct db *db, short events, int64_t deadline);

/*
 * After the statement bad did not prepare: drop the session and say in f which
 * migration is missing, if one is.  Returns -1.
 */
int db_refuse_old_schema(struct db *db, enum stmt bad, struct fail *f);

#endif
