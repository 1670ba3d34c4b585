/* SPDX-License-Identifier: ISC */
/* Decode the strings and numbers of rule text. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/utf8.h"
#include "core/rule/rule.h"
#include "core/rule/rule_int.h"

/* A string that is being decoded. */
struct unquoted {
	char text[RULE_STRING_MAX + 1];
	size_t len;
};

static size_t append_escape(const char *p, struct unquoted *value,
    const struct rule_lexeme *at, struct rule_mistakes *m);
static size_t unescape_code(const char *p, uint32_t *ret);
static int parse_hex4(const char *p, uint32_t *ret);
static int unquoted_add(struct unquoted *value, const char *p, size_t n,
    const struct rule_lexeme *at, struct rule_mistakes *m);
static bool number_form(const char *p);
static int skip_digits(const char **p);

/* The escapes of one letter. */
static const struct {
	char letter;
	char c;
} escapes[] = {
	{ '"', '"' },
	{ '\\', '\\' },
	{ '/', '/' },
	{ 'b', '\b' },
	{ 'f', '\f' },
	{ 'n', '\n' },
	{ 'r', '\r' },
	{ 't', '\t' },
};

char *
rule_word_string(
    struct arena *a, const struct rule_lexeme *at, struct rule_mistakes *m)
{
	struct unquoted value = { .len = 0 };
	struct rule_lexeme here = *at;
	const char *p = memchr(at->text, '"', at->len);
	const char *end = at->text + at->len - 1;
	char *copy;
	size_t n;

	here.column += (int)(p - at->text) + 1;
	for (p++; p < end; p += n) {
		here.text = p;
		here.len = 2; /* a wrong escape is shown up to its letter */
		if (*p == '\\')
			n = append_escape(p, &value, &here, m);
		else {
			n = utf8_get(p, (size_t)(end - p), NULL);
			if (unquoted_add(&value, p, n, at, m) == -1)
				n = 0;
		}
		if (n == 0)
			return NULL;
		here.column += *p == '\\' ? (int)n : 1;
	}
	copy = arena_strndup(a, value.text, value.len);
	if (copy == NULL)
		rule_mistake_memory(m);
	return copy;
}

int
rule_word_number(
    const struct rule_lexeme *at, double *ret, struct rule_mistakes *m)
{
	char text[RULE_NUMBER_MAX + 1] = "";
	double n;

	if (at->len <= RULE_NUMBER_MAX)
		memcpy(text, at->text, at->len);
	if (at->len > RULE_NUMBER_MAX || !number_form(text))
		return rule_mistake_expected(
		    m, at, "a number such as 25 or -0.5");
	n = strtod(text, NULL);
	if (!isfinite(n))
		return rule_mistake_add(m, at, "the number is too large");

	/* Replace -0 by 0, so that it prints as 0. */
	*ret = n == 0 ? 0 : n;
	return 0;
}

/*
 * Decode the escape at p and append its character.  Return the length of the
 * escape, or 0 with a mistake.  A closing quote follows and is not part of any
 * escape, so the function never reads past the end of the text.
 */
static size_t
append_escape(const char *p, struct unquoted *value,
    const struct rule_lexeme *at, struct rule_mistakes *m)
{
	char text[UTF8_MAX];
	uint32_t code;
	size_t i, n;

	for (i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (p[1] == escapes[i].letter)
			return unquoted_add(value, &escapes[i].c, 1, at, m) ==
				-1
			    ? 0
			    : 2;
	n = p[1] == 'u' ? unescape_code(p, &code) : 0;
	if (n == 0) {
		rule_mistake_add(m, at,
		    "found an unknown escape, expected \\\", \\\\, \\/, \\b, "
		    "\\f, \\n, \\r, \\t or \\u and four hexadecimal digits "
		    "(not \\u0000, surrogates in pairs)");
		return 0;
	}
	if (unquoted_add(value, text, utf8_put(code, text), at, m) == -1)
		return 0;
	return n;
}

/* Decode the \u escape at p.  Return its length, or 0 if it is invalid. */
static size_t
unescape_code(const char *p, uint32_t *ret)
{
	uint32_t high, low;

	if (parse_hex4(p + 2, &high) == -1 || high == 0 ||
	    (high >= 0xdc00 && high <= 0xdfff))
		return 0;
	*ret = high;
	if (high < 0xd800 || high > 0xdfff)
		return 6;
	if (p[6] != '\\' || p[7] != 'u' || parse_hex4(p + 8, &low) == -1 ||
	    low < 0xdc00 || low > 0xdfff)
		return 0;
	*ret = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	return 12;
}

/* Read four hexadecimal digits; stop at the first other character. */
static int
parse_hex4(const char *p, uint32_t *ret)
{
	int i;

	for (*ret = 0, i = 0; i < 4; i++) {
		*ret <<= 4;
		if (p[i] >= '0' && p[i] <= '9')
			*ret |= (uint32_t)(p[i] - '0');
		else if (p[i] >= 'a' && p[i] <= 'f')
			*ret |= (uint32_t)(p[i] - 'a' + 10);
		else if (p[i] >= 'A' && p[i] <= 'F')
			*ret |= (uint32_t)(p[i] - 'A' + 10);
		else
			return -1;
	}
	return 0;
}

static int
unquoted_add(struct unquoted *value, const char *p, size_t n,
    const struct rule_lexeme *at, struct rule_mistakes *m)
{
	if (n > RULE_STRING_MAX - value->len)
		return rule_mistake_add(m, at,
		    "the string is longer than %d bytes", RULE_STRING_MAX);
	memcpy(value->text + value->len, p, n);
	value->len += n;
	return 0;
}

/* Whether the text has the form of a JSON number. */
static bool
number_form(const char *p)
{
	if (*p == '-')
		p++;
	if (*p == '0')
		p++;
	else if (skip_digits(&p) == -1)
		return false;
	if (*p == '.') {
		p++;
		if (skip_digits(&p) == -1)
			return false;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (skip_digits(&p) == -1)
			return false;
	}
	return *p == '\0';
}

/* Skip one or more digits.  Return 0, or -1 if there is no digit. */
static int
skip_digits(const char **p)
{
	const char *start = *p;

	while (**p >= '0' && **p <= '9')
		(*p)++;
	return *p == start ? -1 : 0;
}
