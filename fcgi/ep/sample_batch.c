/* SPDX-License-Identifier: ISC */
/* Read the samples of the open cursor, batch by batch. */
#include "config.h"

#include "fcgi/ep/sample_batch.h"
#include "fcgi/http/req.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"

int
sample_batch_ask(struct req *req)
{
	struct db *db = req->db;

	if (db_prepare_late(db, STMT_BACKTEST_NEXT, &req->fail) == -1 ||
	    db_send(db, STMT_BACKTEST_NEXT, NULL, &req->fail) == -1)
		return -1;
	return db_start(db, &req->fail);
}

int
sample_batch_take(struct req *req, struct rows *ret)
{
	if (db_sync(req->db, req->arena, ret, 1, &req->fail) == -1)
		return -1;
	return ret->n == 0 ? 0 : sample_batch_ask(req);
}
