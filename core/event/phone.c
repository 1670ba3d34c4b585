/* SPDX-License-Identifier: ISC */
/* Phone numbers: one number is one entity, however it is written. */
#include "config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/ascii.h"
#include "core/base/utf8.h"
#include "core/event/geo.h"
#include "core/event/phone.h"

#define DIGITS_MIN 7
#define DIGITS_SIZE (PHONE_SIZE + 5) /* with 011 and a trunk of two digits */
#define ABROAD_MIN 10 /* digits after 011, which some areas begin with, too */
#define COMPLETE_MIN                                                           \
	12 /* digits; no number without a calling code has them                \
	    */
#define EXTENSION_MAX 7 /* digits */

/* The digits so far. */
struct phone_draft {
	char digits[DIGITS_SIZE + 1];
	size_t n;
	bool abroad; /* they begin with a calling code */
};

static int read_character(struct phone_draft *d, uint32_t code);
static bool is_phone_separator(uint32_t code);
static int phone_digit(uint32_t code);
static bool is_extension(const char *text);
static void drop_digits(struct phone_draft *d, size_t at, size_t n);
static void drop_prefix(struct phone_draft *d);
static void drop_trunk(struct phone_draft *d);

int
phone_canonical(const char *text, char ret[PHONE_SIZE])
{
	struct phone_draft d = { .n = 0 };
	uint32_t code;
	size_t size;

	text += strspn(text, " ");
	if (strncasecmp(text, "tel:", 4) == 0)
		text += 4;
	for (; *text != '\0'; text += size) {
		if (d.n > 0 && !ascii_is_digit(*text) && is_extension(text))
			break;
		size = utf8_get(text, strlen(text), &code);
		if (size == 0 || read_character(&d, code) == -1)
			return -1;
	}
	drop_prefix(&d);
	if (d.abroad && d.digits[0] == '0')
		return -1;
	drop_trunk(&d);
	if (d.n < DIGITS_MIN || d.n >= PHONE_SIZE ||
	    strncmp(d.digits, "00", 2) == 0)
		return -1;
	memcpy(ret, d.digits, d.n + 1);
	return 0;
}

/* Add a digit, or note a "+" before the first one. */
static int
read_character(struct phone_draft *d, uint32_t code)
{
	const int digit = phone_digit(code);

	if (digit != -1) {
		if (d->n == DIGITS_SIZE)
			return -1;
		d->digits[d->n++] = (char)('0' + digit);
		return 0;
	}
	if (code == '+' || code == 0xff0b) {
		if (d->abroad || d->n > 0)
			return -1;
		d->abroad = true;
		return 0;
	}
	return is_phone_separator(code) ? 0 : -1;
}

/* Dashes and the like, and characters that show nothing. */
static bool
is_phone_separator(uint32_t code)
{
	return utf8_is_blank(code) || code == '(' || code == ')' ||
	    (code >= '-' && code <= '/') ||
	    (code >= 0x2010 && code <= 0x2015) || /* dashes */
	    code == 0x2212 || code == 0xff0d; /* minus, wide dash */
}

/* The value of a digit, also an Arabic, Persian or wide one; -1: none. */
static int
phone_digit(uint32_t code)
{
	static const uint32_t zeros[] = { '0', 0x660, 0x6f0, 0xff10 };
	size_t i;

	for (i = 0; i < nitems(zeros); i++)
		if (code >= zeros[i] && code < zeros[i] + 10)
			return (int)(code - zeros[i]);
	return -1;
}

/* Whether the rest of the text is an extension, such as " ext. 12" or
 * ";ext=12". */
static bool
is_extension(const char *text)
{
	static const char *const names[] = { "extension", "extn", "ext", "x",
		"#" };
	size_t i, digits;

	text += strspn(text, " ,;");
	for (i = 0; i < nitems(names); i++)
		if (strncasecmp(text, names[i], strlen(names[i])) == 0)
			break;
	if (i == nitems(names))
		return false;
	text += strlen(names[i]);
	text += strspn(text, " .:=");
	digits = strspn(text, "0123456789");
	return digits > 0 && digits <= EXTENSION_MAX && text[digits] == '\0';
}

static void
drop_digits(struct phone_draft *d, size_t at, size_t n)
{
	memmove(d->digits + at, d->digits + at + n, d->n - at - n + 1);
	d->n -= n;
}

/* Remove the 00 or 011 that stands for the "+". */
static void
drop_prefix(struct phone_draft *d)
{
	if (d->abroad)
		return;
	if (strncmp(d->digits, "00", 2) == 0) {
		drop_digits(d, 0, 2);
		d->abroad = true;
	} else if (strncmp(d->digits, "011", 3) == 0 &&
	    d->n >= 3 + ABROAD_MIN && geo_trunk(d->digits + 3) != NULL) {
		drop_digits(d, 0, 3);
		d->abroad = true;
	}
}

/* Remove what is dialled only inside the country, behind the calling code. */
static void
drop_trunk(struct phone_draft *d)
{
	const struct geo_trunk *t = geo_trunk(d->digits);
	size_t size;

	if ((!d->abroad && d->n < COMPLETE_MIN) || t == NULL ||
	    (size = strlen(t->trunk)) == 0)
		return;
	while (strncmp(d->digits + t->code, t->trunk, size) == 0 &&
	    (t->digits == 0 || d->n == t->code + size + t->digits))
		drop_digits(d, t->code, size);
}
