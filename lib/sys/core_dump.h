/* SPDX-License-Identifier: ISC */
/* Keep the memory of a process, which holds secrets, off the disk. */
#ifndef LIB_SYS_CORE_DUMP_H
#define LIB_SYS_CORE_DUMP_H

#include <stdbool.h>

/*
 * Unless allowed, this process and its children leave no core dump and cannot
 * be traced by another process of their user: the files of /proc/PID belong to
 * root then.  allowed leaves things as they were.
 */
void core_dump_forbid(bool allowed);

#endif
