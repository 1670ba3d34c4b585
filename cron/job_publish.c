/* SPDX-License-Identifier: ISC */
/* From verdict log and outbox to deliveries: a row a subscriber and event. */
#include "config.h"

#include "core/base/fail.h"
#include "cron/steps.h"
#include "lib/sys/clock.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/log.h"
#include "lib/shared/metric.h"
#include "lib/net/event_topic.h"

#define AT_ONCE 2000 /* deliveries of one transaction, about */
#define REST 4 /* times as long as it took, when there is no more */

enum { COUNT_EVENTS, COUNT_THROTTLED, COUNT__MAX };
_Static_assert(COUNT__MAX == JOB_PUBLISH_COUNTS, "deliver's come after");

static void forget_cursor(const struct db *db);
static void count_published(struct job_run *r, const struct rows *rows, int row,
    enum event_topic topic);

/*
 * The transaction that the log is to be read from, so that nothing is read
 * twice, and the session in which the server said so: another session may be
 * one with another server.
 */
static int64_t looked;
static int64_t session;

/*
 * When to look again, clock_ticks().  Pages of the log that are not summarized
 * yet, those of the last minute or so, are read each time: under load that is
 * not to cost more than a fifth of a processor.
 */
static int64_t due;

int
job_publish_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	const int64_t began = clock_ticks();
	struct params p;
	struct rows rows;
	const char *name;
	int row;

	if (db_ready(r->db, f) == -1)
		return -1;
	forget_cursor(r->db);
	if (r->until != 0 && began < due)
		return 0;
	params_init(&p, r->arena);
	params_int(&p, AT_ONCE);
	params_int(&p, conf.NOTIFY_THROTTLE_PER_MIN);
	params_int(&p, looked);
	if (db_run(r->db, r->arena, STMT_PUBLISH_NEXT, &p, &rows, f) == -1)
		return -1;
	for (row = 0; row < rows.n; row++) {
		name = rows_text(&rows, row, rows_col(&rows, "topic"));
		if (name != NULL)
			count_published(r, &rows, row, event_topic_parse(name));
		*ret_more = rows_bool(&rows, row, rows_col(&rows, "more"));
		looked = rows_int(&rows, row, rows_col(&rows, "next_xid"));
	}
	if (!*ret_more)
		due = clock_ticks() + REST * (clock_ticks() - began);
	return 0;
}

/* In a new session the cursor of the database alone is true. */
static void
forget_cursor(const struct db *db)
{
	if (db_session(db) == session)
		return;
	session = db_session(db);
	looked = 0;
	due = 0;
}

static void
count_published(
    struct job_run *r, const struct rows *rows, int row, enum event_topic topic)
{
	const int64_t events = rows_int(rows, row, rows_col(rows, "events"));
	const int64_t throttled =
	    rows_int(rows, row, rows_col(rows, "throttled"));

	r->count[COUNT_EVENTS] += events;
	r->count[COUNT_THROTTLED] += throttled;
	if (topic != TOPIC__NONE)
		metric_add(r->slot, METRIC_ID_PUBLISHED, (size_t)topic - 1, 0,
		    (uint64_t)events);
	metric_add(r->slot, METRIC_ID_THROTTLED, 0, 0, (uint64_t)throttled);
}
