/* SPDX-License-Identifier: ISC */
/*
 * Decide a set of events in one transaction: the single decision is a set of
 * one, a batch a set of up to a hundred, and requests that wait together are
 * a set too.  Two round trips, a third and a fourth only when an event brings
 * a link that may be new.
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
 * Milliseconds that deciding may take, waiting for locks included, for single
 * decisions and for a batch.  A connection for sets is opened with the former
 * as its statement timeout; other limits are asked for in the transaction.
 */
#define TXN_TIMEOUT_ONE 1500
#define TXN_TIMEOUT_MANY 8000

/* What to do about a user, or anything else, that another set holds. */
enum txn_lock {
	TXN_WAIT = 1, /* until the other is done */
	TXN_SKIP, /* leave undecided what would have to wait: TXN_BUSY */
	TXN_LOCK__MAX
};

enum txn_outcome {
	TXN_DECIDED = 1,
	TXN_REPLAYED, /* the earlier decision under this idempotency key */
	TXN_MISMATCHED, /* the key was used for another event: item.fail */
	TXN_DEGRADED, /* deciding failed; logged with the onError verdict */
	TXN_REFUSED, /* the API key: item.fail says why */
	TXN_FAILED, /* not even logged, or kept: item.fail says why */
	TXN_BUSY, /* another set holds what it needs; nothing was done */
	TXN_DEQUEUED, /* it is not in the queue any more; nothing was done */
	TXN__MAX
};

/* A decision as it is answered; strings live in the set's arena. */
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

/* One event on its way through a set. */
struct decision_request {
	const struct event *event;
	const char *idempotency_key; /* the caller's header, or NULL */
	const char *correlation_id;
	const uint8_t *key_hash; /* of the API key; NULL: checked already */
	unsigned scope; /* bits that the API key must have */
	int64_t queued; /* number of its row in assay.async_queue, or 0 */
	bool keep; /* TXN_FAILED rather than degraded: it has time */
	bool dry_run; /* a shadow request: nothing is kept but its activity */

	enum txn_outcome outcome;
	struct decision_answer
	    answer; /* unless refused, mismatched, failed or busy */
	bool mismatch; /* its key was used for another event */
	struct fail fail; /* refused; failed, degraded: why, for the log;
			     busy: why a try failed, CODE__NONE without */
	bool spooled; /* degraded: logged in the spool, not in the database */
};

/*
 * Decide the n items in their order, each seeing all effects of those before
 * it, and fill in their outcomes.  Never fails as a whole: a deadlock or a
 * key that a concurrent set took runs the set again, a set that keeps failing
 * is decided event by event, and an event that cannot be decided by the
 * deadline, in clock_ticks(), gets its policy's onError verdict: logged in the
 * database or, when that is away, in the spool, there only for API keys that
 * were verified lately; one that is to be kept is left undecided instead.
 * Locks the users for the length of the transaction.  An event out of the queue
 * is decided only if its row is still there, and takes it away in the same
 * transaction, as it does when it finds its idempotency key used
 * (TXN_REPLAYED).  Another event under a used key is replayed too, unless
 * IDEMPOTENCY_MISMATCH refuses it; one out of the queue is never refused, for
 * nobody would hear of it.  A dry run is scored like the others, and sees what
 * they see; it claims no key, counts nowhere and leaves no verdict, sample,
 * case or event, and one that cannot be decided is to be kept.  Returns half a
 * second after the deadline at the latest, whatever the database does.  db must
 * have been made with STMT_SESSION_DECIDE.
 */
void txn_run(struct engine *engine, struct db *db, struct arena *a,
    struct decision_request *const *items, size_t n, enum txn_lock lock,
    int64_t deadline);

/*
 * Count a decision that was made, an earlier one that was found, degraded, a
 * dry run, or an event under the key of another.
 */
void txn_count(struct worker_slot *slot, const struct decision_request *item);

/* Whether all items are of one user; so are none and one. */
bool txn_same_user(struct decision_request *const *items, size_t n);

/* The number of the advisory lock that guards a user's state. */
int64_t txn_lock_key(const char *user);

#endif
