/* SPDX-License-Identifier: ISC */
/* Models out of the JSON of their files. */
#ifndef LIB_JSON_BODY_MODEL_H
#define LIB_JSON_BODY_MODEL_H

#include <stddef.h>

struct arena;
struct fail;
struct model;

/*
 * Read the file of a model, assay-model(5), size bytes of text: every member
 * that there must be, none that is not known, the features of this program by
 * their names and in their order, numbers that are finite and within bounds,
 * a date.  Strings of *ret are in arena a; source, provenance and version,
 * which a file does not have, are left alone.  Returns 0, or -1 with f set,
 * which names the member at fault and what it must be, and repeats nothing of
 * the file; *ret is then untouched.
 */
int body_model(struct arena *a, const char *text, size_t size,
    struct model *ret, struct fail *f) __attribute__((warn_unused_result));

#endif
