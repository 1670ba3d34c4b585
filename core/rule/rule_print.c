/* SPDX-License-Identifier: ISC */
/* Print a compiled rule as canonical text. */
#include "config.h"

#include "core/rule/rule_int.h"
#include "core/signal/signals.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"

static void print_cond(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs);
static void print_chain(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs);
static void print_wrapped(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs, bool wrap);
static void print_signal(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs);
static void print_list(struct str *s, const struct cond_list *list);
static const char *operator_text(const struct rule_cond *c);

void
rule_print(struct str *s, const struct rule *rule)
{
	str_addf(s, "rule %s { when ", rule->id);
	print_cond(s, rule->cond, rule->attrs);
	str_addf(s, " then score += %d, tag %s }", rule->points, rule->tag);
}

void
rule_print_comparison(struct str *s, const struct rule *rule,
    const struct rule_comparison *comparison)
{
	print_cond(s, comparison->cond, rule->attrs);
}

static void
print_cond(
    struct str *s, const struct rule_cond *c, const struct rule_interned *attrs)
{
	switch ((enum cond_kind)c->kind) {
	case COND_AND:
	case COND_OR:
		print_chain(s, c, attrs);
		return;
	case COND_NOT:
		/* Parentheses show that "!" applies to all of "a > 1". */
		str_addc(s, '!');
		print_wrapped(s, c + 1, attrs,
		    c[1].kind != COND_NOT && c[1].kind != COND_BARE);
		return;
	case COND_COMPARE:
		print_signal(s, c, attrs);
		str_addf(s, " %s ", operator_text(c));
		str_value(s, &c->literal);
		return;
	case COND_IN:
		print_signal(s, c, attrs);
		print_list(s, &c->list);
		return;
	case COND_BARE:
		print_signal(s, c, attrs);
		return;
	case COND__MAX:
		return;
	}
}

/* Print the operands, separated by "&&" or "||". */
static void
print_chain(
    struct str *s, const struct rule_cond *c, const struct rule_interned *attrs)
{
	const struct rule_cond *operand, *end = c + c->span;

	for (operand = c + 1; operand < end; operand += operand->span) {
		if (operand > c + 1)
			str_add(s, c->kind == COND_AND ? " && " : " || ");
		print_wrapped(s, operand, attrs,
		    c->kind == COND_AND && operand->kind == COND_OR);
	}
}

static void
print_wrapped(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs, bool wrap)
{
	if (wrap)
		str_addc(s, '(');
	print_cond(s, c, attrs);
	if (wrap)
		str_addc(s, ')');
}

/* Print the name, that of an attribute in quotes if it needs them. */
static void
print_signal(
    struct str *s, const struct rule_cond *c, const struct rule_interned *attrs)
{
	const char *name;

	if (c->signal < SIGNAL__MAX) {
		str_add(s, signal_name((enum signal)c->signal));
		return;
	}
	name = attrs->text[c->signal - SIGNAL__MAX];
	str_add(s, "attr.");
	if (rule_ident(name))
		str_add(s, name);
	else
		str_json(s, name);
}

static void
print_list(struct str *s, const struct cond_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		str_add(s, i == 0 ? " in [" : ", ");
		str_value(s, &list->items[i]);
	}
	str_addc(s, ']');
}

/* The operator of a comparison, found by the outcomes that make it true. */
static const char *
operator_text(const struct rule_cond *c)
{
	static const enum rule_token operators[OUTCOME__MAX] = {
		[OUTCOME_EQ] = TOKEN_EQ,
		[OUTCOME_LT | OUTCOME_GT] = TOKEN_NE,
		[OUTCOME_GT] = TOKEN_GT,
		[OUTCOME_GT | OUTCOME_EQ] = TOKEN_GE,
		[OUTCOME_LT] = TOKEN_LT,
		[OUTCOME_LT | OUTCOME_EQ] = TOKEN_LE,
	};

	return rule_lex_name(operators[c->want]);
}
