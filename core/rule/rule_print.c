/* SPDX-License-Identifier: ISC */
/* Print a compiled rule as canonical text. */
#include "config.h"

#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"

static void print_chain(
    struct str *s, const struct rule_cond *c, const struct rule_names *names);
static void print_wrapped(struct str *s, const struct rule_cond *c,
    const struct rule_names *names, bool wrap);
static void print_name(struct str *s, uint16_t signal, const char *name);
static void print_expect(
    struct str *s, const struct rule_expect *e, enum rule_expect_kind before);
static void print_list(struct str *s, const struct cond_list *list);
static const char *operator_text(const struct rule_cond *c);

void
rule_print(struct str *s, const struct rule *rule)
{
	str_addf(s, "rule %s { when ", rule->id);
	rule_print_condition(s, rule->cond, rule->names);
	str_addf(s, " then score += %d, tag %s }", rule->points, rule->tag);
}

void
rule_print_all(struct str *s, const struct ruleset *rs)
{
	size_t i;

	for (i = 0; i < rs->n_velocities; i++) {
		str_addf(s, "velocity %s = ", rs->velocities[i].name);
		velocity_print(s, &rs->velocities[i]);
		str_addc(s, '\n');
	}
	for (i = 0; i < rs->n_rules; i++) {
		rule_print(s, &rs->rules[i]);
		str_addc(s, '\n');
	}
	for (i = 0; i < rs->n_tests; i++) {
		rule_print_test(s, &rs->tests[i]);
		str_addc(s, '\n');
	}
}

void
rule_print_test(struct str *s, const struct rule_test *test)
{
	size_t i;

	str_addf(s, "test %s {", test->id);
	for (i = 0; i < test->n_given; i++) {
		str_add(s, i == 0 ? " given " : ", ");
		print_name(s, test->given[i].signal, test->given[i].name);
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
	rule_print_condition(s, comparison->cond, rule->names);
}

void
rule_print_name(struct str *s, uint16_t signal, const struct rule_names *names)
{
	if (signal == RULE_VERDICT)
		str_add(s, "verdict");
	else if (signal < SIGNAL__MAX)
		print_name(s, signal, NULL);
	else if (signal < RULE_VELOCITY)
		print_name(s, signal, names->attrs->text[signal - SIGNAL__MAX]);
	else
		print_name(
		    s, signal, names->velocities->text[signal - RULE_VELOCITY]);
}

void
rule_print_condition(
    struct str *s, const struct rule_cond *c, const struct rule_names *names)
{
	switch ((enum cond_kind)c->kind) {
	case COND_AND:
	case COND_OR:
		print_chain(s, c, names);
		return;
	case COND_NOT:
		/* Parentheses show that "!" applies to all of "a > 1". */
		str_addc(s, '!');
		print_wrapped(s, c + 1, names,
		    c[1].kind != COND_NOT && c[1].kind != COND_BARE);
		return;
	case COND_COMPARE:
		rule_print_name(s, c->signal, names);
		str_addf(s, " %s ", operator_text(c));
		str_value(s, &c->literal);
		return;
	case COND_IN:
		rule_print_name(s, c->signal, names);
		print_list(s, &c->list);
		return;
	case COND_BARE:
		rule_print_name(s, c->signal, names);
		return;
	case COND__MAX:
		return;
	}
}

/* Print the operands, separated by "&&" or "||". */
static void
print_chain(
    struct str *s, const struct rule_cond *c, const struct rule_names *names)
{
	const struct rule_cond *operand, *end = c + c->span;

	for (operand = c + 1; operand < end; operand += operand->span) {
		if (operand > c + 1)
			str_add(s, c->kind == COND_AND ? " && " : " || ");
		print_wrapped(s, operand, names,
		    c->kind == COND_AND && operand->kind == COND_OR);
	}
}

static void
print_wrapped(struct str *s, const struct rule_cond *c,
    const struct rule_names *names, bool wrap)
{
	if (wrap)
		str_addc(s, '(');
	rule_print_condition(s, c, names);
	if (wrap)
		str_addc(s, ')');
}

/* Print the name of a value; name is that of an attribute or a velocity. */
static void
print_name(struct str *s, uint16_t signal, const char *name)
{
	if (signal < SIGNAL__MAX) {
		str_add(s, signal_name((enum signal)signal));
		return;
	}
	str_add(s, signal < RULE_VELOCITY ? "attr." : "velocity.");
	if (rule_ident(name))
		str_add(s, name);
	else
		str_json(s, name);
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
