/* SPDX-License-Identifier: ISC */
/* Checks of the settings that name the source of models. */
#ifndef LIB_CONF_CONF_MODEL_SOURCE_H
#define LIB_CONF_CONF_MODEL_SOURCE_H

#include "lib/conf/conf_value.h"

/*
 * The checks of conf.tbl for the settings MODEL_*: of a word, of MODEL_URL, and
 * of MODEL_S3_ENDPOINT.  With ALLOW_PRIVATE_TARGETS a URL may begin with
 * http://.  A value that passes fits into a request: nothing in it ends a line.
 */
conf_check_fn conf_model_source_word, conf_model_source_url,
    conf_model_source_endpoint;

#endif
