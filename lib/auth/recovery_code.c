/* SPDX-License-Identifier: ISC */
/* Recovery codes, each of which replaces a one-time password once. */
#include "config.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/auth/recovery_code.h"
#include "lib/sys/crypt.h"

#define HALF 5 /* characters before the hyphen, and behind it */

/* Crockford's base32: no i, l, o and u. */
static const char digits[] = "0123456789abcdefghjkmnpqrstvwxyz";

static char digit_of(char c);

void
recovery_code_make(char ret[RECOVERY_CODE_SIZE])
{
	uint8_t random[2 * HALF];
	size_t i, n = 0;

	crypt_random(random, sizeof(random));
	for (i = 0; i < sizeof(random); i++) {
		if (i == HALF)
			ret[n++] = '-';
		ret[n++] = digits[random[i] & 31];
	}
	ret[n] = '\0';
	crypt_wipe(random, sizeof(random));
}

bool
recovery_code_read(const char *text, char ret[RECOVERY_CODE_SIZE])
{
	size_t i, n = 0;

	for (i = 0; text[i] != '\0'; i++) {
		if (i == HALF && text[i] == '-')
			continue;
		if (n == RECOVERY_CODE_SIZE - 1 || digit_of(text[i]) == '\0')
			return false;
		if (n == HALF)
			ret[n++] = '-';
		ret[n++] = digit_of(text[i]);
	}
	ret[n] = '\0';
	return n == RECOVERY_CODE_SIZE - 1;
}

/* Return the digit that a character stands for; NUL: none. */
static char
digit_of(char c)
{
	c = (char)tolower((unsigned char)c);
	if (c == 'o')
		return '0';
	if (c == 'i' || c == 'l')
		return '1';
	return strchr(digits, c) == NULL ? '\0' : c;
}
