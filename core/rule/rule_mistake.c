/* SPDX-License-Identifier: ISC */
/* Collect the mistakes of rule text, each with its position and its message. */
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "core/rule/rule_int.h"

#define SHOWN_MAX 40 /* bytes of a word that a message repeats */

static int mistake_add(struct rule_mistakes *m, const struct rule_lexeme *at,
    const char *found, const char *why, va_list ap)
    __attribute__((format(printf, 4, 0)));

int
rule_mistake_add(
    struct rule_mistakes *m, const struct rule_lexeme *at, const char *why, ...)
{
	va_list ap;

	va_start(ap, why);
	mistake_add(m, at, "", why, ap);
	va_end(ap);
	return -1;
}

int
rule_mistake_expected(struct rule_mistakes *m, const struct rule_lexeme *at,
    const char *expected, ...)
{
	char found[SHOWN_MAX + 32];
	va_list ap;

	/* A string may contain personal data; do not repeat it. */
	if (at->token == TOKEN_END)
		snprintf(found, sizeof(found),
		    "found the end of the text, expected ");
	else if (at->token == TOKEN_STRING)
		snprintf(found, sizeof(found), "found a string, expected ");
	else if (at->token == TOKEN_ATTR)
		snprintf(found, sizeof(found), "found an attribute, expected ");
	else
		snprintf(found, sizeof(found), "found \"%.*s%s\", expected ",
		    (int)(at->len < SHOWN_MAX ? at->len : SHOWN_MAX), at->text,
		    at->len > SHOWN_MAX ? "..." : "");
	va_start(ap, expected);
	mistake_add(m, at, found, expected, ap);
	va_end(ap);
	return -1;
}

int
rule_mistake_fail(const struct rule_mistake *mistake, struct fail *f)
{
	char where[64];

	snprintf(where, sizeof(where), "line %d, column %d", mistake->line,
	    mistake->column);
	return fail_set(
	    f, FAIL_INPUT, RULESET_INVALID, where, "%s", mistake->why);
}

int
rule_mistake_memory(struct rule_mistakes *m)
{
	if (m != NULL)
		m->no_memory = true;
	return -1;
}

bool
rule_mistake_stop(const struct rule_mistakes *m)
{
	return m->no_memory || m->n == m->max;
}

/*
 * Append a mistake, unless the list is full.  Two messages about one position
 * come from one mistake: keep the first.
 */
static int
mistake_add(struct rule_mistakes *m, const struct rule_lexeme *at,
    const char *found, const char *why, va_list ap)
{
	struct rule_mistake *mistake;
	char tail[sizeof(mistake->why)];

	if (m == NULL || rule_mistake_stop(m) ||
	    (m->n > 0 && m->list[m->n - 1].line == at->line &&
		m->list[m->n - 1].column == at->column))
		return -1;
	mistake = &m->list[m->n++];
	mistake->line = at->line;
	mistake->column = at->column;
	mistake->end_column = at->column + rule_lex_columns(at);
	vsnprintf(tail, sizeof(tail), why, ap);
	snprintf(mistake->why, sizeof(mistake->why), "%s%s", found, tail);
	return -1;
}
