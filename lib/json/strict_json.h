/* SPDX-License-Identifier: ISC */
/* The strict gate that every JSON text passes (RFC 8259). */
#ifndef LIB_JSON_STRICT_JSON_H
#define LIB_JSON_STRICT_JSON_H

#include <stddef.h>

struct fail;
struct json_object;

#define STRICT_JSON_LISTS_MAX 32768 /* objects and arrays in one text */

/*
 * Read size bytes as one JSON text into json-c's values, refusing what
 * body_parse() says.  scratch has room for size + 1 bytes.  Numbers that are
 * no int64 keep their text, so that json_object_to_json_string_ext() gives
 * each as it was sent.  A text that is only null reads as false: json-c has
 * no value for it.  Returns 0 with *ret the caller's to put, or -1 with f
 * set.
 */
int strict_json_read(const char *text, size_t size, char *scratch,
    struct json_object **ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
