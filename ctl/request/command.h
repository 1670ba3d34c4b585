/* SPDX-License-Identifier: ISC */
/* Find commands, and print the help. */
#ifndef CTL_REQUEST_COMMAND_H
#define CTL_REQUEST_COMMAND_H

#include <stdio.h>

struct command;

/*
 * Find the command whose name is the first argument, or the first two.  Advance
 * *argc and *argv so that argv[0] is the last word of the name.  Return NULL,
 * and advance nothing, if no command has such a name.
 */
const struct command *command_find(int *argc, char ***argv);

/* Print every command, in the sections of assayctl(8). */
void command_help(FILE *out);

/* Print the commands whose first word is word; return their number. */
size_t command_help_group(FILE *out, const char *word);

/*
 * Print that there is no such command (second may be NULL), and print similar
 * commands, or all commands of the group of the first word.
 */
void command_unknown(const char *first, const char *second);

#endif
