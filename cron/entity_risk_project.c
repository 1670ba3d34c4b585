/* SPDX-License-Identifier: ISC */
/* Count the events and labels of devices and ips: one packed row per entity. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/entity_risk.h"
#include "cron/entity_risk_project.h"
#include "cron/job.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"

#define SUMMARIZE_MIN 100 /* decisions of a step that need summaries */
#define LABELS_MAX 20 /* per transaction, which delays changes of them */
#define FORGET_MAX 1000 /* entities per step */

/* Rows of STMT_RISK_EVENTS or _LABELS, to add to the counts, by entity. */
struct risk_changes {
	const struct rows *rows;
	int next; /* number of the next row */
};

/* Packed histories to write, by entity. */
struct risk_written {
	int64_t *entity;
	int64_t *newest; /* day */
	const void **packed;
	size_t *size;
	size_t n;
};

static int labels_next(struct job_run *r, bool *more, struct fail *f);
static int change_histories(
    struct job_run *r, const struct rows *rows, int first, struct fail *f);
static int read_stored(struct job_run *r, const struct risk_changes *c,
    struct risk_written *w, struct rows *ret, struct fail *f);
static bool is_next(const struct risk_changes *c, int64_t entity);
static void add_next(
    struct risk_changes *c, struct entity_risk_history *history);
static bool pack_history(struct risk_written *w, struct arena *a, size_t i,
    struct entity_risk_history *history);

int
entity_risk_project_events(
    struct job_run *r, const struct rows *piece, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, rows_int(piece, 0, "from_xid"));
	params_text(&p, rows_text(piece, 0, "from_id"));
	params_int(&p, rows_int(piece, 0, "to_xid"));
	params_text(&p, rows_text(piece, 0, "to_id"));
	if (db_run(r->db, r->arena, STMT_RISK_EVENTS, &p, &rows, f) == -1)
		return -1;
	return change_histories(r, &rows, 0, f);
}

int
entity_risk_project_prepare(
    struct job_run *r, int64_t decisions, struct fail *f)
{
	struct rows rows;

	if (decisions < SUMMARIZE_MIN)
		return 0;
	return db_one(r->db, r->arena, STMT_DETAIL_SUMMARIZE, NULL, &rows, f);
}

int
entity_risk_project_labels(struct job_run *r, bool *more, struct fail *f)
{
	if (labels_next(r, more, f) == 0)
		return 0;
	db_rollback(r->db);
	return -1;
}

int
entity_risk_project_forget(struct job_run *r, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, FORGET_MAX);
	return db_one(r->db, r->arena, STMT_RISK_FORGET, &p, &rows, f);
}

/* The first row holds the number of labels, the others hold changes. */
static int
labels_next(struct job_run *r, bool *more, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, r->arena);
	params_int(&p, LABELS_MAX);
	if (db_run(r->db, r->arena, STMT_BEGIN, NULL, NULL, f) == -1 ||
	    db_run(r->db, r->arena, STMT_RISK_LABELS, &p, &rows, f) == -1 ||
	    change_histories(r, &rows, 1, f) == -1 ||
	    db_run(r->db, r->arena, STMT_COMMIT, NULL, NULL, f) == -1)
		return -1;
	if (rows.n > 0 && rows_int(&rows, 0, "labels") == LABELS_MAX)
		*more = true;
	return 0;
}

/* Add the rows from number first on to the stored counts. */
static int
change_histories(
    struct job_run *r, const struct rows *rows, int first, struct fail *f)
{
	struct risk_changes c = { .rows = rows, .next = first };
	struct risk_written w = { 0 };
	struct entity_risk_history history;
	struct params p;
	struct rows stored;
	const void *packed;
	size_t i, size;
	int at = 0;

	if (first >= rows->n)
		return 0;
	if (read_stored(r, &c, &w, &stored, f) == -1)
		return -1;

	/* Both results are in the order of their entities. */
	for (i = 0; i < w.n; i++) {
		packed = NULL;
		size = 0;
		if (at < stored.n &&
		    rows_int(&stored, at, "entity") == w.entity[i])
			packed = rows_bytes(&stored, at++, "days", &size);
		if (entity_risk_unpack(packed, size, &history, f) == -1)
			return -1;
		while (is_next(&c, w.entity[i]))
			add_next(&c, &history);
		if (!pack_history(&w, r->arena, i, &history))
			return fail_memory(f);
	}
	params_init(&p, r->arena);
	params_ints(&p, w.entity, w.n);
	params_ints(&p, w.newest, w.n);
	params_blobs(&p, w.packed, w.size, w.n);
	return db_run(r->db, r->arena, STMT_RISK_PUT, &p, NULL, f);
}

/* List the entities of the changes in w, and read their stored histories. */
static int
read_stored(struct job_run *r, const struct risk_changes *c,
    struct risk_written *w, struct rows *ret, struct fail *f)
{
	const size_t max = (size_t)(c->rows->n - c->next);
	struct params p;
	int64_t entity;
	int row;

	w->entity = arena_array(r->arena, max, sizeof(*w->entity));
	w->newest = arena_array(r->arena, max, sizeof(*w->newest));
	w->packed = arena_array(r->arena, max, sizeof(*w->packed));
	w->size = arena_array(r->arena, max, sizeof(*w->size));
	if (r->arena->overflow)
		return fail_memory(f);
	for (row = c->next; row < c->rows->n; row++) {
		entity = rows_int(c->rows, row, "entity");
		if (w->n == 0 || w->entity[w->n - 1] != entity)
			w->entity[w->n++] = entity;
	}
	params_init(&p, r->arena);
	params_ints(&p, w->entity, w->n);
	return db_run(r->db, r->arena, STMT_RISK_DAYS, &p, ret, f);
}

/* Return whether the next change belongs to this entity. */
static bool
is_next(const struct risk_changes *c, int64_t entity)
{
	return c->next < c->rows->n &&
	    rows_int(c->rows, c->next, "entity") == entity;
}

static void
add_next(struct risk_changes *c, struct entity_risk_history *history)
{
	const struct entity_risk_slot more = {
		.slot = (int32_t)rows_int(c->rows, c->next, "slot"),
		.events = (int32_t)rows_int(c->rows, c->next, "events"),
		.fraud = (int32_t)rows_int(c->rows, c->next, "fraud"),
		.labels = (int32_t)rows_int(c->rows, c->next, "labels"),
	};

	entity_risk_add(history, &more, (int)conf.LABEL_DELAY_DAYS);
	c->next++;
}

static bool
pack_history(struct risk_written *w, struct arena *a, size_t i,
    struct entity_risk_history *history)
{
	uint8_t room[ENTITY_RISK_PACKED_MAX];
	void *packed;

	w->newest[i] = history->slots[0].slot / ENTITY_RISK_DAY_SLOTS;
	w->size[i] = entity_risk_pack(history, room);
	packed = arena_alloc(a, w->size[i]);
	w->packed[i] = packed;
	if (packed == NULL)
		return false;
	memcpy(packed, room, w->size[i]);
	return true;
}
