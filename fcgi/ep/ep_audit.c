/* SPDX-License-Identifier: ISC */
/* /v1/audit: the audit trail, for admins. */
#include "config.h"

#include "fcgi/http/req.h"
#include "fcgi/http/route.h"
#include "fcgi/http/sql_reply.h"

#define LIMIT_DEFAULT 50
#define LIMIT_MAX 200

/*
 * GET /v1/audit.  200: a page of the audit trail, newest first, and the number
 * of entries; 400: limit or offset is out of range; 404: before is not an
 * entry.
 */
int
audit_list(struct req *req, struct resp *resp)
{
	int64_t limit, offset;
	struct params p;

	if (query_int(&req->params, "limit", 1, LIMIT_MAX, LIMIT_DEFAULT,
		&limit, &req->fail) == -1 ||
	    query_int(&req->params, "offset", 0, QUERY_OFFSET_MAX, 0, &offset,
		&req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_int(&p, limit);
	params_int(&p, offset);
	params_text(&p, query_text(&req->params, "before"));
	return sql_reply_write(req, resp, 200, STMT_AUDIT_PAGE, &p);
}
