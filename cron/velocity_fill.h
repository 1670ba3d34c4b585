/* SPDX-License-Identifier: ISC */
/* Fill new velocities from stored decisions. */
#ifndef CRON_VELOCITY_FILL_H
#define CRON_VELOCITY_FILL_H

#include <stdbool.h>
#include <stdint.h>

struct fail;
struct job_run;

/*
 * Count one slice of stored decisions for the velocities that are next, in one
 * transaction.  Set *ret_decisions to their number, *ret_completed to the
 * velocities that are complete now, and *ret_more to whether there was a slice.
 * Return 0, or -1 with f set.
 */
int velocity_fill_step(struct job_run *r, int64_t *ret_decisions,
    int64_t *ret_completed, bool *ret_more, struct fail *f)
    __attribute__((warn_unused_result));

#endif
