/* SPDX-License-Identifier: ISC */
/*
 * Part of the job "project": what labels say of the scores of their decisions,
 * and once a day whether the scores still look like those of before.
 */
#ifndef CRON_DRIFT_CHECK_H
#define CRON_DRIFT_CHECK_H

#include <stdbool.h>

struct fail;
struct job_run;

/*
 * Count some of the labels that came or changed, *more is set if there may be
 * more; and if idle, which says that all decisions are counted, judge the last
 * week that is over, unless somebody did.  Returns 0, or -1 with f set.
 */
int drift_check_step(struct job_run *r, bool idle, bool *more, struct fail *f)
    __attribute__((warn_unused_result));

#endif
