/* SPDX-License-Identifier: ISC */
/* Metrics: each worker has its own counters; printing sums them. */
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
	METRIC_IDENTIFIER = 4, /* of enum event_identifier */
	METRIC_ASYNC = 5, /* in the order of async_results.tbl */
	METRIC_CALL = 3, /* answered, failed, skipped */
	METRIC_DELIVERY = 2, /* webhook, alert */
	METRIC_RESULT = 3, /* delivered, failed, dead */
	METRIC_COLLECTION = 5, /* in the order of collections.tbl */
	METRIC_GROUP = 2, /* decide, operator */
	METRIC_SERVER = 3, /* standby, behind, away */
	METRIC_CLASS = 5, /* 1xx to 5xx */
	METRIC_TOPIC = 8, /* in the order of event_topics.tbl */
	METRIC_SOURCE = 3, /* disk, url, s3 */
	METRIC_POLL = 3, /* same, loaded, refused */
	METRIC_ROUTE =
	    144 /* the most routes; metric_print() gets their names */
};

/* Cells of each kind; a histogram has buckets, an overflow and a sum. */
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
 * Add n to the counter with value i of the first label and value j of the
 * second (from 0; 0 for NONE).  i and j must be within the labels' values.
 */
void metric_add(struct worker_slot *slot, enum metric metric, size_t i,
    size_t j, uint64_t n);

/* Count one observation of a histogram. */
void metric_observe(struct worker_slot *slot, enum metric metric, int64_t us);

/*
 * One cell, by the values of its labels as in metric_add().  In a histogram,
 * first is the number of the bucket, the overflow or the sum, and second is 0.
 */
struct metric_cell {
	enum metric metric;
	size_t first, second;
};

/* Step to the next cell, from all zeros to the first; false at the end. */
bool metric_next(struct metric_cell *cell);

/* Find a cell by the name of its metric; false if it does not exist. */
bool metric_find(
    const char *name, int64_t first, int64_t second, struct metric_cell *ret);

/* The name of its metric, and whether only companions count it. */
const char *metric_name(const struct metric_cell *cell);
bool metric_is_persisted(const struct metric_cell *cell);

/* The address of a cell. */
_Atomic uint64_t *metric_at(struct metrics *m, const struct metric_cell *cell);

/*
 * Append all metrics as Prometheus text: sums over all slots, for every
 * combination of labels, and gauges of workers and spool.  routes has the
 * values of the label "route" and ends with NULL.  The counters of companions
 * are added; a metric that only companions count is left out until
 * companion_counter_read() has run.
 */
void metric_print(
    const struct shm *shm, const char *const *routes, struct str *s);

/* Append one gauge without labels. */
void metric_gauge(
    const char *name, const char *help, double value, struct str *s);

#endif
