/* SPDX-License-Identifier: ISC */
/* Overload: who is sent away before costing anything, operators first. */
#ifndef FCGI_HTTP_LOAD_SHED_H
#define FCGI_HTTP_LOAD_SHED_H

#include <stdbool.h>
#include <stdint.h>

struct route;
struct shm;

#define LOAD_SHED_WAIT CLOCK_SECOND /* whoever waited longer is sent away */
#define LOAD_SHED_PRESSURE (CLOCK_SECOND / 2) /* decisions waited longer: */
#define LOAD_SHED_OPERATORS CLOCK_SECOND /* no operator for so long */

/*
 * Whether a request of route that waited so many microseconds until ticks
 * (clock_ticks()) is sent away.  A probe never is.  Notes in the shared
 * region when what waits for the decide group waits long.
 */
bool load_shed_refuses(
    struct shm *shm, const struct route *route, int64_t waited, int64_t ticks);

#endif
