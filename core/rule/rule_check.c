/* SPDX-License-Identifier: ISC */
/* Check the names and types of signals in comparisons. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/verdict.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_parse_int.h"
#include "core/signal/signals.h"

#define ATTR_PREFIX "attr."
#define VELOCITY_PREFIX "velocity."
#define SIGNAL_TEXT_MAX 64 /* longer than the name of any signal */

static int check_attr(struct arena *a, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret, struct rule_mistakes *m);
static int check_value_name(
    struct rule_parser *p, const struct rule_lexeme *at, uint16_t *ret);
static int check_event_name(
    struct rule_parser *p, const struct rule_lexeme *at, uint16_t *ret);
static bool begins_with(const struct rule_lexeme *at, const char *prefix);
static enum signal lexeme_signal(const struct rule_lexeme *at);
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
rule_check_signal(struct rule_parser *p, struct rule_interned *attrs,
    const struct rule_lexeme *at, uint16_t *ret)
{
	if (begins_with(at, ATTR_PREFIX))
		return check_attr(p->arena, attrs, at, ret, p->mistakes);
	return p->part != NULL ? check_event_name(p, at, ret)
			       : check_value_name(p, at, ret);
}

int
rule_check_velocity(struct rule_parser *p, const struct rule_lexeme *at,
    const char *name, int *ret)
{
	struct rule_interned *names = &p->velocities.names;
	char full[sizeof(VELOCITY_PREFIX) + RULE_ID_MAX];

	snprintf(full, sizeof(full), "%s%s", VELOCITY_PREFIX, name);
	*ret = -1;
	if (signal_parse(full) != SIGNAL__MAX) {
		rule_mistake_add(p->mistakes, at, "%s is a signal", full);
		return 0;
	}
	*ret = rule_intern_find(names, name);
	if (*ret != -1)
		return 0;
	if (names->n == RULE_VELOCITIES_MAX)
		return rule_mistake_add(p->mistakes, at,
		    "a ruleset has at most %d velocities", RULE_VELOCITIES_MAX);
	*ret = (int)names->n;
	p->velocity_read[*ret] = *at;
	rule_intern_add(names, name);
	return 0;
}

void
rule_check_compare(uint16_t signal, const struct rule_lexeme *at,
    const struct rule_lexeme *op, const struct rule_lexeme *literal,
    const struct value *value, struct rule_mistakes *m)
{
	const enum value_type type = value->type;
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
	else if (signal == RULE_VERDICT && type == VALUE_STRING &&
	    verdict_parse(value->string) == VERDICT__NONE)
		rule_mistake_add(m, literal,
		    "a verdict is allow, challenge, review or deny");
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

/* A signal, or else a velocity with a valid name. */
static int
check_value_name(
    struct rule_parser *p, const struct rule_lexeme *at, uint16_t *ret)
{
	const size_t prefix = strlen(VELOCITY_PREFIX);
	const enum signal sig = lexeme_signal(at);
	char *name;
	int n;

	*ret = sig == SIGNAL__MAX ? RULE_SIGNAL_NONE : (uint16_t)sig;
	if (sig != SIGNAL__MAX)
		return 0;
	if (!begins_with(at, VELOCITY_PREFIX)) {
		check_unknown(at, p->mistakes);
		return 0;
	}
	name = arena_strndup(p->arena, at->text + prefix, at->len - prefix);
	if (name == NULL)
		return rule_mistake_memory(p->mistakes);
	if (!rule_ident(name)) {
		check_unknown(at, p->mistakes);
		return 0;
	}
	if (rule_check_velocity(p, at, name, &n) == -1)
		return -1;
	*ret = (uint16_t)(RULE_VELOCITY + n);
	return 0;
}

/* What a velocity may read of its events, and their verdict. */
static int
check_event_name(
    struct rule_parser *p, const struct rule_lexeme *at, uint16_t *ret)
{
	const enum signal sig = lexeme_signal(at);

	*ret = RULE_SIGNAL_NONE;
	if (rule_lex_is(at, "verdict"))
		*ret = RULE_VERDICT;
	else if (sig <= SIGNAL_INSTRUMENT_THREE_DS)
		*ret = (uint16_t)sig;
	else
		rule_mistake_expected(p->mistakes, at, "%s", p->part);
	return 0;
}

static bool
begins_with(const struct rule_lexeme *at, const char *prefix)
{
	const size_t len = strlen(prefix);

	return at->len >= len && memcmp(at->text, prefix, len) == 0;
}

/* The signal that has the name at, or SIGNAL__MAX. */
static enum signal
lexeme_signal(const struct rule_lexeme *at)
{
	char name[SIGNAL_TEXT_MAX + 1] = "";

	if (at->len <= SIGNAL_TEXT_MAX)
		memcpy(name, at->text, at->len);
	return signal_parse(name);
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

/* The type of a value; VALUE_UNKNOWN for an attribute. */
static enum value_type
type_of(uint16_t signal)
{
	if (signal < SIGNAL__MAX)
		return signal_type((enum signal)signal);
	if (signal == RULE_VERDICT)
		return VALUE_STRING;
	return signal >= RULE_VELOCITY && signal < RULE_VERDICT ? VALUE_NUMBER
								: VALUE_UNKNOWN;
}
