/* SPDX-License-Identifier: ISC */
/* Read model files. */
#ifndef LIB_JSON_MODEL_FILE_H
#define LIB_JSON_MODEL_FILE_H

#include <stddef.h>

struct arena;
struct fail;
struct model;

/*
 * Read a model file, see assay-model(5), of size bytes.  It must have all
 * required and no unknown members, the features of this program in their order,
 * finite numbers within bounds, and a valid date.  Strings of *ret are in arena
 * a; source, provenance and version, which a file does not have, are not
 * changed.  Returns 0, or -1 with f set and *ret unchanged.  f names the member
 * at fault and what it must be, but shows no content of the file.
 */
int model_file_read(struct arena *a, const char *text, size_t size,
    struct model *ret, struct fail *f) __attribute__((warn_unused_result));

#endif
