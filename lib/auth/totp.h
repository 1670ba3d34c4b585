/* SPDX-License-Identifier: ISC */
/* One-time passwords by time (TOTP, RFC 6238): SHA-1, 30 s, 6 digits. */
#ifndef LIB_AUTH_TOTP_H
#define LIB_AUTH_TOTP_H

#include <stddef.h>
#include <stdint.h>

#define TOTP_KEY_SIZE 20 /* bytes of a key, as RFC 4226 recommends */
#define TOTP_KEY_TEXT_SIZE 33 /* the same in base32, with a NUL */
#define TOTP_CODE_SIZE 7 /* 6 digits and a NUL */

/* Write the code of a step, the number of 30 s since 1970. */
void totp_code(
    const void *key, size_t size, int64_t step, char ret[TOTP_CODE_SIZE]);

/*
 * Return the step whose code this is: the current, the previous or the next
 * one, because clocks differ; -1 for any other code.  The time of the
 * comparison does not depend on the digits.  The caller accepts a step once.
 */
int64_t totp_match(
    const uint8_t key[TOTP_KEY_SIZE], const char *code, int64_t now_us);

/* Write a key in base32 (RFC 4648), as authenticator apps take it. */
void totp_key_text(
    const uint8_t key[TOTP_KEY_SIZE], char ret[TOTP_KEY_TEXT_SIZE]);

#endif
