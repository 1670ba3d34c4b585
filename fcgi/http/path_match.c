/* SPDX-License-Identifier: ISC */
/* Match paths and media types against routes; no I/O, no state. */
#include "config.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/http/path_match.h"
#include "fcgi/http/url_decode.h"

#define CHARSET "charset="

bool
path_match(const char *pattern, const char *path, struct path_match *ret)
{
	size_t size;

	ret->n = 0;
	while (*pattern != '\0') {
		if (*pattern != '{') {
			if (*path++ != *pattern++)
				return false;
			continue;
		}
		size = strcspn(path, "/");
		if (size == 0)
			return false;
		assert(ret->n < REQ_PATH_ARGS_MAX);
		ret->arg[ret->n].text = path;
		ret->arg[ret->n++].size = size;
		path += size;
		pattern += strcspn(pattern, "}") + 1;
	}
	return *path == '\0';
}

int
path_match_args(const struct path_match *m, struct arena *a,
    const char *ret[REQ_PATH_ARGS_MAX], struct fail *f)
{
	char text[PATH_MATCH_ARG_MAX + 1];
	size_t i;

	for (i = 0; i < m->n; i++) {
		if (url_decode(m->arg[i].text, m->arg[i].size, false, text,
			PATH_MATCH_ARG_MAX) == -1)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			    "an id in the path is 1 to %d bytes of UTF-8 "
			    "without control characters",
			    PATH_MATCH_ARG_MAX);
		if ((ret[i] = arena_strdup(a, text)) == NULL)
			return fail_memory(f);
	}
	return 0;
}

bool
path_match_media_type(const char *media, const char *content_type)
{
	const size_t size = strlen(media);
	const char *p = content_type;
	bool quoted;

	if (p == NULL || strncasecmp(p, media, size) != 0)
		return false;
	p += size;
	p += strspn(p, " \t");
	if (*p == '\0')
		return true;
	if (*p++ != ';')
		return false;
	p += strspn(p, " \t");
	if (strncasecmp(p, CHARSET, sizeof(CHARSET) - 1) != 0)
		return false;
	p += sizeof(CHARSET) - 1;
	quoted = *p == '"';
	p += quoted;
	if (strncasecmp(p, "utf-8", 5) != 0)
		return false;
	p += 5;
	if (quoted && *p++ != '"')
		return false;
	return p[strspn(p, " \t")] == '\0';
}
