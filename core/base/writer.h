/* SPDX-License-Identifier: ISC */
/* Write JSON, member by member, into a text that is being built. */
#ifndef CORE_BASE_WRITER_H
#define CORE_BASE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/str.h"

/*
 * Each function appends one value to s, after a comma if one is needed.  name
 * is the name of the member in an object, and NULL in an array or outside.  A
 * caller that appends blanks or ends a line also appends the comma before it.
 */

/* Open an object or array.  It ends with writer_end(). */
void writer_object(struct str *s, const char *name);
void writer_array(struct str *s, const char *name);

/* Close the innermost object or array that is open. */
void writer_end(struct str *s);

void writer_text(struct str *s, const char *name, const char *text);
void writer_int(struct str *s, const char *name, int64_t n);
void writer_number(struct str *s, const char *name, double n);
void writer_bool(struct str *s, const char *name, bool flag);
void writer_null(struct str *s, const char *name);
void writer_value(struct str *s, const char *name, const struct value *v);

/* A value that is JSON already; NULL becomes null. */
void writer_json(struct str *s, const char *name, const char *json);

/* Only the comma and the name; the caller appends the value. */
void writer_name(struct str *s, const char *name);

#endif
