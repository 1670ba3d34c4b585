/* SPDX-License-Identifier: ISC */
/* Parameters of a statement, in PostgreSQL's binary format. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <string.h>

#include "core/base/arena.h"
#include "lib/db/db_int.h"

#define OID_BYTEA 17
#define OID_INT8 20
#define OID_TEXT 25
#define OID_TIMESTAMPTZ 1184

static void *param_room(struct params *p, size_t size);
static void params_wide(
    struct params *p, uint32_t oid, const int64_t *v, int64_t origin, size_t n);
static void *array_head(char *w, uint32_t oid, size_t n, bool nulls);

void
params_init(struct params *p, struct arena *a)
{
	p->arena = a;
	p->n = 0;
	p->failed = false;
}

void
params_null(struct params *p)
{
	assert(p->n < DB_PARAMS_MAX);
	p->value[p->n] = NULL;
	p->length[p->n++] = 0;
}

void
params_text(struct params *p, const char *s)
{
	if (s == NULL)
		params_null(p);
	else
		params_bytes(p, s, strlen(s));
}

void
params_int(struct params *p, int64_t n)
{
	const uint64_t wire = htobe64((uint64_t)n);

	params_bytes(p, &wire, sizeof(wire));
}

void
params_time(struct params *p, int64_t us)
{
	params_int(p, us - POSTGRES_EPOCH);
}

void
params_time_within(struct params *p, int64_t us)
{
	if (us == INT64_MIN || us == INT64_MAX)
		params_null(p);
	else
		params_time(p, us);
}

void
params_bytes(struct params *p, const void *data, size_t size)
{
	void *room = param_room(p, size);

	if (room != NULL && size > 0)
		memcpy(room, data, size);
}

void
params_texts(struct params *p, const char *const *v, size_t n)
{
	size_t i, len, size = 0;
	bool nulls = false;
	uint32_t wire;
	char *w;

	for (i = 0; i < n; i++) {
		nulls = nulls || v[i] == NULL;
		size += 4 + (v[i] == NULL ? 0 : strlen(v[i]));
	}
	if ((w = param_room(p, 20 + size)) == NULL)
		return;
	w = array_head(w, OID_TEXT, n, nulls);
	for (i = 0; i < n; i++) {
		len = v[i] == NULL ? 0 : strlen(v[i]);
		wire = v[i] == NULL ? UINT32_MAX : htonl((uint32_t)len);
		memcpy(w, &wire, 4);
		if (len > 0)
			memcpy(w + 4, v[i], len);
		w += 4 + len;
	}
}

void
params_ints(struct params *p, const int64_t *v, size_t n)
{
	params_wide(p, OID_INT8, v, 0, n);
}

void
params_times(struct params *p, const int64_t *us, size_t n)
{
	params_wide(p, OID_TIMESTAMPTZ, us, POSTGRES_EPOCH, n);
}

void
params_blobs(
    struct params *p, const void *const *v, const size_t *sizes, size_t n)
{
	size_t i, size = 0;
	bool nulls = false;
	uint32_t wire;
	char *w;

	for (i = 0; i < n; i++) {
		nulls = nulls || v[i] == NULL;
		size += 4 + (v[i] == NULL ? 0 : sizes[i]);
	}
	if ((w = param_room(p, 20 + size)) == NULL)
		return;
	w = array_head(w, OID_BYTEA, n, nulls);
	for (i = 0; i < n; i++) {
		wire = v[i] == NULL ? UINT32_MAX : htonl((uint32_t)sizes[i]);
		memcpy(w, &wire, 4);
		w += 4;
		if (v[i] != NULL) {
			memcpy(w, v[i], sizes[i]);
			w += sizes[i];
		}
	}
}

/* Room for the next parameter; NULL marks the list as failed. */
static void *
param_room(struct params *p, size_t size)
{
	void *room;

	assert(p->n < DB_PARAMS_MAX);
	room = size > INT32_MAX ? NULL : arena_alloc(p->arena, size);
	if (room == NULL) {
		p->failed = true;
		return NULL;
	}
	p->value[p->n] = room;
	p->length[p->n++] = (int)size;
	return room;
}

/* Append an array of n eight-byte values, each minus origin. */
static void
params_wide(
    struct params *p, uint32_t oid, const int64_t *v, int64_t origin, size_t n)
{
	const uint32_t eight = htonl(8);
	uint64_t wire;
	size_t i;
	char *w;

	if ((w = param_room(p, 20 + 12 * n)) == NULL)
		return;
	w = array_head(w, oid, n, false);
	for (i = 0; i < n; i++, w += 12) {
		wire = htobe64((uint64_t)(v[i] - origin));
		memcpy(w, &eight, 4);
		memcpy(w + 4, &wire, 8);
	}
}

/* Write the head of a one-dimensional array; returns where its elements go. */
static void *
array_head(char *w, uint32_t oid, size_t n, bool nulls)
{
	const uint32_t head[5] = { htonl(1), htonl(nulls ? 1 : 0), htonl(oid),
		htonl((uint32_t)n), htonl(1) };

	memcpy(w, head, sizeof(head));
	return w + sizeof(head);
}
