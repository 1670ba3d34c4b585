/* SPDX-License-Identifier: ISC */
/* Overload: refuse requests early, those of operators first. */
#ifndef FCGI_GATE_LOAD_SHED_H
#define FCGI_GATE_LOAD_SHED_H

#include <stdbool.h>
#include <stdint.h>

struct route;
struct shm;

/* Any request that has waited longer is refused. */
#define LOAD_SHED_WAIT CLOCK_SECOND

/* After a decision has waited longer, operators are refused for a time. */
#define LOAD_SHED_PRESSURE (CLOCK_SECOND / 2)
#define LOAD_SHED_OPERATORS CLOCK_SECOND

/*
 * Return whether to refuse a request of route that has waited for waited
 * microseconds at ticks (clock_ticks()).  Never refuse a probe.  Store in the
 * shared region when another request of the decide group has waited longer than
 * LOAD_SHED_PRESSURE; refuse requests of operators for LOAD_SHED_OPERATORS
 * after that.
 */
bool load_shed_refuses(
    struct shm *shm, const struct route *route, int64_t waited, int64_t ticks);

#endif
