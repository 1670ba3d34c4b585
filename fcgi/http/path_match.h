/* SPDX-License-Identifier: ISC */
/* Match paths and media types against routes; no I/O, no state. */
#ifndef FCGI_HTTP_PATH_MATCH_H
#define FCGI_HTTP_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fcgi/http/req.h"

struct arena;
struct fail;

#define PATH_MATCH_ARG_MAX 128 /* bytes of a decoded {parameter} */

/* The parameters of a path, as sent. */
struct path_match {
	size_t n;
	struct {
		const char *text; /* inside the path; not NUL-terminated */
		size_t size;
	} arg[REQ_PATH_ARGS_MAX];
};

/*
 * Return whether a path, as sent, matches pattern, such as
 * "/v1/cases/{id}/assign".  A parameter matches one whole segment that is not
 * empty.  Literal text is compared byte for byte, so a trailing slash or an
 * escape does not match.
 */
bool path_match(const char *pattern, const char *path, struct path_match *ret);

/*
 * Decode the parameters into ret, in arena a: each has 1 to PATH_MATCH_ARG_MAX
 * bytes of UTF-8 without control characters.  "%2F" becomes part of the value.
 * Return 0, or -1 with f set to INVALID_REQUEST, or to INTERNAL if the arena is
 * full.
 */
int path_match_args(const struct path_match *m, struct arena *a,
    const char *ret[REQ_PATH_ARGS_MAX], struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Return whether a Content-Type (or NULL) is the media type.  A charset must be
 * UTF-8 or ASCII; other parameters do not matter.
 */
bool path_match_media_type(const char *media, const char *content_type);

#endif
