/* SPDX-License-Identifier: ISC */
/* The whole HTTP surface, and the one gate in front of every handler. */
#ifndef FCGI_ROUTE_H
#define FCGI_ROUTE_H

#include <stdbool.h>
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

/* One route of fcgi/routes.tbl. */
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
 * The second half of decision_post(), which leaves its event in req->item:
 * the answer, once the item has been through a set.
 */
route_fn decision_answer;

/*
 * Let a request in: match (404, 405), waiting time (503), access (401, 403),
 * budget (429), size and type (413, 415), path, query and body (400).  False:
 * it was refused, and resp is filled.
 */
bool route_admit(struct req *req, struct resp *resp);

/*
 * Run the handler of an admitted request and fill resp; or, when the route is
 * one that waits for a set, only req->item: then route_settle() fills resp
 * when the set has been run.  A refusal by the handler fills resp at once.
 */
void route_run(struct req *req, struct resp *resp);
void route_settle(struct req *req, struct resp *resp);

/* Whether an admitted request waits for a set with its neighbours. */
bool route_combines(const struct req *req);

#endif
