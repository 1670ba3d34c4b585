/* SPDX-License-Identifier: ISC */
/*
 * Part of the job "project": the events and labels of devices and ips by day,
 * which the signals of risk are made of.
 */
#ifndef CRON_ENTITY_RISK_PROJECT_H
#define CRON_ENTITY_RISK_PROJECT_H

#include <stdbool.h>

struct fail;
struct rows;
struct job_run;

/*
 * Count the decisions of the piece of the log that this row of
 * STMT_ANALYTICS_PROJECT names, in the transaction in hand, which moved the
 * cursor and keeps others from counting.  Returns 0, or -1 with f set.
 */
int entity_risk_project_events(struct job_run *r, const struct rows *piece,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Count some of the labels that came or changed, in a transaction of its own;
 * *more is set if there may be more.  Does nothing while somebody else counts.
 * Returns 0, or -1 with f set.
 */
int entity_risk_project_labels(struct job_run *r, bool *more, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Forget some of the entities whose days are in no window any more.  Returns
 * 0, or -1 with f set.
 */
int entity_risk_project_forget(struct job_run *r, struct fail *f)
    __attribute__((warn_unused_result));

#endif
