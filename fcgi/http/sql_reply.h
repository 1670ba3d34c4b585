/* SPDX-License-Identifier: ISC */
/* Answers that an SQL function returns as JSON in one row. */
#ifndef FCGI_HTTP_SQL_REPLY_H
#define FCGI_HTTP_SQL_REPLY_H

#include "lib/db/db.h"

struct req;
struct resp;

/*
 * Answer 200 with the column body of the one row of a statement.  p may be
 * NULL. Return 0, or -1 with req->fail set.
 */
int sql_reply_read(struct req *req, struct resp *resp, enum stmt stmt,
    const struct params *p) __attribute__((warn_unused_result));

/*
 * Answer with status and the column body.  If the column refusal is not null,
 * fail with the error code that it names.  Return 0, or -1 with req->fail set.
 */
int sql_reply_write(struct req *req, struct resp *resp, int status,
    enum stmt stmt, const struct params *p) __attribute__((warn_unused_result));

/*
 * Run a statement without parameters, and ignore its rows.  Return 0, or -1
 * with req->fail set.
 */
int sql_reply_none(struct req *req, enum stmt stmt)
    __attribute__((warn_unused_result));

/*
 * If the column refusal of the one row is not null, fail with the error code
 * that it names.  Return 0, or -1 with req->fail set.
 */
int sql_reply_refused(struct req *req, const struct rows *rows)
    __attribute__((warn_unused_result));

#endif
