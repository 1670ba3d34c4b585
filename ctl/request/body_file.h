/* SPDX-License-Identifier: ISC */
/* Read files of rules, policies and models into a request body. */
#ifndef CTL_REQUEST_BODY_FILE_H
#define CTL_REQUEST_BODY_FILE_H

#include "ctl/request/request_spec.h"

struct arena;
struct fail;
struct str;

/*
 * Append the JSON for a file, "-" for standard input:
 *   TAKE_RULESET  members of an object: "dsl":... or "rules":...
 *   TAKE_POLICY   members of an object: "onError":...,"bands":...
 *   TAKE_BANDS    an object with these members
 *   TAKE_MODEL    the file itself
 * A file of rules is DSL or JSON; DSL is compiled first, so that errors have
 * the line of the file.  Return 0, or -1 with f set: FAIL_DENIED if the file
 * cannot be read.
 */
int body_file_member(struct arena *a, enum request_spec_take take,
    const char *path, struct str *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
