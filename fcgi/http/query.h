/* SPDX-License-Identifier: ISC */
/* Parse the query of a URL; no I/O, no state. */
#ifndef FCGI_HTTP_QUERY_H
#define FCGI_HTTP_QUERY_H

#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"

struct arena;
struct fail;

#define QUERY_PAIRS_MAX 16
#define QUERY_NAME_MAX 64 /* bytes, decoded */
#define QUERY_VALUE_MAX 256
#define QUERY_OFFSET_MAX INT32_MAX /* of a page */

/* The parameters of one request, decoded, in the order of the query. */
struct query {
	size_t n;
	struct {
		const char *name; /* unique in the query */
		const char *value;
	} pair[QUERY_PAIRS_MAX];
};

/*
 * Parse a query as sent, without its "?", into *ret, in arena a: pairs
 * NAME=VALUE separated by "&", in which "+" is a space and "%" begins an
 * escape.  A name without "=" has the value ""; empty pairs are skipped.  Names
 * have 1 to QUERY_NAME_MAX bytes, values up to QUERY_VALUE_MAX, both UTF-8
 * without control characters; names are unique.  Return 0, or -1 with f set to
 * INVALID_REQUEST, without any text of the query, or to INTERNAL if the arena
 * is full; then *ret has no pairs.
 */
int query_parse(struct query *ret, struct arena *a, const char *text,
    struct fail *f) __attribute__((warn_unused_result));

/* Return the value of a parameter, or NULL if it was not sent. */
const char *query_text(const struct query *q, const char *name);

/*
 * Read a parameter that is a whole number from min (0 or more) to max, in
 * digits only, into *ret; use fallback if it was not sent.  Return 0, or -1
 * with f set to INVALID_REQUEST and the parameter's name, and *ret unchanged.
 */
int query_int(const struct query *q, const char *name, int64_t min, int64_t max,
    int64_t fallback, int64_t *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read a parameter that is a time of ISO 8601 into *ret, in microseconds UTC;
 * use fallback if it was not sent.  Return 0, or -1 as query_int() does.
 */
int query_time(const struct query *q, const char *name, int64_t fallback,
    int64_t *ret, struct fail *f) __attribute__((warn_unused_result));

/*
 * Check that a parameter is one of n words, if it was sent.  Return 0, or -1 as
 * query_int() does.
 */
int query_word(const struct query *q, const char *name,
    const char *const *words, size_t n, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read the parameter eventType into *ret, EVENT_TYPE__NONE if it was not sent.
 * Return 0, or -1 as query_int() does.
 */
int query_event_type(const struct query *q, enum event_type *ret,
    struct fail *f) __attribute__((warn_unused_result));

#endif
