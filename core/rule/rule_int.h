/* SPDX-License-Identifier: ISC */
/* What the passes over a ruleset hand to each other; for rule_*.c only. */
#ifndef CORE_RULE_RULE_INT_H
#define CORE_RULE_RULE_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "core/base/value.h"

struct arena;
struct fail;

/* What stands in the text. */
enum rule_token {
	TOKEN_END = 1, /* of the text */
	TOKEN_WORD, /* keyword, id, tag, signal, number, true, false */
	TOKEN_ATTR, /* attr."name" */
	TOKEN_STRING,
	TOKEN_ADD,
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

/* One token where it stands; text is not terminated. */
struct rule_lexeme {
	enum rule_token token;
	const char *text; /* as written, with quotes */
	size_t len;
	int line; /* both from 1 */
	int column;
};

/* A reader of rule text, which the caller keeps. */
struct rule_lexer {
	const char *next; /* what is read next */
	const char *end;
	int line; /* where next stands */
	int column;
};

/*
 * What comparing two values can come to, as a set; an operator is the set of
 * outcomes that make it true, and the empty set says "cannot tell".
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
	COND_NOT, /* of the one condition that follows */
	COND_AND, /* of the conditions that follow, up to span */
	COND_OR,
	COND__MAX
};

/* The members of a list: of one type, sorted, no two equal. */
struct cond_list {
	const struct value *items;
	size_t n;
};

/*
 * One term of a condition.  A condition is an array of them in prefix order:
 * an operator stands in front of its operands, and c + c->span is what
 * follows c and all below it.
 */
struct rule_cond {
	uint8_t kind; /* enum cond_kind */
	uint8_t want; /* COMPARE, BARE: a set of enum rule_outcome */
	uint16_t span; /* terms of this condition, itself counted */
	uint16_t signal; /* enum signal; from SIGNAL__MAX up, attributes */
	union {
		struct value literal; /* COMPARE, BARE */
		struct cond_list list; /* IN */
	};
};

/* Names by number, in order of arrival, and their order in the alphabet. */
struct rule_interned {
	const char **text; /* by number */
	uint16_t *order; /* numbers, sorted by text */
	size_t n;
};

/* rule_intern.c: the number of the name, or -1. */
int rule_intern_find(const struct rule_interned *names, const char *text);

/* Give a name that is not there yet the next number; there is room for it. */
void rule_intern_add(struct rule_interned *names, const char *text);

/* A copy of its own in arena a, or NULL at the cap. */
const struct rule_interned *rule_intern_dup(
    struct arena *a, const struct rule_interned *names);

/*
 * rule_lex.c: begin to read len bytes.  Returns 0, or -1 with f set when the
 * text is too long or holds a byte that rule text never holds.
 */
int rule_lex_init(struct rule_lexer *lx, const char *text, size_t len,
    struct fail *f) __attribute__((warn_unused_result));

/* Read the next token.  Returns 0, or -1 with f set when there is none. */
int rule_lex_next(struct rule_lexer *lx, struct rule_lexeme *ret,
    struct fail *f) __attribute__((warn_unused_result));

/* Whether the lexeme is that word. */
bool rule_lex_is(const struct rule_lexeme *at, const char *word);

/* As it is written: "==". */
const char *rule_lex_name(enum rule_token token);

/* Set f to a mistake at a place in the text; returns -1. */
int rule_lex_fail(struct fail *f, const struct rule_lexeme *at, const char *why,
    ...) __attribute__((format(printf, 3, 4)));

/* The same, "found X, expected " in front. */
int rule_lex_expected(struct fail *f, const struct rule_lexeme *at,
    const char *expected, ...) __attribute__((format(printf, 3, 4)));

/*
 * rule_literal.c: what a string, or the quoted name of an attribute, stands
 * for. Returns it in arena a, or NULL with f set: a bad escape, too long, the
 * arena is full.
 */
char *rule_word_string(
    struct arena *a, const struct rule_lexeme *at, struct fail *f);

/* The number that a word stands for.  Returns 0, or -1 with f set. */
int rule_word_number(const struct rule_lexeme *at, double *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * rule_check.c: the number of the signal that at names, for cond.signal; an
 * attribute's name joins attrs if it is new.  Returns 0, or -1 with f set.
 */
int rule_check_signal(struct arena *a, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Whether the signal at names can be compared by op with a literal of that
 * type.  Returns 0, or -1 with f set.
 */
int rule_check_compare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *op, const struct rule_lexeme *literal,
    enum value_type type, struct fail *f) __attribute__((warn_unused_result));

/*
 * Whether the signal can stand alone; next is what stands where an operator
 * could.  Returns 0, or -1 with f set.
 */
int rule_check_bare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *next, struct fail *f)
    __attribute__((warn_unused_result));

/* rule_eval.c: what a condition comes to over rule_values(). */
enum truth rule_truth(const struct rule_cond *c, const struct value *values);

/* What comparing a with b comes to; 0 unless both are known and of a type. */
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
		/* Different strings mostly differ at once. */
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
