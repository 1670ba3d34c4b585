/* SPDX-License-Identifier: ISC */
/* The context of a worker, which handlers have as req->worker. */
#ifndef FCGI_WORKER_WORKER_H
#define FCGI_WORKER_WORKER_H

#include <stdbool.h>
#include <stdint.h>

struct db;
struct engine;
struct fail;
struct geoip;
struct redis;
struct route;
struct shm;
struct spool;
struct worker_slot;

/* The group of a worker.  Each route is served by one group. */
enum worker_group { GROUP_DECIDE = 1, GROUP_OPERATOR, GROUP__MAX };

struct worker {
	enum worker_group group;
	bool shared; /* one socket for both groups; serves every route */
	const struct route *routes; /* the table, by enum route_id */
	struct shm *shm;
	struct worker_slot *slot; /* its slot in shm */
	struct db *db; /* maybe disconnected; NULL: DATABASE_URL is not set */
	struct db *standby; /* for large reads of operators, or NULL */
	int64_t shared_session; /* db_session() that last read settings */
	struct redis *redis; /* NULL: budgets are counted per host */
	struct spool *spool; /* NULL: degraded decisions need the database */
	struct geoip *geoip; /* the master's; may be NULL */
	struct engine *engine; /* NULL: this worker makes no decisions */
};

/*
 * Connect w->db unless it is connected.  A worker may start while the database
 * is down; it connects at the first request that needs a session.  Return 0, or
 * -1 with f set: UNAVAILABLE, or INTERNAL if a statement cannot be prepared.
 */
int worker_db(struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Check that w->db exists, connected or not.  Return 0, or -1 with f set to
 * UNAVAILABLE.
 */
int worker_has_db(const struct worker *w, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Set how many seconds the next work may take; 0: the worker is idle.  The
 * master kills a worker that exceeds this by WATCHDOG_GRACE.  Exit if the
 * master has already condemned this worker.
 */
void worker_limit(struct worker *w, int seconds);

#endif
