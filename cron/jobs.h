/* SPDX-License-Identifier: ISC */
/* The functions that jobs.tbl names; cron/job.h says what each has to do. */
#ifndef CRON_JOBS_H
#define CRON_JOBS_H

#include "cron/job.h"

/* job_decide.c */
job_open_fn job_decide_open;
job_step_fn job_decide_step;
job_close_fn job_decide_close;

/* job_project.c */
job_step_fn job_project_step;

/* job_publish.c, the first half of deliver's step; its counts come first. */
#define JOB_PUBLISH_COUNTS 2
job_step_fn job_publish_step;

/* job_deliver.c */
job_open_fn job_deliver_open;
job_step_fn job_deliver_step;
job_close_fn job_deliver_close;

/* job_model.c */
job_check_fn job_model_check;
job_open_fn job_model_open;
job_step_fn job_model_step;
job_close_fn job_model_close;

/* job_geoip.c */
job_check_fn job_geoip_check;
job_open_fn job_geoip_open;
job_step_fn job_geoip_step;
job_close_fn job_geoip_close;

/* job_drain.c */
job_open_fn job_drain_open;
job_step_fn job_drain_step;
job_close_fn job_drain_close;

/* job_retain.c */
job_open_fn job_retain_open;
job_step_fn job_retain_step;
job_close_fn job_retain_close;

/* job_velocity.c */
job_open_fn job_velocity_open;
job_step_fn job_velocity_step;
job_close_fn job_velocity_close;

/* job_redecide.c */
job_open_fn job_redecide_open;
job_step_fn job_redecide_step;
job_close_fn job_redecide_close;

/* job_train.c */
job_check_fn job_train_check;
job_step_fn job_train_step;

#endif
