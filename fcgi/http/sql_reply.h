/* SPDX-License-Identifier: ISC */
/* Answers that the database gives ready: one statement, one row of JSON. */
#ifndef FCGI_HTTP_SQL_REPLY_H
#define FCGI_HTTP_SQL_REPLY_H

#include "lib/db/db.h"

struct req;
struct resp;

/*
 * Answer 200 with the column body of a statement's one row.  p may be NULL.
 * Returns 0, or -1 with req->fail set.
 */
int sql_reply_read(struct req *req, struct resp *resp, enum stmt stmt,
    const struct params *p) __attribute__((warn_unused_result));

/*
 * The same with another status, for a statement that may refuse: its row has
 * refusal, the name of an error code, or null and then body.
 */
int sql_reply_write(struct req *req, struct resp *resp, int status,
    enum stmt stmt, const struct params *p) __attribute__((warn_unused_result));

#endif
