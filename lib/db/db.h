/* SPDX-License-Identifier: ISC */
/*
 * One PostgreSQL connection: named statements, binary parameters, pipelines
 * and rows.  The only module that knows libpq.
 */
#ifndef LIB_DB_DB_H
#define LIB_DB_DB_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/db/db_host.h"
#include "lib/db/db_abandoned.h"
#include "lib/db/stmt.gen.h"

struct arena;
struct db;
struct fail;

#define DB_PARAMS_MAX 24

/* Why the last call failed, which is what a caller can act on. */
enum db_trouble {
	DB_FINE = 1,
	DB_LOST, /* no connection, or it died */
	DB_AGAIN, /* deadlock or serialization: run the transaction again */
	DB_DUPLICATE, /* a unique key was taken */
	DB_TIMEOUT, /* statement or lock timeout, or cancelled */
	DB_REFUSED, /* any other error the server reported */
	DB_TROUBLE__MAX
};

/* Why a server that answers has no database for this program. */
enum db_unfit {
	DB_FIT = 1, /* no server, or all is well */
	DB_UNTRIED, /* one that failed is not tried again yet: db_set_breaker()
		     */
	DB_OLD, /* a migration is missing */
	DB_NEWER, /* it needs a newer program */
	DB_RESTORED, /* from a dump: assayctl restored */
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

/* The rows of one result, all columns binary. */
struct rows {
	void *result; /* freed with the arena */
	int n;
};

/*
 * What processes that use one connection string know of its servers.  Begins
 * zeroed; everything in it is atomic, and right whoever is killed.
 */
struct db_shared {
	_Atomic int32_t host; /* of the last session, or the next to try */
	_Atomic int32_t
	    why[DB_HOSTS_MAX]; /* enum db_connect_error that was told */
	struct db_abandoned left;
	_Atomic int64_t ask_at; /* clock_ticks() to ask what is left again */
	_Atomic int32_t full; /* it was told that too many are */
};

/*
 * A connection to be, without a server yet: db_ready() opens it and prepares
 * every statement of sql/stmt.sql, with STMT_SESSION_DECIDE all but the late
 * ones, which db_run() prepares when they are first run.  url is a libpq
 * connection string, name the application_name that operators see, timeout_ms
 * the statement timeout (0: none), and setup the statement that tunes the
 * session, STMT_SESSION or STMT_SESSION_DECIDE.  A server that gives no answer
 * in a little more than the timeout is given up.  Returns NULL with f set when
 * there is no memory.
 *
 * A string may name several hosts: each attempt begins with the one of the last
 * session and gives each a share of its time.  A server that turns read-only is
 * lost, as if it were gone.
 *
 * A database whose schema needs a newer program, or that was restored from a
 * dump and not made ready (assayctl restored), is refused, as if the server
 * were away: db_unfit() says which.
 *
 * With setup 0 nothing is prepared and the session is left alone, for who
 * brings the schema: only db_script() and db_query() work then, and failures
 * carry the server's own words.
 */
struct db *db_new(const char *url, const char *name, int timeout_ms,
    enum stmt setup, struct fail *f);

/*
 * db_new() and db_ready().  Returns NULL with f set: UNAVAILABLE when the
 * server cannot be reached, INTERNAL when a statement does not prepare (a
 * migration is missing).
 */
struct db *db_open(const char *url, const char *name, int timeout_ms,
    enum stmt setup, struct fail *f);

/*
 * Share what is known of the servers with other processes, each with the same
 * connection string.  Why there is no connection goes to the log then, once for
 * each host and kind of failure; without this it is in f, with the target.
 */
void db_share(struct db *db, struct db_shared *shared);

/*
 * Bound the sessions at the server.  One that does not answer in time is given
 * up, but the server may go on with what it was doing, for hours if a commit
 * waits for a standby.  Where more than spare of them are left, of this string
 * and of the other (NULL: none), no session begins any more, but for one at a
 * time that asks which have ended.
 */
void db_limit_sessions(
    struct db *db, const struct db_shared *other, size_t spare);

/*
 * Share what is known of a server that is away: the time (clock_ticks())
 * before which nobody tries to connect, 0 while all is well.  Set when
 * connecting fails, also by other processes; when the time has come, one of
 * them tries and the others go on failing at once.  A session that was ended
 * or fell silent sets nothing: the next may do.
 */
void db_set_breaker(struct db *db, _Atomic int64_t *retry_at);

/* Close; NULL is harmless. */
void db_close(struct db *db);

/*
 * Make sure there is a usable connection: at first and after it was lost,
 * connect and prepare.  Returns 0, or -1 with f set as by db_open().
 */
int db_ready(struct db *db, struct fail *f);

/*
 * Make sure that a late statement may stand in a pipeline of the connection
 * that there is.  Returns 0, or -1 with f set.
 */
int db_prepare_late(struct db *db, enum stmt stmt, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The number of the session with the server: 0 before the first, and one more
 * for each that begins.  The next server may be another, a standby that was
 * behind or a copy that was restored: what a caller remembers of the database
 * (a cursor, the number of a configuration) holds within one session only.
 */
int64_t db_session(const struct db *db);

/*
 * Which server and database the last session was with: a number that another
 * server, a restart or a database made again does not have; 0 before the first
 * session.  A copy of what the database has holds as long as it is the same.
 */
int64_t db_server(const struct db *db);

/* Why the last call that returned -1 did so, and its SQLSTATE or "". */
enum db_trouble db_trouble(const struct db *db);
const char *db_sqlstate(const struct db *db);

/* Why the last attempt to connect ended, where the server was not the reason.
 */
enum db_unfit db_unfit(const struct db *db);

/* What is wrong with one that is DB_NEWER or DB_RESTORED, and what to do. */
const char *db_unfit_text(enum db_unfit unfit);

/* Of a database that is DB_OLD, the first migration that is missing. */
int64_t db_missing(const struct db *db);

/*
 * From now on wait for the server until this moment of clock_ticks() and no
 * longer, in however many calls; 0 is the patience of db_new() for each call.
 */
void db_set_deadline(struct db *db, int64_t ticks);

/*
 * While waiting for the server ask over(arg), ten times a second and at each
 * signal: once it says so, what is in hand is cancelled, which then fails as
 * DB_TIMEOUT, and a server that does not answer to that soon is given up.
 * db_cancelled() says whether the last call was.  NULL is never.
 */
typedef bool db_cancel_check_fn(void *arg);
void db_set_cancel_check(struct db *db, db_cancel_check_fn *over, void *arg);
bool db_cancelled(const struct db *db);

/* Start an empty list of parameters in arena a, then append in order. */
void params_init(struct params *p, struct arena *a);
void params_text(struct params *p, const char *s); /* NULL is SQL null */
void params_int(struct params *p, int64_t n); /* bigint */
void params_null(struct params *p);
void params_time(struct params *p, int64_t us); /* timestamptz */
void params_bytes(struct params *p, const void *data, size_t size);

/* Arrays: text[] and bytea[] (a NULL element is SQL null), bigint[]. */
void params_texts(struct params *p, const char *const *v, size_t n);
void params_ints(struct params *p, const int64_t *v, size_t n);
void params_times(struct params *p, const int64_t *us, size_t n);
void params_blobs(
    struct params *p, const void *const *v, const size_t *sizes, size_t n);

/*
 * Run one statement in a transaction of its own and wait for its rows.  A
 * statement that is not marked "write" is repeated once after a lost
 * connection; a write then fails as FAIL_UNCERTAIN.  p may be NULL; ret may
 * be NULL.  Returns 0, or -1 with f set.
 */
int db_run(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* Like db_run(), and exactly one row must come back, else NOT_FOUND. */
int db_one(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Run SQL text that is not a named statement (migrations, partitions): only
 * for programs that administer, never with a value from outside inside it.
 */
int db_script(struct db *db, const char *sql, struct fail *f)
    __attribute__((warn_unused_result));

/* Likewise one statement, with parameters, for its rows; never repeated. */
int db_query(struct db *db, struct arena *a, const char *sql,
    const struct params *p, struct rows *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Pipelines.  db_send() queues one statement without waiting; db_sync() sends
 * what is queued and collects one result for each statement, in order, into
 * ret[0..n-1].  The statements between two syncs are one implicit
 * transaction unless they say begin and commit; a late one among them needs
 * db_prepare_late().  At the first error the rest is skipped by the server and
 * db_sync() returns -1 with f set; an open transaction must then be rolled back
 * with db_rollback().
 */
int db_send(struct db *db, enum stmt stmt, const struct params *p,
    struct fail *f) __attribute__((warn_unused_result));
int db_sync(struct db *db, struct arena *a, struct rows *ret, size_t n,
    struct fail *f) __attribute__((warn_unused_result));

/* Leave any open transaction; harmless without one or without connection. */
void db_rollback(struct db *db);

/*
 * Column number of a name, which must exist (a mistake of ours otherwise),
 * and the value of a column in a row.  Text and bytes live as long as the
 * arena; null gives NULL, 0, false.
 */
int rows_col(const struct rows *r, const char *name);
bool rows_null(const struct rows *r, int row, int col);
const char *rows_text(const struct rows *r, int row, int col);
int64_t rows_int(const struct rows *r, int row, int col); /* any int, bool */
bool rows_bool(const struct rows *r, int row, int col);
int64_t rows_time(const struct rows *r, int row, int col); /* us UTC */
const void *rows_bytes(const struct rows *r, int row, int col, size_t *size);

/* The same by name, for results of a single row. */
const char *rows_get_text(const struct rows *r, const char *name);
int64_t rows_get_int(const struct rows *r, const char *name);
bool rows_get_bool(const struct rows *r, const char *name);
int64_t rows_get_time(const struct rows *r, const char *name);

#endif
