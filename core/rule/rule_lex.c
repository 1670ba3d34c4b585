/* SPDX-License-Identifier: ISC */
/* Split rule text into tokens. */
#include "config.h"

#include <string.h>

#include "core/base/utf8.h"
#include "core/rule/rule.h"
#include "core/rule/rule_int.h"

static void lex_skip(struct rule_lexer *lx);
static void lex_advance(struct rule_lexer *lx, size_t n);
static int lex_string(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m);
static int lex_symbol(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m);
static int lex_stray(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m);
static size_t word_length(const char *p, const char *end);
static bool word_char(char c);

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
	{ TOKEN_SET, "=" },
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
	{ '&', "\"&&\"" },
	{ '|', "\"||\"" },
	{ '\'', "a string in double quotes" },
	{ '/', "\"//\" before a comment" },
};

int
rule_lex_init(struct rule_lexer *lx, const char *text, size_t len,
    struct rule_mistakes *m)
{
	struct rule_lexeme at = { .text = text, .line = 1, .column = 1 };
	uint32_t code;
	int r = 0;

	*lx = (struct rule_lexer) {
		.next = text,
		.end = text + len,
		.line = 1,
		.column = 1,
	};
	if (len > RULE_TEXT_MAX)
		return rule_mistake_add(
		    m, &at, "the text is longer than %d bytes", RULE_TEXT_MAX);

	/* Check every byte, including comments: later passes rely on it. */
	for (; lx->next < lx->end; lex_advance(lx, at.len)) {
		at.text = lx->next;
		at.len =
		    utf8_get(lx->next, (size_t)(lx->end - lx->next), &code);
		at.line = lx->line;
		at.column = lx->column;
		if (at.len == 0) {
			at.len = 1;
			r = rule_mistake_add(
			    m, &at, "found a byte that is not valid UTF-8");
		} else if ((code < 0x20 && code != '\t' && code != '\n' &&
			       code != '\r') ||
		    code == 0x7f)
			r = rule_mistake_add(m, &at,
			    "found the control character U+%04X",
			    (unsigned int)code);
	}
	lx->next = text;
	lx->line = lx->column = 1;
	return r;
}

int
rule_lex_next(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m)
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
		return lex_symbol(lx, ret, m);

	return lex_string(lx, ret, m);
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
rule_lex_columns(const struct rule_lexeme *at)
{
	size_t i;
	int n = 0;

	for (i = 0; i < at->len; i++)
		n += !utf8_continues(at->text[i]);
	return n;
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
		} else if (!utf8_continues(*lx->next))
			lx->column++;
}

/*
 * Read a string from its opening quote to the end of ret.  If it does not end
 * on its line, ret is the rest of the line.
 */
static int
lex_string(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m)
{
	const char *p;

	for (p = lx->next + 1; p < lx->end && *p != '"'; p++) {
		if (*p == '\n' || *p == '\r')
			break;
		if (*p == '\\' && p + 1 < lx->end && p[1] != '\n' &&
		    p[1] != '\r')
			p++;
	}
	if (p < lx->end && *p == '"') {
		lex_advance(lx, (size_t)(p + 1 - lx->next));
		ret->len = (size_t)(lx->next - ret->text);
		return 0;
	}
	lex_advance(lx, (size_t)(p - lx->next));
	ret->token = TOKEN_BAD;
	ret->len = (size_t)(lx->next - ret->text);
	return rule_mistake_add(m, ret,
	    "found a string that does not end on its line, "
	    "expected a closing quote");
}

static int
lex_symbol(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m)
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
	return lex_stray(lx, ret, m);
}

/* Refuse and skip a character that begins no token. */
static int
lex_stray(
    struct rule_lexer *lx, struct rule_lexeme *ret, struct rule_mistakes *m)
{
	uint32_t code = 0;
	size_t i;

	ret->token = TOKEN_BAD;
	ret->len = utf8_get(lx->next, (size_t)(lx->end - lx->next), &code);
	lex_advance(lx, ret->len);
	for (i = 0; i < sizeof(strays) / sizeof(strays[0]); i++)
		if (*ret->text == strays[i].c)
			return rule_mistake_add(m, ret,
			    "found \"%c\", expected %s", strays[i].c,
			    strays[i].meant);
	if (code < 0x80)
		return rule_mistake_add(m, ret,
		    "found \"%c\", which rules have no use for", (int)code);
	return rule_mistake_add(m, ret,
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
