/* SPDX-License-Identifier: ISC */
/* Print a compiled rule as canonical text. */
#include "config.h"

#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/signal/signals.h"

static void print_cond(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs);
static void print_chain(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs);
static void print_wrapped(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs, bool wrap);
static void print_signal(struct str *s, const struct rule_cond *c,
    const struct rule_interned *attrs);
static void print_name(struct str *s, uint16_t signal, const char *attr);
static void print_expect(
    struct str *s, const struct rule_expect *e, enum rule_expect_kind before);
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
rule_print_test(struct str *s, const struct rule_test *test)
{
	size_t i;

	str_addf(s, "test %s {", test->id);
	for (i = 0; i < test->n_given; i++) {
		str_add(s, i == 0 ? " given " : ", ");
		print_name(s, test->given[i].signal, test->given[i].attr);
		str_add(s, " == ");
		str_value(s, &test->given[i].value);
	}
	str_add(s, " expect");
	for (i = 0; i < test->n_expect; i++)
		print_expect(
		    s, &test->expect[i], i > 0 ? test->expect[i - 1].kind : 0);
	str_add(s, " }");
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

static void
print_signal(
    struct str *s, const struct rule_cond *c, const struct rule_interned *attrs)
{
	print_name(s, c->signal,
	    c->signal < SIGNAL__MAX ? NULL
				    : attrs->text[c->signal - SIGNAL__MAX]);
}

/* Print the name of a signal or, if attr is not NULL, of that attribute. */
static void
print_name(struct str *s, uint16_t signal, const char *attr)
{
	if (attr == NULL) {
		str_add(s, signal_name((enum signal)signal));
		return;
	}
	str_add(s, "attr.");
	if (rule_ident(attr))
		str_add(s, attr);
	else
		str_json(s, attr);
}

/* Print an expectation; before is the kind of the previous one, or 0. */
static void
print_expect(
    struct str *s, const struct rule_expect *e, enum rule_expect_kind before)
{
	switch (e->kind) {
	case EXPECT_VERDICT:
		str_addf(s, " %s", verdict_name(e->verdict));
		return;
	case EXPECT_SCORE:
		if (e->score.min == e->score.max)
			str_addf(s, " score == %d", e->score.min);
		else if (e->score.max == RULE_SCORE_MAX)
			str_addf(s, " score >= %d", e->score.min);
		else
			str_addf(s, " score <= %d", e->score.max);
		return;
	case EXPECT_TAG:
	case EXPECT_NO_TAG:
		if (before == e->kind)
			str_add(s, ",");
		else
			str_add(s, e->kind == EXPECT_TAG ? " because" : " not");
		str_addf(s, " %s", e->tag);
		return;
	case EXPECT__MAX:
		return;
	}
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
