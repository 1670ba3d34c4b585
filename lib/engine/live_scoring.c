/* SPDX-License-Identifier: ISC */
/* The scorer of now, for events that are decided again. */
#include "config.h"

#include "core/base/fail.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/live_scoring.h"

int
live_scoring_load(
    struct live_scoring *ret, struct db *db, struct arena *a, struct fail *f)
{
	ret->scoring = (struct scoring) {
		.scorer = scorer_parse(conf.SCORER),
		.tag_weights = &ret->tag_weights.tag_weights,
		.model = &ret->model.model,
	};
	active_model_init(&ret->model);
	if (ret->scoring.scorer == SCORER_ML)
		return active_model_refresh(&ret->model, db, a, 1, f);
	if (ret->scoring.scorer != SCORER_LEARNED)
		return 0;
	return tag_weight_cache_load(&ret->tag_weights, db, a, f);
}

void
live_scoring_clear(struct live_scoring *ls)
{
	tag_weight_cache_clear(&ls->tag_weights);
}
