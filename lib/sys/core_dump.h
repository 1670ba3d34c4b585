/* SPDX-License-Identifier: ISC */
/* Keep the memory of a process, which holds secrets, off the disk. */
#ifndef LIB_SYS_CORE_DUMP_H
#define LIB_SYS_CORE_DUMP_H

#include <stdbool.h>

/*
 * Disable core dumps of this process and its children, and tracing by other
 * processes of their user; their files in /proc/PID then belong to root.  Do
 * nothing if core dumps are allowed.
 */
void core_dump_forbid(bool allowed);

#endif
