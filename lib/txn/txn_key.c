/* SPDX-License-Identifier: ISC */
/* What a set does about idempotency keys that were used before. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/conf/conf.h"
#include "lib/engine/event_digest.h"
#include "lib/engine/engine.h"
#include "lib/txn/txn_int.h"

static bool is_mismatch(const struct txn_event *en);

int
txn_digest(struct txn *s, struct fail *f)
{
	const uint8_t *key = engine_digest_key(s->engine);
	struct txn_event *en;

	assert(key != NULL);
	for (en = s->entries; en < s->entries + s->n; en++) {
		if (en->key == NULL)
			continue;
		en->digest = event_digest(key, s->arena, en->item->event);
		if (en->digest == 0)
			return txn_no_room(f);
	}
	return 0;
}

void
txn_find_same(struct txn *s)
{
	struct txn_event *a, *b;

	for (b = s->entries; b < s->entries + s->n; b++) {
		for (a = s->entries; a < b && b->key != NULL; a++) {
			if (!a->verified || a->key == NULL ||
			    strcmp(a->key, b->key) != 0)
				continue;
			b->same = a;
			b->busy = a->busy;
			break;
		}
	}
}

enum txn_outcome
txn_replayed(const struct txn_event *en)
{
	struct decision_request *item = en->item;

	item->mismatch = is_mismatch(en);
	if (!item->mismatch || item->queued != 0 ||
	    strcmp(conf.IDEMPOTENCY_MISMATCH, "refuse") != 0)
		return TXN_REPLAYED;
	fail_set(&item->fail, FAIL_INPUT, IDEMPOTENCY_MISMATCH, NULL, "%s",
	    fail_code_text(IDEMPOTENCY_MISMATCH));
	return TXN_MISMATCHED;
}

/* Whether its key was used for another event, as far as that is known. */
static bool
is_mismatch(const struct txn_event *en)
{
	if (en->earlier_id != NULL)
		return event_digest_differs(en->digest, en->earlier_digest);
	return event_digest_differs(en->digest, en->same->digest);
}
