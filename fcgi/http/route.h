/* SPDX-License-Identifier: ISC */
/* The whole HTTP surface, and the one gate in front of every handler. */
#ifndef FCGI_HTTP_ROUTE_H
#define FCGI_HTTP_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "lib/net/apikey.h"

enum route_access {
	ACCESS_PUBLIC = 1, /* no credential */
	ACCESS_APIKEY, /* X-API-Key with the route's scope */
	ACCESS_SESSION, /* bearer token of any role */
	ACCESS_OPERATOR, /* the same; no password has to be changed first */
	ACCESS_ADMIN, /* the same, of an admin */
	ACCESS__MAX
};

enum budget {
	BUDGET_NONE = 1,
	BUDGET_DECISIONS, /* by API key; from here on as the metric has them */
	BUDGET_LOGIN, /* by client address */
	BUDGET_LABELS, /* by API key */
	BUDGET__MAX
};

/* Whether it changes something that the audit trail tells. */
enum audit_trail { TRAIL_NONE = 1, TRAIL_AUDIT, TRAIL__MAX };

/* Which worker group serves it (nginx routes accordingly). */
enum worker_group { GROUP_DECIDE = 1, GROUP_OPERATOR, GROUP__MAX };

/*
 * A handler returns 0 with resp filled, or -1 with req->fail set; its comment
 * names the statuses that it raises.
 */
typedef int route_fn(struct req *req, struct resp *resp);

/* A max body of text/csv, which the handler reads itself, in routes.tbl. */
#define CSV(max) (-(max))

/* One route of fcgi/http/routes.tbl. */
struct route {
	enum method method;
	const char *path; /* "/v1/cases/{id}/assign" */
	enum worker_group group;
	enum route_access access;
	enum scope scope;
	enum budget budget;
	enum audit_trail trail;
	size_t body_max; /* 0: takes no body; up to 4 KiB is ignored */
	bool csv; /* the body is text/csv, else application/json */
	int limit_s; /* time limit, from which statement timeouts follow */
	route_fn *handler;
	const char *handler_name;
};

#define ROUTE(                                                                 \
    method, path, group, access, scope, budget, trail, body, limit, fn)        \
	route_fn fn;
#include "fcgi/http/routes.tbl"
#undef ROUTE

/*
 * The second half of decision_post(), which leaves its event in req->item:
 * the answer, once the item has been through a set.
 */
route_fn decision_answer;

/* Whether a request is one that waits for a set with its neighbours. */
bool route_combines(const struct req *req);

/*
 * Run one request: match (404, 405), waiting time (503), access (401, 403),
 * budget (429), size and type (413, 415), path, query and body (400),
 * handler.  Fills resp; or only req->item, when route_combines() and nothing
 * speaks against it: then route_settle() fills resp after the set was run.
 */
void route_run(struct req *req, struct resp *resp);
void route_settle(struct req *req, struct resp *resp);

#endif
