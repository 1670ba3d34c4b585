/* SPDX-License-Identifier: ISC */
/*
 * Share runtime settings, which admins change in the database, with the host.
 */
#ifndef FCGI_WORKER_SETTINGS_SYNC_H
#define FCGI_WORKER_SETTINGS_SYNC_H

#include <stdbool.h>

struct arena;
struct worker;

/*
 * Read the settings and share them with the workers of this host, if none of
 * them has done so for 5 seconds.  Return whether it succeeded.  While the
 * database is unavailable or another worker reads, the known values stay in
 * effect.
 */
bool settings_sync_renew(struct worker *w, struct arena *a);

/*
 * Read and share the settings if the decisions of this worker saw a newer
 * epoch, or ran in a new session, which may be with another server.  Otherwise
 * this costs nothing.
 */
void settings_sync_note_epoch(struct worker *w, struct arena *a);

/* Read and share the settings now.  Return whether it succeeded. */
bool settings_sync_read(struct worker *w, struct arena *a);

#endif
