/* SPDX-License-Identifier: ISC */
/*
 * What companions count: they come and go, so the database keeps it, and the
 * pools read it from there for their metrics.
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
 * What was read, in memory that processes share.  A counter that the pool adds
 * to as well begins anew with the pool, so of what companions add to it only
 * what came since is shown: who watches a counter takes one that is less than
 * it was for one that began at 0, and all of it for new.
 */
struct companion_counters {
	_Atomic int32_t read; /* it was, once */
	struct metrics base; /* of what is not shown */
	struct metrics now; /* never less than it was */
};

/*
 * Add what the slot of this process has counted to what the database has, and
 * begin anew.  Returns 0, also if there is nothing, or -1 with f set and the
 * slot as it was; if the connection ended in just that moment, what is added
 * again then may be there twice.
 */
int companion_counter_save(
    struct db *db, struct arena *a, struct worker_slot *slot, struct fail *f)
    __attribute__((warn_unused_result));

/* Read what companions counted.  Returns 0, or -1 with f set and c as it was.
 */
int companion_counter_read(struct db *db, struct arena *a,
    struct companion_counters *c, struct fail *f)
    __attribute__((warn_unused_result));

#endif
