/* SPDX-License-Identifier: ISC */
/* Warn about rules that compile but are probably a mistake. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/ascii.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_warn.h"
#include "core/signal/signal_range.h"
#include "core/signal/signals.h"

#define NAMED_MAX 5 /* texts of one list that a warning names */
#define NEAR_SIZE ((size_t)24) /* longer than all texts of such signals */

static void add_warning(struct str *s, const char *before,
    const struct rule *rule, const struct rule_cond *c, const char *after);
static bool add_impossible(struct str *s, const struct rule_cond *c);
static void add_hint(
    struct str *s, const struct signal_range *range, const char *text);
static bool find_near(
    const struct signal_range *range, const char *text, char ret[NEAR_SIZE]);
static size_t copy_without_blanks(const char *text, char ret[NEAR_SIZE]);
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
	const struct rule_cond *c, *end = rule->cond + rule->cond->span;

	for (c = rule->cond; c < end; c++)
		if (add_impossible(s, c))
			return;
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
 * Append the texts of a comparison that its signal never is, or else one that
 * events hardly have.  Return whether there is any.
 */
static bool
add_impossible(struct str *s, const struct rule_cond *c)
{
	const bool list = c->kind == COND_IN, one = c->kind == COND_COMPARE;
	const struct value *v = list ? c->list.items : one ? &c->literal : NULL;
	const size_t n = list ? c->list.n : one;
	const struct signal_range *range = signal_range_of(
	    c->signal < SIGNAL__MAX ? (enum signal)c->signal : SIGNAL__MAX);
	size_t i, found = 0;

	for (i = 0; i < n && found < NAMED_MAX && v[i].type == VALUE_STRING;
	     i++) {
		if (signal_range_has_text(range, v[i].string))
			continue;
		if (found++ > 0)
			str_add(s, " or ");
		else
			str_addf(s, "%s is never ",
			    signal_name((enum signal)c->signal));
		str_value(s, &v[i]);
		add_hint(s, range, v[i].string);
	}
	for (i = 0; i < n && found == 0 && v[i].type == VALUE_STRING; i++) {
		if (!utf8_has_blank_ends(v[i].string))
			continue;
		str_value(s, &v[i]);
		str_add(s, " begins or ends with a blank");
		found++;
	}
	return found > 0;
}

/* Append what to write instead of a text, or what the signal is. */
static void
add_hint(struct str *s, const struct signal_range *range, const char *text)
{
	char near[NEAR_SIZE];

	if (find_near(range, text, near))
		str_addf(s, " (write \"%s\")", near);
	else
		str_addf(s, " (it is %s)", range->form);
}

/*
 * Find a text that the signal can have: the same without blanks, in upper or
 * lower case, or another name of the same country or currency.
 */
static bool
find_near(
    const struct signal_range *range, const char *text, char ret[NEAR_SIZE])
{
	static const struct {
		const char *other, *code;
	} names[] = { { "UK", "GB" }, { "EL", "GR" }, { "USA", "US" },
		{ "GBR", "GB" }, { "RMB", "CNY" }, { "NIS", "ILS" } };
	const size_t n = copy_without_blanks(text, ret);
	size_t i;

	if (signal_range_has_text(range, ret))
		return true;
	for (i = 0; i < n; i++)
		ret[i] = ascii_lower(ret[i]);
	if (signal_range_has_text(range, ret))
		return true;
	for (i = 0; i < n; i++)
		ret[i] = ascii_upper(ret[i]);
	for (i = 0; i < nitems(names); i++)
		if (strcmp(ret, names[i].other) == 0)
			memcpy(ret, names[i].code, strlen(names[i].code) + 1);
	return signal_range_has_text(range, ret);
}

/* Copy as much of text as fits, without ASCII blanks; return the size. */
static size_t
copy_without_blanks(const char *text, char ret[NEAR_SIZE])
{
	size_t n = 0;

	for (; *text != '\0' && n < NEAR_SIZE - 1; text++)
		if (*text != ' ' && *text != '\t')
			ret[n++] = *text;
	ret[n] = '\0';
	return n;
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
 * last.  Only counts and shares have a range that they never leave.
 */
static bool
no_number(const struct rule_cond *first, const struct rule_cond *last)
{
	const uint16_t sig = last->signal;
	const struct signal_range *range =
	    signal_range_of(sig < SIGNAL__MAX ? (enum signal)sig : SIGNAL__MAX);
	double low = range->closed ? range->least : -HUGE_VAL;
	double high = range->closed ? range->most : HUGE_VAL;
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
