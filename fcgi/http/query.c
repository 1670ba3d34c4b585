/* SPDX-License-Identifier: ISC */
/* Parse the query of a URL; no I/O, no state. */
#include "config.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "fcgi/http/query.h"
#include "fcgi/http/url_decode.h"
#include "lib/sys/clock.h"

static int add_pair(struct query *q, struct arena *a, const char *pair,
    size_t size, struct fail *f);
static int parse_number_max(const char *text, int64_t max, int64_t *ret);

int
query_parse(
    struct query *ret, struct arena *a, const char *text, struct fail *f)
{
	size_t size;

	ret->n = 0;
	for (; *text != '\0'; text += size + (text[size] == '&')) {
		size = strcspn(text, "&");
		if (size > 0 && add_pair(ret, a, text, size, f) == -1) {
			ret->n = 0;
			return -1;
		}
	}
	return 0;
}

const char *
query_text(const struct query *q, const char *name)
{
	size_t i;

	for (i = 0; i < q->n; i++)
		if (strcmp(q->pair[i].name, name) == 0)
			return q->pair[i].value;
	return NULL;
}

int
query_int(const struct query *q, const char *name, int64_t min, int64_t max,
    int64_t fallback, int64_t *ret, struct fail *f)
{
	const char *text = query_text(q, name);
	int64_t n = fallback;

	assert(min >= 0 && min <= max);
	if (text != NULL && (parse_number_max(text, max, &n) == -1 || n < min))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, name,
		    "must be a whole number from %lld to %lld", (long long)min,
		    (long long)max);
	*ret = n;
	return 0;
}

int
query_time(const struct query *q, const char *name, int64_t fallback,
    int64_t *ret, struct fail *f)
{
	const char *text = query_text(q, name);

	*ret = fallback;
	if (text != NULL && clock_parse(text, ret) == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, name,
		    "must be a time, such as 2026-11-20T08:00:00Z");
	return 0;
}

int
query_word(const struct query *q, const char *name, const char *const *words,
    size_t n, struct fail *f)
{
	const char *text = query_text(q, name);
	const char *comma = "";
	char all[128] = "";
	size_t i, len;

	for (i = 0; i < n; i++) {
		if (text == NULL || strcmp(text, words[i]) == 0)
			return 0;
		len = strlen(all);
		snprintf(all + len, sizeof(all) - len, "%s%s", comma, words[i]);
		comma = i + 2 < n ? ", " : " or ";
	}
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, name, "must be %s", all);
}

int
query_event_type(const struct query *q, enum event_type *ret, struct fail *f)
{
	const char *text = query_text(q, "eventType");

	*ret = text == NULL ? EVENT_TYPE__NONE : event_type_parse(text);
	if (text != NULL && *ret == EVENT_TYPE__NONE)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "eventType",
		    "must be a type of event, such as card.authorize");
	return 0;
}

/* Decode one pair of size bytes, and append it. */
static int
add_pair(struct query *q, struct arena *a, const char *pair, size_t size,
    struct fail *f)
{
	const char *equal = memchr(pair, '=', size);
	const size_t first = equal == NULL ? size : (size_t)(equal - pair);
	const size_t second = equal == NULL ? 0 : size - first - 1;
	char name[QUERY_NAME_MAX + 1], value[QUERY_VALUE_MAX + 1];

	if (q->n == QUERY_PAIRS_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "a query has at most %d parameters", QUERY_PAIRS_MAX);
	if (url_decode(pair, first, true, name, QUERY_NAME_MAX) < 1 ||
	    url_decode(pair + size - second, second, true, value,
		QUERY_VALUE_MAX) == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "a query is NAME=VALUE pairs of UTF-8 without control "
		    "characters, names of 1 to %d bytes, values of up to %d",
		    QUERY_NAME_MAX, QUERY_VALUE_MAX);
	if (query_text(q, name) != NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "a query names each parameter once");
	q->pair[q->n].name = arena_strdup(a, name);
	q->pair[q->n].value = arena_strdup(a, value);
	if (q->pair[q->n].name == NULL || q->pair[q->n].value == NULL)
		return fail_memory(f);
	q->n++;
	return 0;
}

/* Parse digits into a number up to max.  Return 0 or -1. */
static int
parse_number_max(const char *text, int64_t max, int64_t *ret)
{
	int64_t n = 0;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		if (n > max / 10 || 10 * n > max - (*p - '0'))
			return -1;
		n = 10 * n + (*p - '0');
	}
	if (p == text || *p != '\0')
		return -1;
	*ret = n;
	return 0;
}
