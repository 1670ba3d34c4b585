/* SPDX-License-Identifier: ISC */
/* /v1/analytics: counts of decisions, cases and labels. */
#include "config.h"

#include "fcgi/http/req.h"
#include "fcgi/http/route.h"
#include "fcgi/http/sql_reply.h"

/*
 * GET /v1/analytics/summary.  200: all counts.
 */
int
analytics_summary(struct req *req, struct resp *resp)
{
	return sql_reply_read(req, resp, STMT_ANALYTICS_SUMMARY, NULL);
}
