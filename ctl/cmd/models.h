/* SPDX-License-Identifier: ISC */
/* Models on the database: what is published, and what was. */
#ifndef CTL_CMD_MODELS_H
#define CTL_CMD_MODELS_H

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct db;
struct fail;
struct model;

/*
 * Make the model of a file's text serve, from the next decision of every
 * worker on, as "assayctl models publish" does.  It is read first, as every
 * worker will, so that a bad one is refused here.  *ret_loaded is false if it
 * serves already; command is what the audit trail says was called.  Returns 0,
 * or -1 with f set: FAIL_INPUT for the text.
 */
int models_put(struct db *db, struct arena *a, const char *command,
    const char *text, size_t size, bool *ret_loaded, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * The model of a file as it would serve, were it published; its texts are in
 * arena a.  Returns 0, or -1 with f set, which names the file: FAIL_INPUT for
 * what it is or has in it.
 */
int models_read(struct arena *a, const char *path, struct model *ret,
    struct fail *f) __attribute__((warn_unused_result));

#endif
