/* SPDX-License-Identifier: ISC */
/* Full card numbers, which must never get in. */
#ifndef CORE_EVENT_PAN_H
#define CORE_EVENT_PAN_H

#include <stdbool.h>
#include <stddef.h>

#define PAN_MIN 13 /* digits of a card number */
#define PAN_MAX 19
#define PAN_SIZE_MAX (2 * PAN_MAX - 1) /* bytes, with separators */

/*
 * Whether a full card number stands in the n bytes at s: 13 to 19 digits,
 * single spaces or dashes between them allowed, no letter or digit beside
 * them, with the prefix and length of a card scheme and a valid Luhn digit.
 * What is set off by such a separator counts as beside, not as part of it,
 * if that makes the card number: "4111111111111111 123" holds one.  Digits
 * and letters are those of ASCII, because scripts that write no spaces put a
 * word right before a number.
 */
bool pan_in_text(const char *s, size_t n);

/*
 * The first card number in the n bytes at s, as pan_in_text() has it: where it
 * begins, with its bytes, separators included, in *ret_size; or NULL.
 */
const char *pan_find(const char *s, size_t n, size_t *ret_size);

/*
 * Whether a JSON number is a full card number, or is written with one, in
 * any form: 4111111111111111, 4111111111111111.0, 4.111111111111111e15.
 */
bool pan_in_number(const char *number);

#endif
