/* SPDX-License-Identifier: ISC */
/* Find routes in the table of a worker. */
#ifndef FCGI_GATE_ROUTE_FIND_H
#define FCGI_GATE_ROUTE_FIND_H

struct path_match;
struct req;
struct resp;
struct route;

/*
 * Find the route of a request by its method and path.  Return NULL if its
 * worker serves none.
 */
const struct route *route_find(const struct req *req);

/*
 * Set req->fail for a request without a route: METHOD_NOT_ALLOWED with Allow if
 * its path has other methods, else NOT_FOUND.  Return -1.
 */
int route_find_none(struct req *req, struct resp *resp);

/*
 * Find the route of an action, a method and a path such as "POST /v1/rules",
 * and set *ret to the parameters of the path.  Return NULL if no route has it.
 */
const struct route *route_find_action(
    const struct req *req, const char *action, struct path_match *ret);

#endif
