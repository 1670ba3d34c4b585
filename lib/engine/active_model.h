/* SPDX-License-Identifier: ISC */
/* The model that serves, as a worker keeps it in memory. */
#ifndef LIB_ENGINE_ACTIVE_MODEL_H
#define LIB_ENGINE_ACTIVE_MODEL_H

#include <stdint.h>

#include "core/decide/model.h"

struct arena;
struct db;
struct fail;
struct rows;

#define ACTIVE_MODEL_VERSION_SIZE 17 /* digits of a hash, and NUL */
#define ACTIVE_MODEL_DATE_SIZE 32

/* What became of a model that was looked for. */
enum active_model_result {
	ACTIVE_MODEL_FOUND = 1,
	ACTIVE_MODEL_REMOVED,
	ACTIVE_MODEL_UNREADABLE, /* of another feature vector, perhaps */
	ACTIVE_MODEL__MAX
};

/* A model with the texts of its own; it stays where it is. */
struct active_model {
	struct model model;
	char version[ACTIVE_MODEL_VERSION_SIZE];
	char trained_at[ACTIVE_MODEL_DATE_SIZE];
	int64_t epoch; /* assay.epoch.model as it was read, 0 before */
};

/* For an epoch: what was read is no longer known to hold. */
#define ACTIVE_MODEL_EXPIRED (-1)

/* Begin with the model that comes with the program. */
void active_model_init(struct active_model *s);

/*
 * Make sure that it is as new as the epoch, over db (inside the transaction
 * that is open, if one is): the model that was loaded last of those for our
 * feature vector, else the one that comes with the program.  One that cannot
 * be read is told of in the log, and the one before goes on.  Returns 0, or
 * -1 with f set and s as it was, when the database failed.
 */
int active_model_refresh(struct active_model *s, struct db *db, struct arena *a,
    int64_t epoch, struct fail *f) __attribute__((warn_unused_result));

/*
 * Take in the model that samples name by version, whether it serves or not;
 * *ret says whether that could be done.  Returns 0, or -1 with f set when the
 * database failed.
 */
int active_model_find(struct active_model *s, struct db *db, struct arena *a,
    const char *version, enum active_model_result *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* Take in a model, with its texts: r is a row with its hash and origin. */
void active_model_keep(
    struct active_model *s, const struct model *m, const struct rows *r);

#endif
