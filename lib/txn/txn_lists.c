/* SPDX-License-Identifier: ISC */
/* What a set finds of its events on the block, allow and watch lists. */
#include "config.h"

#include <assert.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/list.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/list_cache.h"
#include "lib/txn/txn_int.h"

static void read_probed(struct txn *s, const struct rows *r);

int
txn_send_lists(struct txn *s, unsigned subjects, bool *ret_sent, struct fail *f)
{
	const size_t max = s->n * LIST_KEYS_MAX;
	const struct list_key *key;
	const char **names, **values;
	struct params p;
	int64_t *ords;
	size_t i, k, n = 0;

	*ret_sent = false;
	if (subjects == 0)
		return 0;
	ords = arena_array(s->arena, max, sizeof(*ords));
	names = arena_array(s->arena, max, sizeof(*names));
	values = arena_array(s->arena, max, sizeof(*values));
	if (ords == NULL || names == NULL || values == NULL)
		return txn_no_room(f);
	for (i = 0; i < s->n; i++) {
		for (k = 0; k < s->entries[i].n_keys; k++) {
			key = &s->entries[i].keys[k];
			if ((subjects & 1u << key->subject) == 0)
				continue;
			ords[n] = (int64_t)i + 1;
			names[n] = list_subject_name(key->subject);
			values[n++] =
			    arena_strndup(s->arena, key->value, key->len);
		}
	}
	if (n == 0)
		return 0;
	*ret_sent = true;
	params_init(&p, s->arena);
	params_ints(&p, ords, n);
	params_texts(&p, names, n);
	params_texts(&p, values, n);
	return db_send(s->db, STMT_TXN_LISTS, &p, f);
}

int
txn_match_lists(
    struct txn *s, unsigned probed, const struct rows *r, struct fail *f)
{
	const struct list_cache *lists = engine_lists(s->engine);
	struct txn_event *en;
	struct rows late;
	bool sent;

	for (en = s->entries; en < s->entries + s->n; en++)
		en->listed =
		    list_cache_match(lists, en->keys, en->n_keys, en->now);
	if (r != NULL)
		read_probed(s, r);

	/* What has become long only now was neither cached nor asked for. */
	if (txn_send_lists(s, list_cache_long(lists) & ~probed, &sent, f) == -1)
		return -1;
	if (!sent)
		return 0;
	if (db_sync(s->db, s->arena, &late, 1, f) == -1)
		return -1;
	read_probed(s, &late);
	return 0;
}

/* The entries that were found, each for the event that asked for it. */
static void
read_probed(struct txn *s, const struct rows *r)
{
	const int ord = rows_col(r, "ord"), kind = rows_col(r, "kind"),
		  expires = rows_col(r, "expires_at");
	struct txn_event *en;
	int64_t at;
	int i;

	for (i = 0; i < r->n; i++) {
		at = rows_int(r, i, ord);
		assert(at >= 1 && (size_t)at <= s->n);
		en = &s->entries[at - 1];
		if (list_acts(rows_time(r, i, expires), en->now))
			en->listed = list_stronger(
			    en->listed, list_kind_parse(rows_text(r, i, kind)));
	}
}
