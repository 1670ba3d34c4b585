/* SPDX-License-Identifier: ISC */
/* Files of NAME=value lines, as for systemd's EnvironmentFile=. */
#ifndef LIB_CONF_CONF_FILE_H
#define LIB_CONF_CONF_FILE_H

struct fail;

/*
 * Read a file as one string, which the caller frees.  Returns NULL with f set
 * if it cannot be read, contains a NUL, or has 64 KiB or more.
 */
char *conf_file_read(const char *path, struct fail *f);

/*
 * Parse the next setting of *text, in place, and raise *line to its line
 * number.  Blank lines and lines that begin with # or ; are skipped; a value
 * may be in quotes; nothing is expanded.  Returns 1 with *ret_name and
 * *ret_value pointing into the text, 0 at its end, or -1 if the line is not
 * NAME=value.
 */
int conf_file_next(char **text, int *line, char **ret_name, char **ret_value);

#endif
