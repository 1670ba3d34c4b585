/* SPDX-License-Identifier: ISC */
/* Overload: refuse requests early, those of operators first. */
#include "config.h"

#include <stdatomic.h>

#include "fcgi/gate/load_shed.h"
#include "fcgi/http/route_type.h"
#include "lib/shared/shm.h"

static bool is_probe(const struct route *route);

bool
load_shed_refuses(
    struct shm *shm, const struct route *route, int64_t waited, int64_t ticks)
{
	const int64_t waited_at = atomic_load(&shm->decisions_waited_at);

	if (is_probe(route))
		return false;
	if (route->group == GROUP_DECIDE && waited > LOAD_SHED_PRESSURE)
		atomic_store(&shm->decisions_waited_at, ticks);
	if (route->group == GROUP_OPERATOR && waited_at != 0 &&
	    ticks - waited_at < LOAD_SHED_OPERATORS)
		return true;
	return waited > LOAD_SHED_WAIT;
}

/*
 * Probes are cheap, and needed most under overload.  Their own wait is no sign
 * of it: while a pool starts, they wait for its first worker.
 */
static bool
is_probe(const struct route *route)
{
	return route->group == GROUP_DECIDE && route->access == ACCESS_PUBLIC;
}
