/* SPDX-License-Identifier: ISC */
/* Paths and media types against what a route says; no I/O, no state. */
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/utf8.h"
#include "fcgi/match.h"

#define JSON_TYPE "application/json"
#define CHARSET "charset="

static int decode(const char *text, size_t size, char ret[MATCH_ARG_MAX + 1]);
static int hex(char c);
static bool is_clean(const char *text, size_t size);

bool
match_path(const char *pattern, const char *path, struct match *ret)
{
	size_t size;

	ret->ma_n = 0;
	while (*pattern != '\0') {
		if (*pattern != '{') {
			if (*path++ != *pattern++)
				return false;
			continue;
		}
		size = strcspn(path, "/");
		if (size == 0)
			return false;
		assert(ret->ma_n < REQ_PATH_ARGS_MAX);
		ret->ma_arg[ret->ma_n].ma_text = path;
		ret->ma_arg[ret->ma_n++].ma_size = size;
		path += size;
		pattern += strcspn(pattern, "}") + 1;
	}
	return *path == '\0';
}

int
match_args(const struct match *m, struct arena *a,
    const char *ret[REQ_PATH_ARGS_MAX], struct fail *f)
{
	char text[MATCH_ARG_MAX + 1];
	size_t i;

	for (i = 0; i < m->ma_n; i++) {
		if (decode(m->ma_arg[i].ma_text, m->ma_arg[i].ma_size, text) ==
		    -1)
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			    "an id in the path is 1 to %d bytes of UTF-8 "
			    "without control characters",
			    MATCH_ARG_MAX);
		if ((ret[i] = arena_strdup(a, text)) == NULL)
			return fail_set(f, FAIL_US, INTERNAL, NULL, "%s", "");
	}
	return 0;
}

bool
match_json(const char *content_type)
{
	const char *p = content_type;
	bool quoted;

	if (p == NULL || strncasecmp(p, JSON_TYPE, sizeof(JSON_TYPE) - 1) != 0)
		return false;
	p += sizeof(JSON_TYPE) - 1;
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

/* Undo the escapes of one segment; -1 for what is no value of a parameter. */
static int
decode(const char *text, size_t size, char ret[MATCH_ARG_MAX + 1])
{
	size_t i, n = 0;
	int high, low;

	for (i = 0; i < size && n < MATCH_ARG_MAX; i++) {
		if (text[i] != '%') {
			ret[n++] = text[i];
			continue;
		}
		if (size - i < 3 || (high = hex(text[i + 1])) == -1 ||
		    (low = hex(text[i + 2])) == -1)
			return -1;
		ret[n++] = (char)(high << 4 | low);
		i += 2;
	}
	if (i < size || !is_clean(ret, n))
		return -1;
	ret[n] = '\0';
	return 0;
}

static int
hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* UTF-8 without control characters. */
static bool
is_clean(const char *text, size_t size)
{
	uint32_t code;
	size_t i, n;

	for (i = 0; i < size; i += n) {
		n = utf8_get(text + i, size - i, &code);
		if (n == 0 || code < 0x20 || code == 0x7f)
			return false;
	}
	return true;
}
