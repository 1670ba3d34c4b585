/* SPDX-License-Identifier: ISC */
/*
 * Share runtime settings, which admins change in the database, with the host.
 */
#include "config.h"

#include "core/base/fail.h"
#include "fcgi/worker/settings_sync.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/shared/runtime_setting.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

bool
settings_sync_renew(struct worker *w, struct arena *a)
{
	return runtime_setting_due(w->shm, clock_ticks()) &&
	    settings_sync_read(w, a);
}

void
settings_sync_note_epoch(struct worker *w, struct arena *a)
{
	const int64_t epoch =
	    w->engine == NULL ? 0 : engine_settings(w->engine);

	/* Do not wait again for a database that has just failed. */
	if (epoch != 0 && db_trouble(w->db) == DB_FINE &&
	    (!runtime_setting_shared(w->shm, epoch) ||
		w->shared_session != db_session(w->db)))
		settings_sync_read(w, a);
}

bool
settings_sync_read(struct worker *w, struct arena *a)
{
	struct fail f = { 0 };

	if (w->db == NULL ||
	    runtime_setting_share(w->shm, w->db, a, &f) == -1) {
		log_debug("event=settings_refresh_failed why=%s", f.why);
		return false;
	}
	w->shared_session = db_session(w->db);
	return true;
}
