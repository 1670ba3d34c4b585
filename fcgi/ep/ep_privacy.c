/* SPDX-License-Identifier: ISC */
/* /v1/privacy: erase the data of a user, for admins. */
#include "config.h"

#include <poll.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/event.h"
#include "fcgi/ep/routes.h"
#include "fcgi/gate/audit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/spool_report.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/retention/user_erasure.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define SPOOLS_TIME (3 * CLOCK_SECOND) /* for other hosts to report */
#define SPOOLS_PAUSE 100 /* ms between checks */
#define TIME_MAX (40 * CLOCK_SECOND) /* of one request */

/* The progress of a request. */
struct erasure {
	int64_t end; /* deadline; clock_ticks() */
	struct user_erasure done;
	bool complete;
	const char *stored; /* before it: JSON */
};

/* One part of the work, in its own transaction; sets *ret_more if some is left.
 */
typedef int part_fn(struct user_erasure *er, struct db *db, struct arena *a,
    const char *user, bool *ret_more, struct fail *f);

static int read_user_data(struct req *req, const char *user, const char **ret);
static int erase_user(
    struct req *req, const char *user, struct erasure *ret_erasure);
static int begin_erasure(struct req *req, const char *user, int64_t *ret_since);
static int spools_are_empty(struct req *req, int64_t since, bool *ret_complete);
static int repeat_part(
    struct req *req, const char *user, part_fn *part, struct erasure *ret);

static const struct body_field fields[] = {
	{ "rehearse", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
	{ "userId", BODY_OPAQUE, BODY_REQUIRED, 1, EVENT_ID_MAX },
};

/*
 * POST /v1/privacy/erase.  200: what was stored, what has been erased, nothing
 * for an unknown user or with "rehearse", and whether every spool is empty;
 * 400: the id of the user is wrong; 503: there was not enough time, and the
 * same request, sent again, continues.
 */
int
privacy_erase(struct req *req, struct resp *resp)
{
	struct erasure erasure = { .end = clock_ticks() + TIME_MAX };
	const char *user;
	struct str s;
	bool rehearse;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	user = body_string(req->json, "userId");
	if (!event_plain(user, strlen(user)))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "userId", "must not have control characters");
	rehearse = body_int(req->json, "rehearse", 0) != 0;
	if (read_user_data(req, user, &erasure.stored) == -1 ||
	    (!rehearse && erase_user(req, user, &erasure) == -1))
		return -1;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "userId", user);
	writer_int(&s, "replaySamplesRemoved", erasure.done.samples);
	writer_int(&s, "activityEntriesRemoved", erasure.done.requests);
	writer_bool(&s, "graph", erasure.done.graph);
	writer_bool(&s, "baseline", erasure.done.baseline);
	writer_bool(&s, "complete", erasure.complete);
	writer_bool(&s, "rehearse", rehearse);
	writer_json(&s, "stored", erasure.stored);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Read what is stored of the user. */
static int
read_user_data(struct req *req, const char *user, const char **ret)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, user);
	if (db_one(req->db, req->arena, STMT_ERASE_STORED, &p, &rows,
		&req->fail) == -1)
		return -1;
	*ret = rows_text(&rows, 0, "stored");
	return 0;
}

static int
erase_user(struct req *req, const char *user, struct erasure *ret_erasure)
{
	int64_t since;

	if (begin_erasure(req, user, &since) == -1 ||
	    repeat_part(req, user, user_erasure_identity, ret_erasure) == -1 ||
	    repeat_part(req, user, user_erasure_details, ret_erasure) == -1)
		return -1;
	return spools_are_empty(req, since, &ret_erasure->complete);
}

/*
 * Record the erasure.  From now on decisions made before it are logged without
 * details.  The line of the log is for a database that is restored from a
 * backup made before the erasure.
 */
static int
begin_erasure(struct req *req, const char *user, int64_t *ret_since)
{
	char at[CLOCK_TEXT_SIZE];
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, user);
	if (db_one(req->db, req->arena, STMT_ERASE_BEGIN, &p, &rows,
		&req->fail) == -1)
		return -1;
	*ret_since = rows_time(&rows, 0, "since");
	if (audit_checkpoint(req) == -1)
		return -1;
	clock_text(*ret_since, at);
	log_info(
	    "event=user_erased hash=%s at=%s", rows_text(&rows, 0, "name"), at);
	return 0;
}

/*
 * Check whether every spool has reported since the given time that it is empty.
 * This host reports now, the others within about a second.
 */
static int
spools_are_empty(struct req *req, int64_t since, bool *ret_complete)
{
	struct worker *w = req->worker;
	const int64_t end = clock_ticks() + SPOOLS_TIME;
	struct params p;
	struct rows rows;

	if (w->shm->spool_id[0] != '\0' &&
	    spool_report_send(w, req->arena, &req->fail) == -1)
		return -1;
	for (;;) {
		params_init(&p, req->arena);
		params_time(&p, since);
		if (db_one(w->db, req->arena, STMT_ERASE_SPOOLS, &p, &rows,
			&req->fail) == -1)
			return -1;
		*ret_complete = rows_int(&rows, 0, "held") == 0;
		if (rows_int(&rows, 0, "late") == 0 || clock_ticks() >= end)
			return 0;
		if (audit_checkpoint(req) == -1)
			return -1;
		poll(NULL, 0, SPOOLS_PAUSE);
	}
}

/* Repeat a part until none of it is left. */
static int
repeat_part(
    struct req *req, const char *user, part_fn *part, struct erasure *ret)
{
	bool more;

	for (;;) {
		if (part(&ret->done, req->db, req->arena, user, &more,
			&req->fail) == -1)
			return -1;
		if (!more)
			return 0;
		if (audit_checkpoint(req) == -1)
			return -1;
		if (clock_ticks() > ret->end)
			return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE,
			    NULL, "there is more to erase; send it again");
	}
}
