/* SPDX-License-Identifier: ISC */
/* Find a command in the table of commands, and print the help. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "ctl/ctl.h"
#include "ctl/request/command.h"

#define WORDS_MAX 48 /* bytes of the words of a command */
#define NEAR 2 /* edit distance up to which a command is suggested */

static bool in_group(const struct command *cmd, const char *word, size_t len);
static bool in_section(const struct command *cmd, const char *words);
static void print_line(FILE *out, const struct command *cmd);
static void print_near(const char *typed);
static size_t edit_distance(const char *a, const char *b);

static const struct command commands[] = {
#define COMMAND(words, args, help, run) { words, args, help, run },
#define CALL(words, method, path, help, ...) { words, "", help, request_run },
#include "ctl/request/commands.tbl"
};

/* The sections of assayctl(8), with the first words of their commands. */
static const struct {
	const char *title;
	const char *words;
} sections[] = {
	{ "Sessions", "factor login logout password refresh whoami" },
	{ "Cases", "cases label queues" },
	{ "Decisions",
	    "activity analytics drift explain graph model scorer "
	    "try verdicts" },
	{ "Rules and policies",
	    "backtest backtests policies redecide redecisions rules "
	    "shadow signals velocities" },
	{ "Configuration as files", "config" },
	{ "Proposals", "proposals" },
	{ "Lists", "lists" },
	{ "Exceptions", "exceptions" },
	{ "Settings, storage, personal data",
	    "erase retention settings status storage stored" },
	{ "Operators and keys", "audit keys users" },
	{ "Webhooks and alerts", "notifications webhooks" },
	{ "Database", "admin doctor key migrate models restored setup" },
	{ "Models", "train" },
	{ "Replay", "replay" },
};

const struct command *
command_find(int *argc, char ***argv)
{
	const struct command *found = NULL;
	const char *rest;
	size_t i, len;
	int words = 0;

	for (i = 0; i < nitems(commands) && words < 2; i++) {
		len = strlen((*argv)[1]);
		if (!in_group(&commands[i], (*argv)[1], len))
			continue;
		rest = commands[i].name + len;
		if (*rest != '\0' &&
		    (*argc < 3 || strcmp((*argv)[2], rest + 1) != 0))
			continue;
		words = *rest == '\0' ? 1 : 2;
		found = &commands[i];
	}
	*argc -= words;
	*argv += words;
	return found;
}

void
command_help(FILE *out)
{
	size_t i, j;

	fprintf(out, "usage: assayctl COMMAND [ARGUMENT]...\n");
	for (i = 0; i < nitems(sections); i++) {
		fprintf(out, "\n%s\n", sections[i].title);
		for (j = 0; j < nitems(commands); j++)
			if (in_section(&commands[j], sections[i].words))
				print_line(out, &commands[j]);
	}
	fprintf(out,
	    "\n'assayctl COMMAND --help' prints the options of a command; "
	    "see assayctl(8).\n");
}

size_t
command_help_group(FILE *out, const char *word)
{
	const size_t len = strlen(word);
	size_t i, n = 0;

	for (i = 0; i < nitems(commands); i++) {
		if (!in_group(&commands[i], word, len))
			continue;
		if (n++ == 0)
			fprintf(out,
			    "usage: assayctl %s COMMAND "
			    "[ARGUMENT]...\n\n",
			    word);
		print_line(out, &commands[i]);
	}
	if (n > 0)
		fprintf(out,
		    "\n'assayctl %s COMMAND --help' prints its options.\n",
		    word);
	return n;
}

void
command_unknown(const char *first, const char *second)
{
	char typed[WORDS_MAX];

	snprintf(typed, sizeof(typed), "%s%s%s", first,
	    second == NULL ? "" : " ", second == NULL ? "" : second);
	ctl_say(
	    "there is no command '%s'; 'assayctl --help' lists all commands",
	    typed);
	print_near(typed);
}

/* Whether the first word of a command is the len bytes at word. */
static bool
in_group(const struct command *cmd, const char *word, size_t len)
{
	return len == strcspn(cmd->name, " ") &&
	    strncmp(cmd->name, word, len) == 0;
}

/* Whether the first word of a command is one of words. */
static bool
in_section(const struct command *cmd, const char *words)
{
	size_t len;

	for (; *words != '\0'; words += len + (words[len] == ' ')) {
		len = strcspn(words, " ");
		if (in_group(cmd, words, len))
			return true;
	}
	return false;
}

static void
print_line(FILE *out, const struct command *cmd)
{
	fprintf(out, "  %-24s  %s\n", cmd->name, cmd->help);
}

/*
 * Suggest the commands that are similar to typed, or whose first word is.  If
 * no command is similar, print the commands of the group that typed names.
 */
static void
print_near(const char *typed)
{
	const size_t len = strcspn(typed, " ");
	char first[WORDS_MAX];
	size_t i;
	bool near, said = false;

	for (i = 0; i < nitems(commands); i++) {
		near = edit_distance(commands[i].name, typed) <= NEAR;
		if (!near && typed[len] == '\0') {
			snprintf(first, sizeof(first), "%.*s",
			    (int)strcspn(commands[i].name, " "),
			    commands[i].name);
			near = edit_distance(first, typed) <= NEAR;
		}
		if (near && !said)
			ctl_say("did you mean one of these?");
		if (near)
			print_line(stderr, &commands[i]);
		said = said || near;
	}
	if (!said && typed[len] == ' ') {
		snprintf(first, sizeof(first), "%.*s", (int)len, typed);
		command_help_group(stderr, first);
	}
}

/* Return the Levenshtein distance of a and b. */
static size_t
edit_distance(const char *a, const char *b)
{
	size_t row[WORDS_MAX], i, j, diagonal, above;
	const size_t n = strlen(b);

	for (j = 0; j <= n; j++)
		row[j] = j;
	for (i = 1; *a != '\0'; a++, i++) {
		diagonal = row[0];
		row[0] = i;
		for (j = 1; j <= n; j++) {
			above = row[j];
			row[j] = diagonal + (*a != b[j - 1]);
			if (above + 1 < row[j])
				row[j] = above + 1;
			if (row[j - 1] + 1 < row[j])
				row[j] = row[j - 1] + 1;
			diagonal = above;
		}
	}
	return row[n];
}
