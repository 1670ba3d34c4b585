/* SPDX-License-Identifier: ISC */
/* Run a request: the checks before every handler, then the handler. */
#ifndef FCGI_GATE_ROUTE_RUN_H
#define FCGI_GATE_ROUTE_RUN_H

struct req;
struct resp;
struct route;

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
