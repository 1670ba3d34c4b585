/* SPDX-License-Identifier: ISC */
/* The velocities of a history in memory, in place of the database. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/decide.h"
#include "core/decide/event_context.h"
#include "core/signal/signals.h"
#include "core/state/velocity_state.h"
#include "ctl/replay/offline_velocities.h"
#include "lib/engine/velocity_hash.h"

#define STATES_FIRST 1024 /* initial capacity */

static bool is_taken(
    const struct offline_velocities *all, const struct velocity *v);
static int state_of(struct offline_velocities *all, size_t n,
    const struct velocity_event *ev, struct arena *a,
    struct offline_state **ret, struct fail *f);
static bool grow_states(struct offline_velocities *all);
static int offline_value(struct offline_velocities *all, size_t n,
    const struct velocity_event *ev, const struct signals *sigs, int64_t now,
    struct arena *a, struct value *ret, struct fail *f);
static int offline_add(struct offline_velocities *all, size_t n,
    const struct velocity_event *ev, int64_t now,
    const struct velocity_item *item, struct arena *a, struct fail *f);

/* The states never leave this process. */
static const uint8_t no_secret[EVENT_DIGEST_KEY_SIZE];

int
offline_velocities_take(struct offline_velocities *all,
    const struct rulebook *books, struct fail *f)
{
	const struct ruleset *rs;
	size_t i;
	int type;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		rs = books[type].ruleset;
		for (i = 0; i < rs->n_velocities; i++) {
			if (is_taken(all, &rs->velocities[i]))
				continue;
			if (all->n == VELOCITIES_MAX)
				return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
				    NULL,
				    "the rulesets define more than %d "
				    "different velocities",
				    VELOCITIES_MAX);
			all->list[all->n++] = &rs->velocities[i];
		}
	}
	return 0;
}

int
offline_velocities_find(struct offline_velocities *all,
    const struct event_context *ctx, struct signals *sigs, struct arena *a,
    struct fail *f)
{
	const struct velocity_event ev = event_context_velocity(ctx);
	struct velocity_value *list;
	size_t i;

	if (all->n == 0)
		return 0;
	if ((list = arena_array(a, all->n, sizeof(*list))) == NULL)
		return fail_memory(f);
	for (i = 0; i < all->n; i++) {
		list[i].id = all->list[i]->id;
		if (offline_value(all, i, &ev, sigs, ctx->now, a,
			&list[i].value, f) == -1)
			return -1;
	}
	all->values = (struct velocity_values) { .list = list, .n = all->n };
	sigs->velocities = &all->values;
	return 0;
}

int
offline_velocities_count(struct offline_velocities *all,
    const struct event_context *ctx, const struct signals *sigs,
    enum verdict verdict, struct arena *a, struct fail *f)
{
	const struct velocity_event ev = event_context_velocity(ctx);
	struct velocity_item item;
	size_t i;

	for (i = 0; i < all->n; i++) {
		velocity_item(all->list[i], &ev, sigs, verdict, &item);
		if (item.counts &&
		    offline_add(all, i, &ev, ctx->now, &item, a, f) == -1)
			return -1;
	}
	return 0;
}

void
offline_velocities_clear(struct offline_velocities *all)
{
	uint32_t i;

	for (i = 0; i < all->keys.n; i++)
		free(all->states[i].packed);
	free(all->states);
	string_ids_clear(&all->keys);
}

static bool
is_taken(const struct offline_velocities *all, const struct velocity *v)
{
	size_t i;

	for (i = 0; i < all->n; i++)
		if (all->list[i]->id == v->id)
			return true;
	return false;
}

/* The state of velocity n for an event; *ret is NULL if it lacks the key. */
static int
state_of(struct offline_velocities *all, size_t n,
    const struct velocity_event *ev, struct arena *a,
    struct offline_state **ret, struct fail *f)
{
	const struct velocity *v = all->list[n];
	const struct arena_mark mark = arena_mark(a);
	uint32_t number;
	struct str key;
	size_t i;

	*ret = NULL;
	str_init(&key, a);
	for (i = 0; i < v->n_keys; i++) {
		if (i > 0)
			str_addc(&key, '\n'); /* no text of an event has it */
		if (!velocity_key_part(&key, v, i, ev)) {
			arena_rewind(a, mark);
			return 0;
		}
	}
	if (str_text(&key) == NULL)
		return fail_memory(f);
	number = string_ids_add(&all->keys, (unsigned char)n, str_text(&key));
	arena_rewind(a, mark);
	if (number == 0 || !grow_states(all))
		return fail_memory(f);
	*ret = &all->states[number - 1];
	return 0;
}

/* Make room for the states of all keys. */
static bool
grow_states(struct offline_velocities *all)
{
	const size_t cap = all->cap == 0 ? STATES_FIRST : 2 * all->cap;
	struct offline_state *more;

	if (all->keys.n <= all->cap)
		return true;
	more = realloc(all->states, cap * sizeof(*more));
	if (more == NULL)
		return false;
	memset(more + all->cap, 0, (cap - all->cap) * sizeof(*more));
	all->states = more;
	all->cap = cap;
	return true;
}

static int
offline_value(struct offline_velocities *all, size_t n,
    const struct velocity_event *ev, const struct signals *sigs, int64_t now,
    struct arena *a, struct value *ret, struct fail *f)
{
	const struct velocity *v = all->list[n];
	struct velocity_item item = { .counts = false };
	struct velocity_state state;
	struct offline_state *stored;
	uint64_t hash;

	*ret = value_unknown();
	if (state_of(all, n, ev, a, &stored, f) == -1)
		return -1;
	if (stored == NULL)
		return 0;
	if (velocity_state_unpack(v, stored->packed, stored->size, &state, f) ==
	    -1)
		return -1;
	if (v->current)
		velocity_item(v, ev, sigs, VERDICT__NONE, &item);
	if (item.counts) {
		if (velocity_hash_item(no_secret, v, &item, a, &hash, f) == -1)
			return -1;
		velocity_state_add(v, &state, now, now, item.number, hash);
	}
	*ret = velocity_state_value(v, &state, now);
	return 0;
}

static int
offline_add(struct offline_velocities *all, size_t n,
    const struct velocity_event *ev, int64_t now,
    const struct velocity_item *item, struct arena *a, struct fail *f)
{
	const struct velocity *v = all->list[n];
	uint8_t packed[VELOCITY_STATE_PACKED_MAX];
	struct velocity_state state;
	struct offline_state *stored;
	uint64_t hash;
	void *copy;

	if (state_of(all, n, ev, a, &stored, f) == -1)
		return -1;
	if (stored == NULL)
		return 0;
	if (velocity_state_unpack(v, stored->packed, stored->size, &state, f) ==
		-1 ||
	    velocity_hash_item(no_secret, v, item, a, &hash, f) == -1)
		return -1;
	velocity_state_add(v, &state, now, now, item->number, hash);
	stored->size = velocity_state_pack(v, &state, packed);
	if ((copy = realloc(stored->packed, stored->size)) == NULL)
		return fail_memory(f);
	memcpy(copy, packed, stored->size);
	stored->packed = copy;
	return 0;
}
