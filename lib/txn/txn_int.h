/* SPDX-License-Identifier: ISC */
/* What the files of lib/txn share.  Calls go from txn.c down to txn_event.c. */
#ifndef LIB_TXN_TXN_INT_H
#define LIB_TXN_TXN_INT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/state/entity_graph.h"
#include "core/event/list.h"
#include "core/state/entity_risk.h"
#include "core/decide/event_context.h"
#include "core/signal/signals.h"
#include "lib/txn/txn.h"

struct arena;
struct db;
struct rows;
struct user_state;

/* One user of the set, whose state all events of that user share. */
struct txn_user {
	const char *user;
	struct user_state *state;
	struct graph_node *node; /* in the graph; id 0 before the first link */
	bool stored; /* a row exists */
	bool stale_root; /* its root was put under another since */
	bool changed; /* the row must be written */
	bool busy; /* another set holds it, and this one does not wait */
	int64_t now; /* of the latest event */
};

/* What the database says of an API key. */
struct txn_key_row {
	bool live;
	int64_t scopes;
	int64_t expires_at; /* 0: never */
	int64_t now;
};

/* One event of the set. */
struct txn_event {
	struct decision_request *item;
	const char *key; /* idempotency: the header, else the event's id */
	const struct txn_event *same; /* an earlier entry with that key */
	struct txn_event
	    *asks; /* the first entry with its API key; may be itself */
	struct txn_key_row key_row; /* of the API key, where this entry asked */
	struct txn_user *member;
	struct graph_node
	    *carried[CARRIED__MAX]; /* NULL when it carries none */
	struct place place; /* of its ip */
	struct list_key keys[LIST_KEYS_MAX]; /* what a list may name it by */
	size_t n_keys;
	enum list_kind listed; /* what the lists say of it, or 0 */
	bool may_link; /* some pair of its entities may be a new link */
	int64_t now; /* the database's clock */
	const char *earlier_id; /* verdict under the same key, or NULL */
	const char *earlier_event;
	int64_t earlier_at;
	int64_t earlier_digest; /* of the event it was made for, or 0 */
	int64_t digest; /* of this event, if it has a key */
	bool verified; /* its API key is good, else item->fail says why */
	bool busy; /* its user is, and it is no replay */
	bool gone; /* out of the queue, by somebody else */

	/* Filled when it is decided; replay and case_id not of a dry run. */
	bool decided;
	struct decision decision;
	struct shadow_result
	    shade; /* what stays of a probation, if there is one */
	struct entity_risk_rates risk[CARRIED__MAX]; /* of device and ip */
	struct signal_facts facts; /* the signals point into it */
	struct signals signals;
	const char *replay; /* JSON for the detail row */
	const char *case_id; /* of a review, else NULL */
};

/* A set in hand. */
struct txn {
	struct engine *engine;
	struct db *db;
	struct arena *arena;
	struct txn_event *entries;
	size_t n;
	struct txn_user *members; /* one a user */
	size_t n_members;
	struct graph *graph;
	enum txn_lock lock;
	bool queued; /* some of the events are in the queue */
	bool dry_runs; /* some of them are such */
	int64_t deadline; /* clock_ticks() */
	int lost; /* times that the connection died under it */
	struct fail why; /* of the latest try that failed */
};

/* Tries to reach the roots of an event before another set moves them. */
#define TXN_ROOT_TRIES 5

/* An event's entities, and a root of each when it is read and in every try. */
#define TXN_NODES_MAX ((CARRIED__MAX + 1) * (2 + TXN_ROOT_TRIES))

/* txn_event.c: the layout of the transaction, and what all steps need. */

/*
 * Make sure that the connection can do what the items need, and lay them out.
 * Returns 0, or -1 with f set.
 */
int txn_begin(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Lay out the events of the items, their users and their entities.  Returns 0,
 * or -1 with f set.
 */
int txn_build(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f) __attribute__((warn_unused_result));

/* Milliseconds until the deadline; 0 after it. */
int txn_left(const struct txn *s);

/* The event with what the transaction knows of its user and entities. */
struct event_context txn_event_context(
    const struct txn *s, const struct txn_event *en);

/* Whether the entry is to be decided: not refused, gone, busy or a replay. */
bool txn_decides(const struct txn_event *en);

/* Whether the entry was decided and is not a dry run: it is logged. */
bool txn_records(const struct txn_event *en);

/*
 * Whether an API key may do what the item asks for; if not, item->fail says
 * why.  The API key cache keeps the answer for when the database is away.
 */
bool txn_apikey_verified(const struct txn *s, struct decision_request *item,
    const struct txn_key_row *key);

/* Whether the scopes (bits) include all that the item asks for, likewise. */
bool txn_apikey_allows(struct decision_request *item, int64_t scopes);

/*
 * Give the decision of an entry its id, time and texts.  Returns 0, or -1 with
 * f set.
 */
int txn_answer(struct txn *s, struct txn_event *en, struct fail *f)
    __attribute__((warn_unused_result));

/* Set f: the arena is full.  Returns -1. */
int txn_no_room(struct fail *f);

/* txn_degrade.c */

/*
 * Give the items that could not be decided, because of s->why, their onError
 * verdicts and log them: in the database, else in the spool.  An item that is
 * to be kept fails instead.
 */
void txn_degrade(
    struct txn *s, struct decision_request *const *items, size_t n);

/* txn_read.c, txn_graph.c, txn_lists.c, txn_queue.c, txn_key.c, txn_write.c */

/*
 * Queue the locks of the set's users, in one order for everybody, but for
 * those already found busy.  lock says whether to wait for what others hold.
 */
int txn_send_lock(struct txn *s, enum txn_lock lock, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Begin, lock the users, read everything as it stood before the events:
 * keys, earlier decisions, states, entities, and the rulebooks if they have
 * changed.  Returns 0, or -1 with f set.
 */
int txn_read(struct txn *s, struct fail *f) __attribute__((warn_unused_result));

/*
 * Queue the probe for what the set's events have of these subjects (bits
 * 1 << subject).  *ret_sent is false when they have nothing of them.  Returns
 * 0, or -1 with f set.
 */
int txn_send_lists(struct txn *s, unsigned subjects, bool *ret_sent,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Note what the lists say of each event: those that are cached, those that
 * were probed for with the rows r that came (NULL: none), and, in a round trip
 * of its own, those that turned out to be too long to be cached since.
 * Returns 0, or -1 with f set.
 */
int txn_match_lists(struct txn *s, unsigned probed, const struct rows *r,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * For entries that may make a link: store their new entities, find and lock
 * the roots and counters that can change, read which links stand.  Does
 * nothing when no entry may.  Returns 0, or -1 with f set.
 */
int txn_read_graph(struct txn *s, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Queue the look for which of the set's events still are in the queue, under
 * their users' locks; *ret_sent is false when none was.  Returns 0, or -1 with
 * f set.
 */
int txn_send_queue(struct txn *s, bool *ret_sent, struct fail *f)
    __attribute__((warn_unused_result));

/* Note which are gone from the rows that came of that. */
void txn_read_queue(struct txn *s, const struct rows *r);

/* Whether the entry's event is done with, and leaves the queue. */
bool txn_takes(const struct txn_event *en);

/*
 * Queue taking those events out of the queue, which fails (DB_AGAIN) if one is
 * gone; *ret_sent is false when there are none.  Returns 0, or -1 with f set.
 */
int txn_send_take(struct txn *s, bool *ret_sent, struct fail *f)
    __attribute__((warn_unused_result));

/* Make the digests of the events that have a key, to be kept and compared. */
int txn_digest(struct txn *s, struct fail *f)
    __attribute__((warn_unused_result));

/* Have entries that repeat the key of an earlier one get that one's answer. */
void txn_find_same(struct txn *s);

/* The outcome of an entry whose key was used before, or earlier in the set. */
enum txn_outcome txn_replayed(const struct txn_event *en);

/* The answers of entries whose key was used before, from the log. */
int txn_read_earlier(struct txn *s, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Write everything that the decided entries changed and commit, in one round
 * trip.  Returns 0, or -1 with f set; DB_LOST then means that the outcome of
 * the commit is not known.
 */
int txn_write(struct txn *s, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Log the decided entries, which are degraded, in a transaction that claims
 * no key and changes no state.  Returns 0, or -1 with f set; DB_LOST then
 * means that the outcome is not known.
 */
int txn_write_degraded(struct txn *s, struct fail *f)
    __attribute__((warn_unused_result));

/* The same into the spool.  Returns 0, or -1 with f set. */
int txn_write_spool(struct txn *s, struct fail *f)
    __attribute__((warn_unused_result));

#endif
