/* SPDX-License-Identifier: ISC */
/* Explain why a rule is true, false or unknown, and list its literals. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "core/base/arena.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"

static void note_comparisons(const struct rule_cond *c,
    const struct value *values, enum truth truth, struct rule_explain *ret);
static void settle_chain(const struct rule_cond *c, const struct value *values,
    enum truth truth, struct rule_explain *ret);
static void add_term_literals(
    const struct rule_cond *c, struct rule_literal *all, size_t *n);
static int literal_order(const void *a, const void *b);

void
rule_value_name(
    const struct ruleset *rs, uint16_t signal, char ret[RULE_VALUE_NAME_SIZE])
{
	if (signal < SIGNAL__MAX)
		snprintf(ret, RULE_VALUE_NAME_SIZE, "%s",
		    signal_name((enum signal)signal));
	else if (signal < RULE_VELOCITY)
		snprintf(ret, RULE_VALUE_NAME_SIZE, "attr.%s",
		    rs->names.attrs->text[signal - SIGNAL__MAX]);
	else
		snprintf(ret, RULE_VALUE_NAME_SIZE, "velocity.%s",
		    rs->names.velocities->text[signal - RULE_VELOCITY]);
}

const char *
rule_attr(const struct ruleset *rs, size_t n)
{
	return n < rs->names.attrs->n ? rs->names.attrs->text[n] : NULL;
}

void
rule_explain(const struct rule *rule, const struct value *values,
    struct rule_explain *ret)
{
	ret->truth = rule_truth(rule->cond, values);
	ret->n = 0;
	note_comparisons(rule->cond, values, ret->truth, ret);
}

const struct rule_literal *
rule_literals(struct arena *a, const struct ruleset *rs, size_t *ret_n)
{
	const struct rule_cond *c, *end;
	struct rule_literal *all;
	size_t i, n = 0, kept = 0;

	for (i = 0; i < rs->n_rules; i++) {
		end = rs->rules[i].cond + rs->rules[i].cond->span;
		for (c = rs->rules[i].cond; c < end; c++)
			n += c->kind == COND_IN ? c->list.n : 1;
	}
	if ((all = arena_array(a, n + 1, sizeof(*all))) == NULL)
		return NULL;
	for (i = 0, n = 0; i < rs->n_rules; i++) {
		end = rs->rules[i].cond + rs->rules[i].cond->span;
		for (c = rs->rules[i].cond; c < end; c++)
			add_term_literals(c, all, &n);
	}
	qsort(all, n, sizeof(*all), literal_order);
	for (i = 0; i < n; i++)
		if (i == 0 || literal_order(&all[i], &all[kept - 1]) != 0)
			all[kept++] = all[i];
	*ret_n = kept;
	return all;
}

size_t
rule_signals(const struct rule *rule, uint16_t *ret)
{
	const struct rule_cond *c, *end = rule->cond + rule->cond->span;
	bool reads[RULE_VALUES_MAX] = { false };
	size_t i, n = 0;

	for (c = rule->cond; c < end; c++)
		if (c->kind == COND_COMPARE || c->kind == COND_BARE ||
		    c->kind == COND_IN)
			reads[c->signal] = true;
	for (i = 0; i < RULE_VALUES_MAX; i++)
		if (reads[i])
			ret[n++] = (uint16_t)i;
	return n;
}

size_t
rule_terms(const struct ruleset *rs)
{
	size_t i, n = 0;

	for (i = 0; i < rs->n_rules; i++)
		n += rs->rules[i].cond->span;
	return n;
}

/* Add the comparisons that make c evaluate to truth. */
static void
note_comparisons(const struct rule_cond *c, const struct value *values,
    enum truth truth, struct rule_explain *ret)
{
	switch ((enum cond_kind)c->kind) {
	case COND_COMPARE:
	case COND_BARE:
	case COND_IN:
		if (ret->n < RULE_EXPLAIN_MAX)
			ret->by[ret->n] = (struct rule_comparison) {
				.cond = c, .signal = c->signal, .truth = truth
			};
		ret->n++;
		return;
	case COND_NOT:
		note_comparisons(
		    c + 1, values, TRUTH_TRUE + TRUTH_FALSE - truth, ret);
		return;
	case COND_AND:
	case COND_OR:
		settle_chain(c, values, truth, ret);
		return;
	case COND__MAX:
		return;
	}
}

/*
 * Add the comparisons of "&&" or "||": of the first operand that determines the
 * result, otherwise of each operand with the same result.
 */
static void
settle_chain(const struct rule_cond *c, const struct value *values,
    enum truth truth, struct rule_explain *ret)
{
	const enum truth settles =
	    c->kind == COND_AND ? TRUTH_FALSE : TRUTH_TRUE;
	const struct rule_cond *end = c + c->span;

	for (c++; c < end; c += c->span) {
		if (rule_truth(c, values) != truth)
			continue;
		note_comparisons(c, values, truth, ret);
		if (truth == settles)
			return;
	}
}

/* Append the literals of one term. */
static void
add_term_literals(
    const struct rule_cond *c, struct rule_literal *all, size_t *n)
{
	size_t i;

	switch ((enum cond_kind)c->kind) {
	case COND_COMPARE:
	case COND_BARE:
		all[(*n)++] = (struct rule_literal) { c->signal, c->literal };
		return;
	case COND_IN:
		for (i = 0; i < c->list.n; i++)
			all[(*n)++] = (struct rule_literal) { c->signal,
				c->list.items[i] };
		return;
	case COND_NOT:
	case COND_AND:
	case COND_OR:
	case COND__MAX:
		return;
	}
}

static int
literal_order(const void *a, const void *b)
{
	const struct rule_literal *x = a, *y = b;
	unsigned int outcome;

	if (x->signal != y->signal)
		return x->signal < y->signal ? -1 : 1;
	if (x->value.type != y->value.type)
		return x->value.type < y->value.type ? -1 : 1;
	outcome = cond_outcome(&x->value, &y->value);
	return outcome == OUTCOME_EQ ? 0 : outcome == OUTCOME_LT ? -1 : 1;
}
