/* SPDX-License-Identifier: ISC */
/* What labels teach of tags, as a worker keeps it in memory. */
#ifndef LIB_ENGINE_TAG_WEIGHT_CACHE_H
#define LIB_ENGINE_TAG_WEIGHT_CACHE_H

#include <stdint.h>

#include "core/decide/score.h"

struct arena;
struct db;
struct fail;
struct rows;

/* Begins zeroed, which knows of no label. */
struct tag_weight_cache {
	struct tag_weights tag_weights;
	int64_t epoch; /* assay.tag_epoch as it was read, 0 before */
};

/* For an epoch: what was read is no longer known to hold. */
#define TAG_WEIGHT_CACHE_EXPIRED (-1)

/* Forget all. */
void tag_weight_cache_clear(struct tag_weight_cache *l);

/*
 * Queue the question for what has changed: who decides asks with each set, in
 * a round trip that there is anyway, so a label counts from the next one on.
 * It takes STMT_TAG_WEIGHTS, which is a late statement.  Returns 0, or -1
 * with f set.
 */
int tag_weight_cache_send(const struct tag_weight_cache *l, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

/*
 * Take in the rows that came of that.  Returns 0, or -1 with f set and l as it
 * was.
 */
int tag_weight_cache_read(struct tag_weight_cache *l, const struct rows *r,
    struct fail *f) __attribute__((warn_unused_result));

/* Ask and take in, for whoever runs no set. */
int tag_weight_cache_load(struct tag_weight_cache *l, struct db *db,
    struct arena *a, struct fail *f) __attribute__((warn_unused_result));

#endif
