/* SPDX-License-Identifier: ISC */
/* The stored states of velocities that one transaction reads and changes. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/velocity_state.h"
#include "lib/db/db.h"
#include "lib/engine/velocity_set.h"
#include "lib/txn/txn.h"
#include "lib/txn/velocity_store.h"

/* The parameters of the query, an array for each column. */
struct asked_columns {
	int64_t *number;
	const void **key;
	size_t *key_size;
	int64_t *shard;
	int64_t *user_lock;
};

static int columns_init(struct asked_columns *c, struct arena *a, size_t n);
static void columns_set(
    struct asked_columns *c, size_t i, const struct velocity_row *row);
static void sort_wanted(struct velocity_store *st);
static struct velocity_row *find_wanted(
    const struct velocity_store *st, const struct velocity_row *row);
static size_t first_wanted(
    const struct velocity_store *st, const struct velocity_row *row);
static size_t first_other(
    const struct velocity_store *st, const struct velocity_row *row);
static int merge_row(const struct velocity *v, const struct velocity_row *row,
    int64_t now, struct velocity_state *ret, struct fail *f);
static int write_rows(struct velocity_store *st, bool stored, struct db *db,
    struct arena *a, struct fail *f);
static int compare_asked(const void *pa, const void *pb);
static int compare_pointers(const void *pa, const void *pb);
static int compare_rows(const void *pa, const void *pb);
static int compare_cells(
    const struct velocity_row *a, const struct velocity_row *b);

_Static_assert(TXN_ADD_VELOCITIES__MAX == (int)TXN_UPDATE_VELOCITIES__MAX,
    "both statements have the same columns");

int
velocity_store_init(
    struct velocity_store *st, struct arena *a, size_t max, struct fail *f)
{
	*st = (struct velocity_store) {
		.wanted = arena_array(a, max, sizeof(*st->wanted)),
		.max_wanted = max,
		.sorted = arena_array(a, max, sizeof(struct velocity_row *)),
		.asked = arena_array(a, max, sizeof(struct velocity_row *)),
	};
	return a->overflow ? fail_memory(f) : 0;
}

void
velocity_store_want(struct velocity_store *st, const struct counted_velocity *c,
    const uint8_t key[VELOCITY_KEY_SIZE], const char *user)
{
	struct velocity_row *row = &st->wanted[st->n_wanted++];

	assert(st->n_wanted <= st->max_wanted);
	row->counted = c;
	row->number = c->number;
	row->key_size = c->velocity->n_keys * VELOCITY_HASH_SIZE;
	memcpy(row->key, key, row->key_size);
	row->user_lock = txn_lock_key(user);
	if (!velocity_by_user(c->velocity))
		row->shard =
		    (int64_t)((uint64_t)row->user_lock % VELOCITY_SHARDS);
}

int
velocity_store_send(struct velocity_store *st, struct db *db, struct arena *a,
    enum velocity_lock lock, struct fail *f)
{
	const struct velocity_row *row;
	struct params p;
	size_t i, n = 0;
	struct asked_columns own, others;

	sort_wanted(st);
	if (columns_init(&own, a, st->n_asked) == -1 ||
	    columns_init(&others, a, st->n_sorted) == -1)
		return fail_memory(f);
	for (i = 0; i < st->n_asked; i++)
		columns_set(&own, i, st->asked[i]);
	for (i = 0; lock != VELOCITY_LOCK_ALL && i < st->n_sorted; i++) {
		row = st->sorted[i];
		if ((i > 0 && compare_cells(st->sorted[i - 1], row) == 0) ||
		    (lock == VELOCITY_LOCK_OWN &&
			velocity_by_user(row->counted->velocity)))
			continue;
		columns_set(&others, n++, row);
	}
	params_init(&p, a);
	params_ints(&p, own.number, st->n_asked);
	params_blobs(&p, own.key, own.key_size, st->n_asked);
	params_ints(&p, own.shard, st->n_asked);
	params_ints(&p, own.user_lock, st->n_asked);
	params_ints(&p, others.number, n);
	params_blobs(&p, others.key, others.key_size, n);
	params_int(&p, (int64_t)lock);
	return db_send(db, STMT_TXN_VELOCITIES, &p, f);
}

int
velocity_store_read(struct velocity_store *st, const struct rows *r,
    struct arena *a, struct fail *f)
{
	struct velocity_row found = { .counted = NULL }, *row;
	const void *key;
	int i;

	st->others = arena_array(a, (size_t)r->n, sizeof(*st->others));
	if (st->others == NULL)
		return fail_memory(f);
	for (i = 0; i < r->n; i++) {
		key = rows_bytes(r, i, "key", &found.key_size);
		if (found.key_size > sizeof(found.key))
			continue;
		memset(found.key, 0, sizeof(found.key));
		memcpy(found.key, key, found.key_size);
		found.number = rows_int(r, i, "number");
		found.shard = rows_int(r, i, "shard");
		row = find_wanted(st, &found);
		if (row == NULL)
			row = &st->others[st->n_others++];
		else if (row->read)
			continue; /* the row that is locked came first */
		if (row->counted == NULL)
			*row = found;
		row->read = true;
		/* If it is not locked, it is being removed. */
		row->stored = rows_bool(r, i, "locked");
		row->state = rows_bytes(r, i, "state", &row->size);
	}
	if (st->n_others > 0)
		qsort(st->others, st->n_others, sizeof(*st->others),
		    compare_rows);
	return 0;
}

int
velocity_store_value(const struct velocity_store *st,
    const struct velocity_row *row, int64_t now,
    const struct velocity_item *item, uint64_t hash, struct value *ret,
    struct fail *f)
{
	const struct velocity *v = row->counted->velocity;
	struct velocity_state total;
	size_t i;

	total.n = 0;
	for (i = first_wanted(st, row);
	     i < st->n_sorted && compare_cells(st->sorted[i], row) == 0; i++)
		if (merge_row(v, st->sorted[i], now, &total, f) == -1)
			return -1;
	for (i = first_other(st, row);
	     i < st->n_others && compare_cells(&st->others[i], row) == 0; i++)
		if (merge_row(v, &st->others[i], now, &total, f) == -1)
			return -1;
	if (item != NULL)
		velocity_state_add(v, &total, now, now, item->number, hash);
	*ret = velocity_state_value(v, &total, now);
	return 0;
}

int
velocity_store_add(struct velocity_row *row, int64_t at, int64_t now,
    const struct velocity_item *item, uint64_t hash, struct arena *a,
    struct fail *f)
{
	const struct velocity *v = row->counted->velocity;
	uint8_t packed[VELOCITY_STATE_PACKED_MAX];
	struct velocity_state state;

	if (velocity_state_unpack(v, row->state,
		row->stored || row->changed ? row->size : 0, &state, f) == -1)
		return -1;
	velocity_state_add(v, &state, at, now, item->number, hash);
	row->size = velocity_state_pack(v, &state, packed);
	if (row->size > row->room_size) {
		row->room_size = 2 * row->size;
		row->room = arena_alloc(a, row->room_size);
	}
	if (row->room == NULL)
		return fail_memory(f);
	memcpy(row->room, packed, row->size);
	row->state = row->room;
	row->changed = true;
	if (now > row->changed_at)
		row->changed_at = now;
	return 0;
}

int
velocity_store_write(
    struct velocity_store *st, struct db *db, struct arena *a, struct fail *f)
{
	if (st->n_sorted == 0)
		return 0;
	if (write_rows(st, true, db, a, f) == -1)
		return -1;
	return write_rows(st, false, db, a, f);
}

static int
columns_init(struct asked_columns *c, struct arena *a, size_t n)
{
	c->number = arena_array(a, n, sizeof(*c->number));
	c->key = arena_array(a, n, sizeof(*c->key));
	c->key_size = arena_array(a, n, sizeof(*c->key_size));
	c->shard = arena_array(a, n, sizeof(*c->shard));
	c->user_lock = arena_array(a, n, sizeof(*c->user_lock));
	return a->overflow ? -1 : 0;
}

static void
columns_set(struct asked_columns *c, size_t i, const struct velocity_row *row)
{
	c->number[i] = row->number;
	c->key[i] = row->key;
	c->key_size[i] = row->key_size;
	c->shard[i] = row->shard;
	c->user_lock[i] = row->user_lock;
}

int
velocity_store_reserve(
    struct velocity_store *st, struct db *db, struct arena *a, struct fail *f)
{
	const struct velocity_row *row;
	struct rows rows;
	struct cols c;
	size_t i;

	if (cols_init(&c, a, STMT_VELOCITY_RESERVE, st->n_sorted, f) == -1)
		return -1;
	for (i = 0; i < st->n_sorted; i++) {
		row = st->sorted[i];
		if (row->stored)
			continue;
		cols_int(&c, VELOCITY_RESERVE_NUMBER, row->number);
		cols_bytes(&c, VELOCITY_RESERVE_KEY, row->key, row->key_size);
		cols_int(&c, VELOCITY_RESERVE_SHARD, row->shard);
		c.n++;
	}
	if (c.n == 0)
		return 0;
	return cols_send(&c, db, f) == -1 ? -1 : db_sync(db, a, &rows, 1, f);
}

/* Sort the wanted rows, and give equal ones the first of them. */
static void
sort_wanted(struct velocity_store *st)
{
	struct velocity_row *row, *first = NULL, *before = NULL;
	size_t i;

	for (i = 0; i < st->n_wanted; i++)
		st->asked[i] = &st->wanted[i];
	if (st->n_wanted > 0)
		qsort(
		    st->asked, st->n_wanted, sizeof(*st->asked), compare_asked);
	for (i = 0; i < st->n_wanted; i++) {
		row = st->asked[i];
		if (first != NULL && compare_rows(first, row) == 0)
			row->same = first;
		else
			st->sorted[st->n_sorted++] = first = row;
		if (before == NULL || row == first ||
		    before->user_lock != row->user_lock)
			st->asked[st->n_asked++] = row;
		before = row;
	}
}

static struct velocity_row *
find_wanted(const struct velocity_store *st, const struct velocity_row *row)
{
	struct velocity_row **found = st->n_sorted == 0
	    ? NULL
	    : bsearch(&row, st->sorted, st->n_sorted, sizeof(*st->sorted),
		  compare_pointers);

	return found == NULL ? NULL : *found;
}

/* The index of the first wanted state of the row's key. */
static size_t
first_wanted(const struct velocity_store *st, const struct velocity_row *row)
{
	size_t low = 0, high = st->n_sorted, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_cells(st->sorted[mid], row) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* The index of the first of the other shards of its key, or of a later key. */
static size_t
first_other(const struct velocity_store *st, const struct velocity_row *row)
{
	size_t low = 0, high = st->n_others, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (compare_cells(&st->others[mid], row) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static int
merge_row(const struct velocity *v, const struct velocity_row *row, int64_t now,
    struct velocity_state *ret, struct fail *f)
{
	struct velocity_state state;

	if (row->size == 0)
		return 0;
	if (ret->n == 0)
		return velocity_state_unpack(v, row->state, row->size, ret, f);
	if (velocity_state_unpack(v, row->state, row->size, &state, f) == -1)
		return -1;
	velocity_state_merge(v, ret, &state, now);
	return 0;
}

/* The changed rows: updates of stored ones, or inserts of new ones. */
static int
write_rows(struct velocity_store *st, bool stored, struct db *db,
    struct arena *a, struct fail *f)
{
	const struct velocity_row *row;
	struct cols c;
	size_t i;

	if (cols_init(&c, a,
		stored ? STMT_TXN_UPDATE_VELOCITIES : STMT_TXN_ADD_VELOCITIES,
		st->n_sorted, f) == -1)
		return -1;
	for (i = 0; i < st->n_sorted; i++) {
		row = st->sorted[i];
		if (!row->changed || row->stored != stored)
			continue;
		cols_int(&c, TXN_ADD_VELOCITIES_NUMBER, row->number);
		cols_bytes(&c, TXN_ADD_VELOCITIES_KEY, row->key, row->key_size);
		cols_int(&c, TXN_ADD_VELOCITIES_SHARD, row->shard);
		cols_bytes(&c, TXN_ADD_VELOCITIES_STATE, row->state, row->size);
		cols_time(&c, TXN_ADD_VELOCITIES_EXPIRES_AT,
		    velocity_state_expiry(
			row->counted->velocity, row->changed_at));
		c.n++;
	}
	return cols_send(&c, db, f);
}

/* By row, then by user. */
static int
compare_asked(const void *pa, const void *pb)
{
	const struct velocity_row *const *a = pa, *const *b = pb;
	const int order = compare_rows(*a, *b);

	if (order != 0)
		return order;
	return ((*a)->user_lock > (*b)->user_lock) -
	    ((*a)->user_lock < (*b)->user_lock);
}

static int
compare_pointers(const void *pa, const void *pb)
{
	const struct velocity_row *const *a = pa, *const *b = pb;

	return compare_rows(*a, *b);
}

/* By velocity, key and shard: the order in which transactions lock them. */
static int
compare_rows(const void *pa, const void *pb)
{
	const struct velocity_row *a = pa, *b = pb;
	const int order = compare_cells(a, b);

	if (order != 0)
		return order;
	return (a->shard > b->shard) - (a->shard < b->shard);
}

static int
compare_cells(const struct velocity_row *a, const struct velocity_row *b)
{
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return memcmp(a->key, b->key, sizeof(a->key));
}
