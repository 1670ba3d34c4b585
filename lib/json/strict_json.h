/* SPDX-License-Identifier: ISC */
/* A strict parser of JSON (RFC 8259). */
#ifndef LIB_JSON_STRICT_JSON_H
#define LIB_JSON_STRICT_JSON_H

#include <stddef.h>

struct fail;
struct json_object;

#define STRICT_JSON_LISTS_MAX 32768 /* objects and arrays in one text */

/*
 * Parse size bytes as one JSON text into values of json-c; body_parse() lists
 * what is refused.  scratch has room for size + 1 bytes.  Numbers outside int64
 * keep their text, so that json_object_to_json_string_ext() writes them as they
 * were sent.  A text that is only null reads as false, because json-c has no
 * value for it.  Returns 0, or -1 with f set.  The caller releases *ret.
 */
int strict_json_read(const char *text, size_t size, char *scratch,
    struct json_object **ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
