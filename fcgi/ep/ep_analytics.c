/* SPDX-License-Identifier: ISC */
/* /v1/analytics: counts of decisions, cases and labels. */
#include "config.h"

#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"

#define DAY_SIZE 10 /* "2026-11-20" */

static int read_day(struct req *req, const char *name, const char **ret);

/*
 * GET /v1/analytics/summary.  200: all counts, or those of some days and of an
 * event type; 400: a parameter is wrong.
 */
int
analytics_summary(struct req *req, struct resp *resp)
{
	const char *first, *last, *body, *handling;
	const struct query *q = &req->params;
	enum event_type type;
	struct params p;
	struct rows rows;
	struct str s;

	if (query_event_type(q, &type, &req->fail) == -1 ||
	    read_day(req, "since", &first) == -1 ||
	    read_day(req, "until", &last) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, first);
	params_text(&p, last);
	params_text(&p, query_text(q, "eventType"));
	params_text(&p, query_text(q, "queue"));
	params_int(
	    &p, first == NULL && last == NULL && type == EVENT_TYPE__NONE);
	if (db_one(req->db, req->arena, STMT_ANALYTICS_SUMMARY, &p, &rows,
		&req->fail) == -1)
		return -1;

	/* Both are objects: join their members. */
	body = rows_text(&rows, 0, "body");
	handling = rows_text(&rows, 0, "handling");
	str_init(&s, req->arena);
	str_addf(&s, "%.*s,%s", (int)strlen(body) - 1, body, handling + 1);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Read a UTC day; NULL if it was not sent. */
static int
read_day(struct req *req, const char *name, const char **ret)
{
	struct str s;
	int64_t at;

	*ret = query_text(&req->params, name);
	if (*ret == NULL)
		return 0;
	if (strlen(*ret) == DAY_SIZE) {
		str_init(&s, req->arena);
		str_addf(&s, "%sT00:00:00Z", *ret);
		if (str_text(&s) != NULL &&
		    clock_parse(str_text(&s), &at) == 0 && at >= 0)
			return 0;
	}
	return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, name,
	    "must be a day, such as 2026-11-20");
}
