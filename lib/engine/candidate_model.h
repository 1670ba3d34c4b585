/* SPDX-License-Identifier: ISC */
/* The shadow model in the memory of a worker. */
#ifndef LIB_ENGINE_CANDIDATE_MODEL_H
#define LIB_ENGINE_CANDIDATE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/engine/active_model.h"
#include "lib/sys/crypt.h"

struct arena;
struct db;
struct fail;

/* Zeroed, it has no model; do not copy it. */
struct candidate_model {
	char id[CRYPT_ID_SIZE]; /* of the shadow; "": none */
	int percent; /* of the users: for these it decides */
	bool readable; /* false: it cannot score */
	struct active_model served; /* the model */
	int64_t epoch; /* as in struct active_model */
};

/*
 * Refresh the shadow model if its epoch differs.  One that cannot be read is
 * logged.  db may be in a transaction.  Returns 0, or -1 with f set and c
 * unchanged if the database failed.
 */
int candidate_model_refresh(struct candidate_model *c, struct db *db,
    struct arena *a, int64_t epoch, struct fail *f)
    __attribute__((warn_unused_result));

#endif
