/* SPDX-License-Identifier: ISC */
/* assayctl: the operator's command line.  One table of commands. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include "ctl/ctl.h"

static const struct command *command_find(int *, char ***);
static void help(FILE *);

static const struct command commands[] = {
#define COMMAND(words, args, help, run) { words, args, help, run },
#define CALL(words, method, path, help) { words, "", help, remote },
#include "ctl/commands.tbl"
};

int
main(int argc, char **argv)
{
	const struct command *cmd;
	const char *first = argc > 1 ? argv[1] : "";
	int status;

	if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 ||
	    strcmp(first, "help") == 0) {
		help(stdout);
		return EX_OK;
	}
	if (strcmp(first, "--version") == 0) {
		printf("assayctl %s\n", PACKAGE_VERSION);
		return EX_OK;
	}
	if (*first == '\0') {
		help(stderr);
		return EX_USAGE;
	}
	if ((cmd = command_find(&argc, &argv)) == NULL) {
		ctl_say("there is no command '%s%s%s'; "
			"'assayctl --help' lists them all",
		    first, argc > 2 ? " " : "", argc > 2 ? argv[2] : "");
		return EX_USAGE;
	}
	status = cmd->run(cmd, argc, argv);

	/* Output that could not be written whole is no success. */
	if (fflush(stdout) == EOF && status == EX_OK) {
		ctl_say("cannot write standard output");
		status = EX_IOERR;
	}
	return status;
}

/*
 * The command that the first one or two arguments name, NULL if there is
 * none; *argc and *argv are moved on so that argv[0] is its last word.
 */
static const struct command *
command_find(int *argc, char ***argv)
{
	const char *rest;
	size_t i, len;
	int words;

	for (i = 0; i < nitems(commands); i++) {
		len = strcspn(commands[i].name, " ");
		if (strlen((*argv)[1]) != len ||
		    strncmp((*argv)[1], commands[i].name, len) != 0)
			continue;
		rest = commands[i].name + len;
		if (*rest != '\0' &&
		    (*argc < 3 || strcmp((*argv)[2], rest + 1) != 0))
			continue;
		words = *rest == '\0' ? 1 : 2;
		*argc -= words;
		*argv += words;
		return &commands[i];
	}
	return NULL;
}

static void
help(FILE *out)
{
	size_t i;

	fprintf(out, "usage: assayctl COMMAND [ARGUMENT]...\n\n");
	for (i = 0; i < nitems(commands); i++)
		fprintf(
		    out, "  %-24s  %s\n", commands[i].name, commands[i].help);
	fprintf(out,
	    "\n'assayctl COMMAND --help' says more, assayctl(8) everything.\n");
}
