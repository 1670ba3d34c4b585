/* SPDX-License-Identifier: ISC */
/* Files of NAME=value lines, as systemd's EnvironmentFile= has them. */
#ifndef LIB_CONF_CONF_FILE_H
#define LIB_CONF_CONF_FILE_H

struct fail;

/*
 * The whole file as one string, which the caller frees, or NULL with f set: it
 * cannot be read, contains a NUL, or has 64 KiB or more.
 */
char *conf_file_read(const char *path, struct fail *f);

/*
 * Take the next setting off *text, in place, and count *line on to its line.
 * Blank lines and those that begin with # or ; are skipped; a value may be in
 * quotes; nothing is expanded.  Returns 1 with *ret_name and *ret_value in the
 * text, 0 at its end, or -1 if the line is not NAME=value.
 */
int conf_file_next(char **text, int *line, char **ret_name, char **ret_value);

#endif
