/* SPDX-License-Identifier: ISC */
/* Why a rule is true, false or unknown, and what rules compare with. */
#ifndef CORE_RULE_RULE_EXPLAIN_H
#define CORE_RULE_RULE_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "core/rule/rule.h"
#include "core/signal/signals.h"
#include "core/base/value.h"

/* All that conditions read: the signals, then the ruleset's attributes. */
#define RULE_VALUES_MAX (SIGNAL__MAX + RULE_ATTRS_MAX)

/*
 * The values of all that conditions of rs read, to ret[RULE_VALUES_MAX]: of a
 * signal at its number, of attribute n of rs at SIGNAL__MAX + n.
 */
void rule_values(
    const struct ruleset *rs, const struct signals *sigs, struct value *ret);

/* The name of attribute n of rs, or NULL behind the last. */
const char *rule_attr(const struct ruleset *rs, size_t n);

#define RULE_EXPLAIN_MAX 8

/* One comparison of a condition, and what it comes to. */
struct rule_comparison {
	const struct rule_cond *cond;
	uint16_t signal; /* its number among the values */
	enum truth truth;
};

/* What a rule comes to, and the comparisons that make it so. */
struct rule_explain {
	enum truth truth;
	struct rule_comparison by[RULE_EXPLAIN_MAX]; /* the first of them */
	size_t n; /* how many there are */
};

/*
 * Say why a rule is true, false or unknown over values as rule_values() has
 * them: of an "&&" that is false the first operand that is, of an "||" that is
 * true the first that is, else each operand that is what the whole is; of
 * these the same, down to comparisons.  Where it is true or false they
 * settle it whatever the other signals are.
 */
void rule_explain(const struct rule *rule, const struct value *values,
    struct rule_explain *ret);

/* A literal that conditions compare a signal with. */
struct rule_literal {
	uint16_t signal; /* its number among the values */
	struct value value;
};

/*
 * All literals of rs, members of lists too, by signal, then by type, then by
 * value, no two equal; how many to *ret_n.  Returns NULL when arena a is full.
 */
const struct rule_literal *rule_literals(
    struct arena *a, const struct ruleset *rs, size_t *ret_n);

/* Terms of all conditions of rs: how long one evaluation takes. */
size_t rule_terms(const struct ruleset *rs);

/* Append a comparison of the rule as canonical text: velocity.attemptsLast2m >
 * 4 */
void rule_print_comparison(struct str *s, const struct rule *rule,
    const struct rule_comparison *comparison);

#endif
