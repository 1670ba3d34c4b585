/* SPDX-License-Identifier: ISC */
/* Detect full card numbers (PAN), which the service never accepts. */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/event/pan.h"

#define PREFIX_DIGITS 4
#define EXPONENT_MAX (INT64_C(1) << 40) /* above it, sums could overflow */

/* The card numbers of one scheme: prefixes and lengths. */
struct scheme {
	int first; /* least value of the first four digits */
	int last; /* largest value of the first four digits */
	uint32_t lengths; /* bit n: n digits are possible */
};

/* The bits for lengths from..to. */
#define LENGTHS(from, to) ((UINT32_C(2) << (to)) - (UINT32_C(1) << (from)))
#define LENGTH(n) LENGTHS(n, n)

static size_t block_end(const char *s, size_t n, size_t i);
static size_t pan_at(const char *s, size_t n, size_t i);
static bool is_pan(const char *digits, size_t n);
static bool luhn_valid(const char *digits, size_t n);
static bool is_digit(char c);
static bool is_letter(char c);

/*
 * Card schemes by the first four digits.  The prefix 6 is one row with all
 * lengths: Discover, UnionPay, RuPay, Maestro, Elo, Hipercard, Verve, Troy and
 * national schemes share it at all lengths.  This refuses one in ten of the
 * other numbers that begin with 6, but accepting a card number is worse.  UATP
 * (1, 15 digits) is left out: only airlines accept it, and timestamps begin
 * with 1.
 */
static const struct scheme schemes[] = {
	{ 1946, 1946, LENGTH(16) }, /* GPN */
	{ 2200, 2205, LENGTHS(16, 19) }, /* Mir, Borica */
	{ 2221, 2720, LENGTH(16) }, /* Mastercard */
	{ 3000, 3059, LENGTHS(14, 19) }, /* Diners Club */
	{ 3095, 3095, LENGTHS(14, 19) }, /* Diners Club */
	{ 3400, 3499, LENGTH(15) }, /* American Express */
	{ 3528, 3589, LENGTHS(16, 19) }, /* JCB, RuPay, LankaPay */
	{ 3600, 3699, LENGTHS(14, 19) }, /* Diners Club */
	{ 3700, 3799, LENGTH(15) }, /* American Express */
	{ 3800, 3999, LENGTHS(14, 19) }, /* Diners Club */
	{ 4000, 4999, LENGTH(13) | LENGTH(16) | LENGTH(19) }, /* Visa */
	{ 5000, 5099, LENGTHS(13, 19) }, /* Maestro, Elo, Verve, RuPay */
	{ 5100, 5599, LENGTH(16) }, /* Mastercard */
	{ 5600, 5899, LENGTHS(13, 19) }, /* Maestro, Uzcard */
	{ 6000, 6999, LENGTHS(13, 19) },
	{ 8100, 8199, LENGTHS(16, 19) }, /* UnionPay, RuPay */
	{ 8200, 8299, LENGTH(16) }, /* RuPay */
	{ 8600, 8600, LENGTH(16) }, /* Uzcard */
	{ 9792, 9792, LENGTH(16) }, /* Troy */
	{ 9860, 9860, LENGTH(16) }, /* Humo */
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
	size_t i, end;

	/* Each block of digits without a letter before it may be the start. */
	for (i = 0; i < n; i = end + 1) {
		end = i;
		if (!is_digit(s[i]))
			continue;
		end = block_end(s, n, i);
		if (i > 0 && is_letter(s[i - 1]))
			continue;
		if ((*ret_size = pan_at(s, n, i)) > 0)
			return s + i;
	}
	return NULL;
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
		if (!is_digit(*p))
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
	    is_pan(digits, (size_t)length);
}

/* The end of the block of digits that begins at i. */
static size_t
block_end(const char *s, size_t n, size_t i)
{
	while (i < n && is_digit(s[i]))
		i++;
	return i;
}

/* The bytes of a card number that begins with the block at i, or 0. */
static size_t
pan_at(const char *s, size_t n, size_t i)
{
	char digits[PAN_MAX];
	const size_t first = i;
	size_t count = 0, end;

	/* Append block after block; test the digits unless a letter follows. */
	for (;; i = end + 1) {
		end = block_end(s, n, i);
		if (end - i > PAN_MAX - count)
			return 0;
		memcpy(digits + count, s + i, end - i);
		count += end - i;
		if (end < n && is_letter(s[end]))
			return 0;
		if (is_pan(digits, count))
			return end - first;
		if (n - end < 2 || (s[end] != ' ' && s[end] != '-') ||
		    !is_digit(s[end + 1]))
			return 0;
	}
}

/* Whether n digits have the prefix and length of a scheme and pass Luhn. */
static bool
is_pan(const char *digits, size_t n)
{
	int prefix = 0;
	size_t i;

	if (n < PAN_MIN || n > PAN_MAX)
		return false;
	for (i = 0; i < PREFIX_DIGITS; i++)
		prefix = prefix * 10 + (digits[i] - '0');
	for (i = 0; i < sizeof(schemes) / sizeof(schemes[0]); i++)
		if (prefix >= schemes[i].first && prefix <= schemes[i].last &&
		    (schemes[i].lengths >> n & 1) != 0)
			return luhn_valid(digits, n);
	return false;
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
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
