/* SPDX-License-Identifier: ISC */
/*
 * Declarations for the files of lib/txn.  Calls go one way: txn.c calls
 * txn_read.c, txn_graph.c, txn_write.c and txn_degrade.c; these call
 * txn_lists.c, txn_velocities.c, txn_queue.c and txn_idempotency.c; all call
 * txn_event.c.
 */
#ifndef LIB_TXN_TXN_INT_H
#define LIB_TXN_TXN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/decide/decide.h"
#include "core/decide/event_context.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/event/list.h"
#include "core/rule/velocity.h"
#include "core/signal/signals.h"
#include "core/state/entity_graph.h"
#include "core/state/entity_risk.h"
#include "lib/txn/txn.h"
#include "lib/txn/velocity_store.h"

struct arena;
struct db;
struct exception_match;
struct rows;
struct ruleset;
struct user_state;
struct velocity_set;

/*
 * The state of an event in one try of its transaction.  The names in brackets
 * are the functions that enter it.  Each try begins at OPEN.  An event leaves
 * OPEN at most once in a try and never leaves another state; only OPEN leads to
 * DECIDED.
 */
enum txn_state {
	/* The event is to be decided. [txn_build()] */
	TXN_STATE_OPEN = 1,

	/* The API key does not allow it; item->fail says why. [txn_read(),
	 * txn_degrade()] */
	TXN_STATE_REFUSED,

	/* Its row has left the queue: another companion took it, or an erasure
	 * removed it. [txn_read()] */
	TXN_STATE_DEQUEUED,

	/* An earlier transaction used its idempotency key. [txn_read()] */
	TXN_STATE_REPLAYS,

	/* An earlier event of this transaction has the same key. [txn_read()]
	 */
	TXN_STATE_REPEATS,

	/* Another transaction locks its user, and this one does not wait.
	 * [txn_read()] */
	TXN_STATE_BUSY,

	/* It has a decision, or an onError verdict. [txn_run(), txn_degrade()]
	 */
	TXN_STATE_DECIDED,
	TXN_STATE__MAX
};

/* One user of the transaction, whose state all events of that user share. */
struct txn_user {
	const char *id;
	struct user_state *state;
	struct graph_node *node; /* in the graph; id 0 before the first link */
	bool stored; /* its row exists */
	bool stale_root; /* its root is no longer a root */
	bool changed; /* the row must be written */
	bool
	    busy; /* another transaction locks it, and this one does not wait */
	int64_t now; /* of the latest event */
};

/* An API key in the database. */
struct txn_apikey {
	bool live;
	int64_t scopes;
	int64_t expires_at; /* 0: never */
	int64_t now;
};

/* One event of the transaction. */
struct txn_event {
	enum txn_state state;
	struct decision_request *item;
	const char *key; /* idempotency: the header, else the event's id */
	const struct txn_event *same; /* REPEATS: the event it repeats */
	struct txn_event *apikey_event; /* the first event with its API key,
					   maybe itself; NULL: no API key */
	struct txn_apikey apikey; /* of the first event with that API key */
	struct txn_user *user;
	struct graph_node *identifiers[IDENTIFIER__MAX]; /* NULL: none */
	struct place place; /* of its ip */
	struct ip_facts ip_facts; /* of the same */
	struct list_key keys[LIST_KEYS_MAX]; /* its values in lists */
	size_t n_keys;
	struct list_match match; /* what the lists say */
	enum list_kind listed; /* the kind that wins, or 0 */
	bool may_link; /* two of its entities may make a new link */
	int64_t now; /* the database's clock */
	const char *earlier_id; /* verdict under the same key, or NULL */
	const char *earlier_event;
	int64_t earlier_at;
	int64_t earlier_digest; /* of the event of that verdict, or 0 */
	int64_t digest; /* of this event, if it has a key */

	/* If DECIDED; a dry run has no sample and no case_id. */
	struct decision decision;
	const struct ruleset *ruleset; /* that decided, unless a list did */
	struct shadow_result shadow; /* id NULL without a shadow */
	struct entity_risk_rates risk[IDENTIFIER__MAX]; /* of device and ip */
	struct signal_facts facts; /* the signals point into it */
	struct signals signals;
	struct velocity_row **velocity_rows; /* by number in the set; NULL: the
						event lacks the key */
	struct velocity_values velocity_values; /* of signals */
	struct exception_match *exceptions; /* NULL: none hold for it */
	const char *silenced_by; /* ids of those that kept a rule from firing,
				    with commas between them; NULL: none */
	enum verdict verdict_without; /* if silenced: without exceptions */
	const char *sample; /* JSON for the detail row */
	const char *case_id; /* for the verdict review, else NULL */
};

/* A transaction in progress. */
struct txn {
	struct engine *engine;
	struct db *db;
	struct arena *arena;
	struct txn_event *events;
	size_t n;
	struct txn_user *users; /* each once */
	size_t n_users;
	struct graph *graph;
	const struct velocity_set *velocities; /* of the engine */
	struct velocity_store velocity_states;
	enum txn_lock lock;
	bool queued; /* some of the events are in the queue */
	bool dry_runs; /* some of the events are dry runs */
	int64_t deadline; /* clock_ticks() */
	int lost; /* how often the connection was lost */
	struct fail why; /* of the latest try that failed */
};

/* Tries to lock the roots of an event while other transactions move them. */
#define TXN_ROOT_TRIES 5

/* The entities of an event, with a root each from reading and each try. */
#define TXN_NODES_MAX ((IDENTIFIER__MAX + 1) * (2 + TXN_ROOT_TRIES))

/* Statements of one round trip, begin and commit included. */
#define TXN_STATEMENTS_MAX 20

/*
 * A txn_send_ function queues a statement of the current round trip.
 * *ret_index is the index of its result in db_sync(), or TXN_NOT_SENT if the
 * events do not need it.
 */
#define TXN_NOT_SENT (-1)

/* txn_event.c: setting up a transaction, and helpers of all steps */

/*
 * Get a session, and call txn_build().  Returns 0, or -1 with f set if there is
 * no session to be had.
 */
int txn_begin(struct txn *txn, struct decision_request *const *items, size_t n,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Prepare the late statements that the events need; the session may turn out to
 * be lost.  Returns 0, or -1 with f set.
 */
int txn_prepare(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Set up the events of the items, their users and their entities.  Returns 0,
 * or -1 with f set.
 */
int txn_build(struct txn *txn, struct decision_request *const *items, size_t n,
    struct fail *f) __attribute__((warn_unused_result));

/* Milliseconds until the deadline; 0 after it. */
int txn_left(const struct txn *txn);

/* The event with what the transaction knows of its user and entities. */
struct event_context txn_event_context(
    const struct txn *txn, const struct txn_event *ev);

/* Whether the event is decided and is not a dry run: it is logged. */
bool txn_is_logged(const struct txn_event *ev);

/*
 * Whether an API key allows the item; if not, item->fail says why.  The result
 * goes into the API key cache, for use while the database is unreachable.
 */
bool txn_apikey_verified(const struct txn *txn, struct decision_request *item,
    const struct txn_apikey *key);

/* Whether the scopes (bits) allow the item; if not, item->fail says why. */
bool txn_apikey_allows(struct decision_request *item, int64_t scopes);

/*
 * Give the decision of an event its id, time and texts.  Returns 0, or -1 with
 * f set.
 */
int txn_answer(struct txn *txn, struct txn_event *ev, struct fail *f)
    __attribute__((warn_unused_result));

/* txn_read.c: the first round trip, and earlier decisions */

/*
 * Begin, lock the users, and read what the events need: API keys, earlier
 * decisions, user states, entities, list entries, and the rulebooks if they
 * have changed.  Then set the state of each event.  Returns 0, or -1 with f
 * set.
 */
int txn_read(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Queue the locks of the users, without those already found busy, in an order
 * that is the same in all transactions.  lock says whether to wait for a lock.
 * Returns the index of the result, or -1 with f set.
 */
int txn_send_lock(struct txn *txn, enum txn_lock lock, struct fail *f)
    __attribute__((warn_unused_result));

/* Read the earlier decisions of events whose key was used, from the log. */
int txn_read_earlier(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/* txn_graph.c */

/*
 * For events that may make a link: store their new entities, find and lock
 * the roots and counters that can change, and read which links exist.  Does
 * nothing when no event may make a link.  Returns 0, or -1 with f set.
 */
int txn_read_graph(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/* txn_lists.c */

/*
 * Queue the query for entries of these subjects (bits 1 << subject) that name
 * an event.  Returns 0, or -1 with f set.
 */
int txn_send_lists(struct txn *txn, unsigned subjects, int *ret_index,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Match each event against the cached lists and the rows r of the query for the
 * subjects in queried (NULL: none).  Lists that have become too long for the
 * cache since then need another round trip.  Returns 0, or -1 with f set.
 */
int txn_match_lists(struct txn *txn, unsigned queried, const struct rows *r,
    struct fail *f) __attribute__((warn_unused_result));

/* txn.c */

/*
 * Decide an event with a book from these signals, and apply a watch entry.
 * Returns 0, or -1 with f set if the arena is full.
 */
int txn_decide_by(struct txn *txn, const struct txn_event *ev,
    const struct rulebook *book, const struct signals *sigs,
    struct decision *ret, struct fail *f) __attribute__((warn_unused_result));

/* txn_exceptions.c */

/*
 * Find the exceptions that hold for an event, and silence their rules in its
 * signals.  Returns 0, or -1 with f set if the arena is full.
 */
int txn_find_exceptions(struct txn *txn, struct txn_event *ev, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * After a decision with the book, note which of the event's exceptions kept a
 * rule from firing, and what the verdict would be without them; nothing if the
 * arena is full.  Call it only if the event has exceptions.
 */
void txn_note_silenced(
    struct txn *txn, struct txn_event *ev, const struct rulebook *book);

/* txn_velocities.c */

/* Prepare their statements, if there are any.  Returns 0, or -1 with f set. */
int txn_prepare_velocities(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Queue the query that locks and reads the states of the events' keys, if there
 * are any.  Returns 0, or -1 with f set.
 */
int txn_send_velocities(struct txn *txn, int *ret_index, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read its rows r (NULL: it was not sent).  Velocities that are new since then
 * need another round trip.  Returns 0, or -1 with f set.
 */
int txn_read_velocities(struct txn *txn, const struct rows *r, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Set the values of the velocities in the signals of an event.  Returns 0, or
 * -1 with f set.
 */
int txn_find_velocities(struct txn *txn, struct txn_event *ev, struct fail *f)
    __attribute__((warn_unused_result));

/* Add a decided event to the velocities.  Returns 0, or -1 with f set. */
int txn_count_velocities(struct txn *txn, struct txn_event *ev, struct fail *f)
    __attribute__((warn_unused_result));

/* txn_queue.c */

/*
 * Queue the query that finds which events are still in the queue; it runs after
 * the users are locked.  Returns 0, or -1 with f set.
 */
int txn_send_queue(struct txn *txn, int *ret_index, struct fail *f)
    __attribute__((warn_unused_result));

/* Set events of the queue that these rows lack to DEQUEUED. */
void txn_read_queue(struct txn *txn, const struct rows *r);

/* Whether this transaction removes the event from the queue. */
bool txn_is_taken(const struct txn_event *ev);

/*
 * Queue the removal of these events from the queue; the statement fails
 * (DB_AGAIN) if a row is missing.  Returns 0, or -1 with f set.
 */
int txn_send_take(struct txn *txn, int *ret_index, struct fail *f)
    __attribute__((warn_unused_result));

/* txn_idempotency.c: idempotency keys */

/* Compute the digests of the events that have a key. */
int txn_digest(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Find the first event before ev with the same key that is neither REFUSED nor
 * DEQUEUED; NULL: none.  Events of the queue never have the same key, because
 * assay.async_queue has one row per event id.
 */
const struct txn_event *txn_find_same(
    const struct txn *txn, const struct txn_event *ev);

/* The outcome of an event that REPLAYS or REPEATS. */
enum txn_outcome txn_replayed(const struct txn_event *ev);

/* txn_write.c */

/*
 * Write all that the decided events changed and commit, in one round trip.
 * Returns 0, or -1 with f set; after DB_LOST it is unknown whether the
 * transaction was committed.
 */
int txn_write(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Log the onError verdicts of the decided events, in a transaction that claims
 * no key and changes no state.  Returns 0, or -1 with f set; after DB_LOST it
 * is unknown whether the transaction was committed.
 */
int txn_write_degraded(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/* The same into the spool.  Returns 0, or -1 with f set. */
int txn_write_spool(struct txn *txn, struct fail *f)
    __attribute__((warn_unused_result));

/* txn_degrade.c */

/*
 * Give the items onError verdicts, because txn->why prevented their decision,
 * and log these in the database, else in the spool.  An item with keep fails
 * instead.
 */
void txn_degrade(
    struct txn *txn, struct decision_request *const *items, size_t n);

#endif
