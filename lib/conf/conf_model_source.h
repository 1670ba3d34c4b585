/* SPDX-License-Identifier: ISC */
/* What the settings MODEL_* must be, of those that name a place elsewhere. */
#ifndef LIB_CONF_CONF_MODEL_SOURCE_H
#define LIB_CONF_CONF_MODEL_SOURCE_H

#include <stdbool.h>

/*
 * What is wrong with the value of a setting, as the tail of a sentence about
 * it that holds nothing of the value, or NULL: nothing, also where it is the
 * setting of something else.  With plain, URLs may begin with http:// too.
 * What passes fits into a request: nothing in it ends a line.
 */
const char *conf_model_source_check(
    const char *name, const char *value, bool plain);

#endif
