/* SPDX-License-Identifier: ISC */
/* Checks of the settings MODEL_* and GEOIP_*. */
#ifndef LIB_CONF_CONF_SOURCE_H
#define LIB_CONF_CONF_SOURCE_H

#include "lib/conf/conf_value.h"

/*
 * Check a word, the URL of a file, MODEL_S3_ENDPOINT, and the checksum of a
 * GeoIP database; conf.tbl names the functions.
 * With ALLOW_PRIVATE_TARGETS a URL may begin with http://.  A value that passes
 * has no line break, so it is safe in a request.
 */
conf_check_fn conf_source_word, conf_source_url, conf_source_endpoint,
    conf_source_checksum;

#endif
