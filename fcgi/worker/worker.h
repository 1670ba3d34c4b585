/* SPDX-License-Identifier: ISC */
/* One worker: waits for a connection, answers it, waits again. */
#ifndef FCGI_WORKER_WORKER_H
#define FCGI_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

#include "fcgi/http/route.h"

struct db;
struct engine;
struct fail;
struct geoip;
struct redis;
struct shm;
struct worker_slot;
struct spool;

/* What handlers find in req->worker. */
struct worker {
	enum worker_group group;
	bool shared; /* one socket for both groups: serves every route */
	struct shm *shm;
	struct worker_slot *slot; /* its own, in shm */
	struct db *db; /* perhaps not connected; NULL: none is set */
	int64_t shared_session; /* db_session() that settings were shared in */
	struct redis *redis; /* NULL: budgets are this host's alone */
	struct spool *spool; /* NULL: degraded answers need the database */
	struct geoip *geoip; /* NULL: no places, or no decisions here */
	struct engine *engine; /* NULL where no decisions are served */
};

/*
 * Make sure that w->db is a usable connection, opened at the first need: a
 * worker starts, and answers what needs no database, while it is down.
 * Returns 0, or -1 with f set to UNAVAILABLE (or INTERNAL when a statement
 * does not prepare).
 */
int worker_db(struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/* The same for who can do without, if only there is a w->db to ask. */
int worker_has_db(const struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Tell the watchdog how long what is done from now on may take, 0 that the
 * worker is idle; the master kills a worker that is busy 5 seconds beyond it.
 * Does not return when the master is about to: then nothing more may begin.
 */
void worker_limit(struct worker *w, int seconds);

/*
 * Serve connections of the listening socket until TERM, which is taken
 * between requests only.  w has group, shared, shm and slot.  Returns an exit
 * status of sysexits(3).
 */
int worker_run(struct worker *w, int listener);

#endif
