/* SPDX-License-Identifier: ISC */
/* Percent-encoded text, of paths and of queries; no I/O, no state. */
#ifndef FCGI_HTTP_URL_DECODE_H
#define FCGI_HTTP_URL_DECODE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Undo the escapes of the size bytes at text into ret, which has room for max
 * bytes and a NUL; where plus is true, "+" is a space.  Returns how many
 * bytes came out, or -1, with ret unspecified: an escape is not two hex
 * digits, there are over max bytes, or they are not UTF-8 without control
 * characters.
 */
int url_decode(const char *text, size_t size, bool plus, char *ret, size_t max)
    __attribute__((warn_unused_result));

#endif
