/* SPDX-License-Identifier: ISC */
/* Checks of the settings MODEL_*. */
#ifndef LIB_CONF_CONF_MODEL_SOURCE_H
#define LIB_CONF_CONF_MODEL_SOURCE_H

#include "lib/conf/conf_value.h"

/*
 * Check a word, MODEL_URL, and MODEL_S3_ENDPOINT; conf.tbl names the functions.
 * With ALLOW_PRIVATE_TARGETS a URL may begin with http://.  A value that passes
 * has no line break, so it is safe in a request.
 */
conf_check_fn conf_model_source_word, conf_model_source_url,
    conf_model_source_endpoint;

#endif
