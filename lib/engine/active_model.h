/* SPDX-License-Identifier: ISC */
/* The active model in the memory of a worker. */
#ifndef LIB_ENGINE_ACTIVE_MODEL_H
#define LIB_ENGINE_ACTIVE_MODEL_H

#include <stdint.h>

#include "core/decide/model.h"

struct arena;
struct db;
struct fail;
struct rows;

#define ACTIVE_MODEL_VERSION_SIZE 17 /* digits of a hash and NUL */
#define ACTIVE_MODEL_DATE_SIZE 32

/* The result of active_model_find(). */
enum active_model_result {
	ACTIVE_MODEL_FOUND = 1,
	ACTIVE_MODEL_REMOVED,
	ACTIVE_MODEL_UNREADABLE, /* for example of another feature vector */
	ACTIVE_MODEL__MAX
};

/* A model with its own texts; do not copy it, model points into it. */
struct active_model {
	struct model model;
	char version[ACTIVE_MODEL_VERSION_SIZE];
	char trained_at[ACTIVE_MODEL_DATE_SIZE];
	int64_t epoch; /* assay.epoch.model when read; 0: not read */
};

/* An epoch that forces the next refresh to read again. */
#define ACTIVE_MODEL_EXPIRED (-1)

/* Start with the bundled model. */
void active_model_init(struct active_model *s);

/*
 * Refresh the model if its epoch differs: read the latest one that was loaded
 * for the feature vector of this program, else use the bundled one.  If a model
 * cannot be read, a warning is logged and the previous model stays active.  db
 * may be in a transaction.  Returns 0, or -1 with f set and s unchanged if the
 * database failed.
 */
int active_model_refresh(struct active_model *s, struct db *db, struct arena *a,
    int64_t epoch, struct fail *f) __attribute__((warn_unused_result));

/*
 * Load the model of a version that samples name, active or not; *ret is the
 * result.  Returns 0, or -1 with f set if the database failed.
 */
int active_model_find(struct active_model *s, struct db *db, struct arena *a,
    const char *version, enum active_model_result *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Log a warning if one feature can move the log odds of a loaded model by more
 * than MODEL_REACH_MAX; hash identifies the model.
 */
void active_model_warn(const struct model *m, const char *hash);

/* Store a copy of a model; the row r has its hash and origin. */
void active_model_keep(
    struct active_model *s, const struct model *m, const struct rows *r);

#endif
