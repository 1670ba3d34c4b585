/* SPDX-License-Identifier: ISC */
/* Keep the memory of a process, which holds secrets, off the disk. */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "lib/sys/core_dump.h"
#include "lib/sys/log.h"

void
core_dump_forbid(bool allowed)
{
	const struct rlimit none = { 0, 0 };

	if (allowed)
		return;
	/* A core_pattern with a pipe ignores the limit, but not the flag. */
	if (setrlimit(RLIMIT_CORE, &none) == -1 ||
	    prctl(PR_SET_DUMPABLE, 0) == -1)
		log_warn(
		    "event=core_dump_not_forbidden why=%s", strerror(errno));
}
