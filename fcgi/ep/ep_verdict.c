/* SPDX-License-Identifier: ISC */
/* /v1/verdicts and /v1/activity: the verdict log and the activity log. */
#include "config.h"

#include "core/base/fail.h"
#include "fcgi/http/req.h"
#include "fcgi/http/route.h"
#include "fcgi/http/sql_reply.h"
#include "lib/sys/crypt.h"

static int answer_page(struct req *req, struct resp *resp, enum stmt stmt,
    int64_t limit_max, int64_t limit_default);

/*
 * GET /v1/verdicts.  200: the newest verdicts, or those before a verdict; 400:
 * limit is out of range, or before is not the id of a verdict.
 */
int
verdict_list(struct req *req, struct resp *resp)
{
	return answer_page(req, resp, STMT_VERDICT_PAGE, 100, 25);
}

/* GET /v1/activity.  200: the same of the activity log; 400: as above. */
int
activity_list(struct req *req, struct resp *resp)
{
	return answer_page(req, resp, STMT_ACTIVITY_PAGE, 200, 100);
}

static int
answer_page(struct req *req, struct resp *resp, enum stmt stmt,
    int64_t limit_max, int64_t limit_default)
{
	const char *before = query_text(&req->params, "before");
	int64_t limit, at;
	struct params p;

	if (query_int(&req->params, "limit", 1, limit_max, limit_default,
		&limit, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_int(&p, limit);
	params_text(&p, before);
	if (before == NULL)
		params_null(&p);
	else if (crypt_id_time(before, "vd_", &at) == -1)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "before", "must be the id of a verdict");
	else
		params_time(&p, at + 1000);
	return sql_reply_read(req, resp, stmt, &p);
}
