/* SPDX-License-Identifier: ISC */
/* Files of rules that commands read. */
#ifndef CTL_CMD_RULES_H
#define CTL_CMD_RULES_H

struct arena;
struct ruleset;

/*
 * Compile a file, in arena a.  Set *ret_text to its text unless ret_text is
 * NULL.  If that fails, print why, with doing as the name of the command, set
 * *ret_status to an exit status, and return NULL.
 */
const struct ruleset *rules_compile_file(struct arena *a, const char *path,
    const char *doing, const char **ret_text, int *ret_status);

#endif
