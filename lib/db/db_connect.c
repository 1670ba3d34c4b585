/* SPDX-License-Identifier: ISC */
/* Sessions: choose a host, connect, set the session up, count the lost ones. */
#include "config.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/db/db_connect_error.h"
#include "lib/db/db_int.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define CONNECT_MAX (3 * CLOCK_SECOND) /* to begin a session */
#define CONNECT_MIN (CLOCK_SECOND / 10) /* with less time no attempt */
#define CONNECT_DECIDE (1 * CLOCK_SECOND) /* the same for a decide worker */
#define SHARE_MIN (CLOCK_SECOND / 4) /* of that, for one of several hosts */
#define WAITS_SIZE 64 /* of a wait event's type and name */
#define POLL_ABANDONED (CLOCK_SECOND / 2) /* between two polls */
#define WHY_SIZE 160 /* bytes of the reason in the log */

static int db_connect(struct db *db, struct fail *f);
static bool breaker_allows_attempt(struct db *db);
static int connect_any_host(struct db *db, struct fail *f);
static int try_all_hosts(struct db *db, int64_t deadline, struct fail *f);
static int try_one_host(
    struct db *db, size_t i, int64_t deadline, struct fail *f);
static void drop_notice(void *arg, const PGresult *notice);
static void db_handshake(struct db *db, int64_t deadline);
static int begin_session(struct db *db, struct fail *f);
static int db_setup_session(struct db *db, struct fail *f);
static int refuse_unfit_database(
    struct db *db, const char *refusal, struct fail *f);
static bool sessions_are_full(const struct db *db);
static bool may_poll_abandoned(struct db *db);
static int check_abandoned_room(struct db *db, struct fail *f);
static int forget_ended_sessions(
    struct db *db, char ret_waits[WAITS_SIZE], struct fail *f);
static int connect_failed(struct db *db, size_t i, struct fail *f);
static void log_connect_success(struct db *db);
static bool takes_writes(PGconn *conn);
static void explain_connect_failure(const struct db *db,
    enum db_connect_error why, const char *sqlstate, struct fail *f);
static const char *text_or_empty(const char *text);

int
db_ready(struct db *db, struct fail *f)
{
	if (db->conn != NULL && PQstatus(db->conn) == CONNECTION_OK &&
	    !db_timeline_passed(db))
		return 0;
	return db_connect(db, f);
}

/* Begin a session, unless the breaker is open; set the breaker. */
static int
db_connect(struct db *db, struct fail *f)
{
	const int64_t begun = clock_ticks();
	int64_t now;

	/*
	 * If a slow statement has used up the time, a healthy server would look
	 * silent.
	 */
	if (db->held ||
	    db_earlier_deadline(db, CONNECT_MAX) - begun < CONNECT_MIN ||
	    !breaker_allows_attempt(db)) {
		db->trouble = DB_LOST;
		db->unfit = DB_UNTRIED;
		return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
		    "the database is away; try again");
	}
	db->unfit = DB_FIT;
	db->pause = RETRY_MIN;
	if (connect_any_host(db, f) == -1) {
		/* The breaker stays open for as long as the attempt took. */
		now = clock_ticks();
		if (db->retry_at != NULL)
			atomic_store(db->retry_at,
			    now - begun > db->pause ? 2 * now - begun
						    : now + db->pause);
		return -1;
	}
	if (db->retry_at != NULL)
		atomic_store(db->retry_at, 0);
	return 0;
}

/* Whether to connect now: while the server is away, one process at a time. */
static bool
breaker_allows_attempt(struct db *db)
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

/* Begin a session with one of the hosts; each has its share of the time. */
static int
connect_any_host(struct db *db, struct fail *f)
{
	const int64_t deadline = db_earlier_deadline(db,
	    db->setup == STMT_SESSION_DECIDE ? CONNECT_DECIDE : CONNECT_MAX);
	const bool full = sessions_are_full(db);
	int r;

	PQfinish(db->conn);
	db->conn = NULL;
	db->queued = 0;
	db->started = false;
	if (db->hosts.n == 0 && db_hosts_read(&db->hosts, db->url, f) == -1)
		return db_lost(db, NULL);
	if (full && !may_poll_abandoned(db))
		return db_lost(db, f);
	r = try_all_hosts(db, deadline, f);
	if (full)
		atomic_store(
		    &db->shared->poll_at, clock_ticks() + POLL_ABANDONED);
	return r;
}

/*
 * Try each host once, beginning with that of the last session.  When the time
 * is up, the next attempt begins with the next host.
 */
static int
try_all_hosts(struct db *db, int64_t deadline, struct fail *f)
{
	const size_t n = db->hosts.n;
	size_t i, left;

	if (n > 1 && db->setup != 0 && atomic_load(&db->shared->timeline) == 0)
		db_timeline_find(db, deadline);
	i = (size_t)atomic_load(&db->shared->host) % n;
	for (left = n; left > 0; left--) {
		if (try_one_host(db, i, db_host_deadline(deadline, left), f) ==
		    0) {
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

int64_t
db_host_deadline(int64_t deadline, size_t left)
{
	const int64_t now = clock_ticks();
	int64_t share = (deadline - now) / (int64_t)left;

	if (share < SHARE_MIN)
		share = SHARE_MIN;
	return now + share < deadline ? now + share : deadline;
}

/* Try host i.  Returns -1 with DB_LOST if another host may succeed. */
static int
try_one_host(struct db *db, size_t i, int64_t deadline, struct fail *f)
{
	if (db_dial(db, &db->hosts.all[i], deadline) == -1)
		return connect_failed(db, i, f);
	db->host = i;
	db->session++;
	memset(db->prepared, 0, sizeof(db->prepared));
	if (db->setup != 0 && begin_session(db, f) == -1)
		return -1;
	log_connect_success(db);
	return 0;
}

int
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
		/* The SQLSTATE does not depend on lc_messages. */
		PQsetErrorVerbosity(db->conn, PQERRORS_VERBOSE);
		db_handshake(db, deadline);
	}
	if (PQstatus(db->conn) != CONNECTION_OK)
		return -1;
	PQsetErrorVerbosity(db->conn, PQERRORS_DEFAULT);
	return PQsetnonblocking(db->conn, 1) == -1 ||
		!PQenterPipelineMode(db->conn)
	    ? -1
	    : 0;
}

/*
 * Ignore notices and warnings: libpq would print them on standard error, where
 * they are not valid log lines.
 */
static void
drop_notice(void *arg, const PGresult *notice)
{
	(void)arg;
	(void)notice;
}

/* Do the handshake; PQstatus() has its result. */
static void
db_handshake(struct db *db, int64_t deadline)
{
	PostgresPollingStatusType next = PGRES_POLLING_WRITING;

	while (next == PGRES_POLLING_READING || next == PGRES_POLLING_WRITING) {
		if (db_wait_socket(db,
			next == PGRES_POLLING_READING ? POLLIN : POLLOUT,
			deadline) == -1)
			return;
		next = PQconnectPoll(db->conn);
	}
}

/* The setup comes first: it numbers the session, to find it if abandoned. */
static int
begin_session(struct db *db, struct fail *f)
{
	if (db_setup_session(db, f) == -1 || check_abandoned_room(db, f) == -1)
		return -1;
	return db_prepare(db, 0, f);
}

/* Run the setup statement, which numbers the session and may refuse it. */
static int
db_setup_session(struct db *db, struct fail *f)
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
	r = db_run_unprepared(db, &a, db->setup, &p, &rows, f);
	if (r == 0) {
		db->backend = rows_int(&rows, 0, "name");
		db->server = rows_int(&rows, 0, "server");
		r = refuse_unfit_database(
		    db, rows_text(&rows, 0, "refusal"), f);
		if (r == 0)
			r = db_timeline_check(
			    db, rows_int(&rows, 0, "timeline"), f);
	} else if (db->trouble == DB_REFUSED) {
		r = db_refuse_old_schema(db, db->setup, f);
	} else {
		db_end_session(db);
	}
	arena_reset(&a);
	return r;
}

/* Drop the session if its database refuses this program. */
static int
refuse_unfit_database(struct db *db, const char *refusal, struct fail *f)
{
	db->unfit = DB_FIT;
	if (refusal == NULL)
		return 0;
	db->unfit = strcmp(refusal, "newer") == 0 ? DB_NEWER : DB_RESTORED;
	db_lost(db, NULL);
	return fail_set(
	    f, FAIL_US, UNAVAILABLE, NULL, "%s", db_unfit_text(db->unfit));
}

/* Whether there are more abandoned sessions than db_limit_sessions() allows. */
static bool
sessions_are_full(const struct db *db)
{
	size_t n = db_abandoned_list(&db->shared->left, NULL);

	if (db->other != NULL)
		n += db_abandoned_list(&db->other->left, NULL);
	return n > db->spare;
}

/* One process at a time asks which abandoned sessions have ended. */
static bool
may_poll_abandoned(struct db *db)
{
	const int64_t now = clock_ticks();
	int64_t at = atomic_load(&db->shared->poll_at);

	return now >= at &&
	    atomic_compare_exchange_strong(
		&db->shared->poll_at, &at, now + 2 * CONNECT_MAX);
}

/*
 * In a new session: if there are too many abandoned ones, ask which have ended.
 * If there are still too many, end this one before it runs anything that could
 * hang.
 */
static int
check_abandoned_room(struct db *db, struct fail *f)
{
	struct db_shared *shared = db->shared;
	char waits[WAITS_SIZE] = "unknown";

	if (sessions_are_full(db) && forget_ended_sessions(db, waits, f) == -1)
		return db_lost(db, f);
	if (!sessions_are_full(db)) {
		atomic_store(&shared->full, 0);
		return 0;
	}
	if (atomic_exchange(&shared->full, 1) == 0)
		log_error("event=database_sessions_full waits=%s why=%s", waits,
		    "sessions that gave no answer still run in the server, "
		    "and one of them waits for this");
	return db_lost(db, f);
}

/*
 * Drop abandoned sessions that the server no longer has.  Write to ret_waits
 * what one of the others waits for.
 */
static int
forget_ended_sessions(struct db *db, char ret_waits[WAITS_SIZE], struct fail *f)
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
	r = db_run_unprepared(db, &a, STMT_SESSIONS_LEFT, &p, &rows, f);
	for (i = 0; r == 0 && i < n; i++) {
		for (row = 0;
		     row < rows.n && rows_int(&rows, row, "name") != names[i];
		     row++)
			continue;
		if (row == rows.n)
			db_abandoned_drop(&db->shared->left, names[i]);
		else
			snprintf(ret_waits, WAITS_SIZE, "%s",
			    rows_text(&rows, row, "waits"));
	}
	arena_reset(&a);
	return r;
}

int
db_run_unprepared(struct db *db, struct arena *a, enum stmt stmt,
    const struct params *p, struct rows *ret, struct fail *f)
{
	if (!PQsendQueryParams(db->conn, db_stmts[stmt].text, p->n, NULL,
		p->value, p->length, db_binary, 1))
		return db_lost(db, f);
	db->queued++;
	return db_sync(db, a, ret, 1, f);
}

/*
 * Report why a host cannot be used.  A process that shares its state serves
 * clients, who must not learn where the database is: the reason goes to the
 * log.  Otherwise it goes to f.
 */
static int
connect_failed(struct db *db, size_t i, struct fail *f)
{
	char sqlstate[DB_SQLSTATE_SIZE] = "";
	const enum db_connect_error why = db_dial_error(db, sqlstate);

	fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "the database cannot be reached; try again");
	if (db->shared != &db->own)
		db_log_connect_failure(db, i, why, sqlstate);
	else
		explain_connect_failure(db, why, sqlstate, f);
	db_lost(db, NULL);
	snprintf(db->sqlstate, sizeof(db->sqlstate), "%s", sqlstate);
	return -1;
}

enum db_connect_error
db_dial_error(const struct db *db, char ret_sqlstate[DB_SQLSTATE_SIZE])
{
	*ret_sqlstate = '\0';
	return PQstatus(db->conn) == CONNECTION_BAD
	    ? db_connect_error_parse(PQerrorMessage(db->conn), ret_sqlstate)
	    : DB_CONNECT_ERROR_TIMEOUT;
}

void
db_log_connect_failure(
    struct db *db, size_t i, enum db_connect_error why, const char *sqlstate)
{
	char text[WHY_SIZE];

	if (atomic_exchange(&db->shared->why[i], (int32_t)why) == (int32_t)why)
		return;
	snprintf(text, sizeof(text), "%s; %s", db_connect_error_text(why),
	    db_connect_error_help(why));
	log_error("event=database_connect_failed host=%s port=%s dbname=%s "
		  "user=%s kind=%s "
		  "sqlstate=%s why=%s",
	    PQhost(db->conn), PQport(db->conn), text_or_empty(PQdb(db->conn)),
	    text_or_empty(PQuser(db->conn)), db_connect_error_name(why),
	    sqlstate, text);
}

void
db_note_writable(struct db *db)
{
	if (atomic_load(&db->shared->why[db->host]) ==
	    DB_CONNECT_ERROR_READONLY)
		log_connect_success(db);
}

/*
 * Log the first success after failures.  A server that took no writes is back
 * only when it takes them.
 */
static void
log_connect_success(struct db *db)
{
	_Atomic int32_t *const shared = &db->shared->why[db->host];
	int32_t why = atomic_load(shared);

	if (why == DB_CONNECT_ERROR__NONE ||
	    (why == DB_CONNECT_ERROR_READONLY && !takes_writes(db->conn)) ||
	    !atomic_compare_exchange_strong(
		shared, &why, DB_CONNECT_ERROR__NONE))
		return;
	log_warn("event=database_connected host=%s port=%s dbname=%s user=%s",
	    PQhost(db->conn), PQport(db->conn), PQdb(db->conn),
	    PQuser(db->conn));
}

/* Whether the server took writes at the end of the last statement. */
static bool
takes_writes(PGconn *conn)
{
	static const char *const names[] = { "default_transaction_read_only",
		"in_hot_standby" };
	const char *value;
	size_t i;

	for (i = 0; i < nitems(names); i++) {
		value = PQparameterStatus(conn, names[i]);
		if (value != NULL && strcmp(value, "on") == 0)
			return false;
	}
	return true;
}

/* Put the reason into f, with the words of the server if it sent any. */
static void
explain_connect_failure(const struct db *db, enum db_connect_error why,
    const char *sqlstate, struct fail *f)
{
	const char *words =
	    *sqlstate == '\0' ? "" : strstr(PQerrorMessage(db->conn), sqlstate);

	fail_set(f, FAIL_US, UNAVAILABLE, NULL,
	    "host=%s port=%s dbname=%s user=%s: %s%s%.*s; %s", PQhost(db->conn),
	    PQport(db->conn), text_or_empty(PQdb(db->conn)),
	    text_or_empty(PQuser(db->conn)), db_connect_error_text(why),
	    *words == '\0' ? "" : ": ", (int)strcspn(words, "\n"), words,
	    db_connect_error_help(why));
}

/* libpq returns NULL before it has parsed the string. */
static const char *
text_or_empty(const char *text)
{
	return text == NULL ? "" : text;
}
