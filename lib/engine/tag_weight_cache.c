/* SPDX-License-Identifier: ISC */
/* The cache of tag weights in the memory of a worker. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/db/db.h"
#include "lib/engine/tag_weight_cache.h"

static int hold_tag_weights(
    struct tag_weights *ret, const struct rows *r, struct fail *f);
static int by_tag(const void *a, const void *b);

void
tag_weight_cache_clear(struct tag_weight_cache *l)
{
	free(l->tag_weights.all);
	memset(l, 0, sizeof(*l));
}

int
tag_weight_cache_send(const struct tag_weight_cache *l, struct db *db,
    struct arena *a, struct fail *f)
{
	struct params p;

	params_init(&p, a);
	params_int(&p, l->epoch);
	return db_send(db, STMT_TAG_WEIGHTS, &p, f);
}

int
tag_weight_cache_read(
    struct tag_weight_cache *l, const struct rows *r, struct fail *f)
{
	struct tag_weight_cache next = { 0 };

	if (r->n == 0)
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "assay.tag_epoch is empty");
	next.epoch = rows_int(r, 0, "epoch");
	if (next.epoch == l->epoch)
		return 0;
	if (hold_tag_weights(&next.tag_weights, r, f) == -1)
		return -1;
	tag_weight_cache_clear(l);
	*l = next;
	return 0;
}

int
tag_weight_cache_load(
    struct tag_weight_cache *l, struct db *db, struct arena *a, struct fail *f)
{
	struct params p;
	struct rows rows;

	params_init(&p, a);
	params_int(&p, l->epoch);
	if (db_run(db, a, STMT_TAG_WEIGHTS, &p, &rows, f) == -1)
		return -1;
	return tag_weight_cache_read(l, &rows, f);
}

/* Store rows as tag weights, with their texts in one block of memory. */
static int
hold_tag_weights(struct tag_weights *ret, const struct rows *r, struct fail *f)
{
	struct tag_weight *all;
	size_t len, size = 0;
	char *text;
	int i;

	/* Without tags there is one row, with the epoch. */
	if (rows_null(r, 0, "tag"))
		return 0;
	for (i = 0; i < r->n; i++)
		size += sizeof(*all) + strlen(rows_text(r, i, "tag")) + 1;
	if ((all = malloc(size)) == NULL)
		return fail_memory(f);
	text = (char *)(all + r->n);
	for (i = 0; i < r->n; i++) {
		len = strlen(rows_text(r, i, "tag")) + 1;
		memcpy(text, rows_text(r, i, "tag"), len);
		all[i] = (struct tag_weight) {
			.tag = text,
			.fraud = rows_int(r, i, "fraud"),
			.legit = rows_int(r, i, "legit"),
		};
		text += len;
	}
	qsort(all, (size_t)r->n, sizeof(*all), by_tag);
	*ret = (struct tag_weights) { .all = all, .n = (size_t)r->n };
	return 0;
}

static int
by_tag(const void *a, const void *b)
{
	const struct tag_weight *x = a, *y = b;

	return strcmp(x->tag, y->tag);
}
