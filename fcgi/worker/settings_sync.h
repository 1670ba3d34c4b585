/* SPDX-License-Identifier: ISC */
/* A host follows the settings that admins change, wherever they do. */
#ifndef FCGI_WORKER_SETTINGS_SYNC_H
#define FCGI_WORKER_SETTINGS_SYNC_H

#include <stdbool.h>

struct arena;
struct worker;

/*
 * Share the settings with the host if it has not looked for 5 seconds.
 * Returns whether it did: what was known before holds while the database is
 * away, or somebody else looks.
 */
bool settings_sync_renew(struct worker *w, struct arena *a);

/*
 * Share the settings with the host if the decisions of this worker have seen
 * that it lags behind, or were made in a new session, with what may be another
 * server; at no cost otherwise.
 */
void settings_sync_note_epoch(struct worker *w, struct arena *a);

/* Share the settings with the host now. */
bool settings_sync_read(struct worker *w, struct arena *a);

#endif
