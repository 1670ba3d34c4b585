/* SPDX-License-Identifier: ISC */
/* Publish: turn events into deliveries, one per event and subscriber. */
#include "config.h"

#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/shared/event_topic.h"
#include "lib/shared/metric.h"

#define DELIVERIES_MAX 2000 /* per transaction, roughly */

enum { COUNT_EVENTS, COUNT_THROTTLED, COUNT__MAX };
_Static_assert(COUNT__MAX == JOB_PUBLISH_COUNTS, "deliver's come after");

static void forget_cursor(const struct db *db);
static void count_published(struct job_run *r, const struct rows *rows, int row,
    enum event_topic topic);

/*
 * Where the next step starts to read the log (a transaction id), and the
 * session that gave this id.  It is not valid in another session, which may
 * belong to another server.
 */
static int64_t next_xid;
static int64_t session;

int
job_publish_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct params p;
	struct rows rows;
	const char *name;
	int row;

	if (db_ready(r->db, f) == -1)
		return -1;
	forget_cursor(r->db);
	params_init(&p, r->arena);
	params_int(&p, DELIVERIES_MAX);
	params_int(&p, conf.NOTIFY_THROTTLE_PER_MIN);
	params_int(&p, next_xid);
	if (db_run(r->db, r->arena, STMT_PUBLISH_NEXT, &p, &rows, f) == -1)
		return -1;
	for (row = 0; row < rows.n; row++) {
		name = rows_text(&rows, row, "topic");
		if (name != NULL)
			count_published(r, &rows, row, event_topic_parse(name));
		*ret_more = rows_bool(&rows, row, "more");
		next_xid = rows_int(&rows, row, "next_xid");
	}
	return 0;
}

/* In a new session, start from the cursor in the database. */
static void
forget_cursor(const struct db *db)
{
	if (db_session(db) == session)
		return;
	session = db_session(db);
	next_xid = 0;
}

static void
count_published(
    struct job_run *r, const struct rows *rows, int row, enum event_topic topic)
{
	const int64_t events = rows_int(rows, row, "events");
	const int64_t throttled = rows_int(rows, row, "throttled");

	r->count[COUNT_EVENTS] += events;
	r->count[COUNT_THROTTLED] += throttled;
	if (topic != TOPIC__NONE)
		metric_add(r->slot, METRIC_ID_PUBLISHED, (size_t)topic - 1, 0,
		    (uint64_t)events);
	metric_add(r->slot, METRIC_ID_THROTTLED, 0, 0, (uint64_t)throttled);
}
