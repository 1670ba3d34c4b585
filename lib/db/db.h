/* SPDX-License-Identifier: ISC */
/*
 * One PostgreSQL connection: named statements, binary parameters, pipelines
 * and rows.  Nothing outside lib/db includes libpq.
 */
#ifndef LIB_DB_DB_H
#define LIB_DB_DB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/db/db_abandoned.h"
#include "lib/db/db_host.h"
#include "lib/db/stmt.gen.h"

struct arena;
struct db;
struct fail;

#define DB_PARAMS_MAX 24

/* Why the last call failed, as far as callers must know. */
enum db_trouble {
	DB_FINE = 1,
	DB_LOST, /* no connection, or it died */
	DB_AGAIN, /* deadlock or serialization: run the transaction again */
	DB_DUPLICATE, /* another row has the unique key */
	DB_TIMEOUT, /* statement or lock timeout, or cancelled */
	DB_REFUSED, /* any other error the server reported */
	DB_TROUBLE__MAX
};

/* Why this program cannot use the database of a server that answers. */
enum db_unfit {
	DB_FIT = 1, /* it can use it, or no server answers */
	DB_UNTRIED, /* the breaker is open: db_set_breaker() */
	DB_OLD, /* a migration is missing */
	DB_NEWER, /* it needs a newer program */
	DB_RESTORED, /* from a dump; assayctl restored has not run */
	DB_FORMER, /* a former primary; lib/db/db_timeline.c */
	DB_UNFIT__MAX
};

/* The parameters of one statement, all binary. */
struct params {
	struct arena *arena;
	int n;
	bool failed; /* the arena was full */
	const char *value[DB_PARAMS_MAX];
	int length[DB_PARAMS_MAX];
};

/*
 * Rows to write, for a statement that takes one array per column.  The line
 * "columns" in sql/stmt.sql names the columns; an enum in stmt.gen.h has their
 * numbers.
 */
struct cols {
	struct arena *arena;
	enum stmt stmt;
	size_t n; /* complete rows; the caller counts them */
	struct {
		union {
			const char **text;
			int64_t *number;
			const void **bytes;
		};
		size_t *size; /* of bytes */
	} col[DB_PARAMS_MAX];
};

/* The rows of one result, all columns binary. */
struct rows {
	void *result; /* freed with the arena */
	int n;
};

/*
 * The state of the servers of one connection string, shared by processes.  It
 * begins zeroed.  Every member is atomic, so a process may be killed at any
 * moment.
 */
struct db_shared {
	_Atomic int32_t host; /* of the last session, or the next to try */
	_Atomic int32_t why[DB_HOSTS_MAX]; /* latest logged reasons */
	_Atomic int64_t timeline; /* the latest seen, or 0 */
	struct db_abandoned left;
	_Atomic int64_t poll_at; /* clock_ticks() of the next poll of left */
	_Atomic int32_t full; /* 1: too many abandoned sessions, logged */
};

/*
 * Make a connection without a session.  db_ready() opens the session and
 * prepares every statement of sql/stmt.sql, with STMT_SESSION_DECIDE all but
 * the late ones, which db_run() prepares when it first runs them.
 *
 * url         libpq connection string; it may name several hosts
 * name        application_name, as operators see it in pg_stat_activity
 * timeout_ms  statement timeout; 0: none.  A server that stays silent
 *             shortly after it counts as lost
 * setup       statement that sets the session up: STMT_SESSION or
 *             STMT_SESSION_DECIDE.  With 0 the session stays as it is and
 *             nothing is prepared: only db_script() and db_query() work, as
 *             migrations need them, and failures quote the server
 *
 * Each attempt to connect begins with the host of the last session and gives
 * each host a share of its time.  A server that turns read-only counts as
 * lost.  So does a former primary, once a later one was seen; before the first
 * session all hosts are asked, and the first attempt is with the latest.  A
 * database that needs a newer program, or that was restored from a dump and not
 * made ready (assayctl restored), is refused; db_unfit() says why.
 *
 * Returns NULL with f set when there is no memory.
 */
struct db *db_new(const char *url, const char *name, int timeout_ms,
    enum stmt setup, struct fail *f);

/*
 * db_new() and db_ready().  Returns NULL with f set: UNAVAILABLE when no
 * server can be reached, INTERNAL when a statement does not prepare because a
 * migration is missing.
 */
struct db *db_open(const char *url, const char *name, int timeout_ms,
    enum stmt setup, struct fail *f);

/*
 * Share the state of the servers with other processes that use the same
 * connection string.  The reason of a failed connect then goes to the log, once
 * for each host and reason; without sharing it is in f, with the host.
 */
void db_share(struct db *db, struct db_shared *shared);

/*
 * Limit the abandoned sessions at the server.  A session that does not answer
 * in time is abandoned, but the server may run its statement for hours, for
 * instance a commit that waits for a standby.  While this string and the other
 * one (NULL: none) have more than spare abandoned sessions, no session begins,
 * except one at a time that asks the server which of them have ended.
 */
void db_limit_sessions(
    struct db *db, const struct db_shared *other, size_t spare);

/*
 * Share a circuit breaker: the time (clock_ticks()) before which no process
 * tries to connect, 0 while it is closed.  A failed connect opens it.  At that
 * time one process tries, and the others keep failing at once.  A session that
 * ends or falls silent does not open it: the next connect may succeed.
 */
void db_set_breaker(struct db *db, _Atomic int64_t *retry_at);

/*
 * While held, a session that is lost is not replaced: every call fails until it
 * is released.
 */
void db_hold_session(struct db *db, bool held);

/* Close and free; NULL is allowed. */
void db_close(struct db *db);

/*
 * Connect and prepare, unless there is a session.  Returns 0, or -1 with f set
 * as by db_open().
 */
int db_ready(struct db *db, struct fail *f);

/*
 * Prepare a late statement, unless the session has it: a pipeline needs it
 * before db_send().  Returns 0, or -1 with f set.
 */
int db_prepare_late(struct db *db, enum stmt stmt, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The number of the session: 0 before the first, and one more for each.  The
 * next session may be with another server, a standby that lags or a restored
 * copy, so a cursor or an epoch that a caller keeps is valid in one session.
 */
int64_t db_session(const struct db *db);

/*
 * A number that identifies the server and database of the last session; a
 * restart or a new database changes it; 0 before the first session.  A copy of
 * the database's contents is valid while the number is the same.
 */
int64_t db_server(const struct db *db);

/* Why the last call that returned -1 did so, and its SQLSTATE or "". */
enum db_trouble db_trouble(const struct db *db);
const char *db_sqlstate(const struct db *db);

/* Why the last connect failed although a server answered. */
enum db_unfit db_unfit(const struct db *db);

/* The sentence for DB_NEWER, DB_RESTORED or DB_FORMER, with what to do. */
const char *db_unfit_text(enum db_unfit unfit);

/* The first migration that a DB_OLD database lacks. */
int64_t db_missing(const struct db *db);

/*
 * Set the time (clock_ticks()) until which all following calls together wait
 * for the server.  With 0 each call waits as long as db_new() says.
 */
void db_set_deadline(struct db *db, int64_t ticks);

/*
 * Call check(arg) ten times a second and after each signal while waiting for
 * the server.  When it returns true, the running statement is cancelled and
 * fails as DB_TIMEOUT; a server that does not react within a second counts as
 * lost.  db_cancelled() says whether the last call was cancelled.  A NULL
 * check turns this off.
 */
typedef bool db_cancel_check_fn(void *arg);
void db_set_cancel_check(struct db *db, db_cancel_check_fn *check, void *arg);
bool db_cancelled(const struct db *db);

/* Start an empty list of parameters in arena a, then append in order. */
void params_init(struct params *p, struct arena *a);
void params_text(struct params *p, const char *s); /* NULL is SQL null */
void params_int(struct params *p, int64_t n); /* bigint */
void params_null(struct params *p);
void params_time(struct params *p, int64_t us); /* timestamptz */
/* The end of a range: INT64_MIN and INT64_MAX mean no end, SQL null. */
void params_time_within(struct params *p, int64_t us);
void params_bytes(struct params *p, const void *data, size_t size);

/*
 * Append an array: text[] and bytea[], in which a NULL element is SQL null,
 * bigint[] and timestamptz[].
 */
void params_texts(struct params *p, const char *const *v, size_t n);
void params_ints(struct params *p, const int64_t *v, size_t n);
void params_times(struct params *p, const int64_t *us, size_t n);
void params_blobs(
    struct params *p, const void *const *v, const size_t *sizes, size_t n);

/*
 * Start without rows; there is room in arena a for as many as most.  Returns 0,
 * or -1 with f set when the arena is full.
 */
int cols_init(struct cols *c, struct arena *a, enum stmt stmt, size_t most,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Set one column of row c->n, by the type that the statement has for it.  A
 * column that is not set is null, or 0.  Texts and bytes are not copied.
 */
void cols_text(struct cols *c, int col, const char *s); /* NULL: SQL null */
void cols_int(struct cols *c, int col, int64_t n);
void cols_time(struct cols *c, int col, int64_t us);
void cols_bytes(struct cols *c, int col, const void *data, size_t size);

/*
 * Queue the statement with all rows, unless there are none.  Returns 0, or -1
 * with f set.
 */
int cols_send(const struct cols *c, struct db *db, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Run one statement as a transaction and wait for its rows.  After a lost
 * connection a statement that is not marked "write" runs once more, and a
 * write fails as FAIL_UNCERTAIN.  p and ret may be NULL.  Returns 0, or -1
 * with f set.
 */
int db_run(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* The same for exactly one row; with another number f is NOT_FOUND. */
int db_one(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Run SQL text that is not a named statement: migrations and partitions.  The
 * text must not contain a value from outside.
 */
int db_script(struct db *db, const char *sql, struct fail *f)
    __attribute__((warn_unused_result));

/* The same for one statement with parameters and rows; it runs once only. */
int db_query(struct db *db, struct arena *a, const char *sql,
    const struct params *p, struct rows *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Pipelines.  db_send() queues one statement, does not wait, and returns the
 * index of its result, or -1 with f set.  db_sync() sends what is queued, that
 * is n statements (db_queued()), and stores their results in ret[0..n-1].  The
 * statements between two syncs are one implicit transaction unless they say
 * begin and commit; a late one needs db_prepare_late() first.  After the first
 * error the server skips the rest and db_sync() returns -1 with f set; the
 * caller then ends an open transaction with db_rollback().
 */
int db_send(struct db *db, enum stmt stmt, const struct params *p,
    struct fail *f) __attribute__((warn_unused_result));
size_t db_queued(const struct db *db);
int db_sync(struct db *db, struct arena *a, struct rows *ret, size_t n,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Send what is queued without waiting, so that the server works while the
 * caller does.  Only db_sync(), which reads the results, or db_rollback() may
 * follow.  Returns 0, or -1 with f set.
 */
int db_start(struct db *db, struct fail *f) __attribute__((warn_unused_result));

/* Roll an open transaction back; does nothing without one. */
void db_rollback(struct db *db);

/*
 * The value of a column, which must exist, in a row.  Text and bytes live as
 * long as the arena; null gives NULL, 0 or false.
 */
bool rows_null(const struct rows *r, int row, const char *name);
const char *rows_text(const struct rows *r, int row, const char *name);
int64_t rows_int(const struct rows *r, int row, const char *name); /* or bool */
bool rows_bool(const struct rows *r, int row, const char *name);
int64_t rows_time(const struct rows *r, int row, const char *name); /* us UTC */
const void *rows_bytes(
    const struct rows *r, int row, const char *name, size_t *size);

#endif
