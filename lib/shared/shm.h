/* SPDX-License-Identifier: ISC */
/* The memory that master and workers share. */
#ifndef LIB_SHARED_SHM_H
#define LIB_SHARED_SHM_H

#include <stdatomic.h>
#include <stdint.h>

#include "lib/db/db.h"
#include "lib/engine/geoip.h"
#include "lib/net/redis.h"
#include "lib/shared/companion_counter.h"
#include "lib/shared/gauge.h"
#include "lib/shared/hash_slot.h"
#include "lib/shared/metric.h"
#include "lib/shared/storage_stats.h"
#include "lib/sys/limits.h"

#define SHM_SLOTS 256 /* the most workers */
#define SHM_KEYS ((size_t)16384) /* slots of each table of API keys */
#define SHM_LOGINS ((size_t)65536) /* slots of client addresses */
#define SHM_SPOOL_ID_SIZE 31 /* CRYPT_ID_SIZE */
#define SHM_SETTINGS ((size_t)3) /* shared runtime settings */

struct fail;

/* Whether the pool has a database; it keeps one whose file becomes bad. */
enum geoip_state { GEOIP_NONE = 0, GEOIP_FAILED, GEOIP_LOADED };

/* One GeoIP database. */
struct geoip_status {
	_Atomic int32_t state; /* enum geoip_state */
	_Atomic int64_t built; /* its time, if it is loaded */
	_Atomic uint32_t families; /* enum mmdb_family; 0 if not loaded */
};

/*
 * One worker.  The worker and the master write its slot.  A worker that
 * replaces a dead one takes over its slot and goes on with its counters.
 */
struct worker_slot {
	_Alignas(64) _Atomic int32_t pid; /* 0: no worker */
	_Atomic int32_t group; /* enum worker_group; 0: never used */
	_Atomic int64_t due; /* of fcgi/worker/watchdog.h; >0: busy */
	_Atomic int32_t backtest_type; /* event type, 0: no backtest */
	_Atomic int64_t backtest_id; /* as ids of backtests print it */
	_Atomic int64_t backtest_cancelled; /* the id that is to end, or 0 */
	_Atomic int64_t backtest_began; /* clock_ticks() */
	_Atomic int64_t backtest_samples; /* that it has read */
	_Atomic int64_t backtest_total; /* samples to read */
	struct metrics metrics;
};

/*
 * The shared region.  All members that change are atomic, and each change is
 * one step, so a worker killed at any instruction leaves it usable.
 */
struct shm {
	struct worker_slot slot[SHM_SLOTS];
	struct hash_slot key[SHM_KEYS]; /* of fcgi/access/rate_limit.c */
	struct hash_slot login[SHM_LOGINS]; /* the same, for addresses */
	struct hash_slot apikeys[SHM_KEYS]; /* lib/shared/apikey_cache.c */
	_Atomic int32_t
	    hashing[SHM_SLOTS]; /* pids of holders, see
				      fcgi/worker/host_semaphore.c */
	_Atomic int32_t
	    long_requests[SHM_SLOTS]; /* the same, for long requests */
	_Atomic int32_t retaining; /* the same, for a run of retention */
	_Atomic int32_t stop_announced; /* 1: the pool will stop; it says so in
					   /readyz */
	_Atomic int32_t stopping; /* 1: the pool is stopping */
	_Atomic int32_t client_unknown; /* 1: event=client_unknown is logged */
	_Atomic int32_t ready; /* latest enum readiness_status, of
				     fcgi/worker/readiness.c */
	_Atomic int32_t unfit; /* enum db_unfit of the latest session */
	_Atomic int64_t schema; /* latest migration of the database, or 0 */
	_Atomic int64_t missing; /* first missing migration, or 0 */
	_Atomic uint64_t
	    setting[SHM_SETTINGS]; /* lib/shared/runtime_setting.c */
	_Atomic int64_t setting_at; /* clock_ticks() of the latest read */
	_Atomic int64_t model_reach; /* thousandths; core/decide/model.h */
	struct redis_shared redis; /* Redis that counts budgets */
	_Atomic int64_t retry_at; /* of the decide workers; db_set_breaker() */
	struct db_shared decide_db; /* DATABASE_URL of the pool, or a job's */
	struct db_shared operator_db; /* OPERATOR_DATABASE_URL */
	struct db_shared standby_db; /* OPERATOR_READ_DATABASE_URL */
	_Atomic int32_t standby_use; /* of fcgi/gate/standby_read.c */
	_Atomic int64_t standby_rest; /* the same: clock_ticks() until which no
					 request asks the standby */
	struct geoip_status geoip[GEOIP__MAX];
	_Atomic int64_t spool_records; /* never too low; lib/spool/spool.c */
	_Atomic int64_t spool_oldest; /* time of the oldest, or 0 */
	char spool_id[SHM_SPOOL_ID_SIZE]; /* set before the workers start */
	_Atomic int64_t report_at; /* clock_ticks() of the next report */
	_Atomic int64_t drain_at; /* clock_ticks() of the next drain */
	_Atomic int64_t check_at; /* the same, for checking readiness */
	_Atomic int64_t measure_at; /* the same, for measuring the database */
	_Atomic int64_t share_at; /* the same, for sharing the settings */
	_Atomic int64_t measured_at; /* clock_ticks() of the latest complete
					measurement, or of the start */
	struct storage_stats storage;
	struct gauges gauges;
	struct companion_counters counters;
	_Atomic int64_t decisions_waited_at; /* of fcgi/gate/load_shed.c */
};

/*
 * Map a zeroed region that child processes share.  The kernel allocates pages
 * on first use.  Returns NULL with f set if it fails.
 */
struct shm *shm_new(struct fail *f);

/* Unmap it; NULL is harmless. */
void shm_free(struct shm *shm);

#endif
