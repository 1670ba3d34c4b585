/* SPDX-License-Identifier: ISC */
/* Match events against the block, allow and watch lists. */
#include "config.h"

#include <assert.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/list.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/list_cache.h"
#include "lib/txn/txn_int.h"

static void read_list_entries(struct txn *txn, const struct rows *r);

int
txn_send_lists(
    struct txn *txn, unsigned subjects, int *ret_index, struct fail *f)
{
	const size_t max = txn->n * LIST_KEYS_MAX;
	const struct list_key *key;
	const char **names, **values;
	struct params p;
	int64_t *ords;
	size_t i, k, n = 0;

	*ret_index = TXN_NOT_SENT;
	if (subjects == 0)
		return 0;
	ords = arena_array(txn->arena, max, sizeof(*ords));
	names = arena_array(txn->arena, max, sizeof(*names));
	values = arena_array(txn->arena, max, sizeof(*values));
	if (ords == NULL || names == NULL || values == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->n; i++) {
		for (k = 0; k < txn->events[i].n_keys; k++) {
			key = &txn->events[i].keys[k];
			if ((subjects & 1u << key->subject) == 0)
				continue;
			ords[n] = (int64_t)i + 1;
			names[n] = list_subject_name(key->subject);
			values[n++] =
			    arena_strndup(txn->arena, key->value, key->len);
		}
	}
	if (n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_ints(&p, ords, n);
	params_texts(&p, names, n);
	params_texts(&p, values, n);
	*ret_index = db_send(txn->db, STMT_TXN_LISTS, &p, f);
	return *ret_index == -1 ? -1 : 0;
}

int
txn_match_lists(
    struct txn *txn, unsigned queried, const struct rows *r, struct fail *f)
{
	const struct list_cache *lists = engine_lists(txn->engine);
	struct txn_event *ev;
	struct rows late;
	int late_index;

	for (ev = txn->events; ev < txn->events + txn->n; ev++)
		ev->match =
		    list_cache_match(lists, ev->keys, ev->n_keys, ev->now);
	if (r != NULL)
		read_list_entries(txn, r);

	/*
	 * A list that has just become too long is neither cached nor queried.
	 */
	if (txn_send_lists(
		txn, list_cache_long(lists) & ~queried, &late_index, f) == -1)
		return -1;
	if (late_index != TXN_NOT_SENT) {
		if (db_sync(txn->db, txn->arena, &late, 1, f) == -1)
			return -1;
		read_list_entries(txn, &late);
	}
	for (ev = txn->events; ev < txn->events + txn->n; ev++)
		ev->listed = list_match_kind(&ev->match);
	return 0;
}

/* Each row is an entry that names the event with the number ord. */
static void
read_list_entries(struct txn *txn, const struct rows *r)
{
	struct txn_event *ev;
	int64_t number;
	int i;

	for (i = 0; i < r->n; i++) {
		number = rows_int(r, i, "ord");
		assert(number >= 1 && (size_t)number <= txn->n);
		ev = &txn->events[number - 1];
		if (list_acts(rows_time(r, i, "expires_at"), ev->now))
			list_match_add(&ev->match,
			    list_kind_parse(rows_text(r, i, "kind")),
			    (int)rows_int(r, i, "bits"));
	}
}
