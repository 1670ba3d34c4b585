/* SPDX-License-Identifier: ISC */
/*
 * Decide events together in one transaction: a single event, a batch of up to a
 * hundred, or several requests that wait at the same time.  This takes two
 * round trips to the database, and two more if an event may make a new link.
 */
#ifndef LIB_TXN_TXN_H
#define LIB_TXN_TXN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/fail.h"
#include "core/decide/policy.h"
#include "lib/sys/crypt.h"
#include "lib/sys/limits.h"

struct arena;
struct db;
struct engine;
struct event;
struct worker_slot;

/*
 * Milliseconds that a single decision and a batch may take, with waiting for
 * locks.  The first is the statement timeout of the connection; a transaction
 * with another limit sets its own.
 */
#define TXN_TIMEOUT_ONE 1500
#define TXN_TIMEOUT_MANY 8000

/* What to do if another transaction holds a lock, as on a user. */
enum txn_lock {
	TXN_WAIT = 1, /* wait until it ends */
	TXN_SKIP, /* do not decide these events: TXN_BUSY */
	TXN_LOCK__MAX
};

enum txn_outcome {
	TXN_DECIDED = 1,
	TXN_REPLAYED, /* the first decision under this idempotency key */
	TXN_MISMATCHED, /* the key was used for another event; see fail */
	TXN_DEGRADED, /* not decided; logged with the onError verdict */
	TXN_REFUSED, /* because of the API key; see fail */
	TXN_FAILED, /* neither decided nor logged; see fail */
	TXN_BUSY, /* it must wait for another transaction; nothing was done */
	TXN_DEQUEUED, /* its row has left the queue; nothing was done */
	TXN__MAX
};

/* A decision for the answer; its texts are in the arena of txn_run(). */
struct decision_answer {
	const char *id;
	const char *event_id;
	enum verdict verdict;
	int score;
	const char *reasons; /* JSON array */
	const char *policy_id;
	const char *policy_version;
	int64_t decided_at; /* microseconds UTC */
};

/* One event to decide, and its outcome. */
struct decision_request {
	const struct event *event;
	const char *idempotency_key; /* the caller's header, or NULL */
	const char *correlation_id;
	const uint8_t *key_hash; /* of the API key; NULL: already checked */
	unsigned scope; /* scopes (bits) that the API key must have */
	int64_t queued; /* number of its row in assay.async_queue, or 0 */
	bool keep; /* if it cannot be decided: TXN_FAILED, not TXN_DEGRADED */
	bool dry_run; /* store nothing but an entry of the activity log */

	enum txn_outcome outcome;
	struct decision_answer answer; /* if DECIDED, REPLAYED or DEGRADED */
	bool mismatch; /* its key was used for another event */
	struct fail fail; /* if refused, mismatched, failed or degraded: why;
			     if busy: why a try failed, else CODE__NONE */
	bool spooled; /* if degraded: logged in the spool */
	int placeholders; /* bits of 1 << event_identifier */
	bool rolled_out; /* a shadow made the decision */
	bool silenced; /* an exception kept a rule from firing */
};

/*
 * Decide the n items in their order and set their outcomes.  Each item sees the
 * effects of those before it.  The transaction locks the users of the items.
 *
 * The call does not fail as a whole.  After a deadlock, or if another
 * transaction claimed a key, the transaction runs again.  If it keeps failing,
 * each event is decided alone.  An event that is not decided by the deadline,
 * in clock_ticks(), gets the onError verdict of its policy (TXN_DEGRADED), or
 * with keep TXN_FAILED.  The verdict is logged in the database, else in the
 * spool; there only if its API key was verified recently.
 *
 * An event of the async queue is decided only if its row still exists.  The
 * transaction removes the row, also if the key was used (TXN_REPLAYED).  A
 * different event under a used key is replayed, too, unless
 * IDEMPOTENCY_MISMATCH refuses it; an event of the queue is never refused,
 * because no caller would see it.
 *
 * A dry run is decided like other events, but claims no key, changes no counts,
 * and stores no verdict, sample, case or event.  Callers set keep for it.
 *
 * Returns at most half a second after the deadline, whatever the database does.
 * db must be made with STMT_SESSION_DECIDE.
 */
void txn_run(struct engine *engine, struct db *db, struct arena *a,
    struct decision_request *const *items, size_t n, enum txn_lock lock,
    int64_t deadline);

/*
 * Count the item in the metrics, by its outcome: decided, replayed, degraded,
 * dry run or mismatch.
 */
void txn_count(struct worker_slot *slot, const struct decision_request *item);

/* Whether all items have the same user; true for none or one. */
bool txn_same_user(struct decision_request *const *items, size_t n);

/* The key of the advisory lock on a user's state. */
int64_t txn_lock_key(const char *user);

#endif
