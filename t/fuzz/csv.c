/* SPDX-License-Identifier: ISC */
/*
 * Fuzz target: rows of comma-separated values.  Any split of the bytes reads
 * as the same rows, and rows that are written with every field in quotes read
 * back the same.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/sys/csv.h"
#include "t/fuzz/fuzz.h"

struct csv_fuzz_source {
	const char *data;
	size_t left;
	size_t step; /* bytes given at once, at most */
};

static int read_all(
    struct csv_fuzz_source src, char *ret, size_t room, struct fail *f);
static long source_read(void *cookie, char *buf, size_t size);
static size_t write_field(const char *field, char *ret);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const size_t room = 4 * size + 16; /* a field of one byte takes four */
	char *rows = malloc(room), *again = malloc(2 * room);
	struct csv_fuzz_source src = { (const char *)data, size, SIZE_MAX };
	struct fail f = { 0 }, g = { 0 };
	int rc;

	assert(rows != NULL && again != NULL);
	rc = read_all(src, rows, room, &f);
	assert(rc == 0 || f.why[0] != '\0');
	for (src.step = 1; src.step <= 3; src.step += 2) {
		assert(read_all(src, again, room, &g) == rc);
		assert(strcmp(again, rows) == 0 && strcmp(f.why, g.why) == 0);
	}
	if (rc == 0) {
		src = (struct csv_fuzz_source) { rows, strlen(rows), SIZE_MAX };
		assert(read_all(src, again, 2 * room, &g) == 0);
		assert(strcmp(again, rows) == 0);
	}
	free(rows);
	free(again);
	return 0;
}

/* Read all rows and write them to ret; returns csv_next()'s last result. */
static int
read_all(struct csv_fuzz_source src, char *ret, size_t room, struct fail *f)
{
	static struct csv cs;
	const char *end = ret + room;
	uint64_t rows = 0;
	size_t i;
	int rc;

	csv_init(&cs, source_read, &src);
	while ((rc = csv_next(&cs, f)) == 1) {
		assert(cs.n_fields > 0 && cs.n_fields <= CSV_FIELDS_MAX);
		assert(cs.n_fields == cs.columns);
		assert(cs.rows == ++rows && cs.row_line >= rows);
		for (i = 0; i < cs.n_fields; i++) {
			ret += write_field(cs.field[i], ret);
			*ret++ = i + 1 < cs.n_fields ? ',' : '\n';
			assert(ret < end);
		}
	}
	*ret = '\0';
	return rc;
}

static long
source_read(void *cookie, char *buf, size_t size)
{
	struct csv_fuzz_source *src = cookie;
	size_t n = src->left < src->step ? src->left : src->step;

	n = n < size ? n : size;
	if (n > 0)
		memcpy(buf, src->data, n);
	src->data += n;
	src->left -= n;
	return (long)n;
}

/* Write a field in quotes with its quotes doubled; returns its bytes. */
static size_t
write_field(const char *field, char *ret)
{
	size_t n = 0;

	ret[n++] = '"';
	for (; *field != '\0'; field++) {
		if (*field == '"')
			ret[n++] = '"';
		ret[n++] = *field;
	}
	ret[n++] = '"';
	return n;
}
