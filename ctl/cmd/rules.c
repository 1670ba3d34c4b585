/* SPDX-License-Identifier: ISC */
/* assayctl rules check: compile rulesets without a service. */
#include "config.h"

#include <stdio.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "core/base/str.h"
#include "ctl/ctl.h"

/* Large enough for the text, compiled form and print of any ruleset. */
#define ARENA_SIZE ((size_t)64 << 20)

static int check_file(struct arena *a, const char *path, bool print);

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
	if ((rs = rule_compile(a, text, size, &f)) == NULL) {
		ctl_rule_place(&f, path);
		fflush(stdout);
		fprintf(stderr, "%s: %s\n", f.where, f.why);
		return EX_DATAERR;
	}
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
