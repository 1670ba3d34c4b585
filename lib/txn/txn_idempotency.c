/* SPDX-License-Identifier: ISC */
/* Idempotency keys that were used before. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/conf/conf.h"
#include "lib/engine/engine.h"
#include "lib/engine/event_digest.h"
#include "lib/txn/txn_int.h"

static bool is_mismatch(const struct txn_event *ev);

int
txn_digest(struct txn *txn, struct fail *f)
{
	const uint8_t *key = engine_digest_key(txn->engine);
	struct txn_event *ev;

	assert(key != NULL);
	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (ev->key == NULL)
			continue;
		ev->digest = event_digest(key, txn->arena, ev->item->event);
		if (ev->digest == 0)
			return fail_memory(f);
	}
	return 0;
}

const struct txn_event *
txn_find_same(const struct txn *txn, const struct txn_event *ev)
{
	const struct txn_event *first;

	for (first = txn->events; first < ev && ev->key != NULL; first++) {
		if (first->state != TXN_STATE_REFUSED &&
		    first->state != TXN_STATE_DEQUEUED && first->key != NULL &&
		    strcmp(first->key, ev->key) == 0)
			return first;
	}
	return NULL;
}

enum txn_outcome
txn_replayed(const struct txn_event *ev)
{
	struct decision_request *item = ev->item;

	item->mismatch = is_mismatch(ev);
	if (!item->mismatch || item->queued != 0 ||
	    strcmp(conf.IDEMPOTENCY_MISMATCH, "refuse") != 0)
		return TXN_REPLAYED;
	fail_set(&item->fail, FAIL_INPUT, IDEMPOTENCY_MISMATCH, NULL, "%s",
	    fail_code_text(IDEMPOTENCY_MISMATCH));
	return TXN_MISMATCHED;
}

/* Whether its key was used for another event, if both digests are known. */
static bool
is_mismatch(const struct txn_event *ev)
{
	if (ev->earlier_id != NULL)
		return event_digest_differs(ev->digest, ev->earlier_digest);
	return event_digest_differs(ev->digest, ev->same->digest);
}
