/* SPDX-License-Identifier: ISC */
/* Decode percent-encoded text of paths and queries; no I/O, no state. */
#ifndef FCGI_HTTP_URL_DECODE_H
#define FCGI_HTTP_URL_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Decode the size bytes at text into ret, which has room for max bytes and a
 * NUL; if plus is true, "+" is a space.  Return the number of decoded bytes, or
 * -1 with ret undefined: an escape is not two hex digits, there are more than
 * max bytes, or they are not UTF-8 without control characters.
 */
int url_decode(const char *text, size_t size, bool plus, char *ret, size_t max)
    __attribute__((warn_unused_result));

#endif
