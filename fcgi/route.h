/* SPDX-License-Identifier: ISC */
/* The whole HTTP surface, and the one gate in front of every handler. */
#ifndef FCGI_ROUTE_H
#define FCGI_ROUTE_H

#include <stddef.h>

#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "lib/apikey.h"

enum access {
	ACCESS_PUBLIC = 1, /* no credential */
	ACCESS_APIKEY, /* X-API-Key with the route's scope */
	ACCESS_OPERATOR, /* bearer token of any role */
	ACCESS_ADMIN, /* bearer token of an admin */
	ACCESS__MAX
};

enum budget { BUDGET_NONE = 1, BUDGET_DECISIONS, BUDGET_LOGIN, BUDGET__MAX };

/* Which worker group serves it (nginx routes accordingly). */
enum group { GROUP_DECIDE = 1, GROUP_OPERATOR, GROUP__MAX };

/*
 * A handler returns 0 with resp filled, or -1 with req->fail set; its comment
 * names the statuses that it raises.
 */
typedef int route_fn(struct req *req, struct resp *resp);

struct route {
	enum method method;
	const char *path; /* "/v1/cases/{id}/assign" */
	enum group group;
	enum access access;
	enum scope scope;
	enum budget budget;
	size_t body_max; /* 0: takes no body; up to 4 KiB is ignored */
	int limit_s; /* time limit, from which statement timeouts follow */
	route_fn *handler;
	const char *handler_name;
};

#define ROUTE(method, path, group, access, scope, budget, body, limit, fn)     \
	route_fn fn;
#include "fcgi/routes.tbl"
#undef ROUTE

/*
 * Run one request: match (404, 405), access (401, 403), budget (429), size
 * and type (413, 415), path, query and body (400), handler.  Always fills
 * resp.
 */
void route_run(struct req *req, struct resp *resp);

#endif
