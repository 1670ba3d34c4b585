/* SPDX-License-Identifier: ISC */
/* Check the names and types of signals in comparisons. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/rule_int.h"
#include "core/signal/signals.h"

#define ATTR_PREFIX "attr."
#define SIGNAL_TEXT_MAX 64 /* longer than the name of any signal */

static int check_attr(struct arena *a, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret, struct rule_mistakes *m);
static void check_unknown(
    const struct rule_lexeme *at, struct rule_mistakes *m);
static size_t list_members(const char *space, size_t n, char *ret, size_t size);
static enum value_type type_of(uint16_t signal);

/* The types as messages name them. */
static const char *const types[VALUE__MAX] = {
	[VALUE_NUMBER] = "a number",
	[VALUE_STRING] = "a string",
	[VALUE_BOOL] = "a boolean",
};

int
rule_check_signal(struct arena *a, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret, struct rule_mistakes *m)
{
	const size_t prefix = strlen(ATTR_PREFIX);
	char name[SIGNAL_TEXT_MAX + 1] = "";
	enum signal sig;

	if (at->len >= prefix && memcmp(at->text, ATTR_PREFIX, prefix) == 0)
		return check_attr(a, attrs, at, ret, m);
	if (at->len <= SIGNAL_TEXT_MAX)
		memcpy(name, at->text, at->len);
	sig = signal_parse(name);
	if (sig == SIGNAL__MAX)
		check_unknown(at, m);
	*ret = sig == SIGNAL__MAX ? RULE_SIGNAL_NONE : (uint16_t)sig;
	return 0;
}

void
rule_check_compare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *op, const struct rule_lexeme *literal,
    enum value_type type, struct rule_mistakes *m)
{
	enum value_type left = type_of(signal);

	/* An attribute can have any type, so it takes that of the literal. */
	if (left == VALUE_UNKNOWN)
		left = type;
	if (type == VALUE_UNKNOWN)
		return;
	if (left != VALUE_NUMBER &&
	    (op->token == TOKEN_GT || op->token == TOKEN_GE ||
		op->token == TOKEN_LT || op->token == TOKEN_LE))
		rule_mistake_add(m, op,
		    "found \"%s\", which compares numbers, not %s; expected "
		    "\"==\" or \"!=\"",
		    rule_lex_name(op->token), types[left]);
	else if (left != type)
		rule_mistake_add(m, literal, "found %s, but %.*s is %s",
		    types[type], (int)at->len, at->text, types[left]);
}

void
rule_check_bare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *next, struct rule_mistakes *m)
{
	enum value_type type = type_of(signal);

	if (type != VALUE_BOOL && type != VALUE_UNKNOWN)
		rule_mistake_expected(m, next,
		    "an operator after %.*s, which is %s", (int)at->len,
		    at->text, types[type]);
}

/* Find or add an attribute, and set *ret to its number. */
static int
check_attr(struct arena *a, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret, struct rule_mistakes *m)
{
	const size_t prefix = strlen(ATTR_PREFIX);
	char *name;
	int n = -1;

	*ret = RULE_SIGNAL_NONE;
	if (at->token == TOKEN_ATTR)
		name = rule_word_string(a, at, m);
	else if ((name = arena_strndup(
		      a, at->text + prefix, at->len - prefix)) == NULL)
		rule_mistake_memory(m);
	if (name == NULL)
		return m->no_memory ? -1 : 0;
	if (*name == '\0' || strlen(name) > EVENT_ATTR_NAME_MAX)
		rule_mistake_add(m, at,
		    "the name of an attribute has 1 to %d bytes",
		    EVENT_ATTR_NAME_MAX);
	else if ((n = rule_intern_find(attrs, name)) == -1) {
		if (attrs->n == RULE_ATTRS_MAX)
			return rule_mistake_add(m, at,
			    "a ruleset reads at most %d different attributes",
			    RULE_ATTRS_MAX);
		n = (int)attrs->n;
		rule_intern_add(attrs, name);
	}
	if (n != -1)
		*ret = (uint16_t)(SIGNAL__MAX + n);
	return 0;
}

/* Refuse an unknown signal; the message lists those with the same prefix. */
static void
check_unknown(const struct rule_lexeme *at, struct rule_mistakes *m)
{
	char members[192];
	const char *dot = memchr(at->text, '.', at->len);
	size_t space = dot == NULL ? 0 : (size_t)(dot + 1 - at->text);

	if (list_members(at->text, space, members, sizeof(members)) > 0)
		rule_mistake_expected(m, at, "a signal: %.*s has %s",
		    (int)space - 1, at->text, members);
	else
		rule_mistake_expected(m, at,
		    "a signal such as event.amount or attr.name, \"!\" or "
		    "\"(\"");
}

/*
 * Write to ret the names that begin with the n bytes at space, without these
 * bytes, separated by commas.  Return their number.
 */
static size_t
list_members(const char *space, size_t n, char *ret, size_t size)
{
	size_t count = 0, used = 0;
	unsigned int i;
	const char *name;
	int len;

	*ret = '\0';
	for (i = 0; n > 0 && i < SIGNAL__MAX; i++) {
		name = signal_name((enum signal)i);
		if (strncmp(name, space, n) != 0)
			continue;
		len = snprintf(ret + used, size - used, "%s%s",
		    count++ > 0 ? ", " : "", name + n);
		if (len < 0 || (size_t)len >= size - used)
			break;
		used += (size_t)len;
	}
	return count;
}

/* The type of a signal; VALUE_UNKNOWN for an attribute. */
static enum value_type
type_of(uint16_t signal)
{
	return signal < SIGNAL__MAX ? signal_type((enum signal)signal)
				    : VALUE_UNKNOWN;
}
