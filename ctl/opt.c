/* SPDX-License-Identifier: ISC */
/* Read the options of a command, and print its help, from one table. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "ctl/ctl.h"

static void opt_help(
    const struct command *cmd, const struct opt *opts, size_t n);
static const struct opt *opt_find(const struct command *cmd,
    const struct opt *opts, size_t n, const char *arg);
static void opt_set(
    const struct command *cmd, const struct opt *opt, char *value);

int
opt_parse(const struct command *cmd, const struct opt *opts, size_t n,
    struct operands want, int argc, char **argv)
{
	const struct opt *opt;
	char *value;
	int i, operands = 0;
	bool ended = false;

	for (i = 1; i < argc; i++) {
		if (ended || argv[i][0] != '-' || argv[i][1] == '\0') {
			argv[operands++] = argv[i];
			continue;
		}
		if (strcmp(argv[i], "--") == 0) {
			ended = true;
			continue;
		}
		if (strcmp(argv[i], "--help") == 0 ||
		    strcmp(argv[i], "-h") == 0) {
			opt_help(cmd, opts, n);
			exit(EX_OK);
		}
		opt = opt_find(cmd, opts, n, argv[i]);
		value = strchr(argv[i], '=');
		if (opt->arg == NULL && value != NULL)
			opt_usage(cmd, "--%s takes no value", opt->name);
		if (value != NULL)
			value++;
		else if (opt->arg != NULL && (value = argv[++i]) == NULL)
			opt_usage(
			    cmd, "--%s needs a value: %s", opt->name, opt->arg);
		opt_set(cmd, opt, value);
	}
	if (operands < want.min)
		opt_usage(cmd, "an argument is missing");
	if (operands > want.max)
		opt_usage(cmd, "unexpected argument '%s'", argv[want.max]);
	return operands;
}

bool
opt_is_choice(const char *choices, const char *text)
{
	size_t len;

	for (; *choices != '\0'; choices += len + (choices[len] == '|')) {
		len = strcspn(choices, "|");
		if (strlen(text) == len && strncmp(choices, text, len) == 0)
			return true;
	}
	return false;
}

void
opt_usage(const struct command *cmd, const char *fmt, ...)
{
	va_list ap;

	fprintf(stderr, "assayctl %s: ", cmd->name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr,
	    "\nusage: assayctl %s %s\n"
	    "Try 'assayctl %s --help'.\n",
	    cmd->name, cmd->args, cmd->name);
	exit(EX_USAGE);
}

static void
opt_help(const struct command *cmd, const struct opt *opts, size_t n)
{
	char left[64];
	size_t i;

	printf("usage: assayctl %s %s\n       %s\n", cmd->name, cmd->args,
	    cmd->help);
	if (n > 0)
		printf("\noptions:\n");
	for (i = 0; i < n; i++) {
		snprintf(left, sizeof(left), "--%s%s%s", opts[i].name,
		    opts[i].arg == NULL ? "" : " ",
		    opts[i].arg == NULL ? "" : opts[i].arg);
		printf("  %-28s  %s\n", left, opts[i].help);
	}
	printf("\nSee assayctl(8) for details.\n");
}

/* Return the option for the argument "--name" or "--name=value". */
static const struct opt *
opt_find(const struct command *cmd, const struct opt *opts, size_t n,
    const char *arg)
{
	size_t i, len = strcspn(arg, "=");

	for (i = 0; i < n; i++)
		if (len == strlen(opts[i].name) + 2 && arg[1] == '-' &&
		    strncmp(arg + 2, opts[i].name, len - 2) == 0)
			return &opts[i];
	opt_usage(cmd, "unknown option %.*s", (int)len, arg);
}

/* Check and store the value of an option; value is NULL for a flag. */
static void
opt_set(const struct command *cmd, const struct opt *opt, char *value)
{
	struct opt_list *list;
	int64_t number;
	char *end;

	if (opt->arg != NULL && strchr(opt->arg, '|') != NULL &&
	    !opt_is_choice(opt->arg, value))
		opt_usage(cmd, "--%s must be one of %s", opt->name, opt->arg);
	switch (opt->type) {
	case OPT_FLAG:
		*(bool *)opt->ret = true;
		break;
	case OPT_TEXT:
	case OPT_CHOICE:
		*(char **)opt->ret = value;
		break;
	case OPT_NUMBER:
		errno = 0;
		number = strtoll(value, &end, 10);
		if (errno != 0 || end == value || *end != '\0' ||
		    number < opt->min || number > opt->max)
			opt_usage(cmd,
			    "--%s must be a number from %" PRId64
			    " to %" PRId64,
			    opt->name, opt->min, opt->max);
		*(int64_t *)opt->ret = number;
		break;
	case OPT_LIST:
		list = opt->ret;
		if (list->n == OPT_LIST_MAX)
			opt_usage(cmd, "--%s may be given %d times at most",
			    opt->name, OPT_LIST_MAX);
		list->text[list->n++] = value;
		break;
	case OPT_TYPE__MAX:
		break;
	}
}
