/* SPDX-License-Identifier: ISC */
/* The scorer of now, for events that are decided again. */
#ifndef LIB_ENGINE_LIVE_SCORING_H
#define LIB_ENGINE_LIVE_SCORING_H

#include "core/decide/score.h"
#include "lib/engine/active_model.h"
#include "lib/engine/tag_weight_cache.h"

struct arena;
struct db;
struct fail;

/* What the current scorer needs.  Do not move it: it points into itself. */
struct live_scoring {
	struct scoring scoring;
	struct tag_weight_cache tag_weights;
	struct active_model model;
};

/*
 * Load what the current scorer needs, in memory that live_scoring_clear()
 * frees; a is scratch.  Return 0, or -1 with f set.
 */
int live_scoring_load(struct live_scoring *ret, struct db *db, struct arena *a,
    struct fail *f) __attribute__((warn_unused_result));

/* Free its memory; harmless if it is zeroed. */
void live_scoring_clear(struct live_scoring *ls);

#endif
