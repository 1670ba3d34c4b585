/* SPDX-License-Identifier: ISC */
/* The model on probation, as a worker keeps it in memory. */
#ifndef LIB_ENGINE_CANDIDATE_MODEL_H
#define LIB_ENGINE_CANDIDATE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/crypt.h"
#include "lib/engine/active_model.h"

struct arena;
struct db;
struct fail;

/* Begins zeroed, which is none; it stays where it is. */
struct candidate_model {
	char id[CRYPT_ID_SIZE]; /* of the probation; "" without one */
	bool readable; /* else it scores nothing */
	struct active_model served; /* as if it served */
	int64_t epoch; /* as struct active_model has it */
};

/*
 * Make sure that it is as new as the epoch, over db (inside the transaction
 * that is open, if one is).  One that cannot be read is told of in the log.
 * Returns 0, or -1 with f set and c as it was, when the database failed.
 */
int candidate_model_refresh(struct candidate_model *c, struct db *db,
    struct arena *a, int64_t epoch, struct fail *f)
    __attribute__((warn_unused_result));

#endif
