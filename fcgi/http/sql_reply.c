/* SPDX-License-Identifier: ISC */
/* Answers that an SQL function returns as JSON in one row. */
#include "config.h"

#include <assert.h>

#include "core/base/fail.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"

int
sql_reply_read(
    struct req *req, struct resp *resp, enum stmt stmt, const struct params *p)
{
	struct rows rows;

	if (db_one(req->db, req->arena, stmt, p, &rows, &req->fail) == -1)
		return -1;
	return resp_json(req, resp, 200, rows_text(&rows, 0, "body"));
}

int
sql_reply_write(struct req *req, struct resp *resp, int status, enum stmt stmt,
    const struct params *p)
{
	struct rows rows;

	if (db_one(req->db, req->arena, stmt, p, &rows, &req->fail) == -1 ||
	    sql_reply_refused(req, &rows) == -1)
		return -1;
	return resp_json(req, resp, status, rows_text(&rows, 0, "body"));
}

int
sql_reply_none(struct req *req, enum stmt stmt)
{
	return db_run(req->db, req->arena, stmt, NULL, NULL, &req->fail);
}

int
sql_reply_refused(struct req *req, const struct rows *rows)
{
	const char *refusal = rows_text(rows, 0, "refusal");
	enum code code;

	if (refusal == NULL)
		return 0;
	code = fail_code_named(refusal);
	assert(code != CODE__NONE);
	return fail_set(&req->fail, FAIL_INPUT, code, NULL, "%s", "");
}
