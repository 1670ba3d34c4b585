/* SPDX-License-Identifier: ISC */
/* The context of a worker, which handlers have as req->worker. */
#include "config.h"

#include <sysexits.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "fcgi/worker/watchdog.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"

int
worker_db(struct worker *w, struct fail *f)
{
	if (worker_has_db(w, f) == -1)
		return -1;
	return db_ready(w->db, f);
}

int
worker_has_db(const struct worker *w, struct fail *f)
{
	if (w->db == NULL)
		return fail_set(
		    f, FAIL_US, UNAVAILABLE, "DATABASE_URL", "is not set");
	return 0;
}

void
worker_limit(struct worker *w, int seconds)
{
	const int64_t now = clock_ticks();
	const int64_t due = seconds == 0 ? -now : now + seconds * CLOCK_SECOND;

	if (!watchdog_set(&w->slot->due, due))
		_exit(EX_TEMPFAIL);
}
