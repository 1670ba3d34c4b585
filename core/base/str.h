/* SPDX-License-Identifier: ISC */
/* Build text in an arena, with the JSON forms of strings and values. */
#ifndef CORE_BASE_STR_H
#define CORE_BASE_STR_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct value;

/*
 * A text that is being built.  After a failed allocation all str_ functions do
 * nothing, so a caller checks once, with str_text().
 */
struct str {
	struct arena *arena;
	char *text; /* NULL until the first byte */
	size_t len;
	size_t cap;
	int failed; /* the arena was full */
	unsigned int depth; /* the objects and arrays that are open: writer.h */
	uint64_t objects; /* a bit each, the innermost last: is an object */
};

/* Begin an empty text in arena a. */
void str_init(struct str *s, struct arena *a);

/*
 * Make room for n more bytes and a NUL, so that appending as many does not
 * fail. Return 0, or -1 if the arena is full.
 */
int str_reserve(struct str *s, size_t n);

/* Append a string, n bytes, one character, or a printf format. */
void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const char *p, size_t n);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Append text as a JSON string with its quotes (RFC 8259), NULL as null. */
void str_json(struct str *s, const char *text);

/* Append an integer in decimal. */
void str_int(struct str *s, int64_t n);

/*
 * Append a finite number in the shortest decimal form that reads back as the
 * same double, such as 28, 0.1 or 1e+300.  NaN and infinity become null.
 */
void str_number(struct str *s, double n);

/* Append a value as JSON; unknown becomes null. */
void str_value(struct str *s, const struct value *v);

/* The text, NUL-terminated ("" when empty), or NULL if the arena was full. */
const char *str_text(const struct str *s);

#endif
