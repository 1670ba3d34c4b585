/* SPDX-License-Identifier: ISC */
/* UTF-8 (RFC 3629): one character at a time. */
#include "config.h"

#include <assert.h>

#include "core/base/utf8.h"

/* By length: the mask and bits of the first byte, and the least code point. */
static const struct {
	unsigned char mask;
	unsigned char lead;
	uint32_t least;
} forms[UTF8_MAX + 1] = {
	[1] = { 0x80, 0x00, 0 },
	[2] = { 0xe0, 0xc0, 0x80 },
	[3] = { 0xf0, 0xe0, 0x800 },
	[4] = { 0xf8, 0xf0, 0x10000 },
};

size_t
utf8_get(const char *p, size_t n, uint32_t *ret)
{
	const unsigned char *byte = (const unsigned char *)p;
	uint32_t code;
	size_t len, i;

	if (n == 0)
		return 0;
	for (len = 1; len <= UTF8_MAX; len++)
		if ((byte[0] & forms[len].mask) == forms[len].lead)
			break;
	if (len > UTF8_MAX || len > n)
		return 0;

	code = byte[0] & (0xffU & ~(uint32_t)forms[len].mask);
	for (i = 1; i < len; i++) {
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (byte[i] & 0x3f);
	}
	if (code < forms[len].least || code > 0x10ffff ||
	    (code >= 0xd800 && code <= 0xdfff))
		return 0;
	if (ret != NULL)
		*ret = code;
	return len;
}

size_t
utf8_put(uint32_t code, char ret[UTF8_MAX])
{
	size_t len, i;

	assert(code <= 0x10ffff && (code < 0xd800 || code > 0xdfff));
	for (len = UTF8_MAX; code < forms[len].least; len--)
		;
	for (i = len - 1; i > 0; i--) {
		ret[i] = (char)(0x80 | (code & 0x3f));
		code >>= 6;
	}
	ret[0] = (char)(forms[len].lead | code);
	return len;
}
