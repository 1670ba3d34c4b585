/* SPDX-License-Identifier: ISC */
/* The job "drain": move degraded decisions from the spool to the database. */
#include "config.h"

#include "cron/jobs.h"
#include "lib/conf/conf.h"
#include "lib/shared/metric.h"
#include "lib/spool/spool.h"
#include "lib/spool/spool_drain.h"
#include "lib/sys/log.h"

enum { COUNT_RECORDS, COUNT_PARTIAL, COUNT_QUARANTINED };

int
job_drain_open(struct job_run *r, struct fail *f)
{
	struct spool *sp = spool_open(conf.SPOOL_DIR, r->shm, f);

	r->own = sp;
	return sp == NULL ? -1 : 0;
}

/* If a worker of the pool drains at the same time, one of both finds nothing.
 */
int
job_drain_step(struct job_run *r, bool *ret_more, struct fail *f)
{
	struct spool_drain did;
	int result;

	result = spool_drain_step(r->own, r->db, r->arena, &did, f);
	r->count[COUNT_RECORDS] += (int64_t)did.drained;
	r->count[COUNT_PARTIAL] += (int64_t)did.partial;
	r->count[COUNT_QUARANTINED] += (int64_t)did.quarantined;
	metric_add(r->slot, METRIC_ID_DRAINED, 0, 0, did.drained);
	metric_add(r->slot, METRIC_ID_QUARANTINED, 0, 0, did.quarantined);
	metric_add(r->slot, METRIC_ID_PARTIAL, 0, 0, did.partial);
	if (did.quarantined > 0)
		log_error("event=spool_records_quarantined records=%zu",
		    did.quarantined);
	*ret_more = did.drained + did.partial + did.quarantined > 0;
	return result;
}

void
job_drain_close(struct job_run *r)
{
	spool_close(r->own);
}
