/* SPDX-License-Identifier: ISC */
/* Counters of companions: companions save them, pools read them. */
#include "config.h"

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/shared/companion_counter.h"
#include "lib/shared/shm.h"

#define CELLS_MAX (sizeof(struct metrics) / sizeof(uint64_t))

/* The counters to save: one array for each parameter of the statement. */
struct saved {
	const char **name;
	int64_t *first, *second, *n;
	_Atomic uint64_t **at; /* the counter in the slot */
	size_t size;
};

static int collect_cells(
    struct metrics *m, struct arena *a, struct saved *ret, struct fail *f);
static void raise_cell(_Atomic uint64_t *cell, uint64_t n);

int
companion_counter_save(
    struct db *db, struct arena *a, struct worker_slot *slot, struct fail *f)
{
	struct saved saved;
	struct params p;
	size_t i;

	if (collect_cells(&slot->metrics, a, &saved, f) == -1)
		return -1;
	if (saved.size == 0)
		return 0;
	params_init(&p, a);
	params_texts(&p, saved.name, saved.size);
	params_ints(&p, saved.first, saved.size);
	params_ints(&p, saved.second, saved.size);
	params_ints(&p, saved.n, saved.size);
	if (db_run(db, a, STMT_COUNTER_ADD, &p, NULL, f) == -1)
		return -1;
	for (i = 0; i < saved.size; i++)
		atomic_fetch_sub(saved.at[i], (uint64_t)saved.n[i]);
	return 0;
}

int
companion_counter_read(struct db *db, struct arena *a,
    struct companion_counters *c, struct fail *f)
{
	struct metric_cell cell;
	struct rows rows;
	uint64_t n;
	bool known;
	int i;

	if (db_run(db, a, STMT_COUNTER_READ, NULL, &rows, f) == -1)
		return -1;
	known = atomic_load(&c->read) != 0;
	for (i = 0; i < rows.n; i++) {
		/* Skip a counter that only a newer program has. */
		if (!metric_find(rows_text(&rows, i, "metric"),
			rows_int(&rows, i, "label1"),
			rows_int(&rows, i, "label2"), &cell))
			continue;
		n = (uint64_t)rows_int(&rows, i, "n");
		if (!known && !metric_is_persisted(&cell))
			atomic_store(metric_at(&c->base, &cell), n);
		raise_cell(metric_at(&c->now, &cell), n);
	}
	atomic_store(&c->read, 1);
	return 0;
}

/* Collect all cells of m that are not 0. */
static int
collect_cells(
    struct metrics *m, struct arena *a, struct saved *ret, struct fail *f)
{
	struct metric_cell cell = { 0 };
	_Atomic uint64_t *at;
	uint64_t n;

	ret->name = arena_array(a, CELLS_MAX, sizeof(*ret->name));
	ret->first = arena_array(a, CELLS_MAX, sizeof(*ret->first));
	ret->second = arena_array(a, CELLS_MAX, sizeof(*ret->second));
	ret->n = arena_array(a, CELLS_MAX, sizeof(*ret->n));
	ret->at = arena_array(a, CELLS_MAX, sizeof(void *));
	ret->size = 0;
	if (ret->at == NULL)
		return fail_memory(f);
	while (metric_next(&cell)) {
		at = metric_at(m, &cell);
		if ((n = atomic_load(at)) == 0)
			continue;
		ret->name[ret->size] = metric_name(&cell);
		ret->first[ret->size] = (int64_t)cell.first;
		ret->second[ret->size] = (int64_t)cell.second;
		ret->n[ret->size] = (int64_t)n;
		ret->at[ret->size++] = at;
	}
	return 0;
}

/* Never lower a counter: the database may be restored from a backup. */
static void
raise_cell(_Atomic uint64_t *cell, uint64_t n)
{
	if (n > atomic_load(cell))
		atomic_store(cell, n);
}
