/* SPDX-License-Identifier: ISC */
/* The velocities of a history in memory, in place of the database. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/state/velocity_state.h"
#include "lib/engine/velocity_hash.h"
#include "lib/engine/velocity_history.h"

#define STATES_FIRST 1024 /* initial capacity */
#define MIB ((size_t)1 << 20)
#define BLOCK ((size_t)16) /* by which the allocator rounds up, */
#define BLOCK_HEAD ((size_t)8) /* after it has added this */

static int history_state_of(struct velocity_history *h, size_t n,
    const struct velocity_event *ev, struct arena *a,
    struct history_state **ret, struct fail *f);
static struct history_state *state_numbered(
    struct velocity_history *h, uint32_t number);
static int history_value(struct velocity_history *h, size_t n,
    const struct velocity_event *ev, const struct signals *sigs, int64_t now,
    struct arena *a, struct value *ret, struct fail *f);
static int history_add(struct velocity_history *h, size_t n,
    const struct velocity_event *ev, int64_t now,
    const struct velocity_item *item, struct arena *a, struct fail *f);
static size_t block_size(size_t size);
static int forget_expired(
    struct velocity_history *h, int64_t now, struct fail *f);

/* The states never leave this process. */
static const uint8_t no_secret[EVENT_DIGEST_KEY_SIZE];

int
velocity_history_take(
    struct velocity_history *h, const struct velocity *v, struct fail *f)
{
	size_t i;

	for (i = 0; i < h->n; i++)
		if (h->list[i]->id == v->id)
			return 0;
	if (h->n == VELOCITIES_MAX)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the rulesets define more than %d different velocities",
		    VELOCITIES_MAX);
	h->list[h->n++] = v;
	return 0;
}

int
velocity_history_find(struct velocity_history *h,
    const struct velocity_event *ev, int64_t now, const struct signals *sigs,
    struct velocity_values *ret, struct arena *a, struct fail *f)
{
	struct velocity_value *list = arena_array(a, h->n, sizeof(*list));
	size_t i;

	if (list == NULL)
		return fail_memory(f);
	for (i = 0; i < h->n; i++) {
		list[i].id = h->list[i]->id;
		if (history_value(h, i, ev, sigs, now, a, &list[i].value, f) ==
		    -1)
			return -1;
	}
	*ret = (struct velocity_values) { .list = list, .n = h->n };
	return 0;
}

int
velocity_history_count(struct velocity_history *h,
    const struct velocity_event *ev, int64_t now, const struct signals *sigs,
    enum verdict verdict, struct arena *a, struct fail *f)
{
	struct velocity_item item;
	size_t i;

	for (i = 0; i < h->n; i++) {
		velocity_item(h->list[i], ev, sigs, verdict, &item);
		if (item.counts &&
		    history_add(h, i, ev, now, &item, a, f) == -1)
			return -1;
	}
	if (h->limit == 0 || velocity_history_size(h) <= h->limit)
		return 0;
	if (forget_expired(h, now, f) == -1)
		return -1;
	if (velocity_history_size(h) <= h->limit / 2)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "the keys of the velocities need more than %zu MiB of memory; "
	    "use fewer velocities, shorter windows or fewer samples",
	    h->limit / 2 / MIB);
}

size_t
velocity_history_size(const struct velocity_history *h)
{
	return h->packed + h->cap * sizeof(*h->states) +
	    string_ids_size(&h->keys);
}

void
velocity_history_clear(struct velocity_history *h)
{
	uint32_t i;

	for (i = 0; i < h->keys.n && i < h->cap; i++)
		free(h->states[i].packed);
	free(h->states);
	string_ids_clear(&h->keys);
	h->states = NULL;
	h->cap = 0;
	h->packed = 0;
}

/* The state of velocity n for an event; *ret is NULL if it lacks the key. */
static int
history_state_of(struct velocity_history *h, size_t n,
    const struct velocity_event *ev, struct arena *a,
    struct history_state **ret, struct fail *f)
{
	const struct velocity *v = h->list[n];
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
	number = string_ids_add(&h->keys, (unsigned char)n, str_text(&key));
	arena_rewind(a, mark);
	*ret = state_numbered(h, number);
	return *ret == NULL ? fail_memory(f) : 0;
}

/* Make room for the state of a key, and return it; NULL without memory. */
static struct history_state *
state_numbered(struct velocity_history *h, uint32_t number)
{
	const size_t cap = h->cap == 0 ? STATES_FIRST : 2 * h->cap;
	struct history_state *more;

	if (number == 0)
		return NULL;
	if (number > h->cap) {
		more = realloc(h->states, cap * sizeof(*more));
		if (more == NULL)
			return NULL;
		memset(more + h->cap, 0, (cap - h->cap) * sizeof(*more));
		h->states = more;
		h->cap = cap;
	}
	return &h->states[number - 1];
}

static int
history_value(struct velocity_history *h, size_t n,
    const struct velocity_event *ev, const struct signals *sigs, int64_t now,
    struct arena *a, struct value *ret, struct fail *f)
{
	const struct velocity *v = h->list[n];
	struct velocity_item item = { .counts = false };
	struct velocity_state state;
	struct history_state *stored;
	uint64_t hash;

	*ret = value_unknown();
	if (history_state_of(h, n, ev, a, &stored, f) == -1)
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
history_add(struct velocity_history *h, size_t n,
    const struct velocity_event *ev, int64_t now,
    const struct velocity_item *item, struct arena *a, struct fail *f)
{
	const struct velocity *v = h->list[n];
	uint8_t packed[VELOCITY_STATE_PACKED_MAX];
	struct velocity_state state;
	struct history_state *stored;
	uint64_t hash;
	size_t size;
	void *copy;

	if (history_state_of(h, n, ev, a, &stored, f) == -1)
		return -1;
	if (stored == NULL)
		return 0;
	if (velocity_state_unpack(v, stored->packed, stored->size, &state, f) ==
		-1 ||
	    velocity_hash_item(no_secret, v, item, a, &hash, f) == -1)
		return -1;
	velocity_state_add(v, &state, now, now, item->number, hash);
	size = velocity_state_pack(v, &state, packed);
	if ((copy = realloc(stored->packed, size)) == NULL)
		return fail_memory(f);
	memcpy(copy, packed, size);
	h->packed += block_size(size) - block_size(stored->size);
	stored->packed = copy;
	stored->size = size;
	stored->expires =
	    v->window == VELOCITY_ALL ? INT64_MAX : now + velocity_span(v);
	return 0;
}

/* The memory that an allocation of size bytes takes. */
static size_t
block_size(size_t size)
{
	return size == 0 ? 0 : (size + BLOCK_HEAD + BLOCK - 1) / BLOCK * BLOCK;
}

/* Keep the states that have events at now, under new numbers. */
static int
forget_expired(struct velocity_history *h, int64_t now, struct fail *f)
{
	struct velocity_history living = { .n = 0 };
	struct history_state *from, *to;
	unsigned char velocity;
	const char *key;
	uint32_t i;

	for (i = 0; i < h->keys.n; i++) {
		from = &h->states[i];
		if (from->expires <= now)
			continue;
		key = string_ids_name(&h->keys, i + 1, &velocity);
		to = state_numbered(
		    &living, string_ids_add(&living.keys, velocity, key));
		if (to == NULL) {
			velocity_history_clear(&living);
			return fail_memory(f);
		}
		*to = *from;
		from->packed = NULL;
		living.packed += block_size(to->size);
	}
	velocity_history_clear(h);
	h->keys = living.keys;
	h->states = living.states;
	h->cap = living.cap;
	h->packed = living.packed;
	return 0;
}
