/* SPDX-License-Identifier: ISC */
/* Decode percent-encoded text of paths and queries; no I/O, no state. */
#include "config.h"

#include <ctype.h>

#include "core/event/event.h"
#include "fcgi/http/url_decode.h"

static int hex_value(char c);

int
url_decode(const char *text, size_t size, bool plus, char *ret, size_t max)
{
	size_t i, n = 0;
	int high, low;

	for (i = 0; i < size && n < max; i++) {
		if (text[i] != '%') {
			ret[n++] = plus && text[i] == '+' ? ' ' : text[i];
			continue;
		}
		if (size - i < 3 || (high = hex_value(text[i + 1])) == -1 ||
		    (low = hex_value(text[i + 2])) == -1)
			return -1;
		ret[n++] = (char)(high << 4 | low);
		i += 2;
	}
	if (i < size || !event_plain(ret, n))
		return -1;
	ret[n] = '\0';
	return (int)n;
}

static int
hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c = (char)tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
