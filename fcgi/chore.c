/* SPDX-License-Identifier: ISC */
/* What workers do besides requests: load policies, drain the spool, match
 * labels.
 */
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "core/arena.h"
#include "core/fail.h"
#include "fcgi/chore.h"
#include "fcgi/follow.h"
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
#define LABELS_MAX 20 /* labels that one turn looks for decisions of */
#define LABELS_PAUSE (1 * CLOCK_SECOND) /* unless there were as many */
#define LABELS_PAUSE_FAILED (5 * CLOCK_SECOND)

typedef int64_t turn_fn(struct worker *w); /* returns how long to pause */

static int drain_next(struct worker *w);
static int labels_next(struct worker *w);
static int next(struct worker *w, _Atomic int64_t *due, turn_fn *turn);
static turn_fn drain, labels;
static void begin(struct worker *w);
static void end(struct worker *w);
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
	else
		follow_seen(w, &a);
	give_back(&a);
}

int
chore_run(struct worker *w)
{
	const int a = drain_next(w), b = labels_next(w);

	if (a == -1 || b == -1)
		return a == -1 ? b : a;
	return a < b ? a : b;
}

/* Decide workers drain the spool, as long as there is something in it. */
static int
drain_next(struct worker *w)
{
	if (w->spool == NULL || w->db == NULL ||
	    atomic_load(&w->shm->sh_spool_records) <= 0)
		return -1;
	return next(w, &w->shm->sh_drain_at, drain);
}

/* Operators' workers look for what labels wait for; nobody tells them. */
static int
labels_next(struct worker *w)
{
	if (w->db == NULL || (w->group != GROUP_OPERATOR && !w->shared))
		return -1;
	return next(w, &w->shm->sh_labels_at, labels);
}

/*
 * Take the turn at a chore if it is due and no other worker does.  Returns
 * after how many milliseconds to ask again.
 */
static int
next(struct worker *w, _Atomic int64_t *due, turn_fn *turn)
{
	const int64_t now = clock_ticks();
	int64_t at = atomic_load(due);

	if (now < at)
		return (int)((at - now) / 1000 + 1);

	/* One of all workers takes the turn. */
	if (atomic_compare_exchange_strong(due, &at, now + TURN_MAX))
		atomic_store(due, clock_ticks() + turn(w));
	return (int)(PAUSE / 1000);
}

static int64_t
drain(struct worker *w)
{
	struct fail f = { 0 };
	struct drain did;
	struct arena a;
	int r;

	if (borrow(&a) == -1)
		return PAUSE_FAILED;
	begin(w);
	r = drain_turn(w->spool, w->db, &a, &did, &f);
	end(w);
	give_back(&a);
	account(w, &did);

	/* That the database is away is told by every degraded answer. */
	if (r == -1 && db_trouble(w->db) != DB_LOST)
		log_error("spool=stuck why=%s %s", f.where, f.why);
	return r == 0 ? PAUSE : PAUSE_FAILED;
}

static int64_t
labels(struct worker *w)
{
	_Alignas(16) char block[1024];
	struct fail f = { 0 };
	int64_t looked = 0;
	struct params p;
	struct rows rows;
	struct arena a;
	int r;

	arena_init(&a, block, sizeof(block));
	params_init(&p, &a);
	params_int(&p, LABELS_MAX);
	begin(w);
	r = db_one(w->db, &a, STMT_LABELS_MATCH, &p, &rows, &f);
	end(w);
	if (r == 0)
		looked = rows_get_int(&rows, "looked");
	arena_reset(&a);
	if (r == -1 && db_trouble(w->db) != DB_LOST)
		log_error("labels=stuck why=%s %s", f.where, f.why);
	if (r == -1)
		return LABELS_PAUSE_FAILED;
	return looked < LABELS_MAX ? LABELS_PAUSE : PAUSE;
}

/* A turn has a limit of its own, so that requests do not wait for long. */
static void
begin(struct worker *w)
{
	worker_limit(w, TURN_LIMIT);
	db_until(w->db, clock_ticks() + TURN_MAX);
}

static void
end(struct worker *w)
{
	db_until(w->db, 0);
	worker_limit(w, 0);
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
