/* SPDX-License-Identifier: ISC */
/* Detect full card numbers (PAN), which the service never accepts. */
#ifndef CORE_EVENT_PAN_H
#define CORE_EVENT_PAN_H

#include <stdbool.h>
#include <stddef.h>

#define PAN_MIN 14 /* digits of a card number */
#define PAN_MAX 19
#define PAN_SIZE_MAX (2 * PAN_MAX - 1) /* bytes, with separators */

/*
 * Whether the n bytes at s contain a full card number: 14 to 19 digits with the
 * prefix and length of a card scheme and a valid Luhn digit, with single spaces
 * or dashes allowed between digits, and without a letter or digit directly
 * before or after.  More digits may follow after a separator, so
 * "4111111111111111 123" contains one.  Only ASCII letters and digits count: in
 * scripts without spaces, a word can directly precede a number.  A number that
 * known_number_at() finds contains none.
 */
bool pan_in_text(const char *s, size_t n);

/*
 * Find the first card number in the n bytes at s, as pan_in_text() defines it.
 * Return its start, and set *ret_size to its bytes including separators; return
 * NULL if the bytes contain no card number.
 */
const char *pan_find(const char *s, size_t n, size_t *ret_size);

/*
 * Replace the digits of all card numbers in the n bytes at s, except the last
 * four of each, by asterisks.  Return whether there was a card number.
 */
bool pan_mask(char *s, size_t n);

/*
 * Whether the value of a JSON number is a full card number, or its text
 * contains one: 4111111111111111, 4111111111111111.0, 4.111111111111111e15.
 */
bool pan_in_number(const char *number);

#endif
