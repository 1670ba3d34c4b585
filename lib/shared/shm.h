/* SPDX-License-Identifier: ISC */
/* The region that master and workers share: worker slots, counters, windows. */
#ifndef LIB_SHARED_SHM_H
#define LIB_SHARED_SHM_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/shared/companion_counter.h"
#include "lib/db/db.h"
#include "lib/shared/gauge.h"
#include "lib/shared/metric.h"
#include "lib/shared/storage_stats.h"
#include "lib/sys/limits.h"

#define SHM_SLOTS 256 /* workers at most */
#define SHM_KEYS ((size_t)16384) /* API keys in the tables of them */
#define SHM_LOGINS ((size_t)65536) /* and of client addresses */
#define SHM_SPOOL_ID_SIZE 31 /* CRYPT_ID_SIZE */
#define SHM_SETTINGS ((size_t)3) /* that are shared */

struct fail;

/*
 * One worker.  A slot is written by its worker and by the master, and reused
 * by the successor: counters go on where the dead worker left them.
 */
struct worker_slot {
	_Alignas(64) _Atomic int32_t pid; /* 0: nobody */
	_Atomic int32_t group; /* of fcgi/http/route.h, from 1; 0: never used */
	_Atomic int64_t due; /* of fcgi/worker/watchdog.c; 0: idle */
	_Atomic int32_t trying; /* event type of its backtest, 0: none */
	_Atomic int64_t trying_at; /* since when, clock_ticks() */
	_Atomic int64_t tried; /* samples that it has read */
	_Atomic int64_t to_try; /* of so many */
	struct metrics metrics;
};

/* One budget of one minute; fcgi/http/rate_limit.c says how it is used. */
struct window {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t use; /* minute and count */
};

/* One API key that was verified; lib/shared/apikey_cache.c says how it is used.
 */
struct apikey_slot {
	_Atomic uint64_t key; /* 0: free */
	_Atomic uint64_t good; /* until when, for what */
};

/*
 * The region.  Everything in it is atomic and no step of a change depends on
 * another: a worker that is killed at any instruction leaves it usable.
 */
struct shm {
	struct worker_slot slot[SHM_SLOTS];
	struct window key[SHM_KEYS];
	struct window login[SHM_LOGINS];
	struct apikey_slot known[SHM_KEYS];
	_Atomic int32_t
	    hashing[SHM_SLOTS]; /* turns, of pids;
				      fcgi/worker/host_semaphore.c */
	_Atomic int32_t
	    long_requests[SHM_SLOTS]; /* likewise, of long requests */
	_Atomic int32_t retaining; /* likewise, of the one run of retention */
	_Atomic int32_t stopping; /* the pool is, for good */
	_Atomic int32_t ready; /* enum readiness_status of the last look;
				     fcgi/worker/readiness.c */
	_Atomic int32_t unfit; /* enum db_unfit of the last session */
	_Atomic int64_t schema; /* its last migration, 0: not known yet */
	_Atomic int64_t missing; /* the first that is missing, or 0 */
	_Atomic uint64_t
	    setting[SHM_SETTINGS]; /* lib/shared/runtime_setting.c */
	_Atomic int64_t setting_at; /* clock_ticks() when it was looked at */
	_Atomic int64_t redis; /* when to try it again; fcgi/http/redis.h */
	_Atomic int64_t retry_at; /* of the decide workers; db_set_breaker() */
	struct db_shared decide_db; /* DATABASE_URL of the pool, or a job's */
	struct db_shared operator_db; /* OPERATOR_DATABASE_URL */
	_Atomic int32_t geoip_loaded; /* there is a database of places */
	_Atomic int64_t spool_records; /* never too few; lib/spool/spool.c */
	_Atomic int64_t spool_oldest; /* time of the oldest, or 0 */
	char spool_id[SHM_SPOOL_ID_SIZE]; /* set before there are workers */
	_Atomic int64_t report_at; /* clock_ticks() of the next report */
	_Atomic int64_t drain_at; /* clock_ticks() of the next turn */
	_Atomic int64_t measure_at; /* likewise, at measuring what is stored */
	struct storage_stats storage;
	struct gauges gauges;
	struct companion_counters counters;
	_Atomic int64_t
	    pressed; /* when decisions waited; fcgi/http/load_shed.c */
};

/*
 * Map an empty region that children share.  Pages are taken as they are
 * used.  Returns NULL with f set.
 */
struct shm *shm_new(struct fail *f);

/* Unmap it; NULL is harmless. */
void shm_free(struct shm *shm);

#endif
