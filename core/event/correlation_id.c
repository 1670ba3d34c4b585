/* SPDX-License-Identifier: ISC */
/* Check the correlation ids of callers before they are written to logs. */
#include "config.h"

#include <stddef.h>
#include <string.h>

#include "core/base/ascii.h"
#include "core/event/correlation_id.h"
#include "core/event/ip_address.h"
#include "core/event/pan.h"

#define DIGITS "0123456789"
#define PHONE_DIGITS_MIN 8 /* digits of a phone number after the "+" */
#define PHONE_DIGITS_MAX 15
#define TEXT_SIZE 64 /* fits each address and a NUL */

static bool is_printable(const char *text);
static bool address_at(const char *text, const char *of);
static bool phone_at(const char *text);

bool
correlation_id_harmless(const char *id)
{
	const char *p;

	if (!is_printable(id) || strchr(id, '@') != NULL ||
	    pan_in_text(id, strlen(id)))
		return false;
	for (p = id; *p != '\0'; p++) {
		if (p > id && ascii_is_alnum(p[-1]))
			continue;
		if (address_at(p, DIGITS ".") ||
		    address_at(p, DIGITS "abcdefABCDEF.:") || phone_at(p))
			return false;
	}
	return true;
}

static bool
is_printable(const char *text)
{
	size_t n = 0;

	while (text[n] >= ' ' && text[n] <= '~')
		n++;
	return text[n] == '\0' && n > 0 && n <= CORRELATION_ID_MAX;
}

/*
 * Whether the longest prefix of text that consists of these characters is an
 * address, not followed by a letter or digit.  A dot may follow the address.
 */
static bool
address_at(const char *text, const char *of)
{
	size_t n = strspn(text, of);
	struct ip_address address;
	char copy[TEXT_SIZE];

	if (ascii_is_alnum(text[n]))
		return false;
	if (n > 0 && text[n - 1] == '.')
		n--;
	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = '\0';
	return ip_address_parse(copy, &address) == 0;
}

static bool
phone_at(const char *text)
{
	size_t n;

	if (*text != '+')
		return false;
	n = strspn(text + 1, DIGITS);
	return n >= PHONE_DIGITS_MIN && n <= PHONE_DIGITS_MAX &&
	    !ascii_is_alnum(text[n + 1]);
}
