/* SPDX-License-Identifier: ISC */
/* The functions that jobs.tbl names; cron/job.h says what each has to do. */
#ifndef CRON_STEPS_H
#define CRON_STEPS_H

#include "cron/job.h"

/* decide.c */
job_open_fn decide_open;
job_step_fn decide_step;
job_close_fn decide_close;

/* project.c */
job_step_fn project_step;

/* publish.c, the first half of deliver's step; its counts come first. */
#define PUBLISH_COUNTS 2
job_step_fn publish_step;

/* deliver.c */
job_open_fn deliver_open;
job_step_fn deliver_step;
job_close_fn deliver_close;

/* model.c */
job_check_fn model_check;
job_open_fn model_open;
job_step_fn model_step;
job_close_fn model_close;

/* drain.c */
job_open_fn drain_open;
job_step_fn drain_step;
job_close_fn drain_close;

/* retain.c */
job_open_fn retain_open;
job_step_fn retain_step;
job_close_fn retain_close;

#endif
