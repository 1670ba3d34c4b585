/* SPDX-License-Identifier: ISC */
/* UTF-8 (RFC 3629): one character at a time. */
#ifndef CORE_BASE_UTF8_H
#define CORE_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX 4 /* bytes of one character */

/*
 * How many bytes the first character of the n bytes at p has, and its code
 * point into *ret unless that is NULL.  0 for malformed text: overlong forms,
 * surrogates, beyond U+10FFFF, cut short, or n is 0.
 */
size_t utf8_get(const char *p, size_t n, uint32_t *ret);

/* Write a code point (no surrogate) to ret; returns how many bytes it has. */
size_t utf8_put(uint32_t code, char ret[UTF8_MAX]);

#endif
