/* SPDX-License-Identifier: ISC */
/* The context of a worker: what handlers find in req->worker. */
#ifndef FCGI_WORKER_WORKER_H
#define FCGI_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct db;
struct engine;
struct fail;
struct geoip;
struct redis;
struct shm;
struct spool;
struct worker_slot;

/* Which group a worker belongs to; each route is served by one of them. */
enum worker_group { GROUP_DECIDE = 1, GROUP_OPERATOR, GROUP__MAX };

struct worker {
	enum worker_group group;
	bool shared; /* one socket for both groups: serves every route */
	struct shm *shm;
	struct worker_slot *slot; /* of this worker, in shm */
	struct db *db; /* may be disconnected; NULL: DATABASE_URL is not set */
	int64_t shared_session; /* db_session() that last read the settings */
	struct redis *redis; /* NULL: each host counts its own budgets */
	struct spool *spool; /* NULL: degraded answers need the database */
	struct geoip *geoip; /* NULL: no GEOIP_DB, or no decisions here */
	struct engine *engine; /* NULL: this worker serves no decisions */
};

/*
 * Connect w->db unless it is connected: a worker starts while the database is
 * down, and opens its session at the first request that needs one.  Returns 0,
 * or -1 with f set: UNAVAILABLE, or INTERNAL when a statement does not prepare.
 */
int worker_db(struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Check that there is a w->db, connected or not.  Returns 0, or -1 with f set
 * to UNAVAILABLE.
 */
int worker_has_db(const struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Set how many seconds the next piece of work may take; 0: the worker is idle.
 * The master kills a worker that exceeds this by WATCHDOG_GRACE.  Does not
 * return if the master has already condemned this worker.
 */
void worker_limit(struct worker *w, int seconds);

#endif
