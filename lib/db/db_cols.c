/* SPDX-License-Identifier: ISC */
/* Rows to write, stored by column and sent as arrays. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "lib/db/db_int.h"

int
cols_init(struct cols *c, struct arena *a, enum stmt stmt, size_t most,
    struct fail *f)
{
	const char *types = db_stmts[stmt].types;
	size_t i;

	c->arena = a;
	c->stmt = stmt;
	c->n = 0;
	for (i = 0; most > 0 && types[i] != '\0'; i++) {
		c->col[i].number = arena_array(a, most, sizeof(int64_t));
		c->col[i].size = types[i] == 'b'
		    ? arena_array(a, most, sizeof(size_t))
		    : NULL;
	}
	return a->overflow ? fail_memory(f) : 0;
}

void
cols_text(struct cols *c, int col, const char *s)
{
	assert(db_stmts[c->stmt].types[col] == 's');
	c->col[col].text[c->n] = s;
}

void
cols_int(struct cols *c, int col, int64_t n)
{
	assert(db_stmts[c->stmt].types[col] == 'i');
	c->col[col].number[c->n] = n;
}

void
cols_time(struct cols *c, int col, int64_t us)
{
	assert(db_stmts[c->stmt].types[col] == 't');
	c->col[col].number[c->n] = us;
}

void
cols_bytes(struct cols *c, int col, const void *data, size_t size)
{
	assert(db_stmts[c->stmt].types[col] == 'b');
	c->col[col].bytes[c->n] = data;
	c->col[col].size[c->n] = size;
}

int
cols_send(const struct cols *c, struct db *db, struct fail *f)
{
	const char *types = db_stmts[c->stmt].types;
	struct params p;
	size_t i;

	if (c->n == 0)
		return 0;
	params_init(&p, c->arena);
	for (i = 0; types[i] != '\0'; i++) {
		if (types[i] == 's')
			params_texts(&p, c->col[i].text, c->n);
		else if (types[i] == 'i')
			params_ints(&p, c->col[i].number, c->n);
		else if (types[i] == 't')
			params_times(&p, c->col[i].number, c->n);
		else
			params_blobs(&p, c->col[i].bytes, c->col[i].size, c->n);
	}
	return db_send(db, c->stmt, &p, f) == -1 ? -1 : 0;
}
