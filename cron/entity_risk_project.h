/* SPDX-License-Identifier: ISC */
/*
 * Part of the job "project": count events and labels of devices and ips by slot
 * for the signals risk.*.
 */
#ifndef CRON_ENTITY_RISK_PROJECT_H
#define CRON_ENTITY_RISK_PROJECT_H

#include <stdbool.h>
#include <stdint.h>

struct fail;
struct rows;
struct job_run;

/*
 * Prepare to count about so many decisions: summarize the newest details if the
 * decisions are many.  Return 0, or -1 with f set.
 */
int entity_risk_project_prepare(struct job_run *r, int64_t decisions,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Count the decisions of the part of the log that this row of
 * STMT_ANALYTICS_PROJECT names.  The caller's open transaction has moved the
 * cursor and holds the lock of the counters.  Return 0, or -1 with f set.
 */
int entity_risk_project_events(struct job_run *r, const struct rows *piece,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Count some new or changed labels in a separate transaction, and set *more to
 * true if others may wait.  Do nothing while another companion counts.  Return
 * 0, or -1 with f set.
 */
int entity_risk_project_labels(struct job_run *r, bool *more, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Remove the counts of some entities that no window reaches any more.  Return
 * 0, or -1 with f set.
 */
int entity_risk_project_forget(struct job_run *r, struct fail *f)
    __attribute__((warn_unused_result));

#endif
