/* SPDX-License-Identifier: ISC */
/* The cache of tag weights in the memory of a worker. */
#ifndef LIB_ENGINE_TAG_WEIGHT_CACHE_H
#define LIB_ENGINE_TAG_WEIGHT_CACHE_H

#include <stdint.h>

#include "core/decide/score.h"

struct arena;
struct db;
struct fail;
struct rows;

/* Zeroed, it is empty. */
struct tag_weight_cache {
	struct tag_weights tag_weights;
	int64_t epoch; /* assay.tag_epoch when read; 0: not read */
};

/* An epoch that forces the next query to read again. */
#define TAG_WEIGHT_CACHE_EXPIRED (-1)

/* Empty the cache. */
void tag_weight_cache_clear(struct tag_weight_cache *l);

/*
 * Queue the query for changed tag weights.  Each transaction sends it with its
 * first round trip, so a label counts from the next transaction on.  The
 * statement is STMT_TAG_WEIGHTS, which is late.  Returns the index of its
 * result, or -1 with f set.
 */
int tag_weight_cache_send(const struct tag_weight_cache *l, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/*
 * Store the rows of that query.  Returns 0, or -1 with f set and l unchanged.
 */
int tag_weight_cache_read(struct tag_weight_cache *l, const struct rows *r,
    struct fail *f) __attribute__((warn_unused_result));

/* Query and store in one call, outside of transactions. */
int tag_weight_cache_load(struct tag_weight_cache *l, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

#endif
