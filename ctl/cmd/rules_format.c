/* SPDX-License-Identifier: ISC */
/* assayctl rules format: lay out files of rules. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule_format.h"
#include "ctl/cmd/rules.h"
#include "ctl/ctl.h"

/* Large enough for the text and compiled form of any ruleset, and its layout.
 */
#define ARENA_SIZE ((size_t)96 << 20)

enum format_result { FORMAT_PRINT = 1, FORMAT_CHECK, FORMAT_WRITE };

static int format_file(
    struct arena *a, const char *path, enum format_result result);

int
rules_format(const struct command *cmd, int argc, char **argv)
{
	bool check = false, write = false;
	const struct opt opts[] = {
		{ .name = "check",
		    .help = "change nothing; name files that would change, and "
			    "exit 65 if there is one",
		    .type = OPT_FLAG,
		    .ret = &check },
		{ .name = "write",
		    .help = "change the files instead of printing them",
		    .type = OPT_FLAG,
		    .ret = &write },
	};
	struct arena a;
	int i, n, one, status = EX_OK;

	n = opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1000 }, argc, argv);
	if (check && write)
		opt_usage(cmd, "--check and --write cannot be given together");
	ctl_arena(&a, ARENA_SIZE);
	for (i = 0; i < n; i++) {
		one = format_file(&a, argv[i],
		    check	? FORMAT_CHECK
			: write ? FORMAT_WRITE
				: FORMAT_PRINT);
		if (one != EX_OK)
			status = one;
		arena_reset(&a);
	}
	ctl_arena_free(&a);
	return status;
}

/* Lay out one file.  Return an exit status. */
static int
format_file(struct arena *a, const char *path, enum format_result result)
{
	const char *text, *laid_out;
	struct fail f = { 0 };
	struct str s;
	int status;

	if (rules_compile_file(a, path, "rules format", &text, &status) == NULL)
		return status;
	str_init(&s, a);
	rule_format(a, &s, text, strlen(text));
	if ((laid_out = str_text(&s)) == NULL) {
		fail_memory(&f);
		return ctl_failed("rules format", &f);
	}
	if (result == FORMAT_PRINT) {
		fputs(laid_out, stdout);
		return EX_OK;
	}
	if (strcmp(text, laid_out) == 0)
		return EX_OK;
	printf("%s\n", path);
	if (result == FORMAT_CHECK)
		return EX_DATAERR;
	return ctl_replace_file(path, laid_out, &f) == -1
	    ? ctl_failed("rules format", &f)
	    : EX_OK;
}
