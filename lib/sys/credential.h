/* SPDX-License-Identifier: ISC */
/* Secrets that the service manager hands over, each in a file of its name. */
#ifndef LIB_SYS_CREDENTIAL_H
#define LIB_SYS_CREDENTIAL_H

#include <stddef.h>
#include <sys/types.h>

struct fail;

/*
 * Read the file prefix + name of directory dir into the size bytes at buffer,
 * as a string: a line of text, whose end is cut off.  Returns the bytes taken
 * with the final NUL, 0 if there is no such file, or -1 with f set: it cannot
 * be read, is too long, or holds a control character, also that of a second
 * line.
 */
ssize_t credential_read(const char *dir, const char *prefix, const char *name,
    char *buffer, size_t size, struct fail *f)
    __attribute__((warn_unused_result));

#endif
