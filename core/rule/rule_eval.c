/* SPDX-License-Identifier: ISC */
/* Evaluate rules in three-valued logic. */
#include "config.h"

#include <string.h>

#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"

static void eval_all(const struct ruleset *rs, const struct signals *sigs,
    struct rule_hits *ret);
static void keep_hits(const struct ruleset *rs,
    const struct rule_silences *silences, bool silenced,
    struct rule_hits *hits);
static void eval_rules(const struct ruleset *rs, const struct value *values,
    struct rule_hits *ret);
static void eval_names(const struct ruleset *rs, const struct signals *sigs,
    struct rule_hits *ret);
static inline enum truth eval_cond(
    const struct rule_cond *c, const struct value *values);
static inline enum truth eval_compare(
    const struct rule_cond *c, const struct value *value);
static enum truth eval_other(
    const struct rule_cond *c, const struct value *values);
static enum truth eval_chain(
    const struct rule_cond *c, const struct value *values);
static enum truth eval_in(const struct rule_cond *c, const struct value *value);

void
rule_eval(
    const struct ruleset *rs, const struct signals *sigs, struct rule_hits *ret)
{
	eval_all(rs, sigs, ret);
	if (sigs->silences != NULL)
		keep_hits(rs, sigs->silences, false, ret);
}

void
rule_eval_silenced(
    const struct ruleset *rs, const struct signals *sigs, struct rule_hits *ret)
{
	ret->n = 0;
	if (sigs->silences == NULL)
		return;
	eval_all(rs, sigs, ret);
	keep_hits(rs, sigs->silences, true, ret);
}

bool
rule_silenced(const struct rule *rule, const struct rule_silences *silences)
{
	const struct rule_silence *one;
	size_t i;

	for (i = 0; silences != NULL && i < silences->n; i++) {
		one = &silences->list[i];
		if (strcmp(one->tag ? rule->tag : rule->id, one->name) == 0)
			return true;
	}
	return false;
}

void
rule_values(
    const struct ruleset *rs, const struct signals *sigs, struct value *ret)
{
	size_t i;

	rule_values_of(&rs->names, sigs, ret);
	for (i = 0; i < rs->n_velocities; i++)
		ret[RULE_VELOCITY + i] =
		    velocity_value_of(sigs->velocities, rs->velocities[i].id);
}

void
rule_values_of(const struct rule_names *names, const struct signals *sigs,
    struct value *ret)
{
	const struct event *ev = sigs->event;
	size_t i;
	int n;

	memcpy(ret, sigs->value, sizeof(sigs->value));
	for (i = 0; i < names->attrs->n; i++)
		ret[SIGNAL__MAX + i] = value_unknown();
	for (i = 0; i < ev->n_attrs; i++) {
		n = rule_intern_find(names->attrs, ev->attrs[i].name);
		if (n != -1)
			ret[SIGNAL__MAX + n] = ev->attrs[i].value;
	}
	for (i = 0; i < names->velocities->n; i++)
		ret[RULE_VELOCITY + i] = value_unknown();
	ret[RULE_VERDICT] = value_unknown();
}

enum truth
rule_truth(const struct rule_cond *c, const struct value *values)
{
	return eval_cond(c, values);
}

/* Evaluate the rules as if none were silenced. */
static void
eval_all(
    const struct ruleset *rs, const struct signals *sigs, struct rule_hits *ret)
{
	/* Most rulesets read only signals; use these without a copy. */
	if (rs->names.attrs->n == 0 && rs->n_velocities == 0)
		eval_rules(rs, sigs->value, ret);
	else
		eval_names(rs, sigs, ret);
}

/* Of the hits, keep those that are silenced, or those that are not. */
static void
keep_hits(const struct ruleset *rs, const struct rule_silences *silences,
    bool silenced, struct rule_hits *hits)
{
	size_t i, n = 0;

	for (i = 0; i < hits->n; i++) {
		hits->index[n] = hits->index[i];
		n += rule_silenced(&rs->rules[hits->index[i]], silences) ==
		    silenced;
	}
	hits->n = n;
}

/* Evaluate the rules over the values of signals and attributes. */
static void
eval_rules(
    const struct ruleset *rs, const struct value *values, struct rule_hits *ret)
{
	size_t i;

	/* No branch depends on the result: it would often be mispredicted. */
	ret->n = 0;
	for (i = 0; i < rs->n_rules; i++) {
		ret->index[ret->n] = (uint16_t)i;
		ret->n += eval_cond(rs->rules[i].cond, values) == TRUTH_TRUE;
	}
}

/* Find attributes and velocities once, then evaluate the rules. */
static void
eval_names(
    const struct ruleset *rs, const struct signals *sigs, struct rule_hits *ret)
{
	struct value values[RULE_VALUES_MAX];

	rule_values(rs, sigs, values);
	eval_rules(rs, values, ret);
}

/* Evaluate a condition; most are a single comparison. */
static inline enum truth
eval_cond(const struct rule_cond *c, const struct value *values)
{
	if (c->kind == COND_COMPARE)
		return eval_compare(c, &values[c->signal]);
	return eval_other(c, values);
}

/*
 * Compare a value with the literal.  Numbers, the most frequent case, are
 * compared without a branch.
 */
static inline enum truth
eval_compare(const struct rule_cond *c, const struct value *value)
{
	const double n = value->number, literal = c->literal.number;
	unsigned int outcome;

	if (c->literal.type == VALUE_NUMBER) {
		outcome = (n < literal ? OUTCOME_LT : 0U) |
		    (n == literal ? OUTCOME_EQ : 0U) |
		    (n > literal ? OUTCOME_GT : 0U);
		outcome = value->type == VALUE_NUMBER ? outcome : 0;
	} else
		outcome = cond_outcome(value, &c->literal);
	return TRUTH_FALSE + (outcome == 0) + 2 * ((outcome & c->want) != 0);
}

/* Evaluate a condition of any kind. */
static enum truth
eval_other(const struct rule_cond *c, const struct value *values)
{
	switch ((enum cond_kind)c->kind) {
	case COND_COMPARE:
	case COND_BARE:
		return eval_compare(c, &values[c->signal]);
	case COND_IN:
		return eval_in(c, &values[c->signal]);
	case COND_NOT:
		return TRUTH_TRUE + TRUTH_FALSE - eval_cond(c + 1, values);
	case COND_AND:
	case COND_OR:
		return eval_chain(c, values);
	case COND__MAX:
		break;
	}
	return TRUTH_UNKNOWN;
}

/*
 * Evaluate "&&" or "||".  A false operand of "&&", or a true one of "||",
 * determines the result; otherwise it is unknown if an operand is unknown.
 */
static enum truth
eval_chain(const struct rule_cond *c, const struct value *values)
{
	const enum truth settles =
	    c->kind == COND_AND ? TRUTH_FALSE : TRUTH_TRUE;
	const struct rule_cond *end = c + c->span;
	enum truth got = TRUTH_TRUE + TRUTH_FALSE - settles, truth;

	for (c++; c < end; c += c->span) {
		truth = eval_cond(c, values);
		if (truth == settles)
			return settles;
		if (truth == TRUTH_UNKNOWN)
			got = TRUTH_UNKNOWN;
	}
	return got;
}

/* Search the value in the sorted members of the list. */
static enum truth
eval_in(const struct rule_cond *c, const struct value *value)
{
	size_t low = 0, high = c->list.n, mid;
	unsigned int outcome;

	while (low < high) {
		mid = low + (high - low) / 2;
		outcome = cond_outcome(value, &c->list.items[mid]);
		if (outcome == 0)
			return TRUTH_UNKNOWN;
		if (outcome == OUTCOME_EQ)
			return TRUTH_TRUE;
		if (outcome == OUTCOME_LT)
			high = mid;
		else
			low = mid + 1;
	}
	return TRUTH_FALSE;
}
