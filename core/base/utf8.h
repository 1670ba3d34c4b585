/* SPDX-License-Identifier: ISC */
/* UTF-8 (RFC 3629): one character at a time. */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX 4 /* bytes of one character */

/*
 * Read the first character of the n bytes at p.  Return its number of bytes,
 * and set *ret to its code point unless ret is NULL.  Return 0 if the character
 * is invalid: overlong, a surrogate, above U+10FFFF or incomplete; also if n is
 * 0.
 */
size_t utf8_get(const char *p, size_t n, uint32_t *ret);

/* Whether c is a byte of a character but not its first. */
static inline bool
utf8_continues(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

/*
 * Whether a character shows nothing: white space, a direction mark, a character
 * of width zero.  Variation selectors and tags do not count: they change the
 * character before them.
 */
bool utf8_is_blank(uint32_t code);

/* Whether text, valid UTF-8, begins or ends with such a character. */
bool utf8_has_blank_ends(const char *text);

/* Write a code point, not a surrogate, to ret; return its number of bytes. */
size_t utf8_put(uint32_t code, char ret[UTF8_MAX]);

#endif
