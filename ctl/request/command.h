/* SPDX-License-Identifier: ISC */
/* Which commands there are, and what the help says of them. */
#ifndef CTL_REQUEST_COMMAND_H
#define CTL_REQUEST_COMMAND_H

#include <stdio.h>

struct command;

/*
 * The command that the first one or two arguments name, two words before one,
 * or NULL.  *argc and *argv move on, so that argv[0] is its last word.
 */
const struct command *command_find(int *argc, char ***argv);

/* Print every command, in the sections of assayctl(8). */
void command_help(FILE *out);

/*
 * Print the commands whose first word is word.  Returns how many there are.
 */
size_t command_help_group(FILE *out, const char *word);

/*
 * Say that no command has these words (second may be NULL), and print the
 * nearest ones, or all of the first word's group.
 */
void command_unknown(const char *first, const char *second);

#endif
