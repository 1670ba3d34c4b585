/* SPDX-License-Identifier: ISC */
/* The table of routes, and the handlers that it names. */
#ifndef FCGI_EP_ROUTES_H
#define FCGI_EP_ROUTES_H

#include "fcgi/http/route_type.h"

extern const struct route routes[ROUTE__NONE];

#define ROUTE(method, path, group, access, scope, budget, trail, step_up,      \
    combines, body, limit, fn)                                                 \
	route_fn fn;
#include "fcgi/http/routes.tbl"
#undef ROUTE

#endif
