/* SPDX-License-Identifier: ISC */
/* Split rule text into tokens, and set the messages of mistakes in it. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "core/base/utf8.h"
#include "core/rule/rule_int.h"

#define SHOWN_MAX 40 /* bytes of a word that a message repeats */

static void lex_skip(struct rule_lexer *lx);
static void lex_advance(struct rule_lexer *lx, size_t n);
static int lex_string(
    struct rule_lexer *lx, const struct rule_lexeme *at, struct fail *f);
static int lex_symbol(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct fail *f);
static int lex_stray(
    const struct rule_lexer *lx, const struct rule_lexeme *at, struct fail *f);
static size_t word_length(const char *p, const char *end);
static bool word_char(char c);
static int fail_at(struct fail *f, const struct rule_lexeme *at,
    const char *lead, const char *why, va_list ap)
    __attribute__((format(printf, 4, 0)));

/* Symbols; a symbol comes before each shorter one that it begins with. */
static const struct {
	enum rule_token token;
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

/* Characters that are not tokens, and what the author may have meant. */
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

int
rule_lex_init(
    struct rule_lexer *lx, const char *text, size_t len, struct fail *f)
{
	struct rule_lexeme at = { 0 };
	uint32_t code;
	size_t n;

	*lx = (struct rule_lexer) {
		.next = text,
		.end = text + len,
		.line = 1,
		.column = 1,
	};
	at.line = at.column = 1;
	if (len > RULE_TEXT_MAX)
		return rule_lex_fail(
		    f, &at, "the text is longer than %d bytes", RULE_TEXT_MAX);

	/* Check every byte, including comments: later passes rely on it. */
	while (lx->next < lx->end) {
		n = utf8_get(lx->next, (size_t)(lx->end - lx->next), &code);
		at.line = lx->line;
		at.column = lx->column;
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
	lx->next = text;
	lx->line = lx->column = 1;
	return 0;
}

int
rule_lex_next(struct rule_lexer *lx, struct rule_lexeme *ret, struct fail *f)
{
	lex_skip(lx);
	*ret = (struct rule_lexeme) {
		.token = TOKEN_END,
		.text = lx->next,
		.line = lx->line,
		.column = lx->column,
	};
	if (lx->next == lx->end)
		return 0;

	/* Most tokens are words; attr."name" is one token too. */
	ret->len = word_length(lx->next, lx->end);
	if (ret->len > 0) {
		ret->token = TOKEN_WORD;
		lex_advance(lx, ret->len);
		if (lx->next == lx->end || *lx->next != '"' ||
		    !rule_lex_is(ret, "attr."))
			return 0;
		ret->token = TOKEN_ATTR;
	} else if (*lx->next == '"')
		ret->token = TOKEN_STRING;
	else
		return lex_symbol(lx, ret, f);

	if (lex_string(lx, ret, f) == -1)
		return -1;
	ret->len = (size_t)(lx->next - ret->text);
	return 0;
}

bool
rule_lex_is(const struct rule_lexeme *at, const char *word)
{
	return at->token == TOKEN_WORD && at->len == strlen(word) &&
	    memcmp(at->text, word, at->len) == 0;
}

bool
rule_ident(const char *text)
{
	size_t len = strlen(text);

	return len >= 1 && len <= RULE_ID_MAX &&
	    word_length(text, text + len) == len;
}

const char *
rule_lex_name(enum rule_token token)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (symbols[i].token == token)
			return symbols[i].text;
	return "";
}

int
rule_lex_fail(
    struct fail *f, const struct rule_lexeme *at, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	fail_at(f, at, "", why, ap);
	va_end(ap);
	return -1;
}

int
rule_lex_expected(
    struct fail *f, const struct rule_lexeme *at, const char *expected, ...)
{
	char found[SHOWN_MAX + 32];
	va_list ap;

	/* A string may contain personal data; do not repeat it. */
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

/* Skip white space and comments. */
static void
lex_skip(struct rule_lexer *lx)
{
	size_t left;

	for (; lx->next < lx->end; lex_advance(lx, 1)) {
		if (strchr(" \t\r\n", *lx->next) != NULL)
			continue;
		left = (size_t)(lx->end - lx->next);
		if (*lx->next != '#' &&
		    (left < 2 || memcmp(lx->next, "//", 2) != 0))
			return;
		while (lx->next < lx->end && *lx->next != '\n')
			lex_advance(lx, 1);
		if (lx->next == lx->end)
			return;
	}
}

/* Advance by n bytes, and update the line and the column. */
static void
lex_advance(struct rule_lexer *lx, size_t n)
{
	for (; n > 0; n--, lx->next++)
		if (*lx->next == '\n') {
			lx->line++;
			lx->column = 1;
		} else if ((*lx->next & 0xc0) != 0x80)
			lx->column++;
}

/* Skip a string from its opening quote; at is the start of its token. */
static int
lex_string(struct rule_lexer *lx, const struct rule_lexeme *at, struct fail *f)
{
	const char *p;

	for (p = lx->next + 1; p < lx->end && *p != '"'; p++) {
		if (*p == '\n' || *p == '\r')
			break;
		if (*p == '\\' && p + 1 < lx->end && p[1] != '\n' &&
		    p[1] != '\r')
			p++;
	}
	if (p == lx->end || *p != '"')
		return rule_lex_fail(f, at,
		    "found a string that does not end on its line, "
		    "expected a closing quote");
	lex_advance(lx, (size_t)(p + 1 - lx->next));
	return 0;
}

static int
lex_symbol(struct rule_lexer *lx, struct rule_lexeme *ret, struct fail *f)
{
	size_t left = (size_t)(lx->end - lx->next);
	size_t i, len;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		len = strlen(symbols[i].text);
		if (len > left || memcmp(lx->next, symbols[i].text, len) != 0)
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
lex_stray(
    const struct rule_lexer *lx, const struct rule_lexeme *at, struct fail *f)
{
	uint32_t code = 0;
	size_t i;

	for (i = 0; i < sizeof(strays) / sizeof(strays[0]); i++)
		if (*lx->next == strays[i].c)
			return rule_lex_fail(f, at, "found \"%c\", expected %s",
			    strays[i].c, strays[i].meant);
	utf8_get(lx->next, (size_t)(lx->end - lx->next), &code);
	if (code < 0x80)
		return rule_lex_fail(f, at,
		    "found \"%c\", which rules have no use for", (int)code);
	return rule_lex_fail(f, at,
	    "found the character U+%04X, which may stand only in strings "
	    "and comments",
	    (unsigned int)code);
}

/* The length of the word at p; "+=" is not part of a word. */
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

/* Set f to a message about rule text; return -1. */
static int
fail_at(struct fail *f, const struct rule_lexeme *at, const char *lead,
    const char *why, va_list ap)
{
	char where[64], tail[256];

	snprintf(
	    where, sizeof(where), "line %d, column %d", at->line, at->column);
	vsnprintf(tail, sizeof(tail), why, ap);
	return fail_set(
	    f, FAIL_INPUT, RULESET_INVALID, where, "%s%s", lead, tail);
}
