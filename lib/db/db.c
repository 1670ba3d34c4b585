/* SPDX-License-Identifier: ISC */
/* One PostgreSQL connection: named statements, pipelines and rows. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libpq-fe.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/sys/clock.h"
#include "lib/db/db.h"
#include "lib/db/db_host.h"
#include "lib/db/db_connect_error.h"
#include "lib/sys/log.h"

#define CONNECT_MAX (3 * CLOCK_SECOND) /* to have a connection */
#define CONNECT_DECIDE (1 * CLOCK_SECOND) /* where a decision waits for it */
#define SHARE_MIN (CLOCK_SECOND / 4) /* of that, for one of several hosts */
#define PREPARE_MAX (10 * CLOCK_SECOND) /* to prepare all statements */
#define SLACK_MS 200 /* beyond its own timeout, until a server is silent */
#define ASK_MS 100 /* between two questions whether it is over */
#define CANCEL_MAX (1 * CLOCK_SECOND) /* for the server to leave off */
#define RETRY_MIN (CLOCK_SECOND / 5) /* between attempts to connect */
#define POSTGRES_EPOCH INT64_C(946684800000000) /* 2000-01-01 in us UTC */
#define NO_DEADLINE INT64_MAX
#define ASK_REST (CLOCK_SECOND / 2) /* between two questions what is left */
#define READ_ONLY "25006" /* SQLSTATE */
#define WHY_SIZE 160 /* of the words for a failure */
#define SQL_MISSING                                                            \
	"select min(k) as missing from unnest('" SCHEMA_MIGRATIONS             \
	"'::bigint[]) k where not exists (select from assay.migration m "      \
	"where m.number = k)"
#define OID_INT8 20
#define OID_BYTEA 17
#define OID_TEXT 25
#define OID_TIMESTAMPTZ 1184

struct db {
	PGconn *conn;
	char *url;
	char *name;
	struct db_hosts hosts; /* of url, none before the first need */
	struct db_shared *shared; /* what db_share() was told, or own */
	struct db_shared own;
	const struct db_shared *other; /* what db_bound() was told */
	size_t spare; /* likewise */
	int64_t backend; /* the session's name, 0 while it has none */
	int timeout_ms; /* what the session was told */
	int64_t until; /* what db_until() was told, or 0 */
	_Atomic int64_t *retry_at; /* what db_breaker() was told, or NULL */
	db_over_fn *over; /* what db_over() was told, or NULL */
	void *over_arg;
	int64_t cancelled_at; /* clock_ticks(); 0: what is in hand was not */
	enum stmt setup; /* tunes each new session */
	int64_t session; /* how many there were */
	int64_t server; /* the last one's, of the statement that tunes it */
	size_t host; /* the index of its host */
	bool prepared[STMT__MAX];
	size_t queued; /* statements sent since the last sync */
	enum db_trouble trouble;
	enum db_unfit unfit;
	int64_t missing; /* the first such migration, if DB_OLD */
	char sqlstate[6];
};

/* Name, text and nature of every statement. */
static const struct {
	const char *name;
	const char *text;
	bool write;
	bool late;
} stmts[STMT__MAX] = {
#define STMT(ident, name, write, late, text)                                   \
	[STMT_##ident] = { name, text, write, late },
	STMT_TABLE
#undef STMT
};

/* Every parameter is binary. */
static const int binary[DB_PARAMS_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

static int db_connect(struct db *db, struct fail *f);
static bool db_may_connect(struct db *db);
static int db_connected(struct db *db, struct fail *f);
static void drop_notice(void *arg, const PGresult *notice);
static int db_try_hosts(struct db *db, int64_t deadline, struct fail *f);
static int db_try_host(
    struct db *db, size_t i, int64_t deadline, struct fail *f);
static int db_dial(struct db *db, const struct db_host *host, int64_t deadline);
static int db_begin_session(struct db *db, struct fail *f);
static int db_failed(struct db *db, size_t i, struct fail *f);
static void db_log_failure(
    struct db *db, size_t i, enum db_connect_error why, const char *sqlstate);
static void db_log_success(struct db *db, size_t i);
static void db_explain_failure(const struct db *db, enum db_connect_error why,
    const char *sqlstate, struct fail *f);
static const char *text_or_none(const char *text);
static bool db_is_full(const struct db *db);
static bool db_may_ask(struct db *db);
static int db_ask_left(struct db *db, struct fail *f);
static int db_read_left(struct db *db, struct fail *f);
static void db_leave(struct db *db);
static int db_run_text(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f);
static void db_greet(struct db *db, int64_t deadline);
static int db_prepare(struct db *db, enum stmt only, struct fail *f);
static bool db_prepares(const struct db *db, enum stmt stmt, enum stmt only);
static int db_tune(struct db *db, struct fail *f);
static int db_refuse_old(struct db *db, enum stmt bad, struct fail *f);
static int db_refuse(struct db *db, const char *refusal, struct fail *f);
static void db_drop(struct db *db);
static int db_send_sync(struct db *db, int64_t deadline);
static int db_drain(struct db *db);
static int db_wait(struct db *db, short events, int64_t deadline);
static int64_t db_left(const struct db *db, int64_t deadline);
static void db_ask(struct db *db);
static int db_flush(struct db *db, int64_t deadline);
static PGresult *db_result(struct db *db, int64_t deadline);
static int db_lost(struct db *db, struct fail *f);
static int db_refused(struct db *db, const PGresult *res, struct fail *f);
static int db_read_only(struct db *db, struct fail *f);
static int64_t db_deadline(const struct db *db);
static int64_t db_at_most(const struct db *db, int64_t us);
static void result_free(void *res);
static void *param_room(struct params *p, size_t size);
static void params_wide(
    struct params *p, uint32_t oid, const int64_t *v, int64_t origin, size_t n);
static void *array_head(char *w, uint32_t oid, size_t n, bool nulls);
static const char *rows_raw(const struct rows *r, int row, int col, int *size);

struct db *
db_new(const char *url, const char *name, int timeout_ms, enum stmt setup,
    struct fail *f)
{
	struct db *db;

	db = calloc(1, sizeof(*db));
	if (db == NULL || (db->url = strdup(url)) == NULL ||
	    (db->name = strdup(name)) == NULL) {
		db_close(db);
		fail_set(f, FAIL_US, INTERNAL, NULL, "out of memory");
		return NULL;
	}
	db->shared = &db->own;
	db->spare = SIZE_MAX;
	db->timeout_ms = timeout_ms;
	db->setup = setup;
	db->trouble = DB_FINE;
	db->unfit = DB_FIT;
	return db;
}

struct db *
db_open(const char *url, const char *name, int timeout_ms, enum stmt setup,
    struct fail *f)
{
	struct db *db = db_new(url, name, timeout_ms, setup, f);

	if (db != NULL && db_ready(db, f) == -1) {
		db_close(db);
		return NULL;
	}
	return db;
}

void
db_breaker(struct db *db, _Atomic int64_t *retry_at)
{
	db->retry_at = retry_at;
}

void
db_share(struct db *db, struct db_shared *shared)
{
	db->shared = shared;
}

void
db_bound(struct db *db, const struct db_shared *other, size_t spare)
{
	db->other = other;
	db->spare = spare;
}

void
db_close(struct db *db)
{
	if (db == NULL)
		return;
	PQfinish(db->conn);
	db_hosts_clear(&db->hosts);
	free(db->url);
	free(db->name);
	free(db);
}

int
db_ready(struct db *db, struct fail *f)
{
	if (db->conn != NULL && PQstatus(db->conn) == CONNECTION_OK)
		return 0;
	return db_connect(db, f);
}

int
db_has(struct db *db, enum stmt stmt, struct fail *f)
{
	return db->prepared[stmt] ? 0 : db_prepare(db, stmt, f);
}

int64_t
db_session(const struct db *db)
{
	return db->session;
}

int64_t
db_server(const struct db *db)
{
	return db->server;
}

enum db_trouble
db_trouble(const struct db *db)
{
	return db->trouble;
}

const char *
db_sqlstate(const struct db *db)
{
	return db->sqlstate;
}

void
db_until(struct db *db, int64_t ticks)
{
	db->until = ticks;
}

void
db_over(struct db *db, db_over_fn *over, void *arg)
{
	db->over = over;
	db->over_arg = arg;
}

bool
db_cancelled(const struct db *db)
{
	return db->cancelled_at != 0;
}

int
db_run(struct db *db, struct arena *a, enum stmt stmt, const struct params *p,
    struct rows *ret, struct fail *f)
{
	const bool inside = db->conn != NULL &&
	    PQtransactionStatus(db->conn) == PQTRANS_INTRANS;
	struct rows rows;
	int tries;

	/* Inside a transaction nothing is repeated: it died with its link. */
	for (tries = 0; tries < (inside ? 1 : 2); tries++) {
		if (db_ready(db, f) == -1 || db_has(db, stmt, f) == -1)
			return -1;
		if (db_send(db, stmt, p, f) == 0 &&
		    db_sync(db, a, &rows, 1, f) == 0) {
			if (ret != NULL)
				*ret = rows;
			return 0;
		}
		if (db->trouble != DB_LOST)
			return -1;

		/* What may have been carried out is not repeated blindly. */
		if (stmts[stmt].write)
			return fail_set(f, FAIL_UNCERTAIN, UNAVAILABLE, NULL,
			    "the database went away during a write");
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

	/* A script is many statements, which a pipeline does not take. */
	deadline = db_deadline(db);
	db->cancelled_at = 0;
	if (!PQexitPipelineMode(db->conn) || !PQsendQuery(db->conn, sql) ||
	    db_flush(db, deadline) == -1)
		return db_lost(db, f);
	while (db->conn != NULL && (res = db_result(db, deadline)) != NULL) {
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
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "no room for the parameters");
	if (!PQsendQueryParams(db->conn, sql, p == NULL ? 0 : p->n, NULL,
		p == NULL ? NULL : p->value, p == NULL ? NULL : p->length,
		binary, 1))
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
	assert(db->prepared[stmt]);
	if (p != NULL && p->failed)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "no room for the parameters of %s", stmts[stmt].name);
	if (!PQsendQueryPrepared(db->conn, stmts[stmt].name,
		p == NULL ? 0 : p->n, p == NULL ? NULL : p->value,
		p == NULL ? NULL : p->length, binary, 1))
		return db_lost(db, f);
	db->queued++;
	return 0;
}

int
db_sync(
    struct db *db, struct arena *a, struct rows *ret, size_t n, struct fail *f)
{
	const int64_t deadline = db_deadline(db);
	PGresult *res;
	size_t i;
	int r = 0;

	assert(n == db->queued);
	db->cancelled_at = 0;
	if (db_send_sync(db, deadline) == -1)
		return db_lost(db, f);
	for (i = 0; i < n; i++) {
		res = db_result(db, deadline);
		if (res == NULL)
			return db_lost(db, f);
		if (PQresultStatus(res) == PGRES_TUPLES_OK ||
		    PQresultStatus(res) == PGRES_COMMAND_OK) {
			ret[i].result = res;
			ret[i].n = PQntuples(res);
			if (arena_defer(a, result_free, res) == -1 && r == 0)
				r = fail_set(f, FAIL_US, INTERNAL, NULL,
				    "no room for a result");
		} else {
			/* The first error is the cause, the rest is skipped. */
			if (r == 0)
				r = db_refused(db, res, f);
			PQclear(res);
		}

		/* Each statement's results end with a null. */
		if ((res = db_result(db, deadline)) != NULL)
			PQclear(res);
	}

	/* The answer to the sync itself. */
	if ((res = db_result(db, deadline)) == NULL)
		return db_lost(db, f);
	PQclear(res);
	if (r == 0)
		db->trouble = DB_FINE;
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

	/* What was queued and never synced would be taken for the answer. */
	if (db->queued > 0 && db_drain(db) == -1) {
		db_lost(db, NULL);
		return;
	}
	if (PQtransactionStatus(db->conn) == PQTRANS_IDLE)
		return;
	arena_init(&a, block, sizeof(block));
	if (db_send(db, STMT_ROLLBACK, NULL, NULL) == 0 &&
	    db_sync(db, &a, &rows, 1, NULL) == 0)
		db->trouble = trouble;
	arena_reset(&a);
}

void
params_init(struct params *p, struct arena *a)
{
	p->arena = a;
	p->n = 0;
	p->failed = false;
}

void
params_null(struct params *p)
{
	assert(p->n < DB_PARAMS_MAX);
	p->value[p->n] = NULL;
	p->length[p->n++] = 0;
}

void
params_text(struct params *p, const char *s)
{
	if (s == NULL)
		params_null(p);
	else
		params_bytes(p, s, strlen(s));
}

void
params_int(struct params *p, int64_t n)
{
	const uint64_t wire = htobe64((uint64_t)n);

	params_bytes(p, &wire, sizeof(wire));
}

void
params_time(struct params *p, int64_t us)
{
	params_int(p, us - POSTGRES_EPOCH);
}

void
params_bytes(struct params *p, const void *data, size_t size)
{
	void *room = param_room(p, size);

	if (room != NULL && size > 0)
		memcpy(room, data, size);
}

void
params_texts(struct params *p, const char *const *v, size_t n)
{
	size_t i, len, size = 0;
	bool nulls = false;
	uint32_t wire;
	char *w;

	for (i = 0; i < n; i++) {
		nulls = nulls || v[i] == NULL;
		size += 4 + (v[i] == NULL ? 0 : strlen(v[i]));
	}
	if ((w = param_room(p, 20 + size)) == NULL)
		return;
	w = array_head(w, OID_TEXT, n, nulls);
	for (i = 0; i < n; i++) {
		len = v[i] == NULL ? 0 : strlen(v[i]);
		wire = v[i] == NULL ? UINT32_MAX : htonl((uint32_t)len);
		memcpy(w, &wire, 4);
		if (len > 0)
			memcpy(w + 4, v[i], len);
		w += 4 + len;
	}
}

void
params_ints(struct params *p, const int64_t *v, size_t n)
{
	params_wide(p, OID_INT8, v, 0, n);
}

void
params_times(struct params *p, const int64_t *us, size_t n)
{
	params_wide(p, OID_TIMESTAMPTZ, us, POSTGRES_EPOCH, n);
}

void
params_blobs(
    struct params *p, const void *const *v, const size_t *sizes, size_t n)
{
	size_t i, size = 0;
	bool nulls = false;
	uint32_t wire;
	char *w;

	for (i = 0; i < n; i++) {
		nulls = nulls || v[i] == NULL;
		size += 4 + (v[i] == NULL ? 0 : sizes[i]);
	}
	if ((w = param_room(p, 20 + size)) == NULL)
		return;
	w = array_head(w, OID_BYTEA, n, nulls);
	for (i = 0; i < n; i++) {
		wire = v[i] == NULL ? UINT32_MAX : htonl((uint32_t)sizes[i]);
		memcpy(w, &wire, 4);
		w += 4;
		if (v[i] != NULL) {
			memcpy(w, v[i], sizes[i]);
			w += sizes[i];
		}
	}
}

int
rows_col(const struct rows *r, const char *name)
{
	int col = PQfnumber(r->result, name);

	assert(col >= 0);
	return col;
}

bool
rows_null(const struct rows *r, int row, int col)
{
	return PQgetisnull(r->result, row, col);
}

const char *
rows_text(const struct rows *r, int row, int col)
{
	int size;

	return rows_raw(r, row, col, &size);
}

int64_t
rows_int(const struct rows *r, int row, int col)
{
	uint64_t wide;
	uint32_t word;
	uint16_t half;
	const char *raw;
	int size;

	raw = rows_raw(r, row, col, &size);
	if (raw == NULL)
		return 0;
	switch (size) {
	case 8:
		memcpy(&wide, raw, 8);
		return (int64_t)be64toh(wide);
	case 4:
		memcpy(&word, raw, 4);
		return (int32_t)ntohl(word);
	case 2:
		memcpy(&half, raw, 2);
		return (int16_t)ntohs(half);
	default:
		assert(size == 1);
		return raw[0];
	}
}

bool
rows_bool(const struct rows *r, int row, int col)
{
	return rows_int(r, row, col) != 0;
}

int64_t
rows_time(const struct rows *r, int row, int col)
{
	if (rows_null(r, row, col))
		return 0;
	return rows_int(r, row, col) + POSTGRES_EPOCH;
}

const void *
rows_bytes(const struct rows *r, int row, int col, size_t *size)
{
	const char *raw;
	int n;

	raw = rows_raw(r, row, col, &n);
	*size = raw == NULL ? 0 : (size_t)n;
	return raw;
}

const char *
rows_get_text(const struct rows *r, const char *name)
{
	return rows_text(r, 0, rows_col(r, name));
}

int64_t
rows_get_int(const struct rows *r, const char *name)
{
	return rows_int(r, 0, rows_col(r, name));
}

bool
rows_get_bool(const struct rows *r, const char *name)
{
	return rows_bool(r, 0, rows_col(r, name));
}

int64_t
rows_get_time(const struct rows *r, const char *name)
{
	return rows_time(r, 0, rows_col(r, name));
}

enum db_unfit
db_unfit(const struct db *db)
{
	return db->unfit;
}

const char *
db_unfit_text(enum db_unfit unfit)
{
	return unfit == DB_NEWER
	    ? "the database needs a newer program than this"
	    : "the database was restored from a dump; run assayctl restored";
}

int64_t
db_missing(const struct db *db)
{
	return db->missing;
}

/* Connect, tune the session and prepare everything, unless it is no use. */
static int
db_connect(struct db *db, struct fail *f)
{
	const int64_t begun = clock_ticks();
	int64_t now;

	if (!db_may_connect(db)) {
		db->trouble = DB_LOST;
		db->unfit = DB_UNTRIED;
		return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
		    "the database is away; try again");
	}
	db->unfit = DB_FIT;
	if (db_connected(db, f) == -1) {
		/* Rest for as long as it took. */
		now = clock_ticks();
		if (db->retry_at != NULL)
			atomic_store(db->retry_at,
			    now - begun > RETRY_MIN ? 2 * now - begun
						    : now + RETRY_MIN);
		return -1;
	}
	if (db->retry_at != NULL)
		atomic_store(db->retry_at, 0);
	return 0;
}

/* Whether to connect now; of many who ask while the server is away, one. */
static bool
db_may_connect(struct db *db)
{
	const int64_t now = clock_ticks();
	int64_t at;

	if (db->retry_at == NULL)
		return true;
	at = atomic_load(db->retry_at);
	return at == 0 ||
	    (now >= at &&
		atomic_compare_exchange_strong(
		    db->retry_at, &at, now + CONNECT_DECIDE));
}

/* A session with one of the hosts, of which each has its share of the time. */
static int
db_connected(struct db *db, struct fail *f)
{
	const int64_t deadline = db_at_most(db,
	    db->setup == STMT_SESSION_DECIDE ? CONNECT_DECIDE : CONNECT_MAX);
	const bool full = db_is_full(db);
	int r;

	PQfinish(db->conn);
	db->conn = NULL;
	db->queued = 0;
	if (db->hosts.n == 0 && db_hosts_read(&db->hosts, db->url, f) == -1)
		return db_lost(db, NULL);
	if (full && !db_may_ask(db))
		return db_lost(db, f);
	r = db_try_hosts(db, deadline, f);
	if (full)
		atomic_store(&db->shared->ask_at, clock_ticks() + ASK_REST);
	return r;
}

/*
 * Try each once, from the one that the last session was with; the next attempt
 * goes on where the time of this one was over.
 */
static int
db_try_hosts(struct db *db, int64_t deadline, struct fail *f)
{
	const size_t n = db->hosts.n;
	size_t i = (size_t)atomic_load(&db->shared->host) % n;
	size_t left;
	int64_t now, share;

	for (left = n; left > 0; left--) {
		now = clock_ticks();
		share = (deadline - now) / (int64_t)left;
		if (share < SHARE_MIN)
			share = SHARE_MIN;
		if (now + share > deadline)
			share = deadline - now;
		if (db_try_host(db, i, now + share, f) == 0) {
			db->host = i;
			atomic_store(&db->shared->host, (int32_t)i);
			return 0;
		}
		if (db->trouble != DB_LOST)
			return -1;
		i = (i + 1) % n;
		atomic_store(&db->shared->host, (int32_t)i);
		if (clock_ticks() >= deadline)
			return -1;
	}
	return -1;
}

/* DB_LOST is the trouble with a host after which another may do. */
static int
db_try_host(struct db *db, size_t i, int64_t deadline, struct fail *f)
{
	if (db_dial(db, &db->hosts.all[i], deadline) == -1)
		return db_failed(db, i, f);
	db->session++;
	memset(db->prepared, 0, sizeof(db->prepared));
	if (db->setup != 0 && db_begin_session(db, f) == -1)
		return -1;
	db_log_success(db, i);
	return 0;
}

/* A connection to a host; what went wrong is in the connection's words. */
static int
db_dial(struct db *db, const struct db_host *host, int64_t deadline)
{
	const char *const keys[] = { "dbname", "application_name",
		"client_encoding", "host", "hostaddr", "port",
		"target_session_attrs", NULL };
	const char *const values[] = { db->url, db->name, "UTF8", host->host,
		host->hostaddr, host->port, db->hosts.attrs, NULL };

	db->conn = PQconnectStartParams(keys, values, 1);
	PQsetNoticeReceiver(db->conn, drop_notice, NULL);
	if (PQstatus(db->conn) != CONNECTION_BAD) {
		/* With the SQLSTATE: other words depend on lc_messages. */
		PQsetErrorVerbosity(db->conn, PQERRORS_VERBOSE);
		db_greet(db, deadline);
	}
	if (PQstatus(db->conn) != CONNECTION_OK)
		return -1;
	PQsetErrorVerbosity(db->conn, PQERRORS_DEFAULT);
	return PQsetnonblocking(db->conn, 1) == -1 ||
		!PQenterPipelineMode(db->conn)
	    ? -1
	    : 0;
}

/* Its name first: without one it could not be told from others later. */
static int
db_begin_session(struct db *db, struct fail *f)
{
	if (db_tune(db, f) == -1 || db_ask_left(db, f) == -1)
		return -1;
	return db_prepare(db, 0, f);
}

/* Whether more sessions were given up than may be. */
static bool
db_is_full(const struct db *db)
{
	size_t n = db_abandoned_list(&db->shared->left, NULL);

	if (db->other != NULL)
		n += db_abandoned_list(&db->other->left, NULL);
	return n > db->spare;
}

/* Of many who would ask which of them have ended, one at a time does. */
static bool
db_may_ask(struct db *db)
{
	const int64_t now = clock_ticks();
	int64_t at = atomic_load(&db->shared->ask_at);

	return now >= at &&
	    atomic_compare_exchange_strong(
		&db->shared->ask_at, &at, now + 2 * CONNECT_MAX);
}

/*
 * In a session that has just begun: if there is no room for it, look whether
 * those that were given up have ended, and else end it before it does anything
 * that the server might not end.
 */
static int
db_ask_left(struct db *db, struct fail *f)
{
	struct db_shared *shared = db->shared;

	if (db_is_full(db) && db_read_left(db, f) == -1)
		return db_lost(db, f);
	if (!db_is_full(db)) {
		atomic_store(&shared->full, 0);
		return 0;
	}
	if (atomic_exchange(&shared->full, 1) == 0)
		log_error("database=full why=%s",
		    "sessions that gave no answer still run in the server; "
		    "look at what they wait for, a standby perhaps");
	return db_lost(db, f);
}

/* Forget those that the server no longer has, or never had. */
static int
db_read_left(struct db *db, struct fail *f)
{
	_Alignas(16) char block[16384];
	int64_t names[DB_ABANDONED_MAX];
	const size_t n = db_abandoned_list(&db->shared->left, names);
	struct params p;
	struct rows rows;
	struct arena a;
	size_t i;
	int row, r;

	arena_init(&a, block, sizeof(block));
	params_init(&p, &a);
	params_ints(&p, names, n);
	r = db_run_text(db, &a, STMT_SESSIONS_LEFT, &p, &rows, f);
	for (i = 0; r == 0 && i < n; i++) {
		for (row = 0;
		     row < rows.n && rows_int(&rows, row, 0) != names[i]; row++)
			continue;
		if (row == rows.n)
			db_abandoned_drop(&db->shared->left, names[i]);
	}
	arena_reset(&a);
	return r;
}

/*
 * The server was doing something when it was given up, and may go on: note its
 * session, until it is known to have ended.
 */
static void
db_leave(struct db *db)
{
	if (db->backend != 0 && PQstatus(db->conn) == CONNECTION_OK &&
	    PQtransactionStatus(db->conn) == PQTRANS_ACTIVE)
		db_abandoned_add(&db->shared->left, db->backend);
	db->backend = 0;
}

/* Run a statement that was not prepared. */
static int
db_run_text(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f)
{
	if (!PQsendQueryParams(db->conn, stmts[stmt].text, p->n, NULL, p->value,
		p->length, binary, 1))
		return db_lost(db, f);
	db->queued++;
	return db_sync(db, a, ret, 1, f);
}

/*
 * Notices and warnings of the server: libpq would print them on standard
 * error, as no line of the log.  A failure that follows is logged.
 */
static void
drop_notice(void *arg, const PGresult *notice)
{
	(void)arg;
	(void)notice;
}

/*
 * No connection with a host.  Whoever shares what is known answers others, who
 * need not know where the database is: the log is told.  Who asks for himself
 * gets all of it.
 */
static int
db_failed(struct db *db, size_t i, struct fail *f)
{
	char sqlstate[DB_SQLSTATE_SIZE] = "";
	enum db_connect_error why = DB_CONNECT_ERROR_TIMEOUT;

	if (PQstatus(db->conn) == CONNECTION_BAD)
		why =
		    db_connect_error_parse(PQerrorMessage(db->conn), sqlstate);
	fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "the database cannot be reached; try again");
	if (db->shared != &db->own)
		db_log_failure(db, i, why, sqlstate);
	else
		db_explain_failure(db, why, sqlstate, f);
	db_lost(db, NULL);
	snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", sqlstate);
	return -1;
}

/* One line of all processes, until something else is the matter. */
static void
db_log_failure(
    struct db *db, size_t i, enum db_connect_error why, const char *sqlstate)
{
	char text[WHY_SIZE];

	if (atomic_exchange(&db->shared->why[i], (int32_t)why) == (int32_t)why)
		return;
	snprintf(text, sizeof(text), "%s; %s", db_connect_error_text(why),
	    db_connect_error_help(why));
	log_error("database=away host=%s port=%s dbname=%s user=%s kind=%s "
		  "sqlstate=%s why=%s",
	    PQhost(db->conn), PQport(db->conn), text_or_none(PQdb(db->conn)),
	    text_or_none(PQuser(db->conn)), db_connect_error_name(why),
	    sqlstate, text);
}

static void
db_log_success(struct db *db, size_t i)
{
	if (atomic_exchange(&db->shared->why[i], DB_CONNECT_ERROR__NONE) !=
	    DB_CONNECT_ERROR__NONE)
		log_warn("database=back host=%s port=%s dbname=%s user=%s",
		    PQhost(db->conn), PQport(db->conn), PQdb(db->conn),
		    PQuser(db->conn));
}

/* The same for a person, with the words of a server that gave any. */
static void
db_explain_failure(const struct db *db, enum db_connect_error why,
    const char *sqlstate, struct fail *f)
{
	const char *words =
	    *sqlstate == '\0' ? "" : strstr(PQerrorMessage(db->conn), sqlstate);

	fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "host=%s port=%s dbname=%s user=%s: %s%s%.*s; %s", PQhost(db->conn),
	    PQport(db->conn), text_or_none(PQdb(db->conn)),
	    text_or_none(PQuser(db->conn)), db_connect_error_text(why),
	    *words == '\0' ? "" : ": ", (int)strcspn(words, "\n"), words,
	    db_connect_error_help(why));
}

/* What libpq has no word for yet. */
static const char *
text_or_none(const char *text)
{
	return text == NULL ? "" : text;
}

/* Go through the handshake; how it ended is the connection's status. */
static void
db_greet(struct db *db, int64_t deadline)
{
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;

	while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
		if (db_wait(db,
			next == PGRES_POLLING_READING ? POLLIN : POLLOUT,
			deadline) == -1)
			return;
		next = PQconnectPoll(db->conn);
	}
}

/* Prepare one statement, or with 0 all that a new session begins with. */
static int
db_prepare(struct db *db, enum stmt only, struct fail *f)
{
	const int64_t deadline = db_at_most(db, PREPARE_MAX);
	PGresult *res;
	enum stmt stmt, bad = 0;
	int r = 0;

	for (stmt = 1; stmt < STMT__MAX; stmt++) {
		if (db_prepares(db, stmt, only) &&
		    !PQsendPrepare(
			db->conn, stmts[stmt].name, stmts[stmt].text, 0, NULL))
			return db_lost(db, f);
	}
	if (db_send_sync(db, deadline) == -1)
		return db_lost(db, f);
	for (stmt = 1; stmt < STMT__MAX; stmt++) {
		if (!db_prepares(db, stmt, only))
			continue;
		if ((res = db_result(db, deadline)) == NULL)
			return db_lost(db, f);
		if (r == 0 && PQresultStatus(res) == PGRES_FATAL_ERROR) {
			r = db_refused(db, res, f);
			bad = stmt;
		}
		PQclear(res);
		if ((res = db_result(db, deadline)) != NULL)
			PQclear(res);
	}

	/* The answer to the sync itself. */
	if ((res = db_result(db, deadline)) == NULL)
		return db_lost(db, f);
	PQclear(res);
	if (r == -1)
		return db_refuse_old(db, bad, f);
	for (stmt = 1; stmt < STMT__MAX; stmt++)
		if (db_prepares(db, stmt, only))
			db->prepared[stmt] = true;
	return 0;
}

/* Whether a statement is the one, or without one is not left for later. */
static bool
db_prepares(const struct db *db, enum stmt stmt, enum stmt only)
{
	if (only != 0)
		return stmt == only;
	return !stmts[stmt].late || db->setup == STMT_SESSION;
}

/* Run the session's own statement, which names the session. */
static int
db_tune(struct db *db, struct fail *f)
{
	_Alignas(16) char block[1024];
	struct params p;
	struct arena a;
	struct rows rows;
	int r;

	arena_init(&a, block, sizeof(block));
	params_init(&p, &a);
	params_int(&p, db->timeout_ms);
	params_int(&p, SCHEMA_KNOWN);
	r = db_run_text(db, &a, db->setup, &p, &rows, f);
	if (r == 0) {
		db->backend = rows_get_int(&rows, "name");
		db->server = rows_get_int(&rows, "server");
		r = db_refuse(db, rows_get_text(&rows, "refusal"), f);
	} else if (db->trouble == DB_REFUSED) {
		r = db_refuse_old(db, db->setup, f);
	} else {
		db_drop(db);
	}
	arena_reset(&a);
	return r;
}

/* Say of a statement that does not prepare what is missing; drop the session.
 */
static int
db_refuse_old(struct db *db, enum stmt bad, struct fail *f)
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
		missing = rows_get_int(&rows, "missing");
	arena_reset(&a);
	db_drop(db);
	db->trouble = trouble;
	memcpy(db->sqlstate, state, sizeof(state));
	if (missing == 0)
		return fail_set(f, FAIL_US, INTERNAL, stmts[bad].name,
		    "does not prepare (SQLSTATE %s)", state);
	db->unfit = DB_OLD;
	db->missing = missing;
	return fail_set(f, FAIL_US, INTERNAL, stmts[bad].name,
	    "does not prepare (SQLSTATE %s): migration %04" PRId64
	    " is missing; run assayctl migrate",
	    state, missing);
}

/* Drop a session whose database says why it is none for this program. */
static int
db_refuse(struct db *db, const char *refusal, struct fail *f)
{
	db->unfit = DB_FIT;
	if (refusal == NULL)
		return 0;
	db->unfit = strcmp(refusal, "newer") == 0 ? DB_NEWER : DB_RESTORED;
	db_lost(db, NULL);
	return fail_set(
	    f, FAIL_US, UNAVAILABLE, NULL, "%s", db_unfit_text(db->unfit));
}

/* End the session: the next call connects anew. */
static void
db_drop(struct db *db)
{
	PQfinish(db->conn);
	db->conn = NULL;
	db->queued = 0;
}

/* Queue a sync and push everything out.  Returns 0, or -1 if that failed. */
static int
db_send_sync(struct db *db, int64_t deadline)
{
	db->queued = 0;
	if (!PQpipelineSync(db->conn))
		return -1;
	return db_flush(db, deadline);
}

/* Carry out what is queued and forget its results. */
static int
db_drain(struct db *db)
{
	const int64_t deadline = db_deadline(db);
	PGresult *res;
	bool synced = false;

	if (db_send_sync(db, deadline) == -1)
		return -1;
	while (!synced) {
		res = db_result(db, deadline);
		if (res == NULL && PQstatus(db->conn) != CONNECTION_OK)
			return -1;
		if (res == NULL && PQisBusy(db->conn))
			return -1;
		synced = PQresultStatus(res) == PGRES_PIPELINE_SYNC;
		PQclear(res);
	}
	return 0;
}

/* Wait until the socket is ready for what is wanted, or the deadline. */
static int
db_wait(struct db *db, short events, int64_t deadline)
{
	struct pollfd pfd = { .fd = PQsocket(db->conn), .events = events };
	int64_t left;
	int n, ms;

	for (;;) {
		left = db_left(db, deadline);
		ms = left > INT_MAX ? INT_MAX : (int)left;
		if (db->over != NULL && (left == -1 || left > ASK_MS))
			ms = ASK_MS;
		n = poll(&pfd, 1, ms);
		if (n == 1)
			return 0;
		if ((n == -1 && errno != EINTR) || (n == 0 && ms == left))
			return -1;
		db_ask(db);
	}
}

/* Milliseconds that are left until a deadline; -1 is for ever. */
static int64_t
db_left(const struct db *db, int64_t deadline)
{
	int64_t left;

	if (db->cancelled_at != 0 && deadline > db->cancelled_at + CANCEL_MAX)
		deadline = db->cancelled_at + CANCEL_MAX;
	if (deadline == NO_DEADLINE)
		return -1;
	left = (deadline - clock_ticks()) / 1000;
	return left < 0 ? 0 : left;
}

/* Cancel what is in hand, once, if it is over; a handshake just ends. */
static void
db_ask(struct db *db)
{
	char why[256];
	PGcancel *cancel;

	if (db->over == NULL || db->cancelled_at != 0 ||
	    !db->over(db->over_arg))
		return;
	db->cancelled_at = clock_ticks();
	if (PQstatus(db->conn) != CONNECTION_OK) {
		db->cancelled_at -= CANCEL_MAX;
		return;
	}
	if ((cancel = PQgetCancel(db->conn)) != NULL)
		(void)PQcancel(cancel, why, sizeof(why));
	PQfreeCancel(cancel);
}

/* Send all that is queued, reading meanwhile so that neither side blocks. */
static int
db_flush(struct db *db, int64_t deadline)
{
	int n;

	while ((n = PQflush(db->conn)) == 1) {
		if (db_wait(db, POLLIN | POLLOUT, deadline) == -1 ||
		    !PQconsumeInput(db->conn))
			return -1;
	}
	return n;
}

/*
 * The next result: NULL also ends one statement's results.  A dead or silent
 * connection shows as NULL with the connection's status bad.
 */
static PGresult *
db_result(struct db *db, int64_t deadline)
{
	while (PQisBusy(db->conn)) {
		if (db_wait(db, POLLIN, deadline) == -1 ||
		    !PQconsumeInput(db->conn))
			return NULL;
	}
	return PQgetResult(db->conn);
}

/* The connection is gone: drop it, so that the next call connects anew. */
static int
db_lost(struct db *db, struct fail *f)
{
	fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "the database cannot be reached; try again");
	if (db->setup == 0 && db->conn != NULL)
		fail_set(f, FAIL_US, UNAVAILABLE, NULL, "%s",
		    PQerrorMessage(db->conn));
	db_leave(db);
	PQfinish(db->conn);
	db->conn = NULL;
	db->queued = 0;
	db->trouble = DB_LOST;
	db->sqlstate[0] = '\0';
	return -1;
}

/* What the server reported, by the class of its SQLSTATE. */
static int
db_refused(struct db *db, const PGresult *res, struct fail *f)
{
	static const struct {
		const char *prefix;
		enum db_trouble trouble;
		enum code code; /* UNAVAILABLE: it may well succeed later */
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
	size_t i = 0;

	if (state == NULL)
		return db_lost(db, f);
	snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", state);
	while (
	    strncmp(state, classes[i].prefix, strlen(classes[i].prefix)) != 0)
		i++;
	if (db->setup != 0 && strcmp(state, READ_ONLY) == 0)
		return db_read_only(db, f);
	if (classes[i].trouble == DB_LOST) {
		db->backend = 0; /* it ends by its own word */
		return db_lost(db, f);
	}
	db->trouble = classes[i].trouble;

	/* The server's words may quote a value; only a migration has none. */
	if (db->setup == 0)
		return fail_set(f, FAIL_US, INTERNAL, NULL, "%s (%s)",
		    PQresultErrorField(res, PG_DIAG_MESSAGE_PRIMARY), state);
	return fail_set(f, FAIL_US, classes[i].code, NULL,
	    "database error %s%s", state,
	    classes[i].code == UNAVAILABLE ? "; try again" : "");
}

/*
 * The server takes no writes, as a standby does, or a primary whose disk is
 * full where somebody sees to that: another host may, or this one later.
 */
static int
db_read_only(struct db *db, struct fail *f)
{
	const size_t n = db->hosts.n;
	int32_t ours = (int32_t)db->host;

	if (db->shared != &db->own)
		db_log_failure(
		    db, db->host, DB_CONNECT_ERROR_READONLY, READ_ONLY);

	/* Another worker may have moved on before. */
	atomic_compare_exchange_strong(
	    &db->shared->host, &ours, (int32_t)((db->host + 1) % n));
	if (db->retry_at != NULL)
		atomic_store(db->retry_at, clock_ticks() + RETRY_MIN);
	db_lost(db, NULL);
	return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "the database takes no writes; try again");
}

/* When to give the server up: soon after it should have done so itself. */
static int64_t
db_deadline(const struct db *db)
{
	const int64_t ms = (int64_t)db->timeout_ms + SLACK_MS;

	if (db->timeout_ms == 0)
		return db->until == 0 ? NO_DEADLINE : db->until;
	return db->until != 0 ? db->until : clock_ticks() + 1000 * ms;
}

/* So many microseconds from now, or what db_until() was told if sooner. */
static int64_t
db_at_most(const struct db *db, int64_t us)
{
	const int64_t then = clock_ticks() + us;

	return db->until != 0 && db->until < then ? db->until : then;
}

static void
result_free(void *res)
{
	PQclear(res);
}

/* Room for the next parameter's bytes, or NULL with the list failed. */
static void *
param_room(struct params *p, size_t size)
{
	void *room;

	assert(p->n < DB_PARAMS_MAX);
	room = size > INT32_MAX ? NULL : arena_alloc(p->arena, size);
	if (room == NULL) {
		p->failed = true;
		return NULL;
	}
	p->value[p->n] = room;
	p->length[p->n++] = (int)size;
	return room;
}

/* An array of n eight-byte values, each less the origin of its type. */
static void
params_wide(
    struct params *p, uint32_t oid, const int64_t *v, int64_t origin, size_t n)
{
	const uint32_t eight = htonl(8);
	uint64_t wire;
	size_t i;
	char *w;

	if ((w = param_room(p, 20 + 12 * n)) == NULL)
		return;
	w = array_head(w, oid, n, false);
	for (i = 0; i < n; i++, w += 12) {
		wire = htobe64((uint64_t)(v[i] - origin));
		memcpy(w, &eight, 4);
		memcpy(w + 4, &wire, 8);
	}
}

/* Write the head of a one-dimensional array; returns where elements begin. */
static void *
array_head(char *w, uint32_t oid, size_t n, bool nulls)
{
	const uint32_t head[5] = { htonl(1), htonl(nulls ? 1 : 0), htonl(oid),
		htonl((uint32_t)n), htonl(1) };

	memcpy(w, head, sizeof(head));
	return w + sizeof(head);
}

/* The bytes of a value, NULL for null. */
static const char *
rows_raw(const struct rows *r, int row, int col, int *size)
{
	assert(row >= 0 && row < r->n);
	*size = PQgetlength(r->result, row, col);
	if (PQgetisnull(r->result, row, col))
		return NULL;
	return PQgetvalue(r->result, row, col);
}
