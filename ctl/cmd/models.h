/* SPDX-License-Identifier: ISC */
/* Publish models to the database, and read model files. */
#ifndef CTL_CMD_MODELS_H
#define CTL_CMD_MODELS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct db;
struct fail;
struct model;

/*
 * Make the model in text active for the next decision of every worker, as
 * "assayctl models publish" does, and keep its card unless that is NULL. Refuse
 * a text that a worker could not read.
 * *ret_activated is false if the model is active already; the audit trail gets
 * command.  Return 0, or -1 with f set: FAIL_INPUT for a bad text.
 */
int models_put(struct db *db, struct arena *a, const char *command,
    const char *text, size_t size, const char *card, bool *ret_activated,
    struct fail *f) __attribute__((warn_unused_result));

#define MODELS_HASH_SIZE 65 /* SHA-256, hexadecimal, and NUL */

/* The hash of a model file, which identifies the model. */
void models_hash(const char *text, size_t size, char ret[MODELS_HASH_SIZE]);

/*
 * Read a model file as a worker reads a published model; its texts are in arena
 * a.  Return 0, or -1 with f set, which names the file: FAIL_INPUT if the file
 * cannot be read or is not a valid model.
 */
int models_read(struct arena *a, const char *path, struct model *ret,
    struct fail *f) __attribute__((warn_unused_result));

#endif
