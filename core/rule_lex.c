/* SPDX-License-Identifier: ISC */
/* Rule text to tokens, and what words and strings stand for. */
#include "config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/rule.h"
#include "core/utf8.h"
#include "core/rule_int.h"

#define SHOWN_MAX 40 /* bytes of a word that a message repeats */

/* The value of a string while its escapes are taken out. */
struct unquoted {
	char text[RULE_STRING_MAX + 1];
	size_t len;
};

static void lex_skip(struct lexer *);
static void lex_advance(struct lexer *, size_t);
static int lex_string(struct lexer *, const struct lexeme *, struct fail *);
static int lex_symbol(struct lexer *, struct lexeme *, struct fail *);
static int lex_stray(
    const struct lexer *, const struct lexeme *, struct fail *);
static size_t word_length(const char *, const char *);
static bool word_char(char);
static size_t unescape(
    const char *, struct unquoted *, const struct lexeme *, struct fail *);
static size_t unescape_code(const char *, uint32_t *);
static int hex4(const char *, uint32_t *);
static int unquoted_add(struct unquoted *, const char *, size_t,
    const struct lexeme *, struct fail *);
static bool number_form(const char *);
static int digits(const char **);
static int fail_at(struct fail *, const struct lexeme *, const char *,
    const char *, va_list) __attribute__((format(printf, 4, 0)));

/* Symbols, a longer one before the one that it begins with. */
static const struct {
	enum token token;
	const char *text;
} symbols[] = {
	{ TOKEN_ADD, "+=" },
	{ TOKEN_EQ, "==" },
	{ TOKEN_NE, "!=" },
	{ TOKEN_GE, ">=" },
	{ TOKEN_LE, "<=" },
	{ TOKEN_AND, "&&" },
	{ TOKEN_OR, "||" },
	{ TOKEN_GT, ">" },
	{ TOKEN_LT, "<" },
	{ TOKEN_NOT, "!" },
	{ TOKEN_COMMA, "," },
	{ TOKEN_LBRACE, "{" },
	{ TOKEN_RBRACE, "}" },
	{ TOKEN_LPAREN, "(" },
	{ TOKEN_RPAREN, ")" },
	{ TOKEN_LBRACKET, "[" },
	{ TOKEN_RBRACKET, "]" },
};

/* Characters that are no token, and what their writer may have meant. */
static const struct {
	char c;
	const char *meant;
} strays[] = {
	{ '=', "\"==\"" },
	{ '&', "\"&&\"" },
	{ '|', "\"||\"" },
	{ '\'', "a string in double quotes" },
	{ '/', "\"//\" before a comment" },
};

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

int
rule_lex_init(struct lexer *lx, const char *text, size_t len, struct fail *f)
{
	struct lexeme at = { 0 };
	uint32_t code;
	size_t n;

	*lx = (struct lexer) {
		.lx_next = text,
		.lx_end = text + len,
		.lx_line = 1,
		.lx_column = 1,
	};
	at.line = at.column = 1;
	if (len > RULE_TEXT_MAX)
		return rule_lex_fail(
		    f, &at, "the text is longer than %d bytes", RULE_TEXT_MAX);

	/* Every byte, comments included, so that no later pass need ask. */
	while (lx->lx_next < lx->lx_end) {
		n = utf8_get(
		    lx->lx_next, (size_t)(lx->lx_end - lx->lx_next), &code);
		at.line = lx->lx_line;
		at.column = lx->lx_column;
		if (n == 0)
			return rule_lex_fail(
			    f, &at, "found a byte that is not valid UTF-8");
		if ((code < 0x20 && code != '\t' && code != '\n' &&
			code != '\r') ||
		    code == 0x7f)
			return rule_lex_fail(f, &at,
			    "found the control character U+%04X",
			    (unsigned int)code);
		lex_advance(lx, n);
	}
	lx->lx_next = text;
	lx->lx_line = lx->lx_column = 1;
	return 0;
}

int
rule_lex_next(struct lexer *lx, struct lexeme *ret, struct fail *f)
{
	lex_skip(lx);
	*ret = (struct lexeme) {
		.token = TOKEN_END,
		.text = lx->lx_next,
		.line = lx->lx_line,
		.column = lx->lx_column,
	};
	if (lx->lx_next == lx->lx_end)
		return 0;

	/* Most tokens are words; attr."name" is one token too. */
	ret->len = word_length(lx->lx_next, lx->lx_end);
	if (ret->len > 0) {
		ret->token = TOKEN_WORD;
		lex_advance(lx, ret->len);
		if (lx->lx_next == lx->lx_end || *lx->lx_next != '"' ||
		    !rule_lex_is(ret, "attr."))
			return 0;
		ret->token = TOKEN_ATTR;
	} else if (*lx->lx_next == '"')
		ret->token = TOKEN_STRING;
	else
		return lex_symbol(lx, ret, f);

	if (lex_string(lx, ret, f) == -1)
		return -1;
	ret->len = (size_t)(lx->lx_next - ret->text);
	return 0;
}

bool
rule_lex_is(const struct lexeme *at, const char *word)
{
	return at->token == TOKEN_WORD && at->len == strlen(word) &&
	    memcmp(at->text, word, at->len) == 0;
}

bool
rule_lex_ident(const char *text)
{
	size_t len = strlen(text);

	return len >= 1 && len <= RULE_ID_MAX &&
	    word_length(text, text + len) == len;
}

char *
rule_lex_string(struct arena *a, const struct lexeme *at, struct fail *f)
{
	struct unquoted value = { .len = 0 };
	struct lexeme here = *at;
	const char *p = memchr(at->text, '"', at->len);
	const char *end = at->text + at->len - 1;
	char *copy;
	size_t n;

	here.column += (int)(p - at->text) + 1;
	for (p++; p < end; p += n) {
		if (*p == '\\')
			n = unescape(p, &value, &here, f);
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
		rule_lex_full(f);
	return copy;
}

int
rule_lex_number(const struct lexeme *at, double *ret, struct fail *f)
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

const char *
rule_lex_name(enum token token)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (symbols[i].token == token)
			return symbols[i].text;
	return "";
}

int
rule_lex_fail(struct fail *f, const struct lexeme *at, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	fail_at(f, at, "", why, ap);
	va_end(ap);
	return -1;
}

int
rule_lex_expected(
    struct fail *f, const struct lexeme *at, const char *expected, ...)
{
	char found[SHOWN_MAX + 32];
	va_list ap;

	/* A string may hold anything, so its text is not repeated. */
	if (at->token == TOKEN_END)
		snprintf(found, sizeof(found),
		    "found the end of the text, expected ");
	else if (at->token == TOKEN_STRING)
		snprintf(found, sizeof(found), "found a string, expected ");
	else if (at->token == TOKEN_ATTR)
		snprintf(found, sizeof(found), "found an attribute, expected ");
	else
		snprintf(found, sizeof(found), "found \"%.*s%s\", expected ",
		    (int)(at->len < SHOWN_MAX ? at->len : SHOWN_MAX), at->text,
		    at->len > SHOWN_MAX ? "..." : "");
	va_start(ap, expected);
	fail_at(f, at, found, expected, ap);
	va_end(ap);
	return -1;
}

int
rule_lex_full(struct fail *f)
{
	return fail_set(f, FAIL_US, INTERNAL, NULL,
	    "there is no room left for the ruleset");
}

/* Go to the next token or the end: over white space and comments. */
static void
lex_skip(struct lexer *lx)
{
	size_t left;

	for (; lx->lx_next < lx->lx_end; lex_advance(lx, 1)) {
		if (strchr(" \t\r\n", *lx->lx_next) != NULL)
			continue;
		left = (size_t)(lx->lx_end - lx->lx_next);
		if (*lx->lx_next != '#' &&
		    (left < 2 || memcmp(lx->lx_next, "//", 2) != 0))
			return;
		while (lx->lx_next < lx->lx_end && *lx->lx_next != '\n')
			lex_advance(lx, 1);
		if (lx->lx_next == lx->lx_end)
			return;
	}
}

/* Go n bytes on, counting lines and characters. */
static void
lex_advance(struct lexer *lx, size_t n)
{
	for (; n > 0; n--, lx->lx_next++)
		if (*lx->lx_next == '\n') {
			lx->lx_line++;
			lx->lx_column = 1;
		} else if ((*lx->lx_next & 0xc0) != 0x80)
			lx->lx_column++;
}

/* Go over a string, from its opening quote; at is where its token begins. */
static int
lex_string(struct lexer *lx, const struct lexeme *at, struct fail *f)
{
	const char *p;

	for (p = lx->lx_next + 1; p < lx->lx_end && *p != '"'; p++) {
		if (*p == '\n' || *p == '\r')
			break;
		if (*p == '\\' && p + 1 < lx->lx_end && p[1] != '\n' &&
		    p[1] != '\r')
			p++;
	}
	if (p == lx->lx_end || *p != '"')
		return rule_lex_fail(f, at,
		    "found a string that does not end on its line, "
		    "expected a closing quote");
	lex_advance(lx, (size_t)(p + 1 - lx->lx_next));
	return 0;
}

/* Read a symbol. */
static int
lex_symbol(struct lexer *lx, struct lexeme *ret, struct fail *f)
{
	size_t left = (size_t)(lx->lx_end - lx->lx_next);
	size_t i, len;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		len = strlen(symbols[i].text);
		if (len > left ||
		    memcmp(lx->lx_next, symbols[i].text, len) != 0)
			continue;
		ret->token = symbols[i].token;
		ret->len = len;
		lex_advance(lx, len);
		return 0;
	}
	return lex_stray(lx, ret, f);
}

/* Refuse a character that begins no token. */
static int
lex_stray(const struct lexer *lx, const struct lexeme *at, struct fail *f)
{
	uint32_t code = 0;
	size_t i;

	for (i = 0; i < sizeof(strays) / sizeof(strays[0]); i++)
		if (*lx->lx_next == strays[i].c)
			return rule_lex_fail(f, at, "found \"%c\", expected %s",
			    strays[i].c, strays[i].meant);
	utf8_get(lx->lx_next, (size_t)(lx->lx_end - lx->lx_next), &code);
	if (code < 0x80)
		return rule_lex_fail(f, at,
		    "found \"%c\", which rules have no use for", (int)code);
	return rule_lex_fail(f, at,
	    "found the character U+%04X, which may stand only in strings "
	    "and comments",
	    (unsigned int)code);
}

/* The characters of a word at p; "+=" ends one. */
static size_t
word_length(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && word_char(*p) &&
	    !(*p == '+' && p + 1 < end && p[1] == '='))
		p++;
	return (size_t)(p - start);
}

static bool
word_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	    (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '@' ||
	    c == '+' || c == '-';
}

/*
 * Add what the escape at p stands for.  Returns its length, or 0 with f set.
 * A closing quote follows somewhere, so looking ahead is safe.
 */
static size_t
unescape(const char *p, struct unquoted *value, const struct lexeme *at,
    struct fail *f)
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

	if (hex4(p + 2, &high) == -1 || high == 0 ||
	    (high >= 0xdc00 && high <= 0xdfff))
		return 0;
	*ret = high;
	if (high < 0xd800 || high > 0xdfff)
		return 6;
	if (p[6] != '\\' || p[7] != 'u' || hex4(p + 8, &low) == -1 ||
	    low < 0xdc00 || low > 0xdfff)
		return 0;
	*ret = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
	return 12;
}

/* Four hexadecimal digits; stops at the first character that is none. */
static int
hex4(const char *p, uint32_t *ret)
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
    const struct lexeme *at, struct fail *f)
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
	else if (digits(&p) == -1)
		return false;
	if (*p == '.') {
		p++;
		if (digits(&p) == -1)
			return false;
	}
	if (*p == 'e' || *p == 'E') {
		p++;
		if (*p == '+' || *p == '-')
			p++;
		if (digits(&p) == -1)
			return false;
	}
	return *p == '\0';
}

/* Go over one or more digits.  Returns 0, or -1 if there is none. */
static int
digits(const char **p)
{
	const char *start = *p;

	while (**p >= '0' && **p <= '9')
		(*p)++;
	return *p == start ? -1 : 0;
}

/* Every message about rule text is set here. */
static int
fail_at(struct fail *f, const struct lexeme *at, const char *lead,
    const char *why, va_list ap)
{
	char where[64], tail[256];

	snprintf(
	    where, sizeof(where), "line %d, column %d", at->line, at->column);
	vsnprintf(tail, sizeof(tail), why, ap);
	return fail_set(
	    f, FAIL_INPUT, RULESET_INVALID, where, "%s%s", lead, tail);
}
