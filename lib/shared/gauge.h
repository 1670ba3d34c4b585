/* SPDX-License-Identifier: ISC */
/* How much waits in the database, as it was last measured, for the metrics. */
#ifndef LIB_SHARED_GAUGE_H
#define LIB_SHARED_GAUGE_H

#include <stdatomic.h>
#include <stdint.h>

struct arena;
struct db;
struct fail;
struct str;

enum gauge {
#define GAUGE(id, name, labels, unit, help) GAUGE_##id,
#include "lib/shared/gauges.tbl"
#undef GAUGE
	GAUGE__MAX
};

/* What was measured, in memory that processes share; zeros until then. */
struct gauges {
	_Atomic int32_t measured; /* it was, once */
	_Atomic int64_t value[GAUGE__MAX];
};

/*
 * Measure, at a cost that does not grow with what waits.  Returns 0, or -1
 * with f set and what was measured before.
 */
int gauge_measure(struct db *db, struct arena *a, struct gauges *g,
    struct fail *f) __attribute__((warn_unused_result));

/* Append in the Prometheus text format what was measured, if it was. */
void gauge_print(const struct gauges *g, struct str *s);

#endif
