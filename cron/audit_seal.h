/* SPDX-License-Identifier: ISC */
/* Seal the audit trail, as part of the job "project". */
#ifndef CRON_AUDIT_SEAL_H
#define CRON_AUDIT_SEAL_H

#include <stdbool.h>

#include "cron/job.h"
#include "lib/audit/audit_chain.h"

/*
 * Seal the entries since the last seal, unless that seal is only some seconds
 * old.  Once a day (UTC), log the newest seal.  Set *ret_more to true if more
 * entries wait than one seal takes.  Return 0, or -1 with f set.
 */
int audit_seal_step(struct job_run *r, bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

#endif
