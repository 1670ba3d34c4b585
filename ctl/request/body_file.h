/* SPDX-License-Identifier: ISC */
/* Files of rules, policies and models as members of a request's body. */
#ifndef CTL_REQUEST_BODY_FILE_H
#define CTL_REQUEST_BODY_FILE_H

#include "ctl/request/request_spec.h"

struct arena;
struct fail;
struct str;

/*
 * Append what a file, "-" for standard input, comes to: as TAKE_RULESET
 * members of an object ("dsl":...), as TAKE_RULES an array of rules, as
 * TAKE_POLICY members ("onError":...,"bands":...), as TAKE_BANDS an object of
 * them, as TAKE_MODEL itself.  Rules are DSL, which is compiled first so that
 * faults are told by the file's line, or JSON.  Returns 0, or -1 with f set,
 * FAIL_DENIED when the file cannot be read.
 */
int body_file_member(struct arena *a, enum request_spec_take take,
    const char *path, struct str *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
