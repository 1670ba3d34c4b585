/* SPDX-License-Identifier: ISC */
/* UTF-8 (RFC 3629): one character at a time. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/array.h"
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

/* Unicode's White_Space and Default_Ignorable_Code_Point, without variation
 * selectors and tags; and the blank pattern of Braille. */
static const struct {
	uint32_t first, last;
} blanks[] = {
	{ '\t', '\r' }, { ' ', ' ' }, { 0x85, 0x85 }, /* next line */
	{ 0xa0, 0xa0 }, /* no-break space */
	{ 0xad, 0xad }, /* soft hyphen */
	{ 0x34f, 0x34f }, /* combining grapheme joiner */
	{ 0x61c, 0x61c }, /* Arabic letter mark */
	{ 0x115f, 0x1160 }, /* Hangul fillers */
	{ 0x1680, 0x1680 }, /* Ogham space */
	{ 0x17b4, 0x17b5 }, /* Khmer inherent vowels */
	{ 0x180e, 0x180e }, /* Mongolian vowel separator */
	{ 0x2000, 0x200f }, /* spaces, width zero, direction marks */
	{ 0x2028, 0x202f }, /* separators, directions, narrow space */
	{ 0x205f, 0x206f }, /* a space, invisible operators, directions */
	{ 0x2800, 0x2800 }, /* Braille */
	{ 0x3000, 0x3000 }, /* ideographic space */
	{ 0x3164, 0x3164 }, /* Hangul filler */
	{ 0xfeff, 0xfeff }, /* byte order mark */
	{ 0xffa0, 0xffa0 }, /* halfwidth Hangul filler */
	{ 0x1bca0, 0x1bca3 }, /* shorthand format controls */
	{ 0x1d173, 0x1d17a }, /* musical format controls */
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

bool
utf8_is_blank(uint32_t code)
{
	size_t i;

	for (i = 0; i < nitems(blanks); i++)
		if (code >= blanks[i].first && code <= blanks[i].last)
			return true;
	return false;
}

bool
utf8_has_blank_ends(const char *text)
{
	const char *last = text + strlen(text);
	uint32_t code;

	if (utf8_get(text, strlen(text), &code) == 0)
		return false;
	if (utf8_is_blank(code))
		return true;
	do
		last--;
	while (utf8_continues(*last));
	return utf8_get(last, strlen(last), &code) > 0 && utf8_is_blank(code);
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
