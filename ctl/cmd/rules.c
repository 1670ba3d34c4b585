/* SPDX-License-Identifier: ISC */
/* assayctl rules check and rules test: rulesets without a service. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "core/analyse/rule_test.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/rule/rule.h"
#include "core/rule/rule_warn.h"
#include "ctl/cmd/rules.h"
#include "ctl/ctl.h"
#include "ctl/replay/replay.h"

/* Large enough for the text, compiled form and print of any ruleset. */
#define ARENA_SIZE ((size_t)64 << 20)

/* The policies of rules test, by event type. */
struct test_books {
	struct rulebook books[EVENT_TYPE__MAX];
	enum event_type type; /* of all files, or EVENT_TYPE__NONE */
};

static int check_file(struct arena *a, const char *path, bool print);
static void show_size(const char *path, const struct ruleset *rs);
static void print_canonical(struct arena *a, const struct ruleset *rs);
static int test_file(
    struct arena *a, const struct test_books *books, const char *path);
static enum event_type file_type(const char *path);
static void print_untested(const struct ruleset *rs);
static bool has_test(const struct ruleset *rs, const char *tag);
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

int
rules_test(const struct command *cmd, int argc, char **argv)
{
	struct opt_list policies = { .n = 0 };
	struct test_books books = { .type = EVENT_TYPE__NONE };
	const char *sql = NULL, *type = NULL;
	const struct opt opts[] = {
		{ .name = "type",
		    .arg = "TYPE",
		    .help =
			"event type of the files; default: their names, such "
			"as card.authorize.rule",
		    .type = OPT_TEXT,
		    .ret = &type },
		{ .name = "policy",
		    .arg = "[TYPE=]FILE",
		    .help =
			"policy to use instead of the seed; may be repeated",
		    .type = OPT_LIST,
		    .ret = &policies },
		{ .name = "sql",
		    .arg = "DIR",
		    .help = "take the seed from DIR, not " PKGDATADIR "/sql",
		    .type = OPT_TEXT,
		    .ret = &sql },
	};
	struct arena_mark mark;
	struct fail f = { 0 };
	struct arena a;
	int i, n, one, status = EX_OK;

	n = opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1000 }, argc, argv);
	if (type != NULL &&
	    (books.type = event_type_parse(type)) == EVENT_TYPE__NONE)
		opt_usage(cmd, "--type: %s is no event type", type);
	ctl_arena(&a, ARENA_SIZE);
	if (rulebook_load_policies(books.books, &policies, sql, &a, &f) == -1) {
		n = 0;
		status = ctl_failed("rules test", &f);
		if (f.kind == FAIL_DENIED) /* the file cannot be read */
			status = EX_NOINPUT;
	}
	mark = arena_mark(&a);
	for (i = 0; i < n; i++) {
		if ((one = test_file(&a, &books, argv[i])) != EX_OK)
			status = one;
		arena_rewind(&a, mark);
	}
	ctl_arena_free(&a);
	return status;
}

const struct ruleset *
rules_compile_file(struct arena *a, const char *path, const char *doing,
    const char **ret_text, int *ret_status)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes mistakes = { list, nitems(list), 0, false };
	const struct ruleset *rs;
	struct fail f = { 0 };
	char *text;
	size_t size;

	text = ctl_read_file(a, path, RULE_TEXT_MAX, &size, &f);
	if (text == NULL) {
		ctl_failed(doing, &f);
		*ret_status = EX_NOINPUT;
		return NULL;
	}
	rs = rule_compile_all(a, text, size, &mistakes);
	fflush(stdout);
	if (rs == NULL) {
		print_mistakes(path, &mistakes);
		*ret_status = EX_DATAERR;
	}
	if (ret_text != NULL)
		*ret_text = text;
	return rs;
}

/* Check one file and print the result.  Return an exit status. */
static int
check_file(struct arena *a, const char *path, bool print)
{
	const struct ruleset *rs;
	int status;

	rs = rules_compile_file(a, path, "rules check", NULL, &status);
	if (rs == NULL)
		return status;
	print_warnings(a, path, rs);
	if (print)
		print_canonical(a, rs);
	else
		show_size(path, rs);
	return EX_OK;
}

static void
show_size(const char *path, const struct ruleset *rs)
{
	printf("%s: %zu rules", path, rs->n_rules);
	if (rs->n_velocities > 0)
		printf(", %zu velocities", rs->n_velocities);
	printf("\n");
}

static void
print_canonical(struct arena *a, const struct ruleset *rs)
{
	struct str s;

	str_init(&s, a);
	rule_print_all(&s, rs);
	printf("%s", str_text(&s) == NULL ? "" : str_text(&s));
}

/* Run the tests of one file and print the result.  Return an exit status. */
static int
test_file(struct arena *a, const struct test_books *books, const char *path)
{
	struct rule_mistake list[RULE_MISTAKES_MAX];
	struct rule_mistakes failed = { list, nitems(list), 0, false };
	const struct ruleset *rs;
	enum event_type type = books->type;
	struct fail f = { 0 };
	int status;

	if (type == EVENT_TYPE__NONE &&
	    (type = file_type(path)) == EVENT_TYPE__NONE) {
		ctl_say("rules test: %s does not name an event type; name it "
			"with --type",
		    path);
		return EX_USAGE;
	}
	rs = rules_compile_file(a, path, "rules test", NULL, &status);
	if (rs == NULL)
		return status;
	if (rule_test_run(
		rs, type, books->books[type].policy, a, &failed, &f) == -1)
		return ctl_failed("rules test", &f);
	print_mistakes(path, &failed);
	if (failed.n > 0)
		return EX_DATAERR;
	printf("%s: %zu tests passed", path, rs->n_tests);
	print_untested(rs);
	return EX_OK;
}

/* The event type in the name of a file, such as rules/card.authorize.rule. */
static enum event_type
file_type(const char *path)
{
	const char *name = strrchr(path, '/'), *end;
	char text[64];

	name = name == NULL ? path : name + 1;
	if ((end = strrchr(name, '.')) == NULL)
		return EVENT_TYPE__NONE;
	snprintf(text, sizeof(text), "%.*s", (int)(end - name), name);
	return event_type_parse(text);
}

/* End the line with the tags that no test expects. */
static void
print_untested(const struct ruleset *rs)
{
	const struct rule *rule, *before;
	size_t n = 0;

	for (rule = rs->rules; rule < rs->rules + rs->n_rules; rule++) {
		for (before = rs->rules; before < rule; before++)
			if (before->tag_index == rule->tag_index)
				break;
		if (before == rule && !has_test(rs, rule->tag))
			printf("%s%s", n++ == 0 ? "; no test expects " : ", ",
			    rule->tag);
	}
	printf("\n");
}

static bool
has_test(const struct ruleset *rs, const char *tag)
{
	const struct rule_test *test;
	size_t i;

	for (test = rs->tests; test < rs->tests + rs->n_tests; test++)
		for (i = 0; i < test->n_expect; i++)
			if (test->expect[i].kind == EXPECT_TAG &&
			    strcmp(test->expect[i].tag, tag) == 0)
				return true;
	return false;
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
