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

#define SERVED_VERSION_SIZE 17 /* digits of a hash, and NUL */
#define SERVED_DATE_SIZE 32

/* What became of a model that was looked for. */
enum served_found {
	SERVED_FOUND = 1,
	SERVED_GONE,
	SERVED_UNREADABLE, /* of another feature vector, perhaps */
	SERVED__MAX
};

/* A model with the texts of its own; it stays where it is. */
struct served {
	struct model se_model;
	char se_version[SERVED_VERSION_SIZE];
	char se_trained_at[SERVED_DATE_SIZE];
	int64_t se_epoch; /* assay.epoch.model as it was read, 0 before */
};

/* For an epoch: what was read is no longer known to hold. */
#define SERVED_EXPIRED (-1)

/* Begin with the model that comes with the program. */
void served_init(struct served *s);

/*
 * Make sure that it is as new as the epoch, over db (inside the transaction
 * that is open, if one is): the model that was loaded last of those for our
 * feature vector, else the one that comes with the program.  One that cannot
 * be read is told of in the log, and the one before goes on.  Returns 0, or
 * -1 with f set and s as it was, when the database failed.
 */
int served_fresh(struct served *s, struct db *db, struct arena *a,
    int64_t epoch, struct fail *f) __attribute__((warn_unused_result));

/*
 * Take in the model that samples name by version, whether it serves or not;
 * *ret says whether that could be done.  Returns 0, or -1 with f set when the
 * database failed.
 */
int served_find(struct served *s, struct db *db, struct arena *a,
    const char *version, enum served_found *ret, struct fail *f)
    __attribute__((warn_unused_result));

/* Take in a model, with its texts: r is a row with its hash and origin. */
void served_keep(struct served *s, const struct model *m, const struct rows *r);

#endif
