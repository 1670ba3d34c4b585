/* SPDX-License-Identifier: ISC */
/* The table of routes. */
#include "config.h"

#include "fcgi/ep/routes.h"

#define ALONE false
#define COMBINES true
#define CSV(max) (-(max))
#define LONG(seconds) (-(seconds))

const struct route routes[] = {
#define ROUTE(method, path, group, access, scope, budget, trail, step_up,      \
    combines, body, limit, fn)                                                 \
	{ ROUTE_##fn, METHOD_##method, path, GROUP_##group, ACCESS_##access,   \
		SCOPE_##scope, BUDGET_##budget, TRAIL_##trail,                 \
		STEP_UP_##step_up, combines, (body) < 0 ? -(body) : (body),    \
		(body) < 0, (limit) < 0 ? -(limit) : (limit), (limit) < 0,     \
		fn },
#include "fcgi/http/routes.tbl"
#undef ROUTE
};
