/* SPDX-License-Identifier: ISC */
/* Match paths and media types against routes; no I/O, no state. */
#include "config.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/http/path_match.h"
#include "fcgi/http/url_decode.h"

#define CHARSET "charset="

static const char *skip_blanks(const char *p);
static size_t parameter_size(const char *p);
static bool charset_is_utf8(const char *value);

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

	if (p == NULL || strncasecmp(p, media, size) != 0)
		return false;
	for (p += size; *(p = skip_blanks(p)) == ';'; p += parameter_size(p)) {
		p = skip_blanks(p + 1);
		if (strncasecmp(p, CHARSET, sizeof(CHARSET) - 1) == 0 &&
		    !charset_is_utf8(p + sizeof(CHARSET) - 1))
			return false;
	}
	return *p == '\0';
}

static const char *
skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

/* Bytes until the next parameter; ';' may stand in a quoted value. */
static size_t
parameter_size(const char *p)
{
	bool quoted = false;
	size_t i;

	for (i = 0; p[i] != '\0' && (quoted || p[i] != ';'); i++)
		quoted ^= p[i] == '"';
	return i;
}

/* Whether a value is a name of UTF-8, or of ASCII, a part of it. */
static bool
charset_is_utf8(const char *value)
{
	static const char *const names[] = { "utf-8", "utf8", "us-ascii" };
	const size_t quote = *value == '"';
	size_t i, size;
	const char *end;

	for (i = 0; i < nitems(names); i++) {
		size = strlen(names[i]);
		if (strncasecmp(value + quote, names[i], size) != 0)
			continue;
		end = value + quote + size;
		if (quote == 1 && *end++ != '"')
			continue;
		end = skip_blanks(end);
		if (*end == '\0' || *end == ';')
			return true;
	}
	return false;
}
