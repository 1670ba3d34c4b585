/* SPDX-License-Identifier: ISC */
/* Log onError verdicts for events that cannot be decided. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/shared/apikey_cache.h"
#include "lib/spool/spool.h"
#include "lib/sys/clock.h"
#include "lib/txn/txn_int.h"

#define LOG_TIME (INT64_C(400000)) /* us past the deadline, to log */

static void degrade_logged_or_spooled(
    struct txn *txn, struct decision_request *const *items, size_t n);
static int degrade_logged(struct txn *txn,
    struct decision_request *const *items, size_t n, struct fail *f);
static int degrade_keys(struct txn *txn, struct fail *f);
static bool same_apikey(
    const struct decision_request *a, const struct decision_request *b);
static int degrade_spooled(struct txn *txn,
    struct decision_request *const *items, size_t n, struct fail *f);
static bool cache_allows(struct txn *txn, struct decision_request *item);
static int degrade_answers(struct txn *txn, struct fail *f);

void
txn_degrade(struct txn *txn, struct decision_request *const *items, size_t n)
{
	struct decision_request *degraded[TXN_MAX];
	size_t i, n_degraded = 0;

	for (i = 0; i < n; i++) {
		items[i]->outcome = TXN_FAILED;
		items[i]->fail = txn->why;
		if (!items[i]->keep)
			degraded[n_degraded++] = items[i];
	}
	if (n_degraded > 0)
		degrade_logged_or_spooled(txn, degraded, n_degraded);
}

/*
 * Give the items the onError verdicts of their policies, and log all of them in
 * the database, or else all in the spool.  If it is unknown whether the
 * database logged them, the spool logs them under new ids, so that no id occurs
 * twice.
 */
static void
degrade_logged_or_spooled(
    struct txn *txn, struct decision_request *const *items, size_t n)
{
	const struct arena_mark mark = arena_mark(txn->arena);
	const struct fail cause = txn->why;
	struct fail *f = &txn->why;
	size_t i;

	db_set_deadline(txn->db, txn->deadline + LOG_TIME);
	if (degrade_logged(txn, items, n, f) == -1) {
		db_rollback(txn->db);
		arena_rewind(txn->arena, mark);
		if (engine_spool(txn->engine) == NULL ||
		    degrade_spooled(txn, items, n, f) == -1) {
			for (i = 0; i < n; i++) {
				items[i]->outcome = TXN_FAILED;
				items[i]->fail = *f;
			}
		}
	}
	for (i = 0; i < n; i++) {
		if (items[i]->outcome == TXN_DEGRADED)
			items[i]->fail = cause;
	}
}

/* Log the verdicts in the database, in one transaction. */
static int
degrade_logged(struct txn *txn, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	size_t i;

	if (txn_begin(txn, items, n, f) == -1 || txn_prepare(txn, f) == -1 ||
	    degrade_keys(txn, f) == -1 || degrade_answers(txn, f) == -1 ||
	    txn_write_degraded(txn, f) == -1)
		return -1;
	for (i = 0; i < n; i++)
		items[i]->outcome = txn->events[i].state == TXN_STATE_DECIDED
		    ? TXN_DEGRADED
		    : TXN_REFUSED;
	return 0;
}

/* Read the clock and the API keys: txn_read() may not have come that far. */
static int
degrade_keys(struct txn *txn, struct fail *f)
{
	struct txn_apikey key;
	struct txn_event *ev;
	struct params p;
	struct rows r;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (ev > txn->events && same_apikey(ev->item, ev[-1].item)) {
			ev->now = ev[-1].now;
			ev->state = ev[-1].state;
			ev->item->fail = ev[-1].item->fail;
			continue;
		}
		params_init(&p, txn->arena);
		if (ev->item->key_hash == NULL)
			params_null(&p);
		else
			params_bytes(&p, ev->item->key_hash, CRYPT_SHA256_SIZE);
		if (db_one(txn->db, txn->arena, STMT_APIKEY_FIND, &p, &r, f) ==
		    -1)
			return -1;
		key = (struct txn_apikey) {
			.live = rows_bool(&r, 0, "live"),
			.scopes = rows_int(&r, 0, "scopes"),
			.expires_at = rows_time(&r, 0, "expires_at"),
			.now = rows_time(&r, 0, "now"),
		};
		ev->now = key.now;
		if (ev->item->key_hash != NULL &&
		    !txn_apikey_verified(txn, ev->item, &key))
			ev->state = TXN_STATE_REFUSED;
	}
	return 0;
}

static bool
same_apikey(const struct decision_request *a, const struct decision_request *b)
{
	return a->key_hash != NULL && b->key_hash != NULL &&
	    memcmp(a->key_hash, b->key_hash, CRYPT_SHA256_SIZE) == 0;
}

/*
 * Log the verdicts in the spool.  Only items whose API key is in the cache get
 * one: no other key can be verified without the database.
 */
static int
degrade_spooled(struct txn *txn, struct decision_request *const *items,
    size_t n, struct fail *f)
{
	const int64_t now = engine_now(txn->engine);
	size_t i;

	if (txn_build(txn, items, n, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		txn->events[i].now = now;
		if (!cache_allows(txn, items[i]))
			txn->events[i].state = TXN_STATE_REFUSED;
	}
	if (degrade_answers(txn, f) == -1 || txn_write_spool(txn, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		items[i]->spooled = txn->events[i].state == TXN_STATE_DECIDED;
		if (items[i]->spooled)
			items[i]->outcome = TXN_DEGRADED;
	}
	return 0;
}

/* Whether the API key cache allows the item; if not, its outcome is set. */
static bool
cache_allows(struct txn *txn, struct decision_request *item)
{
	unsigned scopes;

	if (item->key_hash == NULL)
		return true;
	scopes = apikey_cache_scopes(spool_shm(engine_spool(txn->engine)),
	    item->key_hash, clock_ticks());
	if (scopes == 0) {
		item->outcome = TXN_FAILED;
		fail_set(&item->fail, FAIL_US, UNAVAILABLE, NULL,
		    "the API key was not verified lately");
		return false;
	}
	item->outcome = TXN_REFUSED;
	return txn_apikey_allows(item, scopes);
}

/*
 * Give the OPEN events their onError verdicts, or the block verdict where a
 * cached list blocks them.
 */
static int
degrade_answers(struct txn *txn, struct fail *f)
{
	const struct rulebook *book;
	struct txn_event *ev;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		book = engine_book(txn->engine, ev->item->event->type);
		if (ev->state != TXN_STATE_OPEN)
			continue;
		if (book == NULL)
			return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
			    "no policy has been loaded yet");
		if (engine_match_lists(txn->engine, ev->item->event, ev->now) ==
		    LIST_BLOCK)
			decide_listed(book->policy, LIST_BLOCK, &ev->decision);
		else
			decide_degraded(book->policy, &ev->decision);
		ev->state = TXN_STATE_DECIDED;
		if (txn_answer(txn, ev, f) == -1)
			return -1;
	}
	return 0;
}
