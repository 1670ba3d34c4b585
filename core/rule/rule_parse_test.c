/* SPDX-License-Identifier: ISC */
/* Parse the tests beside the rules. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/rule/rule.h"
#include "core/rule/rule_explain.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_parse_int.h"
#include "core/signal/signals.h"

/* The test that is being read. */
struct test_parts {
	struct rule_given given[RULE_GIVEN_MAX];
	size_t n_given;
	struct rule_expect expect[RULE_EXPECT_MAX];
	size_t n_expect;
};

static int parse_test_name(struct rule_parser *p, struct rule_test *test);
static int parse_given(struct rule_parser *p, struct test_parts *parts);
static const char *given_name(const struct rule_parser *p, uint16_t signal);
static void check_given_once(struct rule_parser *p,
    const struct rule_lexeme *at, const struct test_parts *parts);
static int parse_expect(struct rule_parser *p, struct test_parts *parts);
static int parse_verdict(struct rule_parser *p, struct test_parts *parts);
static int parse_score(struct rule_parser *p, struct test_parts *parts);
static int parse_tags(struct rule_parser *p, struct test_parts *parts,
    enum rule_expect_kind kind);
static struct rule_expect *expect_add(struct rule_parser *p,
    struct test_parts *parts, enum rule_expect_kind kind,
    const struct rule_lexeme *at);
static enum verdict word_verdict(const struct rule_lexeme *at);
static int test_copy(struct rule_parser *p, const struct test_parts *parts,
    struct rule_test *test);

/*
 * test = "test" ident "{" [ "given" given { "," given } ]
 *        "expect" expect { expect } "}"
 */
int
rule_parse_test(struct rule_parser *p)
{
	struct rule_test_draft *draft;
	struct test_parts parts = { .n_given = 0, .n_expect = 0 };

	p->n_tests++;
	draft = arena_alloc(p->arena, sizeof(*draft));
	if (draft == NULL)
		return rule_mistake_memory(p->mistakes);
	draft->test = (struct rule_test) { .line = p->at.line };
	if (rule_parse_next(p) == -1 ||
	    parse_test_name(p, &draft->test) == -1 ||
	    rule_parse_token(p, TOKEN_LBRACE) == -1)
		return -1;
	if (rule_lex_is(&p->at, "given"))
		do {
			if (rule_parse_next(p) == -1 ||
			    parse_given(p, &parts) == -1)
				return -1;
		} while (p->at.token == TOKEN_COMMA);
	if (!rule_lex_is(&p->at, "expect"))
		return rule_mistake_expected(p->mistakes, &p->at,
		    parts.n_given == 0 ? "\"given\" or \"expect\""
				       : "\",\" or \"expect\"");
	if (rule_parse_next(p) == -1)
		return -1;
	do {
		if (parse_expect(p, &parts) == -1)
			return -1;
	} while (p->at.token != TOKEN_RBRACE);
	if (rule_parse_next(p) == -1 ||
	    test_copy(p, &parts, &draft->test) == -1)
		return -1;
	draft->next = NULL;
	*p->last_test = draft;
	p->last_test = &draft->next;
	return 0;
}

void
rule_parse_check_tests(struct rule_parser *p)
{
	const struct rule_test_draft *draft;
	const struct rule_expect *e;
	struct rule_mistakes *m = p->mistakes;
	struct rule_lexeme at;
	size_t i;

	/* A rule with a mistake may lack its tag. */
	if (m->n > 0)
		return;
	for (draft = p->first_test; draft != NULL; draft = draft->next)
		for (i = 0; i < draft->test.n_expect; i++) {
			e = &draft->test.expect[i];
			if ((e->kind != EXPECT_TAG &&
				e->kind != EXPECT_NO_TAG) ||
			    rule_intern_find(&p->tags.names, e->tag) != -1)
				continue;
			at = (struct rule_lexeme) {
				.line = e->line,
				.column = e->column,
			};
			rule_mistake_add(
			    m, &at, "no rule has the tag \"%s\"", e->tag);
			if (m->n > 0)
				m->list[m->n - 1].end_column = e->end_column;
		}
}

struct rule_test *
rule_copy_tests(const struct rule_parser *p)
{
	const struct rule_test_draft *draft;
	struct rule_test *ret;
	size_t i = 0;

	ret = arena_array(p->arena, p->n_tests, sizeof(*ret));
	if (ret == NULL)
		return NULL;
	for (draft = p->first_test; draft != NULL; draft = draft->next)
		ret[i++] = draft->test;
	return ret;
}

static int
parse_test_name(struct rule_parser *p, struct rule_test *test)
{
	char *id;

	if (rule_parse_ident(p, "the name of a test", false, &id) == -1)
		return -1;
	if (id != NULL && rule_intern_find(&p->test_ids.names, id) != -1)
		rule_mistake_add(p->mistakes, &p->at,
		    "an earlier test has the name \"%s\" already", id);
	else if (id != NULL)
		rule_intern_add(&p->test_ids.names, id);
	test->id = id;
	return rule_parse_next(p);
}

/* given = signal "==" literal */
static int
parse_given(struct rule_parser *p, struct test_parts *parts)
{
	const struct rule_lexeme at = p->at;
	struct rule_given *given = &parts->given[parts->n_given];
	struct rule_lexeme op;

	if (parts->n_given == RULE_GIVEN_MAX)
		return rule_mistake_add(p->mistakes, &at,
		    "a test gives at most %d signals", RULE_GIVEN_MAX);
	if (at.token != TOKEN_WORD && at.token != TOKEN_ATTR)
		return rule_mistake_expected(p->mistakes, &at, "a signal");
	if (rule_check_signal(p, &p->test_attrs.names, &at, &given->signal) ==
	    -1)
		return -1;
	check_given_once(p, &at, parts);
	if (rule_parse_next(p) == -1)
		return -1;
	op = p->at;
	if (rule_parse_token(p, TOKEN_EQ) == -1 ||
	    rule_parse_literal(p, &given->value) == -1)
		return -1;
	rule_check_compare(
	    given->signal, &at, &op, &p->at, &given->value, p->mistakes);
	given->name = given_name(p, given->signal);
	parts->n_given++;
	return rule_parse_next(p);
}

/* The name of an attribute or a velocity, else NULL. */
static const char *
given_name(const struct rule_parser *p, uint16_t signal)
{
	if (signal < SIGNAL__MAX || signal == RULE_SIGNAL_NONE)
		return NULL;
	return signal < RULE_VELOCITY
	    ? p->test_attrs.names.text[signal - SIGNAL__MAX]
	    : p->velocities.names.text[signal - RULE_VELOCITY];
}

/* Refuse a signal that an earlier part of the test gives. */
static void
check_given_once(struct rule_parser *p, const struct rule_lexeme *at,
    const struct test_parts *parts)
{
	const uint16_t signal = parts->given[parts->n_given].signal;
	size_t i;

	if (signal == RULE_SIGNAL_NONE)
		return;
	for (i = 0; i < parts->n_given; i++)
		if (parts->given[i].signal == signal) {
			rule_mistake_add(p->mistakes, at,
			    "the test gives this signal already");
			return;
		}
}

/*
 * expect = verdict | "score" op number | "because" tag { "," tag }
 *        | "not" tag { "," tag }
 */
static int
parse_expect(struct rule_parser *p, struct test_parts *parts)
{
	if (word_verdict(&p->at) != VERDICT__NONE)
		return parse_verdict(p, parts);
	if (rule_lex_is(&p->at, "score"))
		return parse_score(p, parts);
	if (rule_lex_is(&p->at, "because"))
		return parse_tags(p, parts, EXPECT_TAG);
	if (rule_lex_is(&p->at, "not"))
		return parse_tags(p, parts, EXPECT_NO_TAG);
	return rule_mistake_expected(p->mistakes, &p->at,
	    "%sa verdict, \"score\", \"because\" or \"not\"",
	    parts->n_expect == 0 ? "" : "\"}\", ");
}

static int
parse_verdict(struct rule_parser *p, struct test_parts *parts)
{
	struct rule_expect *e = expect_add(p, parts, EXPECT_VERDICT, &p->at);

	if (e == NULL)
		return -1;
	e->verdict = word_verdict(&p->at);
	return rule_parse_next(p);
}

static int
parse_score(struct rule_parser *p, struct test_parts *parts)
{
	struct rule_expect *e = expect_add(p, parts, EXPECT_SCORE, &p->at);
	const struct rule_lexeme *at = &p->at;
	int least = 0, most = RULE_SCORE_MAX;
	enum rule_token op;
	double n;

	if (e == NULL || rule_parse_next(p) == -1)
		return -1;
	op = at->token;
	if (op != TOKEN_EQ && op != TOKEN_GE && op != TOKEN_LE &&
	    op != TOKEN_GT && op != TOKEN_LT)
		return rule_mistake_expected(
		    p->mistakes, at, "\"==\", \">=\", \"<=\", \">\" or \"<\"");
	if (rule_parse_next(p) == -1)
		return -1;
	least += op == TOKEN_LT;
	most -= op == TOKEN_GT;
	if (!rule_begins_number(at) || rule_word_number(at, &n, NULL) == -1 ||
	    n < least || n > most || n != trunc(n))
		return rule_mistake_expected(p->mistakes, at,
		    "a whole number from %d to %d", least, most);
	e->score.min = op == TOKEN_LE || op == TOKEN_LT ? 0 : (int)n;
	e->score.max =
	    op == TOKEN_GE || op == TOKEN_GT ? RULE_SCORE_MAX : (int)n;
	e->score.min += op == TOKEN_GT;
	e->score.max -= op == TOKEN_LT;
	return rule_parse_next(p);
}

static int
parse_tags(
    struct rule_parser *p, struct test_parts *parts, enum rule_expect_kind kind)
{
	struct rule_expect *e;
	char *tag;

	do {
		if (rule_parse_next(p) == -1 ||
		    rule_parse_ident(p, "a tag", true, &tag) == -1)
			return -1;
		if (tag != NULL) {
			if ((e = expect_add(p, parts, kind, &p->at)) == NULL)
				return -1;
			e->tag = tag;
		}
		if (rule_parse_next(p) == -1)
			return -1;
	} while (p->at.token == TOKEN_COMMA);
	return 0;
}

/* Add an expectation at that place; NULL with a mistake if there is no room. */
static struct rule_expect *
expect_add(struct rule_parser *p, struct test_parts *parts,
    enum rule_expect_kind kind, const struct rule_lexeme *at)
{
	struct rule_expect *e = &parts->expect[parts->n_expect];
	size_t i;

	if (parts->n_expect == RULE_EXPECT_MAX) {
		rule_mistake_add(p->mistakes, at,
		    "a test has at most %d expectations", RULE_EXPECT_MAX);
		return NULL;
	}
	for (i = 0; i < parts->n_expect; i++)
		if (kind == EXPECT_VERDICT && parts->expect[i].kind == kind) {
			rule_mistake_add(p->mistakes, at,
			    "the test expects a verdict already");
			return NULL;
		}
	parts->n_expect++;
	*e = (struct rule_expect) {
		.kind = kind,
		.line = at->line,
		.column = at->column,
		.end_column = at->column + rule_lex_columns(at),
	};
	return e;
}

/* The verdict that a word names, or VERDICT__NONE. */
static enum verdict
word_verdict(const struct rule_lexeme *at)
{
	unsigned int v;

	for (v = VERDICT_ALLOW; v < VERDICT__MAX; v++)
		if (rule_lex_is(at, verdict_name((enum verdict)v)))
			return (enum verdict)v;
	return VERDICT__NONE;
}

/* Copy the parts of a test to the arena. */
static int
test_copy(struct rule_parser *p, const struct test_parts *parts,
    struct rule_test *test)
{
	struct rule_given *given =
	    arena_array(p->arena, parts->n_given, sizeof(*given));
	struct rule_expect *expect =
	    arena_array(p->arena, parts->n_expect, sizeof(*expect));

	if (given == NULL || expect == NULL)
		return rule_mistake_memory(p->mistakes);
	memcpy(given, parts->given, parts->n_given * sizeof(*given));
	memcpy(expect, parts->expect, parts->n_expect * sizeof(*expect));
	test->given = given;
	test->n_given = parts->n_given;
	test->expect = expect;
	test->n_expect = parts->n_expect;
	return 0;
}
