/* SPDX-License-Identifier: ISC */
/* Training: the table in memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/signal/features.h"
#include "lib/train/train.h"

#define ROWS_FIRST 4096 /* initial capacity, rows */
#define SLOTS_FIRST 4096 /* initial slots for user names, a power of two */

/* A slot of the hash table of user names. */
struct user_id {
	char *name; /* NULL: free */
	uint32_t number;
};

static int grow_table(struct train_table *tb);
static int resize_array(void *array, size_t n, size_t size);
static int user_number(struct train_table *tb, const char *name, uint32_t *ret);
static int user_grow(struct train_table *tb);
static struct user_id *user_slot(
    const struct train_table *tb, const char *name);

bool
train_table_count_row(struct train_table *tb, int64_t at)
{
	if (tb->rows++ == 0)
		tb->first = at;
	tb->last = at;
	return at >= tb->keep.from && at < tb->keep.to;
}

int
train_table_add(
    struct train_table *tb, const struct table_row *row, struct fail *f)
{
	const size_t i = tb->n;

	if (grow_table(tb) == -1 ||
	    user_number(tb, row->user, &tb->user[i]) == -1)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "out of memory; reduce --train-days or --test-days");
	tb->at[i] = row->at;
	tb->known[i] = row->known;
	tb->label[i] = (uint8_t)row->label;
	tb->type[i] = (uint8_t)row->type;
	memcpy(tb->x + i * FEATURE__MAX, row->x, sizeof(row->x));
	tb->n++;
	return 0;
}

void
train_table_clear(struct train_table *tb)
{
	size_t i;

	for (i = 0; i < tb->n_slots; i++)
		free(tb->slots[i].name);
	free(tb->slots);
	free(tb->x);
	free(tb->at);
	free(tb->known);
	free(tb->user);
	free(tb->label);
	free(tb->type);
	memset(tb, 0, sizeof(*tb));
}

size_t
train_table_at(const struct train_table *tb, int64_t at)
{
	size_t low = 0, high = tb->n, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (tb->at[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Make room for one more row. */
static int
grow_table(struct train_table *tb)
{
	const size_t cap = tb->cap == 0 ? ROWS_FIRST : tb->cap + tb->cap / 2;

	if (tb->n < tb->cap)
		return 0;
	if (resize_array(&tb->x, cap, FEATURE__MAX * sizeof(*tb->x)) == -1 ||
	    resize_array(&tb->at, cap, sizeof(*tb->at)) == -1 ||
	    resize_array(&tb->known, cap, sizeof(*tb->known)) == -1 ||
	    resize_array(&tb->user, cap, sizeof(*tb->user)) == -1 ||
	    resize_array(&tb->label, cap, sizeof(*tb->label)) == -1 ||
	    resize_array(&tb->type, cap, sizeof(*tb->type)) == -1)
		return -1;
	tb->cap = cap;
	return 0;
}

/* Resize the array at *array, of any type, to n elements of size bytes. */
static int
resize_array(void *array, size_t n, size_t size)
{
	void *old, *made;

	memcpy(&old, array, sizeof(old));
	if (n > SIZE_MAX / size || (made = realloc(old, n * size)) == NULL)
		return -1;
	memcpy(array, &made, sizeof(made));
	return 0;
}

/* Return the number of a user in *ret; a new name gets the next number. */
static int
user_number(struct train_table *tb, const char *name, uint32_t *ret)
{
	struct user_id *slot;

	if (2 * tb->users >= tb->n_slots && user_grow(tb) == -1)
		return -1;
	slot = user_slot(tb, name);
	if (slot->name == NULL) {
		if (tb->users == UINT32_MAX ||
		    (slot->name = strdup(name)) == NULL)
			return -1;
		slot->number = (uint32_t)tb->users++;
	}
	*ret = slot->number;
	return 0;
}

static int
user_grow(struct train_table *tb)
{
	struct user_id *const old = tb->slots;
	const size_t n_old = tb->n_slots;
	const size_t n = n_old == 0 ? SLOTS_FIRST : 2 * n_old;
	size_t i;

	if ((tb->slots = calloc(n, sizeof(*tb->slots))) == NULL) {
		tb->slots = old;
		return -1;
	}
	tb->n_slots = n;
	for (i = 0; i < n_old; i++)
		if (old[i].name != NULL)
			*user_slot(tb, old[i].name) = old[i];
	free(old);
	return 0;
}

/* Return the slot of a name, or the free slot for it (hash FNV-1a). */
static struct user_id *
user_slot(const struct train_table *tb, const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	const char *p;
	size_t i;

	for (p = name; *p != '\0'; p++)
		hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
	for (i = hash & (tb->n_slots - 1); tb->slots[i].name != NULL;
	     i = (i + 1) & (tb->n_slots - 1))
		if (strcmp(tb->slots[i].name, name) == 0)
			break;
	return &tb->slots[i];
}
