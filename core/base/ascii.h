/* SPDX-License-Identifier: ISC */
/* Classes of ASCII characters, whatever the locale is. */
#ifndef CORE_BASE_ASCII_H
#define CORE_BASE_ASCII_H

#include <stdbool.h>

static inline bool
ascii_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static inline bool
ascii_is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool
ascii_is_alnum(char c)
{
	return ascii_is_digit(c) || ascii_is_letter(c);
}

/* A letter in lower case; other characters stay. */
static inline char
ascii_lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A letter in upper case; other characters stay. */
static inline char
ascii_upper(char c)
{
	return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

#endif
