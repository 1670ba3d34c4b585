/* SPDX-License-Identifier: ISC */
/* Secrets that the service manager provides, each in a file with its name. */
#ifndef LIB_SYS_CREDENTIAL_H
#define LIB_SYS_CREDENTIAL_H

#include <stddef.h>
#include <sys/types.h>

struct fail;

/*
 * Read the file prefix + name of directory dir into the size bytes at buffer,
 * as a string.  The file is one line of text; its newline is removed.  Returns
 * the size of the string with its NUL, 0 if the file does not exist, or -1 with
 * f set: the file cannot be read, is too long, or contains a control character,
 * such as the newline before a second line.
 */
ssize_t credential_read(const char *dir, const char *prefix, const char *name,
    char *buffer, size_t size, struct fail *f)
    __attribute__((warn_unused_result));

#endif
