/* SPDX-License-Identifier: ISC */
/* Warn about rules that compile but are probably a mistake. */
#include "config.h"

#include <math.h>
#include <stdbool.h>

#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_warn.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"

static void add_warning(struct str *s, const char *before,
    const struct rule *rule, const struct rule_cond *c, const char *after);
static const struct rule_cond *find_contradiction(const struct rule_cond *cond);
static bool is_comparison(const struct rule_cond *c);
static bool comparisons_exclude(
    const struct rule_cond *a, const struct rule_cond *b);
static bool no_number(
    const struct rule_cond *first, const struct rule_cond *last);
static void narrow_range(const struct rule_cond *c, double *low, double *high);
static const struct rule_cond *find_repeated(const struct rule_cond *cond);
static bool equal_conditions(
    const struct rule_cond *a, const struct rule_cond *b);
static bool equal_terms(const struct rule_cond *a, const struct rule_cond *b);
static const struct rule *find_same(const struct ruleset *rs, size_t n);

void
rule_warn(struct str *s, const struct ruleset *rs, size_t n)
{
	const struct rule *rule = &rs->rules[n], *same;
	const struct rule_cond *c;

	if ((c = find_contradiction(rule->cond)) != NULL)
		add_warning(s, "never fires: ", rule, c,
		    no_number(c, c) ? " is never true"
				    : " contradicts an earlier comparison");
	else if ((c = find_repeated(rule->cond)) != NULL)
		add_warning(s, "repeats ", rule, c, "");
	else if ((same = find_same(rs, n)) != NULL)
		str_addf(s, "has the same condition as the rule %s", same->id);
}

/* Append a warning about a part of the condition. */
static void
add_warning(struct str *s, const char *before, const struct rule *rule,
    const struct rule_cond *c, const char *after)
{
	const struct rule_comparison part = { .cond = c };

	str_add(s, before);
	rule_print_comparison(s, rule, &part);
	str_add(s, after);
}

/*
 * Among the comparisons that must all be true for cond to be true, find one
 * that an earlier one or the range of its signal excludes.
 */
static const struct rule_cond *
find_contradiction(const struct rule_cond *cond)
{
	const struct rule_cond *end = cond + cond->span;
	const struct rule_cond *first = cond + (cond->kind == COND_AND), *a, *b;

	for (a = first; a < end; a += a->span) {
		if (!is_comparison(a))
			continue;
		for (b = first; b < a; b += b->span)
			if (is_comparison(b) && b->signal == a->signal &&
			    comparisons_exclude(a, b))
				return a;
		if (a->literal.type == VALUE_NUMBER && no_number(first, a))
			return a;
	}
	return NULL;
}

static bool
is_comparison(const struct rule_cond *c)
{
	return c->kind == COND_COMPARE || c->kind == COND_BARE;
}

/*
 * Whether two comparisons of one signal cannot both be true: they want values
 * of different types, or one wants a value for which the other is false.
 */
static bool
comparisons_exclude(const struct rule_cond *a, const struct rule_cond *b)
{
	const unsigned int outcome = cond_outcome(&a->literal, &b->literal);
	const unsigned int back = cond_outcome(&b->literal, &a->literal);

	return outcome == 0 ||
	    (a->want == OUTCOME_EQ && (outcome & b->want) == 0) ||
	    (b->want == OUTCOME_EQ && (back & a->want) == 0);
}

/*
 * Whether no number of the signal of last meets the comparisons from first to
 * last.  Only counts have a range that they never leave.
 */
static bool
no_number(const struct rule_cond *first, const struct rule_cond *last)
{
	const uint16_t sig = last->signal;
	const struct signal_range *range =
	    signal_range_of(sig < SIGNAL__MAX ? (enum signal)sig : SIGNAL__MAX);
	double low = range->whole ? range->least : -HUGE_VAL;
	double high = range->whole ? range->most : HUGE_VAL;
	const struct rule_cond *c;

	for (c = first; c <= last; c += c->span)
		if (is_comparison(c) && c->signal == sig &&
		    c->literal.type == VALUE_NUMBER)
			narrow_range(c, &low, &high);
	return range->whole ? ceil(low) > floor(high) : low > high;
}

/* Narrow the range from low to high to the numbers that meet a comparison. */
static void
narrow_range(const struct rule_cond *c, double *low, double *high)
{
	const double n = c->literal.number;

	if ((c->want & OUTCOME_LT) == 0)
		*low = fmax(*low,
		    (c->want & OUTCOME_EQ) != 0 ? n : nextafter(n, HUGE_VAL));
	if ((c->want & OUTCOME_GT) == 0)
		*high = fmin(*high,
		    (c->want & OUTCOME_EQ) != 0 ? n : nextafter(n, -HUGE_VAL));
}

/* Find an operand of "&&" or "||" that equals an earlier one. */
static const struct rule_cond *
find_repeated(const struct rule_cond *cond)
{
	const struct rule_cond *end = cond + cond->span, *chain, *a, *b;

	for (chain = cond; chain < end; chain++) {
		if (chain->kind != COND_AND && chain->kind != COND_OR)
			continue;
		for (a = chain + 1; a < chain + chain->span; a += a->span)
			for (b = chain + 1; b < a; b += b->span)
				if (equal_conditions(a, b))
					return a;
	}
	return NULL;
}

/* Find the first earlier rule with an equal condition. */
static const struct rule *
find_same(const struct ruleset *rs, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (equal_conditions(rs->rules[i].cond, rs->rules[n].cond))
			return &rs->rules[i];
	return NULL;
}

/* Whether two conditions are written with the same terms. */
static bool
equal_conditions(const struct rule_cond *a, const struct rule_cond *b)
{
	uint16_t i;

	if (a->span != b->span)
		return false;
	for (i = 0; i < a->span; i++)
		if (!equal_terms(&a[i], &b[i]))
			return false;
	return true;
}

static bool
equal_terms(const struct rule_cond *a, const struct rule_cond *b)
{
	size_t i;

	if (a->kind != b->kind || a->span != b->span)
		return false;
	if (a->kind == COND_AND || a->kind == COND_OR || a->kind == COND_NOT)
		return true;
	if (a->signal != b->signal || a->want != b->want)
		return false;
	if (a->kind != COND_IN)
		return cond_outcome(&a->literal, &b->literal) == OUTCOME_EQ;
	if (a->list.n != b->list.n)
		return false;
	for (i = 0; i < a->list.n; i++)
		if (cond_outcome(&a->list.items[i], &b->list.items[i]) !=
		    OUTCOME_EQ)
			return false;
	return true;
}
