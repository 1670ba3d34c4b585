/* SPDX-License-Identifier: ISC */
/* Paths and media types against what a route says; no I/O, no state. */
#ifndef FCGI_HTTP_PATH_MATCH_H
#define FCGI_HTTP_PATH_MATCH_H

#include <stdbool.h>
#include <stddef.h>

#include "fcgi/http/req.h"

struct arena;
struct fail;

#define PATH_MATCH_ARG_MAX 128 /* bytes of a decoded {parameter} */

/* The parameters of a path as they were sent. */
struct path_match {
	size_t n;
	struct {
		const char *text; /* inside the path; not NUL-terminated */
		size_t size;
	} arg[REQ_PATH_ARGS_MAX];
};

/*
 * Whether a path, as sent, is one of pattern, "/v1/cases/{id}/assign".  A
 * parameter is one whole segment and not empty; what is literal is compared
 * byte for byte, so neither a trailing slash nor an escape matches it.
 */
bool path_match(const char *pattern, const char *path, struct path_match *ret);

/*
 * Decode the parameters into ret, in arena a: each 1 to PATH_MATCH_ARG_MAX
 * bytes of UTF-8 without control characters.  "%2F" becomes part of its value.
 * Returns 0, or -1 with f set to INVALID_REQUEST.
 */
int path_match_args(const struct path_match *m, struct arena *a,
    const char *ret[REQ_PATH_ARGS_MAX], struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Whether a Content-Type is that media type, alone or with charset=utf-8.
 * NULL is not.
 */
bool path_match_media_type(const char *media, const char *content_type);

#endif
