/* SPDX-License-Identifier: ISC */
/* One PostgreSQL connection: open, configure and close it. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/db/db_int.h"

/* Name, text and properties of every statement. */
const struct db_stmt db_stmts[STMT__MAX] = {
#define STMT(ident, name, write, late, types, text)                            \
	[STMT_##ident] = { name, text, types, write, late },
	STMT_TABLE
#undef STMT
};

/* Every parameter is binary. */
const int db_binary[DB_PARAMS_MAX] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
	1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };

struct db *
db_new(const char *url, const char *name, int timeout_ms, enum stmt setup,
    struct fail *f)
{
	struct db *db;

	db = calloc(1, sizeof(*db));
	if (db == NULL || (db->url = strdup(url)) == NULL ||
	    (db->name = strdup(name)) == NULL) {
		db_close(db);
		fail_memory(f);
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
db_set_breaker(struct db *db, _Atomic int64_t *retry_at)
{
	db->retry_at = retry_at;
}

void
db_share(struct db *db, struct db_shared *shared)
{
	db->shared = shared;
}

void
db_limit_sessions(struct db *db, const struct db_shared *other, size_t spare)
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
db_set_deadline(struct db *db, int64_t ticks)
{
	db->until = ticks;
}

void
db_hold_session(struct db *db, bool held)
{
	db->held = held;
}

void
db_set_cancel_check(struct db *db, db_cancel_check_fn *check, void *arg)
{
	db->cancel_check = check;
	db->cancel_arg = arg;
}

bool
db_cancelled(const struct db *db)
{
	return db->cancelled_at != 0;
}

enum db_unfit
db_unfit(const struct db *db)
{
	return db->unfit;
}

const char *
db_unfit_text(enum db_unfit unfit)
{
	static const char *const texts[DB_UNFIT__MAX] = {
		[DB_NEWER] = "the database needs a newer program than this",
		[DB_RESTORED] = "the database was restored from a dump; run "
				"assayctl restored",
		[DB_FORMER] = "the only server that takes writes is a former "
			      "primary; start the primary, or restart this "
			      "program if that server is right",
	};

	return texts[unfit];
}

int64_t
db_missing(const struct db *db)
{
	return db->missing;
}
