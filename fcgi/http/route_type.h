/* SPDX-License-Identifier: ISC */
/* What a route is: one row of routes.tbl. */
#ifndef FCGI_HTTP_ROUTE_TYPE_H
#define FCGI_HTTP_ROUTE_TYPE_H

#include <stdbool.h>
#include <stddef.h>

#include "fcgi/http/req.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/apikey.h"

enum route_access {
	ACCESS_PUBLIC = 1, /* no credential */
	ACCESS_APIKEY, /* X-API-Key with the route's scope */
	ACCESS_SESSION, /* bearer token of any role */
	ACCESS_OPERATOR, /* also no temporary password or missing factor */
	ACCESS_AUTHOR, /* also the role author or admin */
	ACCESS_ADMIN, /* also the role admin */
	ACCESS__MAX
};

enum budget {
	BUDGET_NONE = 1,
	BUDGET_DECISIONS, /* by API key; metrics use this order */
	BUDGET_LOGIN, /* by client address */
	BUDGET_LABELS, /* by API key */
	BUDGET__MAX
};

/* Whether the request is recorded in the audit trail. */
enum audit_trail { TRAIL_NONE = 1, TRAIL_AUDIT, TRAIL__MAX };

/* Whether a browser's session must have given its password lately. */
enum step_up { STEP_UP_NONE = 1, STEP_UP_PASSWORD, STEP_UP__MAX };

/*
 * A handler returns 0 with resp filled, or -1 with req->fail set.  Its comment
 * lists the statuses that it raises; those of pass_through.tbl are in
 * docs/openapi.json.  Each handler may also raise 500, and 503 if the database
 * is unavailable.
 */
typedef int route_fn(struct req *req, struct resp *resp);

/* The routes by the names of their handlers, numbered from 0 as in metrics. */
#define ROUTE(method, path, group, access, scope, budget, trail, step_up,      \
    combines, body, limit, fn)                                                 \
	ROUTE_##fn,
enum route_id {
#include "fcgi/http/routes.tbl"
	ROUTE__NONE, /* a request that no route matches */
	ROUTE__MAX
};
#undef ROUTE

/* One row of fcgi/http/routes.tbl, which explains the columns. */
struct route {
	enum route_id id;
	enum method method;
	const char *path; /* "/v1/cases/{id}/assign" */
	enum worker_group group;
	enum route_access access;
	enum scope scope;
	enum budget budget;
	enum audit_trail trail;
	enum step_up step_up;
	bool combines;
	size_t body_max; /* 0: no body; up to 4 KiB are ignored */
	bool csv; /* text/csv, else application/json */
	int limit_s;
	bool is_long; /* the gate runs it as a long request */
	route_fn *handler;
};

#endif
