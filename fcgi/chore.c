/* SPDX-License-Identifier: ISC */
/* What a decide worker does besides requests: load policies, drain the spool.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/arena.h"
#include "core/fail.h"
#include "fcgi/chore.h"
#include "fcgi/worker.h"
#include "lib/clock.h"
#include "lib/db.h"
#include "lib/drain.h"
#include "lib/engine.h"
#include "lib/log.h"
#include "lib/shm.h"
#include "lib/spool.h"

#define ARENA_SIZE ((size_t)32 << 20) /* address space of a chore */
#define PAUSE (CLOCK_SECOND / 10) /* between turns: decisions go first */
#define PAUSE_FAILED (1 * CLOCK_SECOND)
#define TURN_MAX (2 * CLOCK_SECOND) /* for the database to answer */
#define TURN_LIMIT 5 /* seconds; beyond it the watchdog comes */

static int64_t turn(struct worker *w);
static void account(struct worker *w, const struct drain *did);
static int borrow(struct arena *a);
static void give_back(struct arena *a);

void
chore_start(struct worker *w)
{
	struct fail f = { 0 };
	struct arena a;

	if (w->engine == NULL || w->db == NULL || borrow(&a) == -1)
		return;
	if (db_ready(w->db, &f) == -1 ||
	    engine_load(w->engine, w->db, &a, &f) == -1)
		log_warn("engine=empty why=%s %s", f.where, f.why);
	give_back(&a);
}

int
chore_run(struct worker *w)
{
	struct shm *shm = w->shm;
	const int64_t now = clock_ticks();
	int64_t at = atomic_load(&shm->sh_drain_at);

	if (w->spool == NULL || w->db == NULL ||
	    atomic_load(&shm->sh_spool_records) <= 0)
		return -1;
	if (now < at)
		return (int)((at - now) / 1000 + 1);

	/* One of all workers takes the turn. */
	if (atomic_compare_exchange_strong(
		&shm->sh_drain_at, &at, now + TURN_MAX))
		atomic_store(&shm->sh_drain_at, clock_ticks() + turn(w));
	return (int)(PAUSE / 1000);
}

/* One turn.  Returns how long to pause. */
static int64_t
turn(struct worker *w)
{
	struct fail f = { 0 };
	struct drain did;
	struct arena a;
	int r;

	if (borrow(&a) == -1)
		return PAUSE_FAILED;
	worker_limit(w, TURN_LIMIT);
	db_until(w->db, clock_ticks() + TURN_MAX);
	r = drain_turn(w->spool, w->db, &a, &did, &f);
	db_until(w->db, 0);
	worker_limit(w, 0);
	give_back(&a);
	account(w, &did);

	/* That the database is away is told by every degraded answer. */
	if (r == -1 && db_trouble(w->db) != DB_LOST)
		log_error("spool=stuck why=%s %s", f.where, f.why);
	return r == 0 ? PAUSE : PAUSE_FAILED;
}

/* Count what a turn did, and say so. */
static void
account(struct worker *w, const struct drain *did)
{
	metric_add(w->slot, METRIC_ID_DRAINED, 0, 0, did->drained);
	metric_add(w->slot, METRIC_ID_ASIDE, 0, 0, did->aside);
	metric_add(w->slot, METRIC_ID_TORN, 0, 0, did->torn);
	if (did->drained > 0)
		log_info("spool=drained records=%zu", did->drained);
	if (did->torn > 0)
		log_warn("spool=torn lines=%zu", did->torn);
	if (did->aside > 0)
		log_error("spool=aside records=%zu", did->aside);
}

/* Memory for a while. */
static int
borrow(struct arena *a)
{
	void *block = mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (block == MAP_FAILED) {
		log_error("chore=memory why=%s", strerror(errno));
		return -1;
	}
	arena_init(a, block, ARENA_SIZE);
	return 0;
}

static void
give_back(struct arena *a)
{
	arena_reset(a);
	munmap(a->ar_base, ARENA_SIZE);
}
