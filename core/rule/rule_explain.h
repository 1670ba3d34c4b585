/* SPDX-License-Identifier: ISC */
/* Explain why a rule is true, false or unknown, and list its literals. */
#ifndef CORE_RULE_RULE_EXPLAIN_H
#define CORE_RULE_RULE_EXPLAIN_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/value.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/signal/signals.h"

/*
 * The values that conditions read: each signal at its number, attribute n of
 * the ruleset at SIGNAL__MAX + n, velocity n at RULE_VELOCITY + n; and the
 * verdict, which only filters of velocities read.
 */
#define RULE_VELOCITY (SIGNAL__MAX + RULE_ATTRS_MAX)
#define RULE_VERDICT (RULE_VELOCITY + RULE_VELOCITIES_MAX)
#define RULE_VALUES_MAX (RULE_VERDICT + 1)

/*
 * Fill ret[RULE_VALUES_MAX] with the values that conditions of rs read, but for
 * the verdict, which is unknown.
 */
void rule_values(
    const struct ruleset *rs, const struct signals *sigs, struct value *ret);

/* The same of a ruleset with these names, without its velocities. */
void rule_values_of(const struct rule_names *names, const struct signals *sigs,
    struct value *ret);

/* The size of the name of such a value, with its prefix and a NUL. */
#define RULE_VALUE_NAME_SIZE (sizeof("velocity.") + EVENT_ATTR_NAME_MAX)

/* Write the name of a value of rs, such as "velocity.cards", to ret. */
void rule_value_name(
    const struct ruleset *rs, uint16_t signal, char ret[RULE_VALUE_NAME_SIZE]);

/* The name of attribute n of rs, or NULL after the last one. */
const char *rule_attr(const struct ruleset *rs, size_t n);

#define RULE_EXPLAIN_MAX 8

/* One comparison of a condition, and its result. */
struct rule_comparison {
	const struct rule_cond *cond;
	uint16_t signal; /* index into the values of rule_values() */
	enum truth truth;
};

/* The result of a rule, and the comparisons that cause it. */
struct rule_explain {
	enum truth truth;
	struct rule_comparison by[RULE_EXPLAIN_MAX]; /* the first n of them */
	size_t n; /* number of comparisons; may exceed RULE_EXPLAIN_MAX */
};

/*
 * Find the comparisons that make a rule true, false or unknown over the values
 * of rule_values().  For a false "&&" this is the first false operand, for a
 * true "||" the first true one, and otherwise each operand with the same result
 * as the whole; operands are explained in the same way.  If the rule is true or
 * false, these comparisons alone determine it, whatever the other signals are.
 */
void rule_explain(const struct rule *rule, const struct value *values,
    struct rule_explain *ret);

/* A literal that conditions compare a signal with. */
struct rule_literal {
	uint16_t signal; /* index into the values of rule_values() */
	struct value value;
};

/*
 * All literals of rs, including the members of lists, without duplicates,
 * sorted by signal, type and value.  Set *ret_n to their number.  Return NULL
 * if arena a is full.
 */
const struct rule_literal *rule_literals(
    struct arena *a, const struct ruleset *rs, size_t *ret_n);

/*
 * Set ret[RULE_VALUES_MAX] to the signals that a rule reads, as indexes into
 * the values of rule_values(), each once and in their order.  Return their
 * number.
 */
size_t rule_signals(const struct rule *rule, uint16_t *ret);

/* The number of terms in all conditions of rs, the cost of an evaluation. */
size_t rule_terms(const struct ruleset *rs);

/*
 * Append a comparison of the rule as canonical text, such as
 * "velocity.attemptsLast2m > 4".
 */
void rule_print_comparison(struct str *s, const struct rule *rule,
    const struct rule_comparison *comparison);

#endif
