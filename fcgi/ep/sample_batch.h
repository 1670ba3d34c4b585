/* SPDX-License-Identifier: ISC */
/* Read the samples of the open cursor, batch by batch. */
#ifndef FCGI_EP_SAMPLE_BATCH_H
#define FCGI_EP_SAMPLE_BATCH_H

struct req;
struct rows;

/*
 * Ask the server for a batch of the cursor "backtest", in an open transaction:
 * the first one.  Return 0, or -1 with req->fail set.
 */
int sample_batch_ask(struct req *req) __attribute__((warn_unused_result));

/*
 * Wait for the batch that was asked for, and ask for the next one, which the
 * server fetches while the caller works.  The rows are freed with req->arena;
 * after the last batch there are none.  Until then only db_rollback() may use
 * the connection otherwise.  Return 0, or -1 with req->fail set.
 */
int sample_batch_take(struct req *req, struct rows *ret)
    __attribute__((warn_unused_result));

#endif
