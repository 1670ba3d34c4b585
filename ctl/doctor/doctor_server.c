/* SPDX-License-Identifier: ISC */
/* assayctl doctor: read the facts of the server. */
#include "config.h"

#include "ctl/ctl.h"
#include "ctl/doctor/doctor.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/shared/gauge.h"
#include "lib/sys/clock.h"

#define DOCTOR_TIMEOUT_MS 3000 /* of one statement */
#define DOCTOR_DEADLINE (10 * CLOCK_SECOND) /* of everything */

static int read_facts(struct doctor *d, struct db *db, struct fail *f);
static int64_t clock_distance(int64_t server, int64_t before, int64_t after);
static void keep_facts(struct server_facts *s, const struct rows *r);
static int read_schema(struct doctor *d, struct db *db, struct fail *f);
static int read_gauges(struct doctor *d, struct db *db, struct fail *f);
static int64_t waiting_gauge(struct gauges *g, enum gauge which);

void
doctor_database(struct doctor *d, struct finding *ret)
{
	if (d->has_database)
		finding_text(ret, "the database answers");
	else
		finding_raise(ret,
		    d->failure.kind == FAIL_INPUT ? DOCTOR_UNKNOWN
						  : DOCTOR_CRITICAL,
		    "%s%s%s%s", d->failure.where,
		    *d->failure.where == '\0' ? "" : " ", d->failure.why,
		    d->failure.code == INTERNAL
			? "; the schema may be older than this program: run "
			  "'assayctl migrate'"
			: "");
}

void
doctor_read_server(struct doctor *d, const char *url)
{
	struct db *db;

	if (url == NULL) {
		fail_set(&d->failure, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "no connection string is known");
		return;
	}
	db = db_new(url, "assayctl doctor", DOCTOR_TIMEOUT_MS, STMT_SESSION,
	    &d->failure);
	if (db == NULL)
		return;
	db_set_deadline(db, clock_ticks() + DOCTOR_DEADLINE);
	d->has_database = db_ready(db, &d->failure) == 0 &&
	    read_facts(d, db, &d->failure) == 0 &&
	    read_schema(d, db, &d->failure) == 0 &&
	    read_gauges(d, db, &d->failure) == 0;
	if (db_unfit(db) == DB_OLD)
		fail_set(&d->failure, FAIL_US, UNAVAILABLE, NULL,
		    "the database lacks migration %lld; run 'assayctl migrate'",
		    (long long)db_missing(db));
	db_close(db);
}

static int
read_facts(struct doctor *d, struct db *db, struct fail *f)
{
	struct server_facts *s = &d->server;
	const int64_t before = clock_now();
	struct rows rows;

	if (db_one(db, &d->arena, STMT_DOCTOR_FACTS, NULL, &rows, f) == -1)
		return -1;
	s->clock =
	    clock_distance(rows_time(&rows, 0, "now"), before, clock_now());
	keep_facts(s, &rows);
	s->pool_max = conf.DATABASE_POOL_MAX;
	s->sweep_minutes = conf.RETENTION_SWEEP_MINUTES;
	return 0;
}

/*
 * How many ms the clock of the server is at least ahead of ours: it was read
 * between before and after.
 */
static int64_t
clock_distance(int64_t server, int64_t before, int64_t after)
{
	if (server > after)
		return (server - after) / 1000;
	return server < before ? (server - before) / 1000 : 0;
}

static void
keep_facts(struct server_facts *s, const struct rows *r)
{
	s->version = rows_text(r, 0, "version");
	s->version_number = rows_int(r, 0, "version_number");
	s->migration = rows_int(r, 0, "migration");
	s->read_only = rows_bool(r, 0, "read_only");
	s->fsync = rows_bool(r, 0, "fsync");
	s->full_page_writes = rows_bool(r, 0, "full_page_writes");
	s->synchronous_commit = rows_text(r, 0, "synchronous_commit");
	s->synchronous_names = rows_text(r, 0, "synchronous_names");
	s->standbys = rows_int(r, 0, "standbys");
	s->synchronous_standbys = rows_int(r, 0, "synchronous_standbys");
	s->lag = rows_int(r, 0, "lag_bytes");
	s->lag_hidden = rows_bool(r, 0, "lag_hidden");
	s->slot = rows_text(r, 0, "slot");
	s->slot_bytes = rows_int(r, 0, "slot_bytes");
	s->slots_lost = rows_int(r, 0, "slots_lost");
	s->connections_max = rows_int(r, 0, "connections_max");
	s->connections = rows_int(r, 0, "connections");
	s->bytes = rows_int(r, 0, "bytes");
	s->tables = rows_text(r, 0, "tables");
	s->unsealed = rows_int(r, 0, "unsealed_ms");
	s->swept =
	    rows_null(r, 0, "swept_ms") ? -1 : rows_int(r, 0, "swept_ms");
}

static int
read_schema(struct doctor *d, struct db *db, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, &d->arena);
	params_text(&p, SCHEMA_MIGRATIONS);
	if (db_one(db, &d->arena, STMT_READYZ, &p, &rows, f) == -1)
		return -1;
	d->server.known = SCHEMA_KNOWN;
	d->server.missing = rows_int(&rows, 0, "missing");
	return 0;
}

static int
read_gauges(struct doctor *d, struct db *db, struct fail *f)
{
	struct server_facts *s = &d->server;
	struct gauges g = { 0 };
	const enum gauge waiting[] = { GAUGE_outbox_oldest, GAUGE_due_webhook,
		GAUGE_due_alert };
	size_t i;

	if (gauge_measure(db, &d->arena, &g, f) == -1)
		return -1;
	s->months_ahead = waiting_gauge(&g, GAUGE_months_ahead);
	s->uncounted = waiting_gauge(&g, GAUGE_analytics_lag);
	s->undecided = waiting_gauge(&g, GAUGE_async_oldest);
	for (i = 0; i < nitems(waiting); i++)
		if (waiting_gauge(&g, waiting[i]) > s->undelivered)
			s->undelivered = waiting_gauge(&g, waiting[i]);
	return 0;
}

static int64_t
waiting_gauge(struct gauges *g, enum gauge which)
{
	return atomic_load(&g->value[which]);
}
