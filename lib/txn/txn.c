/* SPDX-License-Identifier: ISC */
/* Run a transaction: try it, run its events singly, degrade the rest. */
#include "config.h"

#include <assert.h>
#include <poll.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/signal/signals.h"
#include "core/state/entity_graph.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/rollout.h"
#include "lib/shared/metric.h"
#include "lib/sys/clock.h"
#include "lib/txn/txn_int.h"

#define TXN_TRIES 4 /* the most tries after deadlocks and used keys */
#define LEFT_MIN 50 /* ms that must be left to begin a try */
#define RESTART_POLL 20 /* ms between attempts while the server restarts */
#define MS INT64_C(1000)
#define SHARE_MIN (100 * MS) /* least share of one event in run_shares() */
#define SLACK (150 * MS) /* so that the statement timeout comes first */

/* How one try of a transaction ended. */
enum txn_try {
	TRY_DONE = 1,
	TRY_AGAIN, /* roll back and run it again */
	TRY_GIVE_UP, /* another try fails too */
	TRY__MAX
};

static void run_singly(struct txn *txn, struct decision_request *const *items,
    size_t n, int64_t deadline);
static size_t run_shares(struct txn *txn, struct decision_request *const *items,
    size_t n, int64_t deadline, struct decision_request **ret_late);
static bool run_tries(
    struct txn *txn, struct decision_request *const *items, size_t n);
static enum txn_try run_once(
    struct txn *txn, struct decision_request *const *items, size_t n);
static bool writes_something(const struct txn *txn);
static enum txn_try try_failed(struct txn *txn, bool committing);
static bool commit_took_place(struct txn *txn);
static int decide_events(struct txn *txn, struct fail *f);
static int decide_event(struct txn *txn, struct txn_event *ev, struct fail *f);
static int decide_noting(struct txn *txn, struct txn_event *ev,
    const struct rulebook *book, struct fail *f);
static int decide_sides(struct txn *txn, struct txn_event *ev, struct fail *f);
static void set_outcomes(struct txn *txn);

void
txn_run(struct engine *engine, struct db *db, struct arena *a,
    struct decision_request *const *items, size_t n, enum txn_lock lock,
    int64_t deadline)
{
	struct txn txn = {
		.engine = engine,
		.db = db,
		.arena = a,
		.lock = lock,
		.deadline = deadline,
	};

	assert(n >= 1 && n <= TXN_MAX);

	/* Keep half of the time to run the events singly if one stops all. */
	if (!txn_same_user(items, n))
		txn.deadline -= (deadline - clock_ticks()) / 2;
	if (!run_tries(&txn, items, n)) {
		if (n == 1)
			txn_degrade(&txn, items, 1);
		else
			run_singly(&txn, items, n, deadline);
	}
	db_set_deadline(db, 0);
}

void
txn_count(struct worker_slot *slot, const struct decision_request *item)
{
	size_t i;

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
	if (item->outcome == TXN_DECIDED && item->rolled_out)
		metric_add(slot, METRIC_ID_ROLLOUTS,
		    (size_t)item->answer.verdict - VERDICT_ALLOW, 0, 1);
	if (item->outcome == TXN_DECIDED && item->silenced)
		metric_add(slot, METRIC_ID_SILENCED,
		    (size_t)item->answer.verdict - VERDICT_ALLOW, 0, 1);
	for (i = 0; i < IDENTIFIER__MAX && item->outcome == TXN_DECIDED; i++)
		metric_add(slot, METRIC_ID_PLACEHOLDERS, i, 0,
		    item->placeholders >> i & 1);
	if (item->outcome != TXN_DEGRADED)
		return;
	metric_add(slot, METRIC_ID_DEGRADED, 0, 0, 1);
	metric_add(slot, METRIC_ID_SPOOLED, 0, 0, item->spooled);
}

bool
txn_same_user(struct decision_request *const *items, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++) {
		if (strcmp(items[i]->event->user, items[0]->event->user) != 0)
			return false;
	}
	return true;
}

/*
 * One bad event must not harm the others of its transaction: run each event
 * alone, with a share of the time that is left.  Events that time out are run
 * again after the others, or left BUSY for a caller that does not wait.  What
 * cannot be decided is degraded.
 */
static void
run_singly(struct txn *txn, struct decision_request *const *items, size_t n,
    int64_t deadline)
{
	struct decision_request *late[TXN_MAX];
	const size_t n_late = run_shares(txn, items, n, deadline, late);
	size_t i;

	txn->deadline = deadline;
	if (txn->lock == TXN_SKIP && db_trouble(txn->db) != DB_LOST) {
		/*
		 * The caller has to answer other requests before it may wait.
		 */
		for (i = 0; i < n_late; i++)
			late[i]->outcome = TXN_BUSY;
		return;
	}
	for (i = 0; i < n_late; i++) {
		if (txn_left(txn) < LEFT_MIN || db_trouble(txn->db) == DB_LOST)
			break;
		if (!run_tries(txn, &late[i], 1))
			txn_degrade(txn, &late[i], 1);
	}
	if (i < n_late)
		txn_degrade(txn, &late[i], n_late - i);
}

/*
 * Run each event alone for its share of the time, and degrade those that fail.
 * Fill in those that timed out or had no turn, and return how many.
 */
static size_t
run_shares(struct txn *txn, struct decision_request *const *items, size_t n,
    int64_t deadline, struct decision_request **ret_late)
{
	size_t i, n_late = 0;
	int64_t now, share;

	for (i = 0; i < n && db_trouble(txn->db) != DB_LOST; i++) {
		now = clock_ticks();
		share = (deadline - now) / (int64_t)(n - i + 1);
		txn->deadline = now + (share < SHARE_MIN ? SHARE_MIN : share);
		if (txn->deadline > deadline)
			break;
		if (run_tries(txn, &items[i], 1))
			continue;
		items[i]->fail = txn->why;
		if (db_trouble(txn->db) == DB_TIMEOUT)
			ret_late[n_late++] = items[i];
		else
			txn_degrade(txn, &items[i], 1);
	}
	for (; i < n; i++)
		ret_late[n_late++] = items[i];
	return n_late;
}

/* Try until the transaction is done, cannot succeed, or is late. */
static bool
run_tries(struct txn *txn, struct decision_request *const *items, size_t n)
{
	const struct arena_mark mark = arena_mark(txn->arena);
	enum txn_try t = TRY_AGAIN;
	int tries;

	txn->lost = 0;
	txn->why.code = CODE__NONE;
	db_set_deadline(txn->db, txn->deadline + SLACK);
	for (tries = 0; t == TRY_AGAIN && tries < TXN_TRIES; tries++) {
		arena_rewind(txn->arena, mark);
		t = run_once(txn, items, n);
	}
	if (t != TRY_DONE)
		arena_rewind(txn->arena, mark);
	return t == TRY_DONE;
}

/* Run the transaction once: read, decide, write and commit. */
static enum txn_try
run_once(struct txn *txn, struct decision_request *const *items, size_t n)
{
	struct fail *f = &txn->why;
	enum txn_try t = TRY_DONE;

	if (txn_left(txn) < LEFT_MIN) {
		/* Keep an earlier failure, which explains more. */
		if (f->code == CODE__NONE)
			fail_set(
			    f, FAIL_US, UNAVAILABLE, NULL, "deadline exceeded");
		return TRY_GIVE_UP;
	}
	if (txn_begin(txn, items, n, f) == -1)
		return TRY_GIVE_UP;
	if (txn_prepare(txn, f) == -1 || txn_read(txn, f) == -1 ||
	    txn_read_earlier(txn, f) == -1 || txn_read_graph(txn, f) == -1 ||
	    decide_events(txn, f) == -1)
		return try_failed(txn, false);

	if (!writes_something(txn))
		db_rollback(txn->db);
	else if (txn_write(txn, f) == -1)
		t = try_failed(txn, true);
	if (t == TRY_DONE)
		set_outcomes(txn);
	return t;
}

/* Refusals and replays alone leave nothing to commit. */
static bool
writes_something(const struct txn *txn)
{
	const struct txn_event *ev;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (ev->state == TXN_STATE_DECIDED || txn_is_taken(ev))
			return true;
	}
	return false;
}

/* Choose what to do after a failure; look up a commit without an answer. */
static enum txn_try
try_failed(struct txn *txn, bool committing)
{
	const enum db_trouble trouble = db_trouble(txn->db);

	db_rollback(txn->db);
	if (trouble == DB_LOST && committing && commit_took_place(txn))
		return TRY_DONE;
	if (trouble == DB_LOST)
		return txn->lost++ == 0 ? TRY_AGAIN : TRY_GIVE_UP;
	return trouble == DB_AGAIN || trouble == DB_DUPLICATE ? TRY_AGAIN
							      : TRY_GIVE_UP;
}

/*
 * Whether a transaction was committed although the commit had no answer.  Lock
 * the users first: the old transaction has ended once it releases them.  Wait
 * for a server that restarts: an onError verdict would contradict a decision
 * that is already in the log.
 */
static bool
commit_took_place(struct txn *txn)
{
	const struct decision_answer *answer = NULL;
	struct params find;
	struct rows rows[3];
	struct fail f = { 0 };
	size_t i;
	int at = -1;
	bool found;

	for (i = 0; i < txn->n && answer == NULL; i++) {
		if (txn_is_logged(&txn->events[i]))
			answer = &txn->events[i].item->answer;
	}
	if (answer == NULL)
		return false;
	while (db_ready(txn->db, &f) == -1) {
		if (txn_left(txn) < LEFT_MIN)
			return false;
		poll(NULL, 0, RESTART_POLL);
	}
	params_init(&find, txn->arena);
	params_text(&find, answer->event_id);
	params_text(&find, answer->id);
	params_time(&find, answer->decided_at);
	found = db_send(txn->db, STMT_BEGIN, NULL, &f) != -1 &&
	    txn_send_lock(txn, TXN_WAIT, &f) != -1 &&
	    (at = db_send(txn->db, STMT_VERDICT_FIND, &find, &f)) != -1 &&
	    db_sync(txn->db, txn->arena, rows, 3, &f) == 0 && rows[at].n == 1;
	db_rollback(txn->db);
	return found;
}

/* Decide the OPEN events in order; each sees the changes of those before. */
static int
decide_events(struct txn *txn, struct fail *f)
{
	struct txn_event *ev;
	size_t i;

	for (i = 0; i < txn->n; i++) {
		ev = &txn->events[i];
		if (ev->state != TXN_STATE_OPEN)
			continue;
		if (decide_event(txn, ev, f) == -1 ||
		    txn_answer(txn, ev, f) == -1)
			return -1;
	}
	return 0;
}

/*
 * Compute the signals and the decision of one event, then count it.  An event
 * that a list decides has no signals and is not counted; a dry run is not
 * counted either.
 */
static int
decide_event(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	const struct event *event = ev->item->event;
	const struct rulebook *book = engine_book(txn->engine, event->type);
	struct event_context context = txn_event_context(txn, ev);

	ev->state = TXN_STATE_DECIDED;
	if (list_decides(ev->listed)) {
		decide_listed(book->policy, ev->listed, &ev->decision);
		return 0;
	}
	if (event_context_risk(
		&context, (int)conf.LABEL_DELAY_DAYS, ev->risk, f) == -1)
		return -1;
	event_context_facts(&context, &ev->facts);
	signals_compute(event, &ev->facts, &ev->signals);
	if (txn_find_velocities(txn, ev, f) == -1 ||
	    txn_find_exceptions(txn, ev, f) == -1 ||
	    decide_sides(txn, ev, f) == -1)
		return -1;
	if (ev->item->dry_run)
		return 0;
	if (txn_count_velocities(txn, ev, f) == -1)
		return -1;
	event_context_count(&context, ev->decision.verdict);
	ev->user->now = ev->now;
	ev->user->changed = true;
	return 0;
}

int
txn_decide_by(struct txn *txn, const struct txn_event *ev,
    const struct rulebook *book, const struct signals *sigs,
    struct decision *ret, struct fail *f)
{
	if (decide(book, sigs, txn->arena, ret, f) == -1)
		return -1;
	return ev->listed == LIST_WATCH ? decide_watched(txn->arena, ret, f)
					: 0;
}

/* Decide an event with a book, and note what its exceptions change. */
static int
decide_noting(struct txn *txn, struct txn_event *ev,
    const struct rulebook *book, struct fail *f)
{
	ev->ruleset = book->ruleset;
	if (txn_decide_by(txn, ev, book, &ev->signals, &ev->decision, f) == -1)
		return -1;
	ev->silenced_by = NULL;
	if (ev->exceptions != NULL)
		txn_note_silenced(txn, ev, book);
	return 0;
}

/*
 * Decide an event with the active book and with the shadow, if there is one.
 * In a rollout the two change places.  If the arena has not enough room for the
 * shadow's decision, the active book decides.
 */
static int
decide_sides(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	const struct event *event = ev->item->event;
	const struct rulebook *book = engine_book(txn->engine, event->type);
	const struct arena_mark mark = arena_mark(txn->arena);
	struct shadow shadow;
	const bool there = engine_shadow(txn->engine, event->type, &shadow);
	enum rollout_arm arm = ARM_NONE;
	struct fail no_room = { 0 };

	if (there)
		arm = rollout_arm_of(
		    &shadow, engine_digest_key(txn->engine), event->user);
	if (arm == ARM_SHADOW &&
	    decide_noting(txn, ev, &shadow.book, &no_room) == -1) {
		arena_rewind(txn->arena, mark);
		arm = ARM_LIVE;
	}
	if (arm == ARM_SHADOW)
		shadow.book = *book;
	else if (decide_noting(txn, ev, book, f) == -1)
		return -1;
	if (there && !ev->item->dry_run)
		decide_shadow(&shadow, &ev->signals, ev->listed == LIST_WATCH,
		    txn->arena, &ev->shadow);
	ev->shadow.arm = arm;
	ev->item->rolled_out = arm == ARM_SHADOW;
	ev->item->silenced = ev->silenced_by != NULL;
	return 0;
}

/* Give each item the outcome that follows from the state of its event. */
static void
set_outcomes(struct txn *txn)
{
	struct txn_event *ev;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		switch (ev->state) {
		case TXN_STATE_REFUSED:
			ev->item->outcome = TXN_REFUSED;
			break;
		case TXN_STATE_DEQUEUED:
			ev->item->outcome = TXN_DEQUEUED;
			break;
		case TXN_STATE_BUSY:
			ev->item->outcome = TXN_BUSY;
			break;
		case TXN_STATE_REPEATS:
			ev->item->answer = ev->same->item->answer;
			ev->item->outcome = txn_replayed(ev);
			break;
		case TXN_STATE_REPLAYS:
			ev->item->outcome = txn_replayed(ev);
			break;
		case TXN_STATE_DECIDED:
			ev->item->outcome = TXN_DECIDED;
			break;
		case TXN_STATE_OPEN:
		case TXN_STATE__MAX:
			assert(false);
		}
	}
}
