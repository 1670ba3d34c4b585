/* SPDX-License-Identifier: ISC */
/* How many requests of an operator read samples at once. */
#include "config.h"

#include "core/base/fail.h"
#include "fcgi/ep/sample_turn.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"

#define PAUSE 3 /* seconds after which to try again */

int
sample_turn_take(struct req *req, struct resp *resp)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, req->operator.email);
	if (db_one(req->db, req->arena, STMT_SAMPLE_TURN, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows_bool(&rows, 0, "taken"))
		return 0;
	resp_header(req, resp, "Retry-After: %d", PAUSE);
	return fail_set(&req->fail, FAIL_DENIED, RATE_LIMITED, NULL,
	    "two small backtests or rule qualities of yours are running; "
	    "try again when one has ended");
}
