/* SPDX-License-Identifier: ISC */
/* assayctl: the operator's command line. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "ctl/ctl.h"
#include "ctl/request/command.h"

static bool asks_help(const char *word);
static int handle_unknown(int argc, char **argv);

int
main(int argc, char **argv)
{
	const struct command *cmd;
	const char *first = argc > 1 ? argv[1] : "";
	int status;

	if (asks_help(first)) {
		command_help(stdout);
		return EX_OK;
	}
	if (strcmp(first, "--version") == 0) {
		printf("assayctl %s\n", PACKAGE_VERSION);
		return EX_OK;
	}
	if (*first == '\0') {
		command_help(stderr);
		return EX_USAGE;
	}
	if ((cmd = command_find(&argc, &argv)) == NULL)
		return handle_unknown(argc, argv);
	status = cmd->run(cmd, argc, argv);

	/* Fail if the output could not be written completely. */
	if (fflush(stdout) == EOF && status == EX_OK) {
		ctl_say("cannot write standard output");
		status = EX_IOERR;
	}
	return status;
}

static bool
asks_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
	    strcmp(word, "help") == 0;
}

/*
 * Handle words that are not a command: print the help of a group, or an error
 * with suggestions.
 */
static int
handle_unknown(int argc, char **argv)
{
	const char *second = argc > 2 ? argv[2] : NULL;

	if (second != NULL && asks_help(second) &&
	    command_help_group(stdout, argv[1]) > 0)
		return EX_OK;
	if (second != NULL || command_help_group(stderr, argv[1]) == 0)
		command_unknown(argv[1], second);
	return EX_USAGE;
}
