/* SPDX-License-Identifier: ISC */
/* The onError verdicts of events that cannot be decided, and their log. */
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

#define LOG_TIME (INT64_C(400000)) /* beyond the deadline, to log degraded */

static void degrade_logged_or_spooled(
    struct txn *s, struct decision_request *const *items, size_t n);
static int degrade_logged(struct txn *s, struct decision_request *const *items,
    size_t n, struct fail *f);
static int degrade_keys(struct txn *s, struct fail *f);
static bool same_key(
    const struct decision_request *a, const struct decision_request *b);
static int degrade_spooled(struct txn *s, struct decision_request *const *items,
    size_t n, struct fail *f);
static bool degrade_known(struct txn *s, struct decision_request *item);
static int degrade_answers(struct txn *s, struct fail *f);

/* What could not be decided is degraded, unless it is to be kept. */
void
txn_degrade(struct txn *s, struct decision_request *const *items, size_t n)
{
	struct decision_request *given[TXN_MAX];
	size_t i, n_given = 0;

	for (i = 0; i < n; i++) {
		items[i]->outcome = TXN_FAILED;
		items[i]->fail = s->why;
		if (!items[i]->keep)
			given[n_given++] = items[i];
	}
	if (n_given > 0)
		degrade_logged_or_spooled(s, given, n_given);
}

/*
 * Answer events that could not be decided with their policies' onError
 * verdicts, and log these answers: all in the database, or else in the spool.
 * What was logged in doubt is logged there under ids of its own, so that no id
 * is ever there twice.
 */
static void
degrade_logged_or_spooled(
    struct txn *s, struct decision_request *const *items, size_t n)
{
	const struct arena_mark mark = arena_mark(s->arena);
	const struct fail cause = s->why;
	struct fail *f = &s->why;
	size_t i;

	db_set_deadline(s->db, s->deadline + LOG_TIME);
	if (degrade_logged(s, items, n, f) == -1) {
		db_rollback(s->db);
		arena_rewind(s->arena, mark);
		if (engine_spool(s->engine) == NULL ||
		    degrade_spooled(s, items, n, f) == -1) {
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

/* Log degraded answers in a transaction of their own. */
static int
degrade_logged(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	size_t i;

	if (txn_begin(s, items, n, f) == -1 || degrade_keys(s, f) == -1 ||
	    degrade_answers(s, f) == -1 || txn_write_degraded(s, f) == -1)
		return -1;
	for (i = 0; i < n; i++)
		items[i]->outcome =
		    s->entries[i].verified ? TXN_DEGRADED : TXN_REFUSED;
	return 0;
}

/* The clock and the API keys, which the set's snapshot may not have had. */
static int
degrade_keys(struct txn *s, struct fail *f)
{
	struct txn_key_row key;
	struct txn_event *en;
	struct params p;
	struct rows r;

	for (en = s->entries; en < s->entries + s->n; en++) {
		if (en > s->entries && same_key(en->item, en[-1].item)) {
			en->now = en[-1].now;
			en->verified = en[-1].verified;
			en->item->fail = en[-1].item->fail;
			continue;
		}
		params_init(&p, s->arena);
		if (en->item->key_hash == NULL)
			params_null(&p);
		else
			params_bytes(&p, en->item->key_hash, CRYPT_SHA256_SIZE);
		if (db_one(s->db, s->arena, STMT_APIKEY_FIND, &p, &r, f) == -1)
			return -1;
		key = (struct txn_key_row) {
			.live = rows_get_bool(&r, "live"),
			.scopes = rows_get_int(&r, "scopes"),
			.expires_at = rows_get_time(&r, "expires_at"),
			.now = rows_get_time(&r, "now"),
		};
		en->now = key.now;
		en->verified = en->item->key_hash == NULL ||
		    txn_apikey_verified(s, en->item, &key);
	}
	return 0;
}

static bool
same_key(const struct decision_request *a, const struct decision_request *b)
{
	return a->key_hash != NULL && b->key_hash != NULL &&
	    memcmp(a->key_hash, b->key_hash, CRYPT_SHA256_SIZE) == 0;
}

/*
 * Log degraded answers in the spool, those of callers whose keys are known:
 * nobody else is answered while nobody can be asked.
 */
static int
degrade_spooled(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	const int64_t now = engine_now(s->engine);
	size_t i;

	if (txn_build(s, items, n, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		s->entries[i].now = now;
		s->entries[i].verified = degrade_known(s, items[i]);
	}
	if (degrade_answers(s, f) == -1 || txn_write_spool(s, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		items[i]->spooled = s->entries[i].verified;
		if (items[i]->spooled)
			items[i]->outcome = TXN_DEGRADED;
	}
	return 0;
}

/* Whether the item's API key is known and may; if not, it is refused. */
static bool
degrade_known(struct txn *s, struct decision_request *item)
{
	unsigned scopes;

	if (item->key_hash == NULL)
		return true;
	scopes = apikey_cache_scopes(
	    spool_shm(engine_spool(s->engine)), item->key_hash, clock_ticks());
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
 * The onError verdicts of the entries whose API keys are good; what the
 * cached lists block stays blocked.
 */
static int
degrade_answers(struct txn *s, struct fail *f)
{
	const struct rulebook *book;
	struct txn_event *en;

	for (en = s->entries; en < s->entries + s->n; en++) {
		book = engine_book(s->engine, en->item->event->type);
		if (!en->verified)
			continue;
		if (book == NULL)
			return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
			    "no policy has been loaded yet");
		if (engine_listed(s->engine, en->item->event, en->now) ==
		    LIST_BLOCK)
			decide_listed(book->policy, LIST_BLOCK, &en->decision);
		else
			decide_degraded(book->policy, &en->decision);
		en->decided = true;
		if (txn_answer(s, en, f) == -1)
			return -1;
	}
	return 0;
}
