/* SPDX-License-Identifier: ISC */
/* What the files of lib/body share. */
#ifndef LIB_JSON_BODY_INT_H
#define LIB_JSON_BODY_INT_H

#include <stdbool.h>

struct json_object;

/* Whether json is a number, an integer or not. */
bool body_is_number(const struct json_object *json);

/* The text of a number as it was sent; lives as long as json does. */
const char *body_number_text(struct json_object *json);

/*
 * Whether a name that the caller made up may stand in an error message: a
 * word as rules could read it, never an address, a number or an essay.
 */
bool body_name_shown(const char *name);

#endif
