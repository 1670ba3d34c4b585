/* SPDX-License-Identifier: ISC */
/* Rulesets: the language of assay-rules(5), compiled, evaluated, printed. */
#ifndef CORE_RULE_RULE_H
#define CORE_RULE_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/value.h"
#include "core/base/verdict.h"

struct arena;
struct fail;
struct signals;
struct str;
struct velocity;

#define RULES_MAX 1000 /* rules of one ruleset */
#define RULE_TESTS_MAX 1000 /* tests of one ruleset */
#define RULE_VELOCITIES_MAX 32 /* velocities of one ruleset */
#define RULE_GIVEN_MAX 256 /* signals that one test gives */
#define RULE_EXPECT_MAX 64 /* expectations of one test */
#define RULE_DEPTH_MAX 64 /* levels of nesting in one condition */
#define RULE_TERMS_MAX 1000 /* comparisons, "!" and groups in one condition */
#define RULE_LIST_MAX 256 /* members of one list */
#define RULE_ATTRS_MAX 128 /* different attributes that a ruleset reads */
#define RULE_POINTS_MAX 100
#define RULE_SCORE_MAX 100 /* that a test can expect */
#define RULE_ID_MAX 64 /* bytes of an id, a tag, a version label */
#define RULE_NUMBER_MAX 64 /* bytes of a number as written */
#define RULE_STRING_MAX 1024 /* bytes of a string without its escapes */
#define RULE_TEXT_MAX 1048576 /* bytes of a ruleset's text */
#define RULE_MISTAKES_MAX 50 /* mistakes that are worth a list */
#define RULE_SILENCES_MAX 64 /* rules and tags silenced for one event */

/* The most bytes of its arena that a ruleset of len bytes of text takes. */
#define RULE_ARENA_SIZE(len) (24 * (size_t)(len) + 4096)

struct rule_cond; /* a compiled condition; rule_int.h */
struct rule_interned;

/* The names that the conditions of a ruleset read, by number. */
struct rule_names {
	const struct rule_interned *attrs;
	const struct rule_interned *velocities;
};

/* One compiled rule. */
struct rule {
	const char *id;
	const char *tag;
	uint16_t tag_index; /* equal tags of a ruleset have equal numbers */
	uint8_t points; /* 0 to RULE_POINTS_MAX */
	int line; /* of the word "rule" in the text, from 1 */
	const struct rule_cond *cond;
	const struct rule_names *names; /* of the ruleset, to print cond */
};

/* The value of a signal in a test. */
struct rule_given {
	const char *name; /* of an attribute or a velocity, else NULL */
	uint16_t signal; /* as in conditions: rule_explain.h */
	struct value value;
};

enum rule_expect_kind {
	EXPECT_VERDICT = 1,
	EXPECT_SCORE, /* a score from min to max */
	EXPECT_TAG, /* the tag is a reason */
	EXPECT_NO_TAG, /* the tag is no reason */
	EXPECT__MAX
};

/* What a test expects of the decision, and its place in the text. */
struct rule_expect {
	enum rule_expect_kind kind;
	int line;
	int column;
	int end_column;
	union {
		enum verdict verdict;
		struct {
			int min, max;
		} score;
		const char *tag;
	};
};

/* A test beside the rules: what they decide for some values of signals. */
struct rule_test {
	const char *id;
	int line; /* of the word "test" in the text, from 1 */
	const struct rule_given *given;
	size_t n_given;
	const struct rule_expect *expect;
	size_t n_expect; /* at least 1 */
};

/* A compiled ruleset; it is constant and lives in the arena of its compiler. */
struct ruleset {
	const char *version; /* the loader sets it */
	const struct rule *rules;
	size_t n_rules;
	const struct rule_test *tests; /* rule_test.h runs them */
	size_t n_tests;
	size_t n_tags; /* tag_index is below this */
	const struct velocity *velocities; /* velocity.h */
	size_t n_velocities; /* at most RULE_VELOCITIES_MAX */
	struct rule_names names;
};

/* One mistake in rule text. */
struct rule_mistake {
	int line; /* from 1 */
	int column; /* from 1, in characters */
	int end_column; /* after its last character; column at the text's end */
	char why[256]; /* what was found and what was expected */
};

/* Mistakes in the order of the text.  The caller sets list and max. */
struct rule_mistakes {
	struct rule_mistake *list;
	size_t max; /* elements of list, at least 1; others are not noted */
	size_t n;
	bool no_memory; /* the arena was full */
};

/* Rules that do not fire for an event. */
struct rule_silence {
	const char *name; /* the id of a rule, or a tag */
	bool tag; /* it is a tag: all rules with this tag */
};

/* What is silenced for one event. */
struct rule_silences {
	const struct rule_silence *list;
	size_t n; /* at most RULE_SILENCES_MAX */
};

/* The rules that fired, in ruleset order. */
struct rule_hits {
	uint16_t index[RULES_MAX];
	size_t n;
};

/*
 * Compile len bytes of rule text: lex it, parse it, check names and types
 * against the signal table, and refuse duplicate ids and text above a limit.
 * Return the ruleset, or NULL with f set.  For a mistake the code is
 * RULESET_INVALID, where is "line L, column C" (both from 1, columns in
 * characters), and why says what was found and what was expected.  If the
 * arena is full, the code is INTERNAL.
 */
struct ruleset *rule_compile(struct arena *a, const char *text, size_t len,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Compile like rule_compile(), and note all mistakes instead of the first.  A
 * mistake in a name, a type, a literal, an id, a tag or the points does not
 * hide others of its rule.  After any other mistake the rest of the rule is
 * skipped.  Two mistakes never have one position.  Return NULL if there are
 * mistakes or the arena is full.
 */
struct ruleset *rule_compile_all(struct arena *a, const char *text, size_t len,
    struct rule_mistakes *ret) __attribute__((warn_unused_result));

/* Set f to a mistake in the form of rule_compile().  Return -1. */
int rule_mistake_fail(const struct rule_mistake *mistake, struct fail *f);

/*
 * Whether text is valid as an id, a tag or a version label: 1 to RULE_ID_MAX
 * letters, digits and ._@+-.
 */
bool rule_ident(const char *text);

/*
 * Evaluate all rules over the signals, and set *ret to those whose condition is
 * true and that are not silenced.  A rule whose condition is unknown does not
 * fire.
 */
void rule_eval(const struct ruleset *rs, const struct signals *sigs,
    struct rule_hits *ret);

/* Set *ret to the rules whose condition is true, but that are silenced. */
void rule_eval_silenced(const struct ruleset *rs, const struct signals *sigs,
    struct rule_hits *ret);

/* Whether one of the silences, which may be NULL, silences the rule. */
bool rule_silenced(
    const struct rule *rule, const struct rule_silences *silences);

/*
 * Append one rule as canonical text on one line, such as "rule r_velocity {
 * when velocity.attemptsLast2m > 4 then score += 28, tag velocity }".  The text
 * compiles to the same rule.
 */
void rule_print(struct str *s, const struct rule *rule);

/*
 * Append a ruleset as canonical text: first its velocities, then its rules and
 * its tests, one a line.
 */
void rule_print_all(struct str *s, const struct ruleset *rs);

/*
 * Append one test in the same way, such as "test t_velocity { given
 * velocity.attemptsLast2m == 5 expect challenge because velocity }".
 */
void rule_print_test(struct str *s, const struct rule_test *test);

#endif
