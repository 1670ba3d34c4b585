/* SPDX-License-Identifier: ISC */
/* The query of a URL as pairs of text; no I/O, no state. */
#ifndef FCGI_HTTP_QUERY_H
#define FCGI_HTTP_QUERY_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;

#define QUERY_PAIRS_MAX 16
#define QUERY_NAME_MAX 64 /* bytes, decoded */
#define QUERY_VALUE_MAX 256
#define QUERY_OFFSET_MAX INT32_MAX /* of a page */

/* The parameters of one request, decoded, in the order that they came in. */
struct query {
	size_t n;
	struct {
		const char *name; /* no two alike */
		const char *value;
	} pair[QUERY_PAIRS_MAX];
};

/*
 * Take a query as sent, without its "?", apart into *ret, in arena a: pairs
 * NAME=VALUE between "&", in which "+" is a space and "%" begins an escape.
 * A name alone has the value ""; nothing between two "&" is no pair.  Names
 * are 1 to QUERY_NAME_MAX bytes, values up to QUERY_VALUE_MAX, both UTF-8
 * without control characters; a name comes once.  Returns 0, or -1 with f set
 * to INVALID_REQUEST, which repeats nothing of the query, and *ret without
 * pairs.
 */
int query_parse(struct query *ret, struct arena *a, const char *text,
    struct fail *f) __attribute__((warn_unused_result));

/* The value of a parameter, or NULL where it was not sent. */
const char *query_text(const struct query *q, const char *name);

/*
 * A parameter that is a whole number from min (0 or more) to max, in digits
 * only, into *ret; fallback where it was not sent.  Returns 0, or -1 with f
 * set to INVALID_REQUEST and the parameter's name, and *ret untouched.
 */
int query_int(const struct query *q, const char *name, int64_t min, int64_t max,
    int64_t fallback, int64_t *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
