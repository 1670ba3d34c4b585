/* SPDX-License-Identifier: ISC */
/* Lay out the text of a ruleset. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/str.h"
#include "core/rule/rule_format.h"
#include "core/rule/rule_int.h"

#define TAB "\t"
#define TAB_COLUMNS 8
#define CONTINUED "    " /* after the tab of a continued line */

enum layout_place {
	PLACE_OUTSIDE = 1, /* between rules, velocities and tests */
	PLACE_HEAD, /* up to the "{" */
	PLACE_NAME, /* after "velocity", up to the "=" */
	PLACE_FUNCTION, /* after the "=", up to the "by" */
	PLACE_VELOCITY, /* after it */
	PLACE_BODY, /* after it */
	PLACE_CLAUSE, /* after "when" or "given" */
	PLACE_RESULT, /* after "then" */
	PLACE_EXPECT, /* after "expect", where an expectation may begin */
	PLACE_TAG, /* after "expect", where a tag follows */
	PLACE__MAX
};

struct layout {
	struct str *out;
	enum layout_place place; /* of the next token */

	/* Text that no line end splits, such as "a == 1 &&"; not in out yet. */
	struct str piece;
	int piece_columns;
	enum rule_token piece_last; /* its last token */

	int columns; /* of the last line of out, 0 if it is empty */
	bool indented; /* lines are those of a body */
	bool continued; /* the next line continues a clause */
	bool after_item; /* an item precedes */
	bool after_blank; /* an empty line precedes in the text */
};

static void lay_gap(struct layout *l, const char *from, const char *to);
static void lay_comment(
    struct layout *l, const char *from, const char *to, bool own_line);
static void end_velocity(struct layout *l, const struct rule_lexeme *at);
static void lay_token(struct layout *l, const struct rule_lexeme *at);
static enum layout_place place_after(
    enum layout_place place, const struct rule_lexeme *at);
static bool begins_line(enum layout_place place, enum layout_place next,
    const struct rule_lexeme *at);
static bool begins_part(const struct rule_lexeme *at);
static bool begins_expectation(
    enum layout_place place, const struct rule_lexeme *at);
static void separate_items(struct layout *l);
static void add_to_piece(
    struct layout *l, const struct rule_lexeme *at, enum layout_place place);
static bool is_tight(
    enum layout_place place, enum rule_token before, enum rule_token after);
static void end_piece(struct layout *l);
static void indent_line(struct layout *l);
static void end_line(struct layout *l);

void
rule_format(struct arena *a, struct str *s, const char *text, size_t len)
{
	struct layout l = { .out = s, .place = PLACE_OUTSIDE };
	struct rule_lexer lexer;
	struct rule_lexeme at = { .token = TOKEN_END };
	const char *end = text;

	str_init(&l.piece, a);
	if (rule_lex_init(&lexer, text, len, NULL) == -1)
		return;
	while (rule_lex_next(&lexer, &at, NULL) == 0) {
		end_velocity(&l, &at);
		lay_gap(&l, end, at.text);
		if (at.token == TOKEN_END)
			break;
		lay_token(&l, &at);
		end = at.text + at.len;
	}
	end_piece(&l);
	end_line(&l);
}

/* Lay out the comments between two tokens. */
static void
lay_gap(struct layout *l, const char *from, const char *to)
{
	const char *end;
	int lines = 0;

	while (from < to)
		if (*from == '#' || *from == '/') {
			end = memchr(from, '\n', (size_t)(to - from));
			end = end == NULL ? to : end;
			l->after_blank = lines > 1;
			lay_comment(l, from, end, lines > 0);
			lines = 0;
			from = end;
		} else {
			lines += *from == '\n';
			from++;
		}
	l->after_blank = lines > 1;
}

/* Lay out a comment; own_line is whether a line begins with it. */
static void
lay_comment(struct layout *l, const char *from, const char *to, bool own_line)
{
	while (to > from && strchr(" \t\r", to[-1]) != NULL)
		to--;
	end_piece(l);
	if (own_line)
		end_line(l);
	if (l->place == PLACE_OUTSIDE && l->columns == 0)
		separate_items(l);
	if (l->columns == 0)
		indent_line(l);
	else
		str_addc(l->out, ' ');
	str_addn(l->out, from, (size_t)(to - from));
	l->columns++;
	end_line(l);
}

/* End a velocity before the next item, and at the end of the text. */
static void
end_velocity(struct layout *l, const struct rule_lexeme *at)
{
	if (l->place != PLACE_VELOCITY ||
	    (at->token != TOKEN_END && !rule_lex_is(at, "rule") &&
		!rule_lex_is(at, "velocity") && !rule_lex_is(at, "test")))
		return;
	end_piece(l);
	l->indented = false;
	l->after_item = true;
	l->place = PLACE_OUTSIDE;
}

static void
lay_token(struct layout *l, const struct rule_lexeme *at)
{
	const enum layout_place next = place_after(l->place, at);

	if (begins_line(l->place, next, at)) {
		end_piece(l);
		end_line(l);
		l->continued = false;
		l->indented = next != PLACE_HEAD && next != PLACE_NAME &&
		    next != PLACE_OUTSIDE;
		if (next == PLACE_HEAD || next == PLACE_NAME)
			separate_items(l);
	} else if (begins_expectation(l->place, at) ||
	    (next == PLACE_VELOCITY && begins_part(at)))
		end_piece(l);
	add_to_piece(l, at, l->place);
	if (at->token == TOKEN_AND || at->token == TOKEN_OR ||
	    at->token == TOKEN_COMMA || next == PLACE_BODY ||
	    next == PLACE_OUTSIDE)
		end_piece(l);
	if (next == PLACE_BODY || next == PLACE_VELOCITY)
		l->indented = true;
	if (next == PLACE_OUTSIDE)
		l->after_item = true;
	l->place = next;
}

/* The place after a token. */
static enum layout_place
place_after(enum layout_place place, const struct rule_lexeme *at)
{
	if (at->token == TOKEN_RBRACE)
		return PLACE_OUTSIDE;
	switch (place) {
	case PLACE_OUTSIDE:
		return rule_lex_is(at, "velocity") ? PLACE_NAME
		    : at->token == TOKEN_LBRACE	   ? PLACE_BODY
						   : PLACE_HEAD;
	case PLACE_NAME:
		return at->token == TOKEN_SET ? PLACE_FUNCTION : PLACE_NAME;
	case PLACE_FUNCTION:
		return rule_lex_is(at, "by") ? PLACE_VELOCITY : PLACE_FUNCTION;
	case PLACE_HEAD:
		return at->token == TOKEN_LBRACE ? PLACE_BODY : PLACE_HEAD;
	case PLACE_BODY:
	case PLACE_CLAUSE:
		return rule_lex_is(at, "then")	? PLACE_RESULT
		    : rule_lex_is(at, "expect") ? PLACE_EXPECT
						: PLACE_CLAUSE;
	case PLACE_EXPECT:
		return rule_lex_is(at, "because") || rule_lex_is(at, "not") ||
			at->token == TOKEN_COMMA
		    ? PLACE_TAG
		    : PLACE_EXPECT;
	case PLACE_TAG:
		return PLACE_EXPECT;
	case PLACE_RESULT:
	case PLACE_VELOCITY:
	case PLACE__MAX:
		break;
	}
	return place;
}

/* Whether an item, one of its clauses, or its "}" begins. */
static bool
begins_line(enum layout_place place, enum layout_place next,
    const struct rule_lexeme *at)
{
	return place == PLACE_OUTSIDE || place == PLACE_BODY ||
	    at->token == TOKEN_RBRACE ||
	    (place == PLACE_CLAUSE && next != PLACE_CLAUSE);
}

/* Whether a part of a velocity begins, before which a line may end. */
static bool
begins_part(const struct rule_lexeme *at)
{
	return rule_lex_is(at, "by") || rule_lex_is(at, "over") ||
	    rule_lex_is(at, "where") || rule_lex_is(at, "excluding");
}

static bool
begins_expectation(enum layout_place place, const struct rule_lexeme *at)
{
	return place == PLACE_EXPECT && at->token == TOKEN_WORD &&
	    (at->text[0] < '0' || at->text[0] > '9');
}

/* Put an empty line after an item, and keep those between comments. */
static void
separate_items(struct layout *l)
{
	if (l->out->len > 0 && (l->after_item || l->after_blank))
		str_addc(l->out, '\n');
	l->after_item = false;
	l->after_blank = false;
}

static void
add_to_piece(
    struct layout *l, const struct rule_lexeme *at, enum layout_place place)
{
	if (l->piece.len > 0 && !is_tight(place, l->piece_last, at->token)) {
		str_addc(&l->piece, ' ');
		l->piece_columns++;
	}
	str_addn(&l->piece, at->text, at->len);
	l->piece_columns += rule_lex_columns(at);
	l->piece_last = at->token;
}

/* Whether no blank is between two tokens. */
static bool
is_tight(enum layout_place place, enum rule_token before, enum rule_token after)
{
	return (place == PLACE_FUNCTION && after == TOKEN_LPAREN) ||
	    before == TOKEN_NOT || before == TOKEN_LPAREN ||
	    before == TOKEN_LBRACKET || after == TOKEN_RPAREN ||
	    after == TOKEN_RBRACKET || after == TOKEN_COMMA;
}

/* Write the piece to the line, or to the next one if the line has no room. */
static void
end_piece(struct layout *l)
{
	if (l->piece.len == 0)
		return;
	if (l->columns > 0 &&
	    l->columns + 1 + l->piece_columns > RULE_FORMAT_WIDTH)
		end_line(l);
	if (l->columns == 0)
		indent_line(l);
	else {
		str_addc(l->out, ' ');
		l->columns++;
	}
	str_addn(l->out, l->piece.text, l->piece.len);
	l->columns += l->piece_columns;
	l->continued = l->indented && l->place != PLACE_VELOCITY;
	l->piece.len = 0;
	l->piece_columns = 0;
}

/* Indent the next line. */
static void
indent_line(struct layout *l)
{
	if (l->indented) {
		str_add(l->out, TAB);
		l->columns += TAB_COLUMNS;
	}
	if (l->indented && l->continued) {
		str_add(l->out, CONTINUED);
		l->columns += (int)strlen(CONTINUED);
	}
}

static void
end_line(struct layout *l)
{
	if (l->columns > 0)
		str_addc(l->out, '\n');
	l->columns = 0;
}
