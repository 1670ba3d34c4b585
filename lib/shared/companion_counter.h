/* SPDX-License-Identifier: ISC */
/*
 * Counters of companions.  A companion may run only for a short time, so it
 * saves its counters in the database; the pools read them for their metrics.
 */
#ifndef LIB_SHARED_COMPANION_COUNTER_H
#define LIB_SHARED_COMPANION_COUNTER_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/shared/metric.h"

struct arena;
struct db;
struct fail;
struct worker_slot;

/*
 * The counters read, in shared memory.  The pool adds to some of them itself,
 * and these start at 0 with the pool.  So the metrics show only what companions
 * added since then: Prometheus takes a lower value as a restart from 0 and
 * would count everything again.
 */
struct companion_counters {
	_Atomic int32_t read; /* 1 after the first read */
	struct metrics base; /* values at the start; not shown */
	struct metrics now; /* latest values; never decrease */
};

/*
 * Add the counters of this process's slot to those in the database, and reset
 * them.  Returns 0, also if all are 0, or -1 with f set and the slot unchanged.
 * If the connection is lost during the commit, a retry may add them twice.
 */
int companion_counter_save(
    struct db *db, struct arena *a, struct worker_slot *slot, struct fail *f)
    __attribute__((warn_unused_result));

/* Read the counters.  Returns 0, or -1 with f set and c unchanged. */
int companion_counter_read(struct db *db, struct arena *a,
    struct companion_counters *c, struct fail *f)
    __attribute__((warn_unused_result));

#endif
