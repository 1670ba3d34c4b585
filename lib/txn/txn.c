/* SPDX-License-Identifier: ISC */
/* Decide a set of events in one transaction. */
#include "config.h"

#include <assert.h>
#include <poll.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/base/fail.h"
#include "core/state/entity_graph.h"
#include "core/signal/signals.h"
#include "core/state/user_state.h"
#include "lib/sys/clock.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/shared/metric.h"
#include "lib/txn/txn_int.h"

#define SET_TRIES 4 /* of a set that meets deadlocks and taken keys */
#define LEFT_MIN 50 /* ms; with less there is no point in trying */
#define RESTART_POLL 20 /* ms between looks at a server that restarts */
#define MS INT64_C(1000)
#define SHARE_MIN (100 * MS) /* of the time for one event of a failed set */
#define SLACK (150 * MS) /* a statement's own timeout comes first */

/* How one try of a set ended. */
enum txn_try {
	TRY_DONE = 1,
	TRY_AGAIN, /* roll back and run it again */
	TRY_GIVE_UP, /* this will not work as it is */
	TRY__MAX
};

static void run_singly(struct txn *s, struct decision_request *const *items,
    size_t n, int64_t deadline);
static bool run_tries(
    struct txn *s, struct decision_request *const *items, size_t n);
static enum txn_try run_once(
    struct txn *s, struct decision_request *const *items, size_t n);
static enum txn_try try_failed(struct txn *s, bool committing);
static bool commit_took_place(struct txn *s);
static int decide_events(struct txn *s, struct fail *f);
static int decide_event(struct txn *s, struct txn_event *en, struct fail *f);
static void set_outcomes(struct txn *s);

void
txn_run(struct engine *engine, struct db *db, struct arena *a,
    struct decision_request *const *items, size_t n, enum txn_lock lock,
    int64_t deadline)
{
	struct txn s = {
		.engine = engine,
		.db = db,
		.arena = a,
		.lock = lock,
		.deadline = deadline,
	};

	assert(n >= 1 && n <= TXN_MAX);

	/* Time is left for the innocent, should one event hold up them all. */
	if (!txn_of_one_user(items, n))
		s.deadline -= (deadline - clock_ticks()) / 2;
	if (!run_tries(&s, items, n))
		run_singly(&s, items, n, deadline);
	db_set_deadline(db, 0);
}

void
txn_count(struct worker_slot *slot, const struct decision_request *item)
{
	if (item->dry_run) {
		metric_add(slot, METRIC_ID_SHADOWS,
		    (size_t)item->answer.verdict - VERDICT_ALLOW, 0, 1);
		return;
	}
	metric_add(slot, METRIC_ID_MISMATCHES, 0, 0, item->mismatch);
	if (item->outcome == TXN_MISMATCHED)
		return;
	metric_add(slot, METRIC_ID_DECISIONS,
	    (size_t)item->answer.verdict - VERDICT_ALLOW,
	    item->outcome == TXN_REPLAYED ? 1 : 0, 1);
	if (item->outcome != TXN_DEGRADED)
		return;
	metric_add(slot, METRIC_ID_DEGRADED, 0, 0, 1);
	metric_add(slot, METRIC_ID_SPOOLED, 0, 0, item->spooled);
}

bool
txn_of_one_user(struct decision_request *const *items, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++) {
		if (strcmp(items[i]->event->user, items[0]->event->user) != 0)
			return false;
	}
	return true;
}

/*
 * Only the guilty events of a set that failed are to suffer: try each by
 * itself, with a share of the time that is left, and those that need longer
 * again when everybody else is done, here or by a caller that does not wait.
 * What cannot be decided is degraded.
 */
static void
run_singly(struct txn *s, struct decision_request *const *items, size_t n,
    int64_t deadline)
{
	struct decision_request *late[TXN_MAX];
	size_t i, n_late = 0;
	int64_t now;

	for (i = 0; n > 1 && i < n && db_trouble(s->db) != DB_LOST; i++) {
		now = clock_ticks();
		s->deadline = now + (deadline - now) / (int64_t)(n - i + 1);
		if (s->deadline < now + SHARE_MIN)
			s->deadline = now + SHARE_MIN;
		if (s->deadline > deadline)
			break;
		if (run_tries(s, &items[i], 1))
			continue;
		items[i]->fail = s->why;
		if (db_trouble(s->db) == DB_TIMEOUT)
			late[n_late++] = items[i];
		else
			txn_degrade(s, &items[i], 1);
	}
	for (; i < n; i++)
		late[n_late++] = items[i];
	s->deadline = deadline;
	if (s->lock == TXN_SKIP && n > 1 && db_trouble(s->db) != DB_LOST) {
		/* The caller has others to answer before it waits. */
		for (i = 0; i < n_late; i++)
			late[i]->outcome = TXN_BUSY;
		return;
	}
	for (i = 0; n > 1 && i < n_late && txn_left(s) >= LEFT_MIN &&
	     db_trouble(s->db) != DB_LOST;
	     i++) {
		if (!run_tries(s, &late[i], 1))
			txn_degrade(s, &late[i], 1);
	}
	if (i < n_late)
		txn_degrade(s, &late[i], n_late - i);
}

/* Run a set until it is done, or it is no use or too late. */
static bool
run_tries(struct txn *s, struct decision_request *const *items, size_t n)
{
	const struct arena_mark mark = arena_mark(s->arena);
	enum txn_try t = TRY_AGAIN;
	int tries;

	s->lost = 0;
	s->why.code = CODE__NONE;
	db_set_deadline(s->db, s->deadline + SLACK);
	for (tries = 0; t == TRY_AGAIN && tries < SET_TRIES; tries++) {
		arena_rewind(s->arena, mark);
		t = run_once(s, items, n);
	}
	if (t != TRY_DONE)
		arena_rewind(s->arena, mark);
	return t == TRY_DONE;
}

/* Run the set once. */
static enum txn_try
run_once(struct txn *s, struct decision_request *const *items, size_t n)
{
	struct fail *f = &s->why;
	enum txn_try t = TRY_DONE;
	bool commit = false;
	size_t i;

	if (txn_left(s) < LEFT_MIN) {
		/* What took the time says more. */
		if (f->code == CODE__NONE)
			fail_set(
			    f, FAIL_US, UNAVAILABLE, NULL, "the time is over");
		return TRY_GIVE_UP;
	}
	if (txn_begin(s, items, n, f) == -1)
		return TRY_GIVE_UP;
	if (txn_read(s, f) == -1 || txn_read_earlier(s, f) == -1 ||
	    txn_read_graph(s, f) == -1 || decide_events(s, f) == -1)
		return try_failed(s, false);

	/* A set of refusals and replays leaves nothing behind. */
	for (i = 0; i < s->n; i++)
		commit = commit || s->entries[i].decided ||
		    txn_takes(&s->entries[i]);
	if (!commit)
		db_rollback(s->db);
	else if (txn_write(s, f) == -1)
		t = try_failed(s, true);
	if (t == TRY_DONE)
		set_outcomes(s);
	return t;
}

/* What to do after a failure; a commit in flight is looked up first. */
static enum txn_try
try_failed(struct txn *s, bool committing)
{
	const enum db_trouble trouble = db_trouble(s->db);

	db_rollback(s->db);
	if (trouble == DB_LOST && committing && commit_took_place(s))
		return TRY_DONE;
	if (trouble == DB_LOST)
		return s->lost++ == 0 ? TRY_AGAIN : TRY_GIVE_UP;
	return trouble == DB_AGAIN || trouble == DB_DUPLICATE ? TRY_AGAIN
							      : TRY_GIVE_UP;
}

/*
 * Whether a transaction whose commit was not answered took place.  The users'
 * locks are taken first: once they are had, the old transaction has ended.  A
 * server that restarts is waited for: an onError verdict would stand beside a
 * decision that nobody was told of.
 */
static bool
commit_took_place(struct txn *s)
{
	const struct decision_answer *ans = NULL;
	struct params find;
	struct rows rows[3];
	struct fail f = { 0 };
	size_t i;
	bool found;

	for (i = 0; i < s->n && ans == NULL; i++) {
		if (txn_records(&s->entries[i]))
			ans = &s->entries[i].item->answer;
	}
	if (ans == NULL)
		return false;
	while (db_ready(s->db, &f) == -1) {
		if (txn_left(s) < LEFT_MIN)
			return false;
		poll(NULL, 0, RESTART_POLL);
	}
	params_init(&find, s->arena);
	params_text(&find, ans->event_id);
	params_text(&find, ans->id);
	params_time(&find, ans->decided_at);
	found = db_send(s->db, STMT_BEGIN, NULL, &f) == 0 &&
	    txn_send_lock(s, TXN_WAIT, &f) == 0 &&
	    db_send(s->db, STMT_VERDICT_FIND, &find, &f) == 0 &&
	    db_sync(s->db, s->arena, rows, 3, &f) == 0 && rows[2].n == 1;
	db_rollback(s->db);
	return found;
}

/* Decide the entries in order; each sees what those before it changed. */
static int
decide_events(struct txn *s, struct fail *f)
{
	struct txn_event *en;
	size_t i;

	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (!txn_decides(en))
			continue;
		if (decide_event(s, en, f) == -1 || txn_answer(s, en, f) == -1)
			return -1;
	}
	return 0;
}

/*
 * Compute signals and decision of one entry, then count the event.  What a
 * list decides by itself has no signals and is not counted; a dry run neither.
 */
static int
decide_event(struct txn *s, struct txn_event *en, struct fail *f)
{
	const struct event *ev = en->item->event;
	const struct rulebook *book = engine_book(s->engine, ev->type);
	struct event_context sc = txn_event_context(s, en);
	struct shadow shadow;

	en->decided = true;
	if (list_decides(en->listed)) {
		decide_listed(book->policy, en->listed, &en->decision);
		return 0;
	}
	if (event_context_risk(&sc, (int)conf.LABEL_DELAY_DAYS, en->risk, f) ==
	    -1)
		return -1;
	event_context_facts(&sc, &en->facts);
	signals_compute(ev, &en->facts, &en->signals);
	if (decide(book, &en->signals, s->arena, &en->decision, f) == -1 ||
	    (en->listed == LIST_WATCH &&
		decide_watched(s->arena, &en->decision, f) == -1))
		return -1;
	if (en->item->dry_run)
		return 0;
	if (engine_shadow(s->engine, ev->type, &shadow))
		decide_shadow(&shadow, &en->signals, en->listed == LIST_WATCH,
		    s->arena, &en->shade);
	event_context_count(&sc, en->decision.verdict);
	en->member->now = en->now;
	en->member->changed = true;
	return 0;
}

/* Tell each item what became of it. */
static void
set_outcomes(struct txn *s)
{
	struct txn_event *en;
	size_t i;

	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (!en->verified) {
			en->item->outcome = TXN_REFUSED;
		} else if (en->gone) {
			en->item->outcome = TXN_GONE;
		} else if (en->busy) {
			en->item->outcome = TXN_BUSY;
		} else if (en->same != NULL && en->same->verified) {
			en->item->answer = en->same->item->answer;
			en->item->outcome = txn_replayed(en);
		} else if (en->earlier_id != NULL) {
			en->item->outcome = txn_replayed(en);
		} else {
			en->item->outcome = TXN_DECIDED;
		}
	}
}
