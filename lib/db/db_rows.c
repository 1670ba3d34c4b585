/* SPDX-License-Identifier: ISC */
/* Values of a result, from PostgreSQL's binary format. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <endian.h>
#include <libpq-fe.h>
#include <string.h>

#include "lib/db/db_int.h"

static const char *rows_raw(const struct rows *r, int row, int col, int *size);

int
rows_col(const struct rows *r, const char *name)
{
	int col = PQfnumber(r->result, name);

	assert(col >= 0);
	return col;
}

bool
rows_null(const struct rows *r, int row, int col)
{
	return PQgetisnull(r->result, row, col);
}

const char *
rows_text(const struct rows *r, int row, int col)
{
	int size;

	return rows_raw(r, row, col, &size);
}

int64_t
rows_int(const struct rows *r, int row, int col)
{
	uint64_t wide;
	uint32_t word;
	uint16_t half;
	const char *raw;
	int size;

	raw = rows_raw(r, row, col, &size);
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
rows_bool(const struct rows *r, int row, int col)
{
	return rows_int(r, row, col) != 0;
}

int64_t
rows_time(const struct rows *r, int row, int col)
{
	if (rows_null(r, row, col))
		return 0;
	return rows_int(r, row, col) + POSTGRES_EPOCH;
}

const void *
rows_bytes(const struct rows *r, int row, int col, size_t *size)
{
	const char *raw;
	int n;

	raw = rows_raw(r, row, col, &n);
	*size = raw == NULL ? 0 : (size_t)n;
	return raw;
}

const char *
rows_get_text(const struct rows *r, const char *name)
{
	return rows_text(r, 0, rows_col(r, name));
}

int64_t
rows_get_int(const struct rows *r, const char *name)
{
	return rows_int(r, 0, rows_col(r, name));
}

bool
rows_get_bool(const struct rows *r, const char *name)
{
	return rows_bool(r, 0, rows_col(r, name));
}

int64_t
rows_get_time(const struct rows *r, const char *name)
{
	return rows_time(r, 0, rows_col(r, name));
}

/* The bytes of a value; NULL for SQL null. */
static const char *
rows_raw(const struct rows *r, int row, int col, int *size)
{
	assert(row >= 0 && row < r->n);
	*size = PQgetlength(r->result, row, col);
	if (PQgetisnull(r->result, row, col))
		return NULL;
	return PQgetvalue(r->result, row, col);
}
