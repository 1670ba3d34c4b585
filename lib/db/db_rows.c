/* SPDX-License-Identifier: ISC */
/* Values of a result, from PostgreSQL's binary format. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <libpq-fe.h>
#include <string.h>

#include "lib/db/db_int.h"

static const char *raw_value(
    const struct rows *r, int row, const char *name, int *size);
static int column_named(const struct rows *r, const char *name);

bool
rows_null(const struct rows *r, int row, const char *name)
{
	return PQgetisnull(r->result, row, column_named(r, name));
}

const char *
rows_text(const struct rows *r, int row, const char *name)
{
	int size;

	return raw_value(r, row, name, &size);
}

int64_t
rows_int(const struct rows *r, int row, const char *name)
{
	uint64_t wide;
	uint32_t word;
	uint16_t half;
	const char *raw;
	int size;

	raw = raw_value(r, row, name, &size);
	if (raw == NULL)
		return 0;
	switch (size) {
	case 8:
		memcpy(&wide, raw, 8);
		return (int64_t)be64toh(wide);
	case 4:
		memcpy(&word, raw, 4);
		return (int32_t)ntohl(word);
	case 2:
		memcpy(&half, raw, 2);
		return (int16_t)ntohs(half);
	default:
		assert(size == 1);
		return raw[0];
	}
}

bool
rows_bool(const struct rows *r, int row, const char *name)
{
	return rows_int(r, row, name) != 0;
}

int64_t
rows_time(const struct rows *r, int row, const char *name)
{
	if (rows_null(r, row, name))
		return 0;
	return rows_int(r, row, name) + POSTGRES_EPOCH;
}

const void *
rows_bytes(const struct rows *r, int row, const char *name, size_t *size)
{
	const char *raw;
	int n;

	raw = raw_value(r, row, name, &n);
	*size = raw == NULL ? 0 : (size_t)n;
	return raw;
}

/* The bytes of a value; NULL for SQL null. */
static const char *
raw_value(const struct rows *r, int row, const char *name, int *size)
{
	const int col = column_named(r, name);

	assert(row >= 0 && row < r->n);
	*size = PQgetlength(r->result, row, col);
	if (PQgetisnull(r->result, row, col))
		return NULL;
	return PQgetvalue(r->result, row, col);
}

static int
column_named(const struct rows *r, const char *name)
{
	const int col = PQfnumber(r->result, name);

	assert(col >= 0);
	return col;
}
