/* SPDX-License-Identifier: ISC */
/* Report to the database what this host's spool holds. */
#include "config.h"

#include <stdatomic.h>
#include <stddef.h>

#include "fcgi/worker/spool_report.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/shared/shm.h"
#include "lib/spool/spool.h"

int
spool_report_send(struct worker *w, struct arena *a, struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_text(&p, w->shm->spool_id);
	params_int(&p, atomic_load(&w->shm->spool_records));
	params_int(&p, spool_quarantines(conf.SPOOL_DIR));
	return db_run(w->db, a, STMT_SPOOL_REPORT, &p, NULL, f);
}
