/* SPDX-License-Identifier: ISC */
/* The table of jobs, from jobs.tbl. */
#include "config.h"

#include <string.h>

#include "cron/job.h"
#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/retention/retention.h"
#include "lib/txn/txn.h"

const struct job jobs[] = {
#define JOB(name, works, url, session, timeout, pause, check, open, step,      \
    close, help, ...)                                                          \
	{ #name, works, &conf.url, STMT_##session, timeout, pause, check,      \
		open, step, close, help, __VA_ARGS__ },
#include "cron/jobs.tbl"
#undef JOB
};
const size_t jobs_n = sizeof(jobs) / sizeof(jobs[0]);

const struct job *
job_find(const char *name)
{
	size_t i;

	for (i = 0; i < jobs_n; i++)
		if (strcmp(jobs[i].name, name) == 0)
			return &jobs[i];
	return NULL;
}
