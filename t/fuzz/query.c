/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: the path and the query of a URL.  An accepted query is within
 * its bounds, agrees with a plain reading of the text, and reads back the same
 * when it is written in another way.  A refused one has a reason.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "fcgi/http/path_match.h"
#include "fcgi/http/query.h"
#include "t/fuzz/fuzz.h"

/* Room for the longest valid query with each byte escaped. */
#define WRITTEN_MAX                                                            \
	(QUERY_PAIRS_MAX * (3 * (QUERY_NAME_MAX + QUERY_VALUE_MAX) + 2) + 1)

static void try_pattern(struct arena *a, const char *pattern, const char *path);
static void try_query(struct arena *a, const char *text);
static void check_number(
    const struct query *q, const char *name, const char *value);
static void check_same(struct arena *a, const struct query *q, bool all);
static bool plain_query(const char *text, char *ret);
static int plain_text(const char *text, size_t n, char *ret, size_t max);
static size_t write_text(const char *text, bool all, char *ret);

/* The patterns: those of the routes, and one with two parameters. */
static const char *const patterns[] = {
#define ROUTE(method, path, group, access, scope, budget, trail, step_up,      \
    combines, body, limit, fn)                                                 \
	path,
#include "fcgi/http/routes.tbl"
#undef ROUTE
	"/v1/graph/{kind}/{id}",
};

static _Alignas(16) char block[1 << 18];

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena a;
	char *uri, *query;
	size_t i;

	/* A URI ends at its first NUL and its path at the first "?". */
	if ((uri = calloc(1, size + 1)) == NULL)
		return 0;
	if (size > 0)
		memcpy(uri, data, size);
	query = uri + strcspn(uri, "?");
	if (*query == '?')
		*query++ = '\0';

	arena_init(&a, block, sizeof(block));
	for (i = 0; i < nitems(patterns); i++)
		try_pattern(&a, patterns[i], uri);
	try_query(&a, query);
	arena_reset(&a);
	free(uri);
	return 0;
}

/* The parameters of a matching path are segments of it. */
static void
try_pattern(struct arena *a, const char *pattern, const char *path)
{
	static char written[REQ_PATH_ARGS_MAX][3 * PATH_MATCH_ARG_MAX + 1];
	const char *arg[REQ_PATH_ARGS_MAX], *again[REQ_PATH_ARGS_MAX];
	struct fail f = { 0 };
	struct path_match m;
	size_t i;

	if (!path_match(pattern, path, &m))
		return;
	for (i = 0; i < m.n; i++)
		assert(m.arg[i].size > 0 && m.arg[i].text > path &&
		    memchr(m.arg[i].text, '/', m.arg[i].size) == NULL);
	if (path_match_args(&m, a, arg, &f) == -1) {
		assert(f.kind == FAIL_INPUT && f.code == INVALID_REQUEST);
		return;
	}
	for (i = 0; i < m.n; i++) {
		assert(
		    arg[i][0] != '\0' && event_plain(arg[i], strlen(arg[i])));
		assert(strlen(arg[i]) <= PATH_MATCH_ARG_MAX);
		m.arg[i].size = write_text(arg[i], true, written[i]);
		m.arg[i].text = written[i];
	}
	assert(path_match_args(&m, a, again, &f) == 0);
	for (i = 0; i < m.n; i++)
		assert(strcmp(arg[i], again[i]) == 0);
}

static void
try_query(struct arena *a, const char *text)
{
	static char plain[WRITTEN_MAX], pair[WRITTEN_MAX];
	const bool good = plain_query(text, plain);
	struct fail f = { 0 };
	struct query q;
	size_t i, n = 0;

	if (query_parse(&q, a, text, &f) == -1) {
		assert(!good);
		assert(f.kind == FAIL_INPUT && f.code == INVALID_REQUEST);
		assert(f.why[0] != '\0' && f.where[0] == '\0' && q.n == 0);
		return;
	}
	assert(good);
	for (i = 0; i < q.n; i++) {
		assert(query_text(&q, q.pair[i].name) == q.pair[i].value);
		check_number(&q, q.pair[i].name, q.pair[i].value);
		n += (size_t)snprintf(pair + n, sizeof(pair) - n, "%s\n%s\n",
		    q.pair[i].name, q.pair[i].value);
	}
	pair[n] = '\0';
	assert(strcmp(pair, plain) == 0);
	check_same(a, &q, false);
	check_same(a, &q, true);
}

/* strtoll() reads the same number, and it is within its bounds. */
static void
check_number(const struct query *q, const char *name, const char *value)
{
	static const int64_t max[] = { 0, 1, 9, 200, INT64_MAX };
	const bool digits =
	    value[0] != '\0' && strspn(value, "0123456789") == strlen(value);
	struct fail f = { 0 };
	int64_t got;
	size_t i;

	for (i = 0; i < nitems(max); i++) {
		got = -1;
		if (query_int(q, name, max[i] > 0, max[i], 7, &got, &f) == 0)
			assert(digits && got == strtoll(value, NULL, 10) &&
			    got >= (max[i] > 0) && got <= max[i]);
		else
			assert(got == -1 && strcmp(f.where, name) == 0);
	}
	assert(got != -1 || !digits || strlen(value) > 18 ||
	    strtoll(value, NULL, 10) == 0);
}

/* A query that is written with all or few bytes escaped reads back the same. */
static void
check_same(struct arena *a, const struct query *q, bool all)
{
	static char text[WRITTEN_MAX];
	struct fail f = { 0 };
	struct query again;
	size_t i, n = 0;

	for (i = 0; i < q->n; i++) {
		n += write_text(q->pair[i].name, all, text + n);
		text[n++] = '=';
		n += write_text(q->pair[i].value, all, text + n);
		text[n++] = '&';
	}
	text[n] = '\0';
	assert(query_parse(&again, a, text, &f) == 0);
	assert(again.n == q->n);
	for (i = 0; i < q->n; i++) {
		assert(strcmp(again.pair[i].name, q->pair[i].name) == 0);
		assert(strcmp(again.pair[i].value, q->pair[i].value) == 0);
	}
}

/*
 * A slow reading of the same grammar: whether text is a query, and its names
 * and values, one a line.
 */
static bool
plain_query(const char *text, char *ret)
{
	static char seen[QUERY_PAIRS_MAX][QUERY_NAME_MAX + 1];
	char *line = ret;
	size_t i, n = 0, size, equal;
	int length;

	for (;; text += size + 1) {
		size = strcspn(text, "&");
		equal = strcspn(text, "=&");
		if (size > 0) {
			length = n == QUERY_PAIRS_MAX
			    ? -1
			    : plain_text(text, equal, line, QUERY_NAME_MAX);
			if (length < 1)
				return false;
			for (i = 0; i < n; i++)
				if (strcmp(seen[i], line) == 0)
					return false;
			memcpy(seen[n++], line, (size_t)length + 1);
			line += length;
			*line++ = '\n';
			equal += equal < size;
			length = plain_text(
			    text + equal, size - equal, line, QUERY_VALUE_MAX);
			if (length == -1)
				return false;
			line += length;
			*line++ = '\n';
		}
		if (text[size] == '\0')
			break;
	}
	*line = '\0';
	return true;
}

/* Decode n bytes into ret, at most max; their number, or -1. */
static int
plain_text(const char *text, size_t n, char *ret, size_t max)
{
	size_t i = 0, out = 0;
	char code[3] = "";
	unsigned int c;

	while (i < n) {
		c = (unsigned char)text[i];
		if (c == '+')
			c = ' ';
		if (c == '%') {
			if (i + 2 >= n)
				return -1;
			memcpy(code, text + i + 1, 2);
			if (strspn(code, "0123456789abcdefABCDEF") != 2)
				return -1;
			c = (unsigned int)strtoul(code, NULL, 16);
			i += 2;
		}
		i++;
		if (c == '\0' || out == max)
			return -1;
		ret[out++] = (char)c;
	}
	ret[out] = '\0';
	return event_plain(ret, out) ? (int)out : -1;
}

/* Write text with all or few bytes escaped; returns the length. */
static size_t
write_text(const char *text, bool all, char *ret)
{
	size_t n = 0;

	for (; *text != '\0'; text++) {
		if (!all && *text == ' ')
			ret[n++] = '+';
		else if (all || strchr("%&+=", *text) != NULL)
			n += (size_t)snprintf(
			    ret + n, 4, "%%%02x", (unsigned char)*text);
		else
			ret[n++] = *text;
	}
	ret[n] = '\0';
	return n;
}
