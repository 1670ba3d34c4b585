/* SPDX-License-Identifier: ISC */
/* Numbers in text that are certainly no card numbers, although they look so. */
#ifndef CORE_EVENT_KNOWN_NUMBER_H
#define CORE_EVENT_KNOWN_NUMBER_H

#include <stddef.h>

/*
 * The bytes of the number that begins at byte i of the n bytes at s, if it is a
 * valid IBAN, a phone number of 7 to 15 digits after "+", or a valid tracking
 * number of the US Postal Service; 0 if it is not one of these.  They may have
 * separators.
 */
size_t known_number_at(const char *s, size_t n, size_t i);

#endif
