/* SPDX-License-Identifier: ISC */
/* Sizes of the stored data, measured for the metrics. */
#ifndef LIB_SHARED_STORAGE_STATS_H
#define LIB_SHARED_STORAGE_STATS_H

#include <stdatomic.h>
#include <stdint.h>

struct arena;
struct db;
struct fail;
struct model;
struct str;

enum stored_collection {
#define COLLECTION(name) COLLECTION_##name,
#define RETAINED(id, name) COLLECTION(name)
#include "lib/shared/collections.tbl"
#undef RETAINED
#undef COLLECTION
	COLLECTION__MAX
};

/* The latest measurement, in shared memory; zeros before the first. */
struct storage_stats {
	_Atomic int64_t bytes; /* of the database */
	_Atomic int64_t rows[COLLECTION__MAX]; /* estimates */
};

/*
 * Measure without reading any table.  Returns 0, or -1 with f set and the
 * earlier values kept.
 */
int storage_stats_measure(
    struct db *db, struct arena *a, struct storage_stats *st, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Append as Prometheus text the latest measurement, if there was one, and the
 * current state of the filesystems of a comma-separated list of paths.
 */
void storage_stats_print(const struct storage_stats *st, const char *paths,
    const struct model *model, struct str *s);

#endif
