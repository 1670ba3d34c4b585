/* SPDX-License-Identifier: ISC */
/* What is counted: one array of counters a worker, summed when printed. */
#ifndef LIB_SHARED_METRIC_H
#define LIB_SHARED_METRIC_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct shm;
struct worker_slot;
struct str;

/* How many values each label has. */
enum metric_values {
	METRIC_NONE = 1,
	METRIC_VERDICT = 4, /* in the order of verdicts.tbl */
	METRIC_CACHED = 2, /* false, true */
	METRIC_BUDGET = 3, /* decisions, login, labels */
	METRIC_ASYNC = 5, /* in the order of async_results.tbl */
	METRIC_CALL = 3, /* answered, failed, skipped */
	METRIC_DELIVERY = 2, /* webhook, alert */
	METRIC_RESULT = 3, /* delivered, failed, dead */
	METRIC_COLLECTION = 5, /* in the order of collections.tbl */
	METRIC_GROUP = 2, /* decide, operator */
	METRIC_CLASS = 5, /* 1xx to 5xx */
	METRIC_TOPIC = 6, /* in the order of event_topics.tbl */
	METRIC_SOURCE = 3, /* disk, url, s3 */
	METRIC_POLL = 3, /* same, loaded, refused */
	METRIC_ROUTE =
	    128 /* at most; the caller of metric_print() names them */
};

/* How many cells each kind needs: a histogram has buckets, overflow and sum. */
enum metric_cells {
	METRIC_COUNTER = 1,
	METRIC_PERSISTED = 1,
	METRIC_HISTOGRAM = 15
};

enum metric {
	METRIC__NONE = 0,
#define METRIC(id, name, kind, label1, label2, help) METRIC_ID_##id,
#include "lib/shared/metrics.tbl"
#undef METRIC
	METRIC__MAX
};

/* The counters of one worker. */
struct metrics {
#define METRIC(id, name, kind, label1, label2, help)                           \
	_Atomic uint64_t id[METRIC_##label1 * METRIC_##label2 * METRIC_##kind];
#include "lib/shared/metrics.tbl"
#undef METRIC
};

/*
 * Count n more where the first label has its value i and the second its
 * value j (from 0; 0 for NONE).  Values that the label does not have are a
 * mistake of ours.
 */
void metric_add(struct worker_slot *slot, enum metric metric, size_t i,
    size_t j, uint64_t n);

/* Count one observation of a histogram. */
void metric_observe(struct worker_slot *slot, enum metric metric, int64_t us);

/*
 * One number: the values of its labels, as for metric_add(); of a histogram
 * the number of a bucket, or of the sum, and 0.
 */
struct metric_cell {
	enum metric metric;
	size_t first, second;
};

/* Go on to the next cell, from zeros to the first; false after the last. */
bool metric_next(struct metric_cell *cell);

/* The cell of a metric by its name; false if there is none such. */
bool metric_find(
    const char *name, int64_t first, int64_t second, struct metric_cell *ret);

/* Its metric's name, and whether that is a counter for companions alone. */
const char *metric_name(const struct metric_cell *cell);
bool metric_is_persisted(const struct metric_cell *cell);

/* Where a cell is. */
_Atomic uint64_t *metric_at(struct metrics *m, const struct metric_cell *cell);

/*
 * Append everything in the Prometheus text format, summed over all slots,
 * every combination of labels with it, and the gauges of the workers.  routes
 * names the values of the label "route" and ends with NULL.  What companions
 * counted is added as sh_counters has it; what only they count is left out
 * until that was read.
 */
void metric_print(
    const struct shm *shm, const char *const *routes, struct str *s);

#endif
