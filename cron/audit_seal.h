/* SPDX-License-Identifier: ISC */
/* The chain of the audit trail, which the job "project" makes longer. */
#ifndef CRON_AUDIT_SEAL_H
#define CRON_AUDIT_SEAL_H

#include <stdbool.h>

#include "cron/job.h"
#include "lib/audit/audit_chain.h"

/*
 * Seal the entries that came since the last seal, unless that one is some
 * seconds old only, and write the newest seal to the log where the log has
 * none of today (UTC).  *ret_more becomes true if there are more entries than
 * one seal takes.  Returns 0, or -1 with f set.
 */
int audit_seal_step(struct job_run *r, bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

#endif
