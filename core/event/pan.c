/* SPDX-License-Identifier: ISC */
/* Detect full card numbers (PAN), which the service never accepts. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/ascii.h"
#include "core/event/known_number.h"
#include "core/event/pan.h"

#define PREFIX_DIGITS 4
#define PAN_SHOWN 4 /* digits that a mask leaves */
#define EXPONENT_MAX (INT64_C(1) << 40) /* above it, sums could overflow */

/* The card numbers of one scheme: prefixes and lengths. */
struct scheme {
	int first; /* least value of the first four digits */
	int last; /* largest value of the first four digits */
	uint32_t lengths; /* bit n: n digits are possible */
	const char *apart; /* no other digits are beside, behind these */
};

#define LENGTH(n) (UINT32_C(1) << (n))
#define LONGER (LENGTH(18) | LENGTH(19))

static size_t block_end(const char *s, size_t n, size_t i);
static size_t pan_at(const char *s, size_t n, size_t i, bool longest);
static bool joins_other_digits(
    const struct scheme *scheme, const char *s, size_t n, size_t at);
static const struct scheme *scheme_of(const char *digits, size_t n);
static bool luhn_valid(const char *digits, size_t n);
static bool is_separator(char c);

/*
 * Card schemes of today by the first four digits.  The prefix 6 is one row:
 * Discover, UnionPay, RuPay, Maestro, Elo, Hipercard, Verve, Troy and national
 * schemes share it.  ISO/IEC 7812 leaves 9 to national schemes, those named
 * here and others.  No scheme issues 13 digits any more.  17 digits are left
 * out, because numbers of orders have as many.  UATP (1, 15 digits) is left
 * out, too: only airlines accept it, and timestamps begin with 1.
 */
static const struct scheme schemes[] = {
	{ 1946, 1946, LENGTH(16), "" }, /* GPN */
	{ 2200, 2205, LENGTH(16) | LONGER, "" }, /* Mir, Borica */
	{ 2221, 2720, LENGTH(16), "" }, /* Mastercard */
	{ 3000, 3059, LENGTH(14), "-" }, /* Diners Club */
	{ 3000, 3059, LENGTH(16) | LONGER, "" },
	{ 3095, 3095, LENGTH(14), "-" }, /* Diners Club */
	{ 3095, 3095, LENGTH(16) | LONGER, "" },
	{ 3400, 3499, LENGTH(15), "" }, /* American Express */
	{ 3528, 3589, LENGTH(16) | LONGER, "" }, /* JCB, RuPay, LankaPay */
	{ 3600, 3699, LENGTH(14), "-" }, /* Diners Club */
	{ 3600, 3699, LENGTH(16) | LONGER, "" },
	{ 3700, 3799, LENGTH(15), "" }, /* American Express */
	{ 3800, 3999, LENGTH(14), "-" }, /* Diners Club */
	{ 3800, 3999, LENGTH(16) | LONGER, "" },
	{ 4000, 4999, LENGTH(16) | LONGER, "" }, /* Visa */
	{ 5000, 5099, LENGTH(16) | LONGER, "" }, /* Maestro, Elo, Verve */
	{ 5100, 5599, LENGTH(16), "" }, /* Mastercard */
	{ 5600, 5899, LENGTH(16) | LONGER, "" }, /* Maestro, Uzcard */
	{ 6000, 6999, LENGTH(16) | LONGER, "" },
	{ 8100, 8199, LENGTH(16) | LONGER, "" }, /* UnionPay, RuPay */
	{ 8200, 8299, LENGTH(16), "" }, /* RuPay */
	{ 8600, 8600, LENGTH(16), "" }, /* Uzcard */
	{ 9051, 9051, LENGTH(16), "" }, /* ArCa */
	{ 9112, 9112, LENGTH(16), "" }, /* Belkart */
	{ 9417, 9417, LENGTH(16), "" }, /* Elkart */
	{ 9704, 9704, LENGTH(16) | LENGTH(19), "" }, /* Napas */
	{ 9792, 9792, LENGTH(16), "" }, /* Troy */
	{ 9804, 9804, LENGTH(16), "" }, /* Prostir */
	{ 9860, 9860, LENGTH(16), "" }, /* Humo */
	{ 9891, 9891, LENGTH(16), "" }, /* DinaCard */
	{ 9000, 9999, LENGTH(16) | LENGTH(19), " -" },
};

bool
pan_in_text(const char *s, size_t n)
{
	size_t size;

	return pan_find(s, n, &size) != NULL;
}

const char *
pan_find(const char *s, size_t n, size_t *ret_size)
{
	size_t i, end, known;

	/* Each block of digits without a letter before it may be the start. */
	for (i = 0; i < n; i = end + 1) {
		end = i;
		if ((known = known_number_at(s, n, i)) > 0)
			end = i + known - 1;
		if (known > 0 || !ascii_is_digit(s[i]))
			continue;
		end = block_end(s, n, i);
		if (i > 0 && ascii_is_letter(s[i - 1]))
			continue;
		if ((*ret_size = pan_at(s, n, i, false)) > 0)
			return s + i;
	}
	return NULL;
}

bool
pan_mask(char *s, size_t n)
{
	const char *card;
	size_t at, size, shown, i;
	bool found = false;

	/* What is before a mask may be a card number only now. */
	while ((card = pan_find(s, n, &size)) != NULL) {
		found = true;
		at = (size_t)(card - s);
		size = pan_at(s, n, at, true);
		for (shown = 0, i = at + size; i > at; i--)
			if (ascii_is_digit(s[i - 1]) && shown++ >= PAN_SHOWN)
				s[i - 1] = '*';
	}
	return found;
}

bool
pan_in_number(const char *number)
{
	char digits[PAN_MAX];
	size_t total = 0,
	       used = 0; /* digits, and without the zeros at the end */
	int64_t fraction = 0, exponent, length;
	bool point = false;
	const char *p;

	if (pan_in_text(number, strlen(number)))
		return true;

	/* Collect the digits from the first nonzero one; find the point. */
	memset(digits, '0', sizeof(digits));
	for (p = number; *p != '\0' && *p != 'e' && *p != 'E'; p++) {
		point = point || *p == '.';
		if (!ascii_is_digit(*p))
			continue;
		fraction += point;
		if (*p != '0') {
			if (total >= PAN_MAX)
				return false;
			digits[total] = *p;
			used = total + 1;
		}
		total += total > 0 || *p != '0';
	}

	/* The number of digits of the value, if it is an integer. */
	exponent = *p == '\0' ? 0 : strtoll(p + 1, NULL, 10);
	if (exponent < -EXPONENT_MAX || exponent > EXPONENT_MAX)
		return false;
	length = (int64_t)total - fraction + exponent;
	return length >= (int64_t)used && length <= PAN_MAX &&
	    scheme_of(digits, (size_t)length) != NULL;
}

/* The end of the block of digits that begins at i. */
static size_t
block_end(const char *s, size_t n, size_t i)
{
	while (i < n && ascii_is_digit(s[i]))
		i++;
	return i;
}

/* The bytes of a card number that begins with the block at i, or 0. */
static size_t
pan_at(const char *s, size_t n, size_t i, bool longest)
{
	char digits[PAN_MAX];
	const struct scheme *scheme;
	const size_t first = i;
	size_t count = 0, best = 0, end;

	/* Append block after block; test the digits unless a letter follows. */
	for (;; i = end + 1) {
		end = block_end(s, n, i);
		if (end - i > PAN_MAX - count)
			return best;
		memcpy(digits + count, s + i, end - i);
		count += end - i;
		if (end < n && ascii_is_letter(s[end]))
			return best;
		if ((scheme = scheme_of(digits, count)) != NULL &&
		    !joins_other_digits(scheme, s, n, first) &&
		    !joins_other_digits(scheme, s, n, end + 1))
			best = end - first;
		if ((best > 0 && !longest) || n - end < 2 ||
		    !is_separator(s[end]) || !ascii_is_digit(s[end + 1]))
			return best;
	}
}

/*
 * Whether the byte before at is a separator that joins a number of the scheme
 * to other digits, so that it is a part of something longer.
 */
static bool
joins_other_digits(
    const struct scheme *scheme, const char *s, size_t n, size_t at)
{
	return at >= 2 && at < n && ascii_is_digit(s[at - 2]) &&
	    ascii_is_digit(s[at]) && is_separator(s[at - 1]) &&
	    strchr(scheme->apart, s[at - 1]) != NULL;
}

/* The scheme of n digits that pass Luhn; NULL if they are no card number. */
static const struct scheme *
scheme_of(const char *digits, size_t n)
{
	const struct scheme *row;
	int prefix = 0;
	size_t i;

	if (n < PAN_MIN || n > PAN_MAX)
		return NULL;
	for (i = 0; i < PREFIX_DIGITS; i++)
		prefix = prefix * 10 + (digits[i] - '0');
	for (row = schemes; row < &schemes[nitems(schemes)]; row++)
		if (prefix >= row->first && prefix <= row->last &&
		    (row->lengths >> n & 1) != 0)
			return luhn_valid(digits, n) ? row : NULL;
	return NULL;
}

/* ISO/IEC 7812: double every second digit from the right. */
static bool
luhn_valid(const char *digits, size_t n)
{
	static const int twice[] = { 0, 2, 4, 6, 8, 1, 3, 5, 7, 9 };
	int sum = 0, digit;
	size_t i;

	for (i = 0; i < n; i++) {
		digit = digits[n - 1 - i] - '0';
		sum += i % 2 == 1 ? twice[digit] : digit;
	}
	return sum % 10 == 0;
}

static bool
is_separator(char c)
{
	return c == ' ' || c == '-';
}
