/* SPDX-License-Identifier: ISC */
/* /v1/analytics: what was decided and found out, in numbers. */
#include "config.h"

#include "fcgi/act.h"
#include "fcgi/req.h"
#include "fcgi/route.h"

/*
 * GET /v1/analytics/summary.  200: all counts.
 */
int
analytics_summary(struct req *req, struct resp *resp)
{
	return act_read(req, resp, STMT_ANALYTICS_SUMMARY, NULL);
}
