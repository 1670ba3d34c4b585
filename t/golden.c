/* SPDX-License-Identifier: ISC */
/*
 * Golden rule files.  X.rule X.want: the velocities, rules and tests print as
 * the "velocity", "rule" and "test" lines of the want, also in the standard
 * layout.  A line
 *	given SIGNAL == LITERAL, ... -> ID ...
 * means: with these signals, and all others unknown, exactly these rules fire.
 * X.bad: the compiler finds exactly the mistakes that the first lines of the
 * text list, "# line L, column C: WHY".
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/rule/rule_format.h"
#include "core/rule/rule_int.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"

#define TEXT_MAX ((size_t)1 << 16)
#define ATTRS_MAX 16

/* The signals of one "given" line. */
struct given {
	struct signals signals;
	struct event event;
	struct attr attrs[ATTRS_MAX];
	struct velocity_value velocity[RULE_VELOCITIES_MAX];
	struct velocity_values velocities;
};

static void check_good(const char *path, const char *want_path);
static void check_layout(const char *path, const char *text, const char *canon);
static void check_bad(const char *path);
static void check_given(const struct ruleset *rs, const char *path, char *line);
static int given_read(const struct ruleset *rs, struct given *given,
    const char *text, size_t len, struct rule_mistakes *m);
static int given_literal(
    const struct rule_lexeme *at, struct value *ret, struct rule_mistakes *m);
static void given_set(const struct ruleset *rs, struct given *given,
    const struct rule_lexeme *at, struct value value);
static bool velocity_set(const struct ruleset *rs, struct given *given,
    const char *name, struct value value);
static const char *fired(const struct ruleset *rs, const struct given *given);
static const char *printed(const struct ruleset *rs);
static const char *laid_out(const char *text);
static size_t read_file(const char *path, char *ret);
static void result(bool good, const char *path, const char *what,
    const char *got, const char *want);

static _Alignas(16) char block[RULE_ARENA_SIZE(TEXT_MAX) + TEXT_MAX * 8];
static struct arena arena;
static int n_passed, n_failed;

int
main(int argc, char *argv[])
{
	int i;

	for (i = 1; i < argc; i++) {
		arena_init(&arena, block, sizeof(block));
		if (strstr(argv[i], ".bad") != NULL)
			check_bad(argv[i]);
		else if (i + 1 < argc) {
			check_good(argv[i], argv[i + 1]);
			i++;
		}
		arena_reset(&arena);
	}
	printf("1..%d\n# %d passed, %d failed\n", n_passed + n_failed, n_passed,
	    n_failed);
	return n_failed == 0 && n_passed > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* Compile a file and compare it with its want. */
static void
check_good(const char *path, const char *want_path)
{
	static char text[TEXT_MAX], want[TEXT_MAX], canon[TEXT_MAX];
	const struct ruleset *rs, *again;
	struct fail f = { 0 };
	char *line, *rest;
	size_t used = 0;

	rs = rule_compile(&arena, text, read_file(path, text), &f);
	result(rs != NULL, path, "compiles", f.where, f.why);
	if (rs == NULL)
		return;

	/* It prints as in the want, and the printed text prints the same. */
	read_file(want_path, want);
	for (line = strtok_r(want, "\n", &rest), canon[0] = '\0'; line != NULL;
	     line = strtok_r(NULL, "\n", &rest))
		if (strncmp(line, "rule ", 5) == 0 ||
		    strncmp(line, "velocity ", 9) == 0 ||
		    strncmp(line, "test ", 5) == 0)
			used += (size_t)snprintf(
			    canon + used, sizeof(canon) - used, "%s\n", line);
		else if (strncmp(line, "given ", 6) == 0)
			check_given(rs, path, line);
	result(strcmp(printed(rs), canon) == 0, path, "prints", printed(rs),
	    canon);
	again = rule_compile(&arena, canon, used, &f);
	result(again != NULL && strcmp(printed(again), canon) == 0, path,
	    "prints again", again == NULL ? f.why : printed(again), canon);
	check_layout(path, text, canon);
}

/* The layout of a text has the same rules and tests, and is its own layout. */
static void
check_layout(const char *path, const char *text, const char *canon)
{
	const char *once = laid_out(text), *twice = laid_out(once);
	const struct ruleset *rs;
	struct fail f = { 0 };

	rs = rule_compile(&arena, once, strlen(once), &f);
	result(rs != NULL && strcmp(printed(rs), canon) == 0, path,
	    "keeps its rules in the layout", rs == NULL ? f.why : printed(rs),
	    canon);
	result(strcmp(once, twice) == 0, path, "keeps its layout", twice, once);
}

/* A file that the compiler must refuse. */
static void
check_bad(const char *path)
{
	static char text[TEXT_MAX], want[TEXT_MAX], got[TEXT_MAX];
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { list, nitems(list), 0, false };
	struct fail f = { 0 };
	size_t i, len = read_file(path, text), used = 0;
	const char *line;

	for (line = text; strncmp(line, "# line ", 7) == 0; line += i) {
		i = strcspn(line, "\r\n");
		used += (size_t)snprintf(
		    want + used, sizeof(want) - used, "%.*s\n", (int)i, line);
		i += strspn(line + i, "\r\n");
	}
	result(rule_compile(&arena, text, len, &f) == NULL &&
		f.code == RULESET_INVALID &&
		rule_compile_all(&arena, text, len, &mistakes) == NULL,
	    path, "is refused", "it compiles", want);
	for (i = 0, used = 0; i < mistakes.n; i++)
		used += (size_t)snprintf(got + used, sizeof(got) - used,
		    "# line %d, column %d: %s\n", list[i].line, list[i].column,
		    list[i].why);
	result(strcmp(got, want) == 0, path, "has these mistakes", got, want);
	snprintf(got, sizeof(got), "# %s: %s", f.where, f.why);
	result(strncmp(want, got, strlen(got)) == 0, path,
	    "is refused with the first", got, want);
}

/* One "given" line. */
static void
check_given(const struct ruleset *rs, const char *path, char *line)
{
	struct given given = { 0 };
	struct rule_mistake first = { 0 };
	struct rule_mistakes mistakes = { &first, 1, 0, false };
	const char *got, *want;
	char *arrow = strstr(line, "->");
	char *signals = line + strlen("given ");

	if (arrow == NULL ||
	    given_read(rs, &given, signals, (size_t)(arrow - signals),
		&mistakes) == -1) {
		result(false, path, line, first.why, "");
		return;
	}
	want = arrow + 2 + strspn(arrow + 2, " ");
	got = fired(rs, &given);
	result(strcmp(got, want) == 0, path, line, got, want);
}

/* SIGNAL == LITERAL, ... */
static int
given_read(const struct ruleset *rs, struct given *given, const char *text,
    size_t len, struct rule_mistakes *m)
{
	struct rule_lexer lx;
	struct rule_lexeme name, at;
	struct value value;
	int i;

	for (i = 0; i < SIGNAL__MAX; i++)
		given->signals.value[i] = value_unknown();
	given->signals.event = &given->event;
	given->event.attrs = given->attrs;
	given->velocities.list = given->velocity;
	given->signals.velocities = &given->velocities;
	if (rule_lex_init(&lx, text, len, m) == -1 ||
	    rule_lex_next(&lx, &name, m) == -1)
		return -1;
	while (name.token != TOKEN_END) {
		if (rule_lex_next(&lx, &at, m) == -1 || at.token != TOKEN_EQ ||
		    rule_lex_next(&lx, &at, m) == -1 ||
		    given_literal(&at, &value, m) == -1)
			return -1;
		given_set(rs, given, &name, value);
		if (rule_lex_next(&lx, &name, m) == -1)
			return -1;
		if (name.token == TOKEN_COMMA &&
		    rule_lex_next(&lx, &name, m) == -1)
			return -1;
	}
	return 0;
}

static int
given_literal(
    const struct rule_lexeme *at, struct value *ret, struct rule_mistakes *m)
{
	double n;

	if (at->token == TOKEN_STRING)
		*ret = value_string(rule_word_string(&arena, at, m));
	else if (rule_lex_is(at, "true") || rule_lex_is(at, "false"))
		*ret = value_bool(rule_lex_is(at, "true"));
	else {
		if (rule_word_number(at, &n, m) == -1)
			return -1;
		*ret = value_number(n);
	}
	return 0;
}

/* Give a signal, an attribute or a velocity its value. */
static void
given_set(const struct ruleset *rs, struct given *given,
    const struct rule_lexeme *at, struct value value)
{
	struct attr *attr = &given->attrs[given->event.n_attrs];
	char name[TEXT_MAX];

	snprintf(name, sizeof(name), "%.*s", (int)at->len, at->text);
	if (velocity_set(rs, given, name, value))
		return;
	if (strncmp(name, "attr.", 5) != 0) {
		given->signals.value[signal_parse(name)] = value;
		return;
	}
	attr->name = at->token == TOKEN_ATTR
	    ? rule_word_string(&arena, at, NULL)
	    : arena_strdup(&arena, name + 5);
	attr->value = value;
	given->event.n_attrs++;
}

/* Give a velocity of the ruleset its value; return whether it has the name. */
static bool
velocity_set(const struct ruleset *rs, struct given *given, const char *name,
    struct value value)
{
	size_t i;

	for (i = 0; i < rs->n_velocities; i++)
		if (strncmp(name, "velocity.", 9) == 0 &&
		    strcmp(name + 9, rs->velocities[i].name) == 0) {
			given->velocity[given->velocities.n++] =
			    (struct velocity_value) { rs->velocities[i].id,
				    value };
			return true;
		}
	return false;
}

/* The ids of the rules that fire, separated by blanks. */
static const char *
fired(const struct ruleset *rs, const struct given *given)
{
	struct rule_hits hits;
	struct str s;
	size_t i;

	rule_eval(rs, &given->signals, &hits);
	str_init(&s, &arena);
	for (i = 0; i < hits.n; i++)
		str_addf(
		    &s, "%s%s", i > 0 ? " " : "", rs->rules[hits.index[i]].id);
	return str_text(&s);
}

/* The velocities, rules and tests in canonical form, one a line. */
static const char *
printed(const struct ruleset *rs)
{
	struct str s;

	str_init(&s, &arena);
	rule_print_all(&s, rs);
	return str_text(&s);
}

/* The text in the standard layout. */
static const char *
laid_out(const char *text)
{
	struct str s;

	str_init(&s, &arena);
	rule_format(&arena, &s, text, strlen(text));
	return str_text(&s);
}

/* Read a file of less than TEXT_MAX bytes to ret; exit if it is missing. */
static size_t
read_file(const char *path, char *ret)
{
	FILE *file;
	size_t n;

	file = fopen(path, "rb");
	if (file == NULL) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	n = fread(ret, 1, TEXT_MAX - 1, file);
	ret[n] = '\0';
	fclose(file);
	return n;
}

/* One line of TAP, with the difference when it is "not ok". */
static void
result(bool good, const char *path, const char *what, const char *got,
    const char *want)
{
	const char *base = strrchr(path, '/');

	good ? n_passed++ : n_failed++;
	printf("%s %d - %s: %s\n", good ? "ok" : "not ok", n_passed + n_failed,
	    base == NULL ? path : base + 1, what);
	if (!good)
		printf("# got  %s\n# want %s\n", got, want);
}
