/* SPDX-License-Identifier: ISC */
/* Rulesets: the language of assay-rules(5), compiled, evaluated, printed. */
#ifndef CORE_RULE_RULE_H
#define CORE_RULE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;
struct signals;
struct str;

#define RULES_MAX 1000 /* rules of one ruleset */
#define RULE_DEPTH_MAX 64 /* levels of nesting in one condition */
#define RULE_TERMS_MAX 1000 /* comparisons, "!" and groups in one condition */
#define RULE_LIST_MAX 256 /* members of one list */
#define RULE_ATTRS_MAX 128 /* different attributes that a ruleset reads */
#define RULE_POINTS_MAX 100
#define RULE_ID_MAX 64 /* bytes of an id, a tag, a version label */
#define RULE_NUMBER_MAX 64 /* bytes of a number as written */
#define RULE_STRING_MAX 1024 /* bytes that a string stands for */
#define RULE_TEXT_MAX 1048576 /* bytes of a ruleset's text */

/* What a ruleset compiled from len bytes takes of its arena, at most. */
#define RULE_ARENA_SIZE(len) (24 * (size_t)(len) + 4096)

struct rule_cond; /* a compiled condition; rule_int.h */
struct rule_interned;

/* One compiled rule. */
struct rule {
	const char *id;
	const char *tag;
	uint16_t tag_index; /* equal tags of a ruleset have equal numbers */
	uint8_t points; /* 0 to RULE_POINTS_MAX */
	const struct rule_cond *cond;
	const struct rule_interned *attrs; /* the ruleset's, to print cond */
};

/* A compiled ruleset; immutable, lives in the arena it was compiled into. */
struct ruleset {
	const char *version; /* set by who loads it */
	const struct rule *rules;
	size_t n_rules;
	size_t n_tags; /* tag_index is below this */
	const struct rule_interned *attrs; /* the attributes that it reads */
};

/* The rules that fired, in ruleset order. */
struct rule_hits {
	uint16_t index[RULES_MAX];
	size_t n;
};

/*
 * Compile len bytes of rule text: lex, parse, check names and types against
 * the signal table, and refuse duplicate ids and everything over the limits.
 * Returns the ruleset, or NULL with f set: RULESET_INVALID, where
 * "line L, column C" (both from 1, columns in characters), why what was found
 * and what was expected; or INTERNAL when the arena is full.
 */
struct ruleset *rule_compile(struct arena *a, const char *text, size_t len,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Whether text is what ids, tags and version labels are made of: 1 to
 * RULE_ID_MAX letters, digits and ._@+-.
 */
bool rule_ident(const char *text);

/*
 * Evaluate every rule over the signals and note those whose condition is
 * true; a condition that is unknown does not fire.
 */
void rule_eval(const struct ruleset *rs, const struct signals *sigs,
    struct rule_hits *ret);

/*
 * Append one rule as canonical text on one line, which compiles to the same
 * rule: rule r_velocity { when velocity.attemptsLast2m > 4 then score += 28,
 * tag velocity }
 */
void rule_print(struct str *s, const struct rule *rule);

#endif
