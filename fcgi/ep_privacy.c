/* SPDX-License-Identifier: ISC */
/* /v1/privacy: what a user may ask for, for admins. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "core/event.h"
#include "core/fail.h"
#include "core/str.h"
#include "fcgi/audit.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/route.h"
#include "fcgi/worker.h"
#include "lib/body.h"
#include "lib/clock.h"
#include "lib/db.h"
#include "lib/set.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#define BATCH 1000 /* links or rows of one transaction */
#define TIME_MAX (40 * CLOCK_SECOND) /* then the caller is to come again */

/* What has been erased so far. */
struct erased {
	int64_t end; /* of the time for it; clock_ticks() */
	bool graph;
	bool baseline;
	int64_t until; /* the time up to which decisions are forgotten */
	int64_t requests;
	int64_t samples;
};

/* One part of the work, in a transaction of its own. */
typedef int part_fn(
    struct req *req, const char *user, struct erased *ret, bool *more);

static part_fn identity, details;
static int work(
    struct req *req, const char *user, part_fn *part, struct erased *ret);

static const struct body_field fields[] = {
	{ "userId", BODY_OPAQUE, true, false, 1, EVENT_ID_MAX },
};

/*
 * POST /v1/privacy/erase.  200: what is gone now, nothing of a user who is not
 * known; 400: no id of a user; 503: there is more than time, and the same
 * request goes on with it.
 */
int
privacy_erase(struct req *req, struct resp *resp)
{
	struct erased did = { .end = clock_ticks() + TIME_MAX };
	const char *user;
	struct str s;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1)
		return -1;
	user = body_string(req->json, "userId");
	if (!event_plain(user, strlen(user)))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "userId", "must have no control characters");
	if (work(req, user, identity, &did) == -1 ||
	    work(req, user, details, &did) == -1)
		return -1;

	str_init(&s, req->arena);
	str_add(&s, "{\"userId\":");
	str_json(&s, user);
	str_addf(&s,
	    ",\"replaySamplesRemoved\":%" PRId64
	    ",\"activityEntriesRemoved\":%" PRId64
	    ",\"graph\":%s,\"baseline\":%s}",
	    did.samples, did.requests, did.graph ? "true" : "false",
	    did.baseline ? "true" : "false");
	return resp_json(req, resp, 200, str_text(&s));
}

/* Do a part until there is no more of it. */
static int
work(struct req *req, const char *user, part_fn *part, struct erased *ret)
{
	bool more;

	for (;;) {
		if (part(req, user, ret, &more) == -1)
			return -1;
		if (!more)
			return 0;
		if (audit_keep(req) == -1)
			return -1;
		if (clock_ticks() > ret->end)
			return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE,
			    NULL, "there is more to erase; send it again");
	}
}

/* The user's state and place in the graph, while no decision of it runs. */
static int
identity(struct req *req, const char *user, struct erased *ret, bool *more)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_int(&p, set_lock_key(user));
	params_text(&p, user);
	params_int(&p, BATCH);
	if (db_one(req->worker->db, req->arena, STMT_ERASE_IDENTITY, &p, &rows,
		&req->fail) == -1)
		return -1;
	*more = rows_get_bool(&rows, "more");
	ret->graph |= rows_get_bool(&rows, "graph");
	ret->baseline |= rows_get_bool(&rows, "baseline");
	ret->until = rows_get_time(&rows, "until");
	return 0;
}

/* What its decisions left behind. */
static int
details(struct req *req, const char *user, struct erased *ret, bool *more)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, user);
	params_time(&p, ret->until);
	params_int(&p, BATCH);
	if (db_one(req->worker->db, req->arena, STMT_ERASE_DETAILS, &p, &rows,
		&req->fail) == -1)
		return -1;
	*more = rows_get_bool(&rows, "more");
	ret->requests += rows_get_int(&rows, "requests");
	ret->samples += rows_get_int(&rows, "samples");
	return 0;
}
