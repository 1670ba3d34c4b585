/* SPDX-License-Identifier: ISC */
/* The types and functions that the files core/rule/rule_*.c share. */
#ifndef CORE_RULE_RULE_INT_H
#define CORE_RULE_RULE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/value.h"

struct arena;
struct rule_mistakes;
struct rule_names;
struct rule_parser;
struct str;

enum rule_token {
	TOKEN_END = 1, /* the end of the text */
	TOKEN_BAD, /* characters that are no token */
	TOKEN_WORD, /* keyword, id, tag, signal, number, true, false */
	TOKEN_ATTR, /* attr."name" */
	TOKEN_STRING,
	TOKEN_ADD,
	TOKEN_SET,
	TOKEN_EQ,
	TOKEN_NE,
	TOKEN_GT,
	TOKEN_GE,
	TOKEN_LT,
	TOKEN_LE,
	TOKEN_AND,
	TOKEN_OR,
	TOKEN_NOT,
	TOKEN_COMMA,
	TOKEN_LBRACE,
	TOKEN_RBRACE,
	TOKEN_LPAREN,
	TOKEN_RPAREN,
	TOKEN_LBRACKET,
	TOKEN_RBRACKET,
	TOKEN__MAX
};

/* One token and its position. */
struct rule_lexeme {
	enum rule_token token;
	const char *text; /* as written, with quotes; not terminated */
	size_t len;
	int line; /* from 1 */
	int column; /* from 1, in characters */
};

/* The state of a lexer; the text must exist as long as the lexer. */
struct rule_lexer {
	const char *next; /* the text that is not read yet */
	const char *end;
	int line; /* position of next */
	int column;
};

/*
 * The outcomes of comparing two values, as bits of a set.  An operator is the
 * set of outcomes for which it is true.  The empty set means "unknown".
 */
enum rule_outcome {
	OUTCOME_LT = 1,
	OUTCOME_EQ = 2,
	OUTCOME_GT = 4,
	OUTCOME__MAX = 8
};

enum cond_kind {
	COND_COMPARE = 1, /* signal op literal */
	COND_BARE, /* a signal alone: compared with true */
	COND_IN, /* signal in list */
	COND_NOT, /* has one operand, the next condition */
	COND_AND, /* its operands are the next conditions, up to span */
	COND_OR, /* likewise */
	COND__MAX
};

/* In the place of a signal: a name that is unknown. */
#define RULE_SIGNAL_NONE UINT16_MAX

/* The members of a list: of one type, sorted, without duplicates. */
struct cond_list {
	const struct value *items;
	size_t n;
};

/*
 * One term of a condition.  A condition is an array of terms in prefix order:
 * an operator precedes its operands, and c + c->span is the first term after c
 * and its operands.
 */
struct rule_cond {
	uint8_t kind; /* enum cond_kind */
	uint8_t want; /* COMPARE, BARE: a set of enum rule_outcome */
	uint16_t span; /* number of terms: this one and its operands */
	uint16_t signal; /* index into the values of rule_values() */
	union {
		struct value literal; /* COMPARE, BARE */
		struct cond_list list; /* IN */
	};
};

/* A set of names, numbered in the order in which they were added. */
struct rule_interned {
	const char **text; /* by number */
	uint16_t *order; /* numbers, sorted by text */
	size_t n;
};

/* rule_intern.c: the number of the name, or -1 if it is not in the set. */
int rule_intern_find(const struct rule_interned *names, const char *text);

/*
 * Add a name that is not in the set.  The caller makes sure that the arrays of
 * names have room for it.
 */
void rule_intern_add(struct rule_interned *names, const char *text);

/* Copy the set and its arrays to arena a; NULL if the arena is full. */
const struct rule_interned *rule_intern_dup(
    struct arena *a, const struct rule_interned *names);

/*
 * rule_mistake.c: append a mistake at the position of a lexeme; return -1.  m
 * may be NULL here and in the functions below.
 */
int rule_mistake_add(struct rule_mistakes *m, const struct rule_lexeme *at,
    const char *why, ...) __attribute__((format(printf, 3, 4)));

/* The same with "found X, expected " before the message. */
int rule_mistake_expected(struct rule_mistakes *m, const struct rule_lexeme *at,
    const char *expected, ...) __attribute__((format(printf, 3, 4)));

/* Note that the arena is full; return -1. */
int rule_mistake_memory(struct rule_mistakes *m);

/* Whether there is no use in reading on: m is full, or the arena is. */
bool rule_mistake_stop(const struct rule_mistakes *m);

/*
 * rule_lex.c: begin to read len bytes.  Return 0, or -1 with mistakes if the
 * text is too long, is not valid UTF-8 or contains a control character that is
 * not white space.
 */
int rule_lex_init(struct rule_lexer *lx, const char *text, size_t len,
    struct rule_mistakes *m) __attribute__((warn_unused_result));

/*
 * Read the next token; at the end of the text it is TOKEN_END.  Return 0, or -1
 * with a mistake if the next characters are not a token: they are a TOKEN_BAD,
 * after which the lexer can go on.
 */
int rule_lex_next(struct rule_lexer *lx, struct rule_lexeme *ret,
    struct rule_mistakes *m) __attribute__((warn_unused_result));

/* Whether the lexeme is that word. */
bool rule_lex_is(const struct rule_lexeme *at, const char *word);

/* A symbol as written, such as "=="; "" for other tokens. */
const char *rule_lex_name(enum rule_token token);

/* The width of a lexeme in characters. */
int rule_lex_columns(const struct rule_lexeme *at);

/*
 * rule_literal.c: decode a string, or the quoted name of an attribute, into
 * arena a.  Return NULL with a mistake if it has an invalid escape or is too
 * long, or if the arena is full.
 */
char *rule_word_string(
    struct arena *a, const struct rule_lexeme *at, struct rule_mistakes *m);

/* Read a word as a number.  Return 0, or -1 with a mistake. */
int rule_word_number(const struct rule_lexeme *at, double *ret,
    struct rule_mistakes *m) __attribute__((warn_unused_result));

/*
 * rule_check.c: look up the name in the lexeme at, and set *ret to the number
 * for rule_cond.signal.  Add a new attribute to attrs, and a new velocity to
 * those of the parser.  If the name is unknown, or a velocity may
 * not read it, add a mistake and set *ret to RULE_SIGNAL_NONE, which can be
 * compared with anything.  Return 0, or -1 if the arena or a set is full.
 */
int rule_check_signal(struct rule_parser *p, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret)
    __attribute__((warn_unused_result));

/*
 * Find or add the velocity with this name, which stands at that lexeme, and set
 * *ret to its number; to -1 with a mistake if a signal has the name.  Return 0,
 * or -1 if there are too many.
 */
int rule_check_velocity(struct rule_parser *p, const struct rule_lexeme *at,
    const char *name, int *ret) __attribute__((warn_unused_result));

/*
 * Add a mistake unless op can compare the signal with that value of a literal;
 * at is the lexeme of the signal.  The value is unknown if the literal has a
 * mistake already.
 */
void rule_check_compare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *op, const struct rule_lexeme *literal,
    const struct value *value, struct rule_mistakes *m);

/*
 * Add a mistake unless the signal can be a condition alone, without an
 * operator; next is the token that follows it.
 */
void rule_check_bare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *next, struct rule_mistakes *m);

/* rule_eval.c: evaluate a condition over the values of rule_values(). */
enum truth rule_truth(const struct rule_cond *c, const struct value *values);

/* rule_print.c: append a condition as canonical text. */
void rule_print_condition(
    struct str *s, const struct rule_cond *c, const struct rule_names *names);

/* Append the name of a value that conditions read. */
void rule_print_name(
    struct str *s, uint16_t signal, const struct rule_names *names);

/*
 * Compare a with b: one of enum rule_outcome, or 0 if one is unknown or their
 * types differ.
 */
static inline unsigned int
cond_outcome(const struct value *a, const struct value *b)
{
	int order;

	if (a->type != b->type)
		return 0;
	switch (a->type) {
	case VALUE_NUMBER:
		return (a->number < b->number ? OUTCOME_LT : 0U) |
		    (a->number == b->number ? OUTCOME_EQ : 0U) |
		    (a->number > b->number ? OUTCOME_GT : 0U);
	case VALUE_STRING:
		/* Most different strings differ in the first byte. */
		order = (unsigned char)*a->string - (unsigned char)*b->string;
		if (order == 0)
			order = strcmp(a->string, b->string);
		break;
	case VALUE_BOOL:
		order = a->flag - b->flag;
		break;
	case VALUE_UNKNOWN:
	case VALUE__MAX:
	default:
		return 0;
	}
	return order == 0 ? OUTCOME_EQ : order < 0 ? OUTCOME_LT : OUTCOME_GT;
}

#endif
