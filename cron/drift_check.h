/* SPDX-License-Identifier: ISC */
/*
 * Part of the job "project": count labels by the score of their decision, and
 * check once a day whether the scores have drifted.
 */
#ifndef CRON_DRIFT_CHECK_H
#define CRON_DRIFT_CHECK_H

#include <stdbool.h>

struct fail;
struct job_run;

/*
 * Count some new or changed labels, and set *more to true if others may wait.
 * If idle is true, all decisions are counted: then also check the last seven
 * complete days, unless a companion has done so.  Return 0, or -1 with f set.
 */
int drift_check_step(struct job_run *r, bool idle, bool *more, struct fail *f)
    __attribute__((warn_unused_result));

#endif
