/* SPDX-License-Identifier: ISC */
/* assayctl rules check: compile rulesets without a service. */
#include "config.h"

#include <stdio.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "core/rule/rule_warn.h"
#include "core/base/str.h"
#include "ctl/ctl.h"

/* Large enough for the text, compiled form and print of any ruleset. */
#define ARENA_SIZE ((size_t)64 << 20)

static int check_file(struct arena *a, const char *path, bool print);
static void print_mistakes(
    const char *path, const struct rule_mistakes *mistakes);
static void print_warnings(
    struct arena *a, const char *path, const struct ruleset *rs);

int
rules_check(const struct command *cmd, int argc, char **argv)
{
	bool print = false;
	const struct opt opts[] = {
		{ .name = "print",
		    .help = "print each ruleset in its canonical form",
		    .type = OPT_FLAG,
		    .ret = &print },
	};
	struct arena a;
	int i, n, one, status = EX_OK;

	n = opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1000 }, argc, argv);
	ctl_arena(&a, ARENA_SIZE);
	for (i = 0; i < n; i++) {
		if ((one = check_file(&a, argv[i], print)) != EX_OK)
			status = one;
		arena_reset(&a);
	}
	ctl_arena_free(&a);
	return status;
}

/* Check one file and print the result.  Return an exit status. */
static int
check_file(struct arena *a, const char *path, bool print)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { list, nitems(list), 0, false };
	const struct ruleset *rs;
	struct fail f = { 0 };
	struct str s;
	char *text;
	size_t i, size;

	text = ctl_read_file(a, path, RULE_TEXT_MAX, &size, &f);
	if (text == NULL) {
		ctl_failed("rules check", &f);
		return EX_NOINPUT;
	}
	rs = rule_compile_all(a, text, size, &mistakes);
	fflush(stdout);
	if (rs == NULL) {
		print_mistakes(path, &mistakes);
		return EX_DATAERR;
	}
	print_warnings(a, path, rs);
	if (!print) {
		printf("%s: %zu rules\n", path, rs->n_rules);
		return EX_OK;
	}
	for (i = 0; i < rs->n_rules; i++) {
		str_init(&s, a);
		rule_print(&s, &rs->rules[i]);
		printf("%s\n", str_text(&s) == NULL ? "" : str_text(&s));
	}
	return EX_OK;
}

/* Print mistakes in the form of compilers, which editors understand. */
static void
print_mistakes(const char *path, const struct rule_mistakes *mistakes)
{
	const struct rule_mistake *at = mistakes->list;

	for (; at < mistakes->list + mistakes->n; at++)
		fprintf(stderr, "%s:%d:%d: %s\n", path, at->line, at->column,
		    at->why);
	if (mistakes->no_memory)
		fprintf(
		    stderr, "%s: the ruleset needs too much memory\n", path);
}

/* Print the warnings about the rules in the same form. */
static void
print_warnings(struct arena *a, const char *path, const struct ruleset *rs)
{
	struct str why;
	size_t i;

	for (i = 0; i < rs->n_rules; i++) {
		str_init(&why, a);
		rule_warn(&why, rs, i);
		if (why.len > 0 && str_text(&why) != NULL)
			fprintf(stderr, "%s:%d: warning: the rule %s %s\n",
			    path, rs->rules[i].line, rs->rules[i].id,
			    str_text(&why));
	}
}
