/* SPDX-License-Identifier: ISC */
/* Gauges of what waits in the database, measured for the metrics. */
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

/* The latest measurement, in shared memory; zeros before the first. */
struct gauges {
	_Atomic int32_t measured; /* 1 after the first */
	_Atomic int64_t value[GAUGE__MAX];
};

/*
 * Measure; the cost is bounded, however much waits.  Returns 0, or -1 with f
 * set and the earlier values kept.
 */
int gauge_measure(struct db *db, struct arena *a, struct gauges *g,
    struct fail *f) __attribute__((warn_unused_result));

/* Append the gauges as Prometheus text; nothing before the first measure. */
void gauge_print(const struct gauges *g, struct str *s);

#endif
