/* SPDX-License-Identifier: ISC */
/* The parser of rule text, which rule_parse.c and rule_parse_test.c share. */
#ifndef CORE_RULE_RULE_PARSE_INT_H
#define CORE_RULE_RULE_PARSE_INT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/rule/rule.h"
#include "core/rule/rule_int.h"

struct arena;
struct velocity;

/* A list of the parsed rules in the order of the text. */
struct rule_draft {
	struct rule rule;
	struct rule_draft *next;
};

/* A list of the parsed tests in the order of the text. */
struct rule_test_draft {
	struct rule_test test;
	struct rule_test_draft *next;
};

/* A set of names with room for RULES_MAX names. */
struct rule_names_room {
	struct rule_interned names;
	const char *text[RULES_MAX];
	uint16_t order[RULES_MAX];
};

struct rule_parser {
	struct rule_lexer lexer;
	struct rule_lexeme at; /* the current token */
	struct arena *arena;
	struct rule_mistakes *mistakes;
	struct rule_names_room ids;
	struct rule_names_room tags;
	struct rule_names_room attrs;
	struct rule_names_room test_ids;
	struct rule_names_room test_attrs; /* that tests give */
	struct rule_names_room velocities; /* defined or read */
	struct velocity *velocity[RULE_VELOCITIES_MAX]; /* NULL: only read */
	struct rule_lexeme velocity_read[RULE_VELOCITIES_MAX]; /* the first
								  place */
	size_t n_velocities; /* with those that have a mistake */
	const char *part; /* the part of the event that a velocity reads here,
			     for messages; NULL: a condition of a rule */
	struct rule_draft *first;
	struct rule_draft **last; /* where to append the next draft */
	size_t n_rules;
	struct rule_test_draft *first_test;
	struct rule_test_draft **last_test;
	size_t n_tests; /* with those that have a mistake */
	int depth; /* nesting level of the current token */
	struct rule_cond terms[RULE_TERMS_MAX]; /* of the current rule */
	size_t n_terms;
};

/* rule_parse.c: consume the current token and read the next one. */
int rule_parse_next(struct rule_parser *p);

/* Consume this token; any other is a mistake. */
int rule_parse_token(struct rule_parser *p, enum rule_token token);

/* Consume this word; any other is a mistake. */
int rule_parse_word(struct rule_parser *p, const char *word);

/* Parse a condition into terms, which are empty before. */
int rule_parse_condition(struct rule_parser *p);

/*
 * Read an id or a tag from the current token; what names it in messages.  If
 * quoted is true it may be in quotes.  *ret is NULL if it has a mistake.
 */
int rule_parse_ident(
    struct rule_parser *p, const char *what, bool quoted, char **ret);

/*
 * Read a literal from the current token.  A number or a string with a mistake
 * becomes unknown.
 */
int rule_parse_literal(struct rule_parser *p, struct value *ret);

/* Whether a token begins like a number. */
bool rule_begins_number(const struct rule_lexeme *at);

/*
 * rule_parse_test.c: parse a test, for which test_ids has room, and append it
 * to the draft.  Return 0, or -1 with a mistake.
 */
int rule_parse_test(struct rule_parser *p);

/* Add a mistake for each tag of a test that no rule has. */
void rule_parse_check_tests(struct rule_parser *p);

/*
 * rule_parse_velocity.c: parse a velocity, and make it that of its name.
 * Return 0, or -1 with a mistake.
 */
int rule_parse_velocity(struct rule_parser *p);

/* Add a mistake for each velocity that is read and not defined. */
void rule_parse_check_velocities(struct rule_parser *p);

/*
 * Copy the velocities to an array of rs in the arena, with their ids.  Return
 * 0, or -1 if it is full.
 */
int rule_copy_velocities(struct rule_parser *p, const struct rule_names *names,
    struct ruleset *rs) __attribute__((warn_unused_result));

/* Copy the tests to an array in the arena; NULL if it is full. */
struct rule_test *rule_copy_tests(const struct rule_parser *p);

#endif
