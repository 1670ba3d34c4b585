/* SPDX-License-Identifier: ISC */
/* What the probes know of the routes. */
#ifndef FCGI_EP_PROBE_H
#define FCGI_EP_PROBE_H

#include <stddef.h>

struct route;

/* The number of a route among the values of the metrics' label "route". */
size_t probe_route(const struct route *route);

#endif
