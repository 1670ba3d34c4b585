/* SPDX-License-Identifier: ISC */
/* The HTTP routes, and the checks before every handler. */
#ifndef FCGI_GATE_ROUTE_H
#define FCGI_GATE_ROUTE_H

#include <stdbool.h>

#include "fcgi/http/route_type.h"

/*
 * Whether the body of a backtest asks for so few samples that it takes no
 * longer than other requests.
 */
bool backtest_is_small(const struct req *req);

/*
 * Run the handler of req->route with its time limit.  The caller has checked
 * the request.  Return what the handler returned, or -1 with UNAVAILABLE in
 * req->fail if too many long requests run.
 */
int route_call(struct req *req, struct resp *resp)
    __attribute__((warn_unused_result));

/*
 * Run one request of the route that route_find() found, or NULL (404, 405):
 * check load (503), credential (401, 403), budget (429), size and type (413,
 * 415), path, query and body (400), and run the handler.  Fill resp.  For a
 * route that combines, only set req->item and req->answer unless there is an
 * error; route_settle() fills resp after the transaction.
 */
void route_run(struct req *req, const struct route *route, struct resp *resp);
void route_settle(struct req *req, struct resp *resp);

#endif
