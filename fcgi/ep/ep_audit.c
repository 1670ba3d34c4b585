/* SPDX-License-Identifier: ISC */
/* /v1/audit: the audit trail, for admins. */
#include "config.h"

#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200

/*
 * GET /v1/audit.  200: a page of the audit trail, newest first, as far as it
 * fits the filters, and the number of entries; 400: a parameter is wrong; 404:
 * before is not an entry.
 */
int
audit_list(struct req *req, struct resp *resp)
{
	const struct query *q = &req->params;
	int64_t limit, offset, since, until;
	struct params p;

	if (query_int(q, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT, &limit,
		&req->fail) == -1 ||
	    query_int(q, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1 ||
	    query_time(q, "since", INT64_MIN, &since, &req->fail) == -1 ||
	    query_time(q, "until", INT64_MAX, &until, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_int(&p, limit);
	params_int(&p, offset);
	params_text(&p, query_text(q, "before"));
	params_text(&p, query_text(q, "actor"));
	params_text(&p, query_text(q, "action"));
	params_time_within(&p, since);
	params_time_within(&p, until);
	params_text(&p, query_text(q, "contains"));
	return sql_reply_write(req, resp, 200, STMT_AUDIT_PAGE, &p);
}
