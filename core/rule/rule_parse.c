/* SPDX-License-Identifier: ISC */
/* Compile rule text with a recursive-descent parser. */
#include "config.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "core/rule/rule_int.h"
#include "core/rule/rule_parse_int.h"

static void names_room(struct rule_names_room *room);
static void parse_ruleset(struct rule_parser *p);
struct rule_item;

static const struct rule_item *find_item(const struct rule_parser *p);
static bool item_fits(
    const struct rule_parser *p, const struct rule_item *item);
static int add_rule(struct rule_parser *p);
static void skip_rule(struct rule_parser *p);
static bool item_begins(const struct rule_parser *p, bool closed);
static struct ruleset *parse_finish(struct rule_parser *p);
static int parse_rule(struct rule_parser *p, struct rule *rule);
static int parse_id(struct rule_parser *p, struct rule *rule);
static int parse_points(struct rule_parser *p, struct rule *rule);
static int parse_tag(struct rule_parser *p, struct rule *rule);
static int parse_or(struct rule_parser *p);
static int parse_and(struct rule_parser *p);
static int parse_chain(struct rule_parser *p, enum rule_token op,
    enum cond_kind kind, int (*operand)(struct rule_parser *));
static int parse_unary(struct rule_parser *p);
static int parse_not(struct rule_parser *p);
static int parse_nested(
    struct rule_parser *p, int (*inner)(struct rule_parser *));
static int parse_parens(struct rule_parser *p);
static int parse_term(struct rule_parser *p);
static int parse_compare(
    struct rule_parser *p, const struct rule_lexeme *at, struct rule_cond *c);
static void parse_bare(
    struct rule_parser *p, const struct rule_lexeme *at, struct rule_cond *c);
static int parse_in(
    struct rule_parser *p, const struct rule_lexeme *at, struct rule_cond *c);
static int parse_members(struct rule_parser *p, const struct rule_lexeme *at,
    uint16_t signal, struct value *items, size_t *n);
static int list_make(struct rule_parser *p, struct value *items, size_t n,
    struct cond_list *ret);
static int value_order(const void *a, const void *b);
static int term_add(
    struct rule_parser *p, enum cond_kind kind, const struct rule_lexeme *at);
static int term_insert(struct rule_parser *p, size_t where, enum cond_kind kind,
    const struct rule_lexeme *at);
static void term_remove(struct rule_parser *p, size_t where);

/* What a ruleset consists of. */
static const struct rule_item {
	const char *word;
	const char *plural;
	size_t max;
	size_t count; /* offset of their number in struct rule_parser */
	int (*parse)(struct rule_parser *);
} item_kinds[] = {
	{ "rule", "rules", RULES_MAX, offsetof(struct rule_parser, n_rules),
	    add_rule },
	{ "test", "tests", RULE_TESTS_MAX,
	    offsetof(struct rule_parser, n_tests), rule_parse_test },
	{ "velocity", "velocities", RULE_VELOCITIES_MAX,
	    offsetof(struct rule_parser, n_velocities), rule_parse_velocity },
};

/* The outcomes for which an operator is true; 0 for other tokens. */
static const uint8_t wanted[TOKEN__MAX] = {
	[TOKEN_EQ] = OUTCOME_EQ,
	[TOKEN_NE] = OUTCOME_LT | OUTCOME_GT,
	[TOKEN_GT] = OUTCOME_GT,
	[TOKEN_GE] = OUTCOME_GT | OUTCOME_EQ,
	[TOKEN_LT] = OUTCOME_LT,
	[TOKEN_LE] = OUTCOME_LT | OUTCOME_EQ,
};

struct ruleset *
rule_compile(struct arena *a, const char *text, size_t len, struct fail *f)
{
	struct rule_mistake first;
	struct rule_mistakes mistakes = { .list = &first, .max = 1 };
	struct ruleset *rs = rule_compile_all(a, text, len, &mistakes);

	if (mistakes.n > 0)
		rule_mistake_fail(&first, f);
	else if (rs == NULL)
		fail_memory(f);
	return rs;
}

struct ruleset *
rule_compile_all(
    struct arena *a, const char *text, size_t len, struct rule_mistakes *ret)
{
	struct rule_parser p;

	ret->n = 0;
	ret->no_memory = false;
	p.arena = a;
	p.mistakes = ret;
	p.first = NULL;
	p.last = &p.first;
	p.n_rules = 0;
	p.first_test = NULL;
	p.last_test = &p.first_test;
	p.n_tests = 0;
	p.depth = 0;
	names_room(&p.ids);
	names_room(&p.tags);
	names_room(&p.attrs);
	names_room(&p.test_ids);
	names_room(&p.test_attrs);
	names_room(&p.velocities);
	memset(p.velocity, 0, sizeof(p.velocity));
	p.part = NULL;
	p.n_velocities = 0;
	if (rule_lex_init(&p.lexer, text, len, ret) == -1)
		return NULL;
	parse_ruleset(&p);
	rule_parse_check_velocities(&p);
	rule_parse_check_tests(&p);
	return ret->n > 0 || ret->no_memory ? NULL : parse_finish(&p);
}

/* Make an empty set of names that uses the arrays of the room. */
static void
names_room(struct rule_names_room *room)
{
	room->names = (struct rule_interned) {
		.text = room->text,
		.order = room->order,
	};
}

/* ruleset = { rule | velocity | test } */
static void
parse_ruleset(struct rule_parser *p)
{
	const struct rule_item *item;

	if (rule_parse_next(p) == -1)
		skip_rule(p);
	while (p->at.token != TOKEN_END && !rule_mistake_stop(p->mistakes)) {
		item = find_item(p);
		if (!item_fits(p, item))
			return;
		if (item->parse(p) == -1)
			skip_rule(p);
	}
}

/* What the current token begins; anything else should be a rule. */
static const struct rule_item *
find_item(const struct rule_parser *p)
{
	const struct rule_item *item;

	for (item = item_kinds; item < item_kinds + nitems(item_kinds); item++)
		if (rule_lex_is(&p->at, item->word))
			return item;
	return &item_kinds[0];
}

/* Whether the ruleset may have one more of them. */
static bool
item_fits(const struct rule_parser *p, const struct rule_item *item)
{
	size_t n;

	memcpy(&n, (const char *)p + item->count, sizeof(n));
	if (n < item->max)
		return true;
	rule_mistake_add(p->mistakes, &p->at, "a ruleset has at most %zu %s",
	    item->max, item->plural);
	return false;
}

/* Parse a rule, and append it to the draft. */
static int
add_rule(struct rule_parser *p)
{
	struct rule_draft *draft;
	int r;

	draft = arena_alloc(p->arena, sizeof(*draft));
	if (draft == NULL)
		return rule_mistake_memory(p->mistakes);
	r = parse_rule(p, &draft->rule);
	*p->last = draft;
	p->last = &draft->next;
	p->n_rules++;
	return r;
}

/* After a mistake, skip the rest of a rule, a velocity or a test. */
static void
skip_rule(struct rule_parser *p)
{
	bool closed = false;

	while (p->at.token != TOKEN_END && !item_begins(p, closed)) {
		closed = p->at.token == TOKEN_RBRACE;
		while (rule_lex_next(&p->lexer, &p->at, NULL) == -1)
			continue;
	}
}

/*
 * Whether the current token begins a new item, and is not a name: it follows a
 * "}", or a name and a "{" or "=" follow it.
 */
static bool
item_begins(const struct rule_parser *p, bool closed)
{
	struct rule_lexer lexer = p->lexer;
	struct rule_lexeme at;
	size_t i;

	for (i = 0;
	     i < nitems(item_kinds) && !rule_lex_is(&p->at, item_kinds[i].word);
	     i++)
		continue;
	if (i == nitems(item_kinds))
		return false;
	return closed ||
	    (rule_lex_next(&lexer, &at, NULL) == 0 && at.token == TOKEN_WORD &&
		rule_lex_next(&lexer, &at, NULL) == 0 &&
		(at.token == TOKEN_LBRACE || at.token == TOKEN_SET));
}

/* Copy the rules and the tests to arrays, and make the ruleset. */
static struct ruleset *
parse_finish(struct rule_parser *p)
{
	const struct rule_draft *draft;
	struct ruleset *rs;
	struct rule *rules;
	struct rule_test *tests;
	size_t i = 0;

	rs = arena_alloc(p->arena, sizeof(*rs));
	rules = arena_array(p->arena, p->n_rules, sizeof(*rules));
	tests = rule_copy_tests(p);
	if (rs == NULL || rules == NULL || tests == NULL) {
		rule_mistake_memory(p->mistakes);
		return NULL;
	}
	rs->names.attrs = rule_intern_dup(p->arena, &p->attrs.names);
	rs->names.velocities = rule_intern_dup(p->arena, &p->velocities.names);
	if (rs->names.attrs == NULL || rs->names.velocities == NULL) {
		rule_mistake_memory(p->mistakes);
		return NULL;
	}
	if (rule_copy_velocities(p, &rs->names, rs) == -1)
		return NULL;
	for (draft = p->first; draft != NULL; draft = draft->next) {
		rules[i] = draft->rule;
		rules[i++].names = &rs->names;
	}
	rs->rules = rules;
	rs->n_rules = i;
	rs->tests = tests;
	rs->n_tests = p->n_tests;
	rs->n_tags = p->tags.names.n;
	return rs;
}

/*
 * rule = "rule" ident "{" "when" cond "then" "score" "+=" number ","
 *        "tag" ( ident | string ) "}"
 */
static int
parse_rule(struct rule_parser *p, struct rule *rule)
{
	struct rule_cond *cond;

	if (!rule_lex_is(&p->at, "rule"))
		return rule_mistake_expected(p->mistakes, &p->at,
		    p->n_rules == 0 && p->n_tests == 0 &&
			    p->velocities.names.n == 0
			? "\"rule\""
			: "\"rule\", \"velocity\", \"test\" or the end of the "
			  "text");
	p->n_terms = 0;
	rule->line = p->at.line;
	if (rule_parse_next(p) == -1 || parse_id(p, rule) == -1 ||
	    rule_parse_token(p, TOKEN_LBRACE) == -1 ||
	    rule_parse_word(p, "when") == -1 || parse_or(p) == -1)
		return -1;
	if (!rule_lex_is(&p->at, "then"))
		return rule_mistake_expected(
		    p->mistakes, &p->at, "\"&&\", \"||\" or \"then\"");
	if (rule_parse_next(p) == -1 || rule_parse_word(p, "score") == -1 ||
	    rule_parse_token(p, TOKEN_ADD) == -1 ||
	    parse_points(p, rule) == -1 ||
	    rule_parse_token(p, TOKEN_COMMA) == -1 ||
	    rule_parse_word(p, "tag") == -1 || parse_tag(p, rule) == -1 ||
	    rule_parse_token(p, TOKEN_RBRACE) == -1)
		return -1;

	/* The condition is complete; copy its terms to the arena. */
	cond = arena_array(p->arena, p->n_terms, sizeof(*cond));
	if (cond == NULL)
		return rule_mistake_memory(p->mistakes);
	memcpy(cond, p->terms, p->n_terms * sizeof(*cond));
	rule->cond = cond;
	return 0;
}

static int
parse_id(struct rule_parser *p, struct rule *rule)
{
	char *id;

	if (rule_parse_ident(p, "a rule id", false, &id) == -1)
		return -1;
	if (id != NULL && rule_intern_find(&p->ids.names, id) != -1)
		rule_mistake_add(p->mistakes, &p->at,
		    "an earlier rule has the id \"%s\" already", id);
	else if (id != NULL)
		rule_intern_add(&p->ids.names, id);
	rule->id = id;
	return rule_parse_next(p);
}

static int
parse_points(struct rule_parser *p, struct rule *rule)
{
	const struct rule_lexeme *at = &p->at;
	double n;

	if (!rule_begins_number(at) || rule_word_number(at, &n, NULL) == -1 ||
	    n < 0 || n > RULE_POINTS_MAX || n != trunc(n)) {
		rule_mistake_expected(p->mistakes, at,
		    "points, a whole number from 0 to %d", RULE_POINTS_MAX);
		return rule_begins_number(at) ? rule_parse_next(p) : -1;
	}
	rule->points = (uint8_t)n;
	return rule_parse_next(p);
}

static int
parse_tag(struct rule_parser *p, struct rule *rule)
{
	struct rule_interned *tags = &p->tags.names;
	char *tag;
	int n;

	if (rule_parse_ident(p, "a tag", true, &tag) == -1)
		return -1;
	if (tag == NULL)
		return rule_parse_next(p);
	n = rule_intern_find(tags, tag);
	if (n == -1) {
		n = (int)tags->n;
		rule_intern_add(tags, tag);
	}
	rule->tag = tags->text[n];
	rule->tag_index = (uint16_t)n;
	return rule_parse_next(p);
}

int
rule_parse_condition(struct rule_parser *p)
{
	return parse_or(p);
}

/* cond = and { "||" and } */
static int
parse_or(struct rule_parser *p)
{
	return parse_chain(p, TOKEN_OR, COND_OR, parse_and);
}

/* and = unary { "&&" unary } */
static int
parse_and(struct rule_parser *p)
{
	return parse_chain(p, TOKEN_AND, COND_AND, parse_unary);
}

/*
 * Parse one operand, or several with op between them.  A chain in parentheses
 * inside a chain of the same kind is merged into it: the meaning is the same.
 */
static int
parse_chain(struct rule_parser *p, enum rule_token op, enum cond_kind kind,
    int (*operand)(struct rule_parser *))
{
	size_t first = p->n_terms, next;

	if (operand(p) == -1)
		return -1;
	if (p->at.token != op)
		return 0;
	if (p->terms[first].kind != kind &&
	    term_insert(p, first, kind, &p->at) == -1)
		return -1;
	while (p->at.token == op) {
		next = p->n_terms;
		if (rule_parse_next(p) == -1 || operand(p) == -1)
			return -1;
		if (p->terms[next].kind == kind)
			term_remove(p, next);
	}
	p->terms[first].span = (uint16_t)(p->n_terms - first);
	return 0;
}

/* unary = "!" unary | "(" cond ")" | term */
static int
parse_unary(struct rule_parser *p)
{
	if (p->at.token == TOKEN_NOT)
		return parse_nested(p, parse_not);
	if (p->at.token == TOKEN_LPAREN)
		return parse_nested(p, parse_parens);
	return parse_term(p);
}

/* Parse one more level of nesting, up to the limit. */
static int
parse_nested(struct rule_parser *p, int (*inner)(struct rule_parser *))
{
	int rc;

	if (p->depth == RULE_DEPTH_MAX)
		return rule_mistake_add(p->mistakes, &p->at,
		    "a condition nests at most %d levels", RULE_DEPTH_MAX);
	p->depth++;
	rc = inner(p);
	p->depth--;
	return rc;
}

/*
 * Parse "!" and its operand.  "!(" counts as one level: rule_print() writes
 * parentheses there, and its output must not nest deeper than its input.
 */
static int
parse_not(struct rule_parser *p)
{
	size_t first = p->n_terms;
	int rc;

	if (term_add(p, COND_NOT, &p->at) == -1 || rule_parse_next(p) == -1)
		return -1;
	rc = p->at.token == TOKEN_LPAREN ? parse_parens(p) : parse_unary(p);
	if (rc == 0)
		p->terms[first].span = (uint16_t)(p->n_terms - first);
	return rc;
}

static int
parse_parens(struct rule_parser *p)
{
	if (rule_parse_next(p) == -1 || parse_or(p) == -1)
		return -1;
	if (p->at.token != TOKEN_RPAREN)
		return rule_mistake_expected(
		    p->mistakes, &p->at, "\"&&\", \"||\" or \")\"");
	return rule_parse_next(p);
}

/* term = signal op literal | signal "in" list | signal */
static int
parse_term(struct rule_parser *p)
{
	struct rule_lexeme at = p->at;
	struct rule_cond *c = &p->terms[p->n_terms];

	if (at.token != TOKEN_WORD && at.token != TOKEN_ATTR)
		return rule_mistake_expected(
		    p->mistakes, &at, "a signal, \"!\" or \"(\"");
	if (term_add(p, COND_COMPARE, &at) == -1 ||
	    rule_check_signal(p, &p->attrs.names, &at, &c->signal) == -1)
		return -1;

	/* The signal is missing, rather than unknown. */
	if (c->signal == RULE_SIGNAL_NONE &&
	    (rule_lex_is(&at, "then") || rule_begins_number(&at)))
		return -1;
	if (rule_parse_next(p) == -1)
		return -1;
	if (p->at.token == TOKEN_SET)
		return rule_mistake_expected(p->mistakes, &p->at, "\"==\"");
	if (wanted[p->at.token] != 0)
		return parse_compare(p, &at, c);
	if (rule_lex_is(&p->at, "in"))
		return parse_in(p, &at, c);
	parse_bare(p, &at, c);
	return 0;
}

static int
parse_compare(
    struct rule_parser *p, const struct rule_lexeme *at, struct rule_cond *c)
{
	const struct rule_lexeme op = p->at;

	c->want = wanted[op.token];
	if (rule_parse_next(p) == -1 ||
	    rule_parse_literal(p, &c->literal) == -1)
		return -1;
	rule_check_compare(
	    c->signal, at, &op, &p->at, &c->literal, p->mistakes);
	return rule_parse_next(p);
}

static void
parse_bare(
    struct rule_parser *p, const struct rule_lexeme *at, struct rule_cond *c)
{
	c->kind = COND_BARE;
	c->want = OUTCOME_EQ;
	c->literal = value_bool(true);
	rule_check_bare(c->signal, at, &p->at, p->mistakes);
}

static int
parse_in(
    struct rule_parser *p, const struct rule_lexeme *at, struct rule_cond *c)
{
	struct value items[RULE_LIST_MAX];
	size_t n = 0;

	c->kind = COND_IN;
	if (rule_parse_next(p) == -1 ||
	    rule_parse_token(p, TOKEN_LBRACKET) == -1 ||
	    parse_members(p, at, c->signal, items, &n) == -1)
		return -1;
	return list_make(p, items, n, &c->list);
}

/*
 * Parse literal { "," literal } "]", with all literals of one type.  Leave out
 * those with a mistake.
 */
static int
parse_members(struct rule_parser *p, const struct rule_lexeme *at,
    uint16_t signal, struct value *items, size_t *n)
{
	const struct rule_lexeme in = { .token = TOKEN_EQ };
	struct value *item;

	for (;;) {
		if (*n == RULE_LIST_MAX)
			return rule_mistake_add(p->mistakes, &p->at,
			    "a list has at most %d members", RULE_LIST_MAX);
		item = &items[*n];
		if (rule_parse_literal(p, item) == -1)
			return -1;
		rule_check_compare(signal, at, &in, &p->at, item, p->mistakes);
		if (item->type == items[0].type)
			*n += item->type != VALUE_UNKNOWN;
		else if (item->type != VALUE_UNKNOWN)
			rule_mistake_add(p->mistakes, &p->at,
			    "the members of a list must be of one type");
		if (rule_parse_next(p) == -1)
			return -1;
		if (p->at.token == TOKEN_RBRACKET)
			return rule_parse_next(p);
		if (p->at.token != TOKEN_COMMA)
			return rule_mistake_expected(
			    p->mistakes, &p->at, "\",\" or \"]\"");
		if (rule_parse_next(p) == -1)
			return -1;
	}
}

/* literal = number | string | "true" | "false" */
int
rule_parse_literal(struct rule_parser *p, struct value *ret)
{
	const struct rule_lexeme *at = &p->at;
	double n;

	*ret = value_unknown();
	if (at->token == TOKEN_STRING)
		*ret =
		    value_string(rule_word_string(p->arena, at, p->mistakes));
	else if (rule_lex_is(at, "true") || rule_lex_is(at, "false"))
		*ret = value_bool(rule_lex_is(at, "true"));
	else if (!rule_begins_number(at))
		return rule_mistake_expected(p->mistakes, at,
		    "a number, true, false or a string in double quotes");
	else if (rule_word_number(at, &n, p->mistakes) == 0)
		*ret = value_number(n);
	return p->mistakes->no_memory ? -1 : 0;
}

bool
rule_begins_number(const struct rule_lexeme *at)
{
	return at->token == TOKEN_WORD &&
	    strchr("-+.0123456789", at->text[0]) != NULL;
}

/* Make a list of the items: sorted, without duplicates, in the arena. */
static int
list_make(
    struct rule_parser *p, struct value *items, size_t n, struct cond_list *ret)
{
	struct value *copy;
	size_t i, kept = n > 0;

	qsort(items, n, sizeof(*items), value_order);
	for (i = 1; i < n; i++)
		if (value_order(&items[kept - 1], &items[i]) != 0)
			items[kept++] = items[i];
	copy = arena_array(p->arena, kept, sizeof(*copy));
	if (copy == NULL)
		return rule_mistake_memory(p->mistakes);
	memcpy(copy, items, kept * sizeof(*copy));
	*ret = (struct cond_list) { .items = copy, .n = kept };
	return 0;
}

static int
value_order(const void *a, const void *b)
{
	unsigned int outcome = cond_outcome(a, b);

	return outcome == OUTCOME_EQ ? 0 : outcome == OUTCOME_LT ? -1 : 1;
}

int
rule_parse_next(struct rule_parser *p)
{
	return rule_lex_next(&p->lexer, &p->at, p->mistakes);
}

int
rule_parse_token(struct rule_parser *p, enum rule_token token)
{
	if (p->at.token != token)
		return rule_mistake_expected(
		    p->mistakes, &p->at, "\"%s\"", rule_lex_name(token));
	return rule_parse_next(p);
}

int
rule_parse_word(struct rule_parser *p, const char *word)
{
	if (!rule_lex_is(&p->at, word))
		return rule_mistake_expected(
		    p->mistakes, &p->at, "\"%s\"", word);
	return rule_parse_next(p);
}

int
rule_parse_ident(
    struct rule_parser *p, const char *what, bool quoted, char **ret)
{
	const struct rule_lexeme *at = &p->at;

	*ret = NULL;
	if (at->token == TOKEN_STRING && quoted)
		*ret = rule_word_string(p->arena, at, p->mistakes);
	else if (at->token != TOKEN_WORD)
		return rule_mistake_expected(p->mistakes, at, "%s", what);
	else if ((*ret = arena_strndup(p->arena, at->text, at->len)) == NULL)
		rule_mistake_memory(p->mistakes);
	if (*ret != NULL && !rule_ident(*ret)) {
		rule_mistake_add(p->mistakes, at,
		    "%s has 1 to %d characters, letters, digits and ._@+-",
		    what, RULE_ID_MAX);
		*ret = NULL;
	}
	return p->mistakes->no_memory ? -1 : 0;
}

/* Append a term; at is its position in the text, for a message. */
static int
term_add(
    struct rule_parser *p, enum cond_kind kind, const struct rule_lexeme *at)
{
	return term_insert(p, p->n_terms, kind, at);
}

/* Insert a term before the one with the index where. */
static int
term_insert(struct rule_parser *p, size_t where, enum cond_kind kind,
    const struct rule_lexeme *at)
{
	struct rule_cond *c = &p->terms[where];

	if (p->n_terms == RULE_TERMS_MAX)
		return rule_mistake_add(p->mistakes, at,
		    "a condition has at most %d terms", RULE_TERMS_MAX);
	memmove(c + 1, c, (p->n_terms - where) * sizeof(*c));
	*c = (struct rule_cond) { .kind = (uint8_t)kind, .span = 1 };
	p->n_terms++;
	return 0;
}

static void
term_remove(struct rule_parser *p, size_t where)
{
	struct rule_cond *c = &p->terms[where];

	p->n_terms--;
	memmove(c, c + 1, (p->n_terms - where) * sizeof(*c));
}
