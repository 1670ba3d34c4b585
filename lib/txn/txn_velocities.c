/* SPDX-License-Identifier: ISC */
/* Velocities: their values for an event, and what the event adds to them. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/event_context.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/velocity_set.h"
#include "lib/txn/txn_int.h"

static bool has_velocities(const struct txn *txn);
static int want_states(struct txn *txn, struct fail *f);
static int want_event_states(
    struct txn *txn, struct txn_event *ev, struct fail *f);
static struct velocity_event velocity_event_of(
    const struct txn *txn, const struct txn_event *ev);
static int read_value_of(struct txn *txn, const struct txn_event *ev, size_t n,
    const struct velocity_event *event, struct value *ret, struct fail *f);
static struct velocity_row *find_row(
    const struct txn *txn, const struct txn_event *ev, size_t n);

int
txn_prepare_velocities(struct txn *txn, struct fail *f)
{
	if (!has_velocities(txn))
		return 0;
	if (db_prepare_late(txn->db, STMT_TXN_VELOCITIES, f) == -1 ||
	    db_prepare_late(txn->db, STMT_TXN_ADD_VELOCITIES, f) == -1)
		return -1;
	return db_prepare_late(txn->db, STMT_TXN_UPDATE_VELOCITIES, f);
}

int
txn_send_velocities(struct txn *txn, int *ret_index, struct fail *f)
{
	enum velocity_lock lock = VELOCITY_LOCK_NONE;
	size_t i;

	*ret_index = TXN_NOT_SENT;
	txn->velocities = engine_velocities(txn->engine);
	txn->velocity_states = (struct velocity_store) { .n_wanted = 0 };
	if (!has_velocities(txn))
		return 0;
	if (want_states(txn, f) == -1)
		return -1;
	if (txn->velocity_states.n_wanted == 0)
		return 0;
	for (i = 0; i < txn->n; i++)
		if (!txn->events[i].item->dry_run)
			lock = VELOCITY_LOCK_OWN;
	*ret_index = velocity_store_send(
	    &txn->velocity_states, txn->db, txn->arena, lock, f);
	return *ret_index == -1 ? -1 : 0;
}

int
txn_read_velocities(struct txn *txn, const struct rows *r, struct fail *f)
{
	struct rows late;
	int index;

	if (engine_velocities(txn->engine) == txn->velocities)
		return r == NULL ? 0
				 : velocity_store_read(
				       &txn->velocity_states, r, txn->arena, f);

	/* The set has just changed: ask again. */
	if (txn_prepare_velocities(txn, f) == -1 ||
	    txn_send_velocities(txn, &index, f) == -1)
		return -1;
	if (index == TXN_NOT_SENT)
		return 0;
	if (db_sync(txn->db, txn->arena, &late, 1, f) == -1)
		return -1;
	return velocity_store_read(&txn->velocity_states, &late, txn->arena, f);
}

int
txn_find_velocities(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	struct velocity_event event;
	struct velocity_value *list;
	size_t i;

	if (!has_velocities(txn))
		return 0;
	event = velocity_event_of(txn, ev);
	list = arena_array(txn->arena, txn->velocities->n, sizeof(*list));
	if (list == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->velocities->n; i++) {
		list[i].id = txn->velocities->list[i].velocity->id;
		if (read_value_of(txn, ev, i, &event, &list[i].value, f) == -1)
			return -1;
	}
	ev->velocity_values = (struct velocity_values) {
		.list = list,
		.n = txn->velocities->n,
	};
	ev->signals.velocities = &ev->velocity_values;
	return 0;
}

int
txn_count_velocities(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	struct velocity_event event;
	struct velocity_item item;
	struct velocity_row *row;
	const struct velocity *v;
	uint64_t hash;
	size_t i;

	if (!has_velocities(txn))
		return 0;
	event = velocity_event_of(txn, ev);
	for (i = 0; i < txn->velocities->n; i++) {
		if ((row = find_row(txn, ev, i)) == NULL)
			continue;
		v = row->counted->velocity;
		velocity_item(
		    v, &event, &ev->signals, ev->decision.verdict, &item);
		if (!item.counts)
			continue;
		if (velocity_hash_item(engine_digest_key(txn->engine), v, &item,
			txn->arena, &hash, f) == -1 ||
		    velocity_store_add(row, ev->now, ev->now, &item, hash,
			txn->arena, f) == -1)
			return -1;
	}
	return 0;
}

/* Whether the engine has velocities. */
static bool
has_velocities(const struct txn *txn)
{
	const struct velocity_set *set = engine_velocities(txn->engine);

	return set != NULL && set->n > 0;
}

/* Want the states of all events. */
static int
want_states(struct txn *txn, struct fail *f)
{
	size_t i;

	if (velocity_store_init(&txn->velocity_states, txn->arena,
		txn->n * txn->velocities->n, f) == -1)
		return -1;
	for (i = 0; i < txn->n; i++)
		if (want_event_states(txn, &txn->events[i], f) == -1)
			return -1;
	return 0;
}

/* Want the states of one event, and note which they are. */
static int
want_event_states(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	const struct velocity_event event = velocity_event_of(txn, ev);
	const uint8_t *secret = engine_digest_key(txn->engine);
	struct velocity_store *st = &txn->velocity_states;
	const struct counted_velocity *c;
	uint8_t key[VELOCITY_KEY_SIZE];
	bool has;
	size_t i;

	ev->velocity_rows = arena_array(
	    txn->arena, txn->velocities->n, sizeof(*ev->velocity_rows));
	if (ev->velocity_rows == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->velocities->n; i++) {
		c = &txn->velocities->list[i];
		if (velocity_hash_key(secret, c->velocity, &event, txn->arena,
			key, &has) == -1)
			return fail_memory(f);
		if (!has)
			continue;
		ev->velocity_rows[i] = &st->wanted[st->n_wanted];
		velocity_store_want(st, c, key, ev->user->id);
	}
	return 0;
}

static struct velocity_event
velocity_event_of(const struct txn *txn, const struct txn_event *ev)
{
	const struct event_context context = txn_event_context(txn, ev);

	return event_context_velocity(&context);
}

/* The value of velocity number n of the set. */
static int
read_value_of(struct txn *txn, const struct txn_event *ev, size_t n,
    const struct velocity_event *event, struct value *ret, struct fail *f)
{
	const struct counted_velocity *c = &txn->velocities->list[n];
	const struct velocity_row *row = find_row(txn, ev, n);
	struct velocity_item item = { .counts = false };
	uint64_t hash = 0;

	*ret = value_unknown();
	if (row == NULL || !velocity_is_known(c, ev->now))
		return 0;
	if (c->velocity->current)
		velocity_item(
		    c->velocity, event, &ev->signals, VERDICT__NONE, &item);
	if (item.counts &&
	    velocity_hash_item(engine_digest_key(txn->engine), c->velocity,
		&item, txn->arena, &hash, f) == -1)
		return -1;
	return velocity_store_value(&txn->velocity_states, row, ev->now,
	    item.counts ? &item : NULL, hash, ret, f);
}

/* The state of velocity number n; NULL if the event lacks its key. */
static struct velocity_row *
find_row(const struct txn *txn, const struct txn_event *ev, size_t n)
{
	struct velocity_row *row =
	    n < txn->velocities->n ? ev->velocity_rows[n] : NULL;

	return row != NULL && row->same != NULL ? row->same : row;
}
