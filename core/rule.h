/* SPDX-License-Identifier: ISC */
/* Rulesets: the language of assay-rules(5), compiled, evaluated, printed. */
#ifndef CORE_RULE_H
#define CORE_RULE_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;
struct signals;
struct str;

#define RULES_MAX 1000 /* rules of one ruleset */
#define RULE_DEPTH_MAX 64 /* levels of nesting in one condition */
#define RULE_POINTS_MAX 100
#define RULE_ID_MAX 64 /* bytes of an id, a tag, a version label */
#define RULE_TEXT_MAX 1048576 /* bytes of a ruleset's text */

struct cond; /* a compiled condition; rule_int.h */

/* One compiled rule. */
struct rule {
	const char *id;
	const char *tag;
	int points; /* 0 to RULE_POINTS_MAX */
	const struct cond *cond;
};

/* A compiled ruleset; immutable, lives in the arena it was compiled into. */
struct ruleset {
	const char *version; /* set by who loads it */
	const struct rule *rules;
	size_t n_rules;
};

/* The rules that fired, in ruleset order. */
struct hits {
	uint16_t index[RULES_MAX];
	size_t n;
};

/*
 * Compile len bytes of rule text: lex, parse, check names and types against
 * the signal table, and refuse duplicate ids and everything over the limits.
 * Returns the ruleset, or NULL with f set: RULESET_INVALID, where
 * "line L, column C", why what was found and what was expected.
 */
struct ruleset *rule_compile(
    struct arena *a, const char *text, size_t len, struct fail *f);

/*
 * Evaluate every rule over the signals and note those whose condition is
 * true; a condition that is unknown does not fire.
 */
void rule_eval(
    const struct ruleset *rs, const struct signals *sigs, struct hits *ret);

/*
 * Append one rule as canonical text on one line, which compiles to the same
 * rule: rule r_velocity { when velocity.attemptsLast2m > 4 then score += 28,
 * tag velocity }
 */
void rule_print(struct str *s, const struct rule *rule);

#endif
