/* SPDX-License-Identifier: ISC */
/* Numbers in text that are certainly no card numbers, although they look so. */
#include "config.h"

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/ascii.h"
#include "core/event/known_number.h"

#define IBAN_MAX 34 /* characters */
#define PHONE_MIN 7 /* digits */
#define PHONE_MAX 15
#define TRACKING_DIGITS 22

struct iban_length {
	char country[3];
	uint8_t length;
};

static size_t iban_at(const char *s, size_t n, size_t i);
static size_t iban_length(char first, char second);
static bool iban_valid(const char *chars, size_t n);
static size_t international_at(const char *s, size_t n, size_t i);
static size_t tracking_at(const char *s, size_t n, size_t i);

static const struct iban_length iban_lengths[] = {
#define IBAN(country, length) { #country, length },
#include "core/event/iban_lengths.tbl"
#undef IBAN
};

size_t
known_number_at(const char *s, size_t n, size_t i)
{
	if (s[i] == '+')
		return international_at(s, n, i);
	if (i > 0 && ascii_is_alnum(s[i - 1]))
		return 0;
	return s[i] == '9' ? tracking_at(s, n, i) : iban_at(s, n, i);
}

/* An IBAN may have single blanks or dashes anywhere. */
static size_t
iban_at(const char *s, size_t n, size_t i)
{
	char chars[IBAN_MAX];
	size_t at, length, count = 0;

	/* Most words of a text have a third letter. */
	if (n - i < 3 || ascii_is_letter(s[i + 2]) ||
	    (length = iban_length(s[i], s[i + 1])) == 0)
		return 0;
	for (at = i; at < n && count < length; at++) {
		if (ascii_is_alnum(s[at]))
			chars[count++] = s[at];
		else if ((s[at] != ' ' && s[at] != '-') ||
		    !ascii_is_alnum(s[at - 1]))
			return 0;
	}
	if (count < length || (at < n && ascii_is_alnum(s[at])) ||
	    !iban_valid(chars, length))
		return 0;
	return at - i;
}

/* The length of an IBAN of the country with these letters; 0: not a country. */
static size_t
iban_length(char first, char second)
{
	const struct iban_length *row;

	for (row = iban_lengths; row < &iban_lengths[nitems(iban_lengths)];
	     row++)
		if (row->country[0] == ascii_upper(first) &&
		    row->country[1] == ascii_upper(second))
			return row->length;
	return 0;
}

/* ISO 13616: the number, its first four characters last, is 1 modulo 97. */
static bool
iban_valid(const char *chars, size_t n)
{
	unsigned rest = 0;
	size_t i;
	char c;

	for (i = 0; i < n; i++) {
		c = chars[(i + 4) % n];
		if (ascii_is_digit(c))
			rest = (rest * 10 + (unsigned)(c - '0')) % 97;
		else
			rest = (rest * 100 + (unsigned)(ascii_upper(c) - 'A') +
				   10) %
			    97;
	}
	return rest == 1;
}

/* No card number is written with a plus, and no phone has more digits. */
static size_t
international_at(const char *s, size_t n, size_t i)
{
	size_t at, end = i, digits = 0;

	for (at = i + 1; at < n; at++) {
		if (ascii_is_digit(s[at])) {
			digits++;
			end = at + 1;
		} else if (s[at] != ' ' && s[at] != '-' && s[at] != '(' &&
		    s[at] != ')' && s[at] != '.') {
			break;
		}
	}
	return digits >= PHONE_MIN && digits <= PHONE_MAX ? end - i : 0;
}

/*
 * A tracking number begins with 91 to 95.  The digits before the last one count
 * 3 and 1 in turn, from the right; with the last one they are a multiple of 10.
 */
static size_t
tracking_at(const char *s, size_t n, size_t i)
{
	unsigned sum = 0, digits = 0;
	size_t at;

	if (n - i < TRACKING_DIGITS || s[i + 1] < '1' || s[i + 1] > '5')
		return 0;
	for (at = i; at < n && digits < TRACKING_DIGITS; at++) {
		if (ascii_is_digit(s[at]))
			sum += (unsigned)(s[at] - '0') *
			    (digits++ % 2 == 0 ? 3 : 1);
		else if (s[at] != ' ' || !ascii_is_digit(s[at - 1]))
			return 0;
	}
	if (digits < TRACKING_DIGITS || (at < n && ascii_is_alnum(s[at])) ||
	    sum % 10 != 0)
		return 0;
	return at - i;
}
