/* SPDX-License-Identifier: ISC */
/* What the files lib/json/body_*.c share. */
#ifndef LIB_JSON_BODY_INT_H
#define LIB_JSON_BODY_INT_H

#include <stdbool.h>

struct json_object;

/* Whether json is a number, an integer or not. */
bool body_is_number(const struct json_object *json);

/* The text of a number as it was sent; valid as long as json. */
const char *body_number_text(struct json_object *json);

/*
 * Whether an error message may show a name from the request: only if it is a
 * word of the rule language, so never an address, a phone number or a long
 * text.
 */
bool body_name_shown(const char *name);

#endif
