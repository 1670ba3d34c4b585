/* SPDX-License-Identifier: ISC */
/* Find routes in the table of a worker. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "fcgi/gate/route_find.h"
#include "fcgi/http/path_match.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"
#include "fcgi/worker/worker.h"

static bool serves_path(const struct req *req, const struct route *route);

const struct route *
route_find(const struct req *req)
{
	const struct route *routes = req->worker->routes;
	size_t i;

	for (i = 0; i < ROUTE__NONE; i++)
		if (routes[i].method == req->method &&
		    serves_path(req, &routes[i]))
			return &routes[i];
	return NULL;
}

int
route_find_none(struct req *req, struct resp *resp)
{
	const struct route *routes = req->worker->routes;
	bool allow[METHOD__MAX] = { false };
	enum method method;
	struct str s;
	size_t i;

	for (i = 0; i < ROUTE__NONE; i++)
		if (serves_path(req, &routes[i]))
			allow[routes[i].method] = allow[METHOD_OTHER] = true;
	if (!allow[METHOD_OTHER])
		return fail_set(
		    &req->fail, FAIL_INPUT, NOT_FOUND, NULL, "%s", "");
	str_init(&s, req->arena);
	for (method = METHOD_GET; method < METHOD_OTHER; method++)
		if (allow[method])
			str_addf(&s, "%s%s%s", s.len == 0 ? "" : ", ",
			    req_method_name(method),
			    method == METHOD_GET ? ", HEAD" : "");
	if (str_text(&s) != NULL)
		resp_header(req, resp, "Allow: %s", str_text(&s));
	return fail_set(
	    &req->fail, FAIL_INPUT, METHOD_NOT_ALLOWED, NULL, "%s", "");
}

const struct route *
route_find_action(
    const struct req *req, const char *action, struct path_match *ret)
{
	const char *space = strchr(action, ' '), *method;
	const struct route *routes = req->worker->routes;
	size_t i;

	for (i = 0; space != NULL && i < ROUTE__NONE; i++) {
		method = req_method_name(routes[i].method);
		if (strlen(method) == (size_t)(space - action) &&
		    strncmp(method, action, (size_t)(space - action)) == 0 &&
		    path_match(routes[i].path, space + 1, ret))
			return &routes[i];
	}
	return NULL;
}

/* A worker has only the resources for the routes of its group. */
static bool
serves_path(const struct req *req, const struct route *route)
{
	const struct worker *w = req->worker;
	struct path_match any;

	return (w->shared || w->group == route->group) &&
	    path_match(route->path, req->path, &any);
}
