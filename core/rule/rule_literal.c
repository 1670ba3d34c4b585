/* SPDX-License-Identifier: ISC */
/* What the strings and numbers of rule text stand for. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "core/base/utf8.h"
#include "core/rule/rule_int.h"

/* The value of a string while its escapes are taken out. */
struct unquoted {
	char text[RULE_STRING_MAX + 1];
	size_t len;
};

static size_t append_escape(const char *p, struct unquoted *value,
    const struct rule_lexeme *at, struct fail *f);
static size_t unescape_code(const char *p, uint32_t *ret);
static int parse_hex4(const char *p, uint32_t *ret);
static int unquoted_add(struct unquoted *value, const char *p, size_t n,
    const struct rule_lexeme *at, struct fail *f);
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
rule_word_string(struct arena *a, const struct rule_lexeme *at, struct fail *f)
{
	struct unquoted value = { .len = 0 };
	struct rule_lexeme here = *at;
	const char *p = memchr(at->text, '"', at->len);
	const char *end = at->text + at->len - 1;
	char *copy;
	size_t n;

	here.column += (int)(p - at->text) + 1;
	for (p++; p < end; p += n) {
		if (*p == '\\')
			n = append_escape(p, &value, &here, f);
		else {
			n = utf8_get(p, (size_t)(end - p), NULL);
			if (unquoted_add(&value, p, n, at, f) == -1)
				n = 0;
		}
		if (n == 0)
			return NULL;
		here.column += *p == '\\' ? (int)n : 1;
	}
	copy = arena_strndup(a, value.text, value.len);
	if (copy == NULL)
		fail_memory(f);
	return copy;
}

int
rule_word_number(const struct rule_lexeme *at, double *ret, struct fail *f)
{
	char text[RULE_NUMBER_MAX + 1] = "";
	double n;

	if (at->len <= RULE_NUMBER_MAX)
		memcpy(text, at->text, at->len);
	if (at->len > RULE_NUMBER_MAX || !number_form(text))
		return rule_lex_expected(f, at, "a number such as 25 or -0.5");
	n = strtod(text, NULL);
	if (!isfinite(n))
		return rule_lex_fail(f, at, "the number is too large");

	/* Minus nothing is nothing, also when it is printed. */
	*ret = n == 0 ? 0 : n;
	return 0;
}

/*
 * Add what the escape at p stands for.  Returns its length, or 0 with f set.
 * A closing quote follows somewhere, so looking ahead is safe.
 */
static size_t
append_escape(const char *p, struct unquoted *value,
    const struct rule_lexeme *at, struct fail *f)
{
	char text[UTF8_MAX];
	uint32_t code;
	size_t i, n;

	for (i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++)
		if (p[1] == escapes[i].letter)
			return unquoted_add(value, &escapes[i].c, 1, at, f) ==
				-1
			    ? 0
			    : 2;
	n = p[1] == 'u' ? unescape_code(p, &code) : 0;
	if (n == 0) {
		rule_lex_fail(f, at,
		    "found an unknown escape, expected \\\", \\\\, \\/, \\b, "
		    "\\f, \\n, \\r, \\t or \\u and four hexadecimal digits "
		    "(not \\u0000, surrogates in pairs)");
		return 0;
	}
	if (unquoted_add(value, text, utf8_put(code, text), at, f) == -1)
		return 0;
	return n;
}

/* The code point of the \u escape at p.  Returns its length, 0 if bad. */
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

/* Four hexadecimal digits; stops at the first character that is none. */
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
    const struct rule_lexeme *at, struct fail *f)
{
	if (n > RULE_STRING_MAX - value->len)
		return rule_lex_fail(f, at,
		    "the string is longer than %d bytes", RULE_STRING_MAX);
	memcpy(value->text + value->len, p, n);
	value->len += n;
	return 0;
}

/* Whether the text is a number as JSON writes them. */
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

/* Go over one or more digits.  Returns 0, or -1 if there is none. */
static int
skip_digits(const char **p)
{
	const char *start = *p;

	while (**p >= '0' && **p <= '9')
		(*p)++;
	return *p == start ? -1 : 0;
}
