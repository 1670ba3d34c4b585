/* SPDX-License-Identifier: ISC */
/* Recovery codes, each of which replaces a one-time password once. */
#ifndef LIB_AUTH_RECOVERY_CODE_H
#define LIB_AUTH_RECOVERY_CODE_H

#include <stdbool.h>

#define RECOVERY_CODE_SIZE 12 /* "xxxxx-xxxxx" and a NUL */

/* Make a code of 50 random bits, in Crockford's base32. */
void recovery_code_make(char ret[RECOVERY_CODE_SIZE]);

/*
 * Read a code as people type it: in any case, with or without the hyphen, "o"
 * for 0, "i" and "l" for 1.  Return whether text has the form of a code, which
 * ret then holds as recovery_code_make() writes it.
 */
bool recovery_code_read(const char *text, char ret[RECOVERY_CODE_SIZE]);

#endif
