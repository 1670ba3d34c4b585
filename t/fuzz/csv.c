/* SPDX-License-Identifier: ISC */
/* Fuzz target: rows of comma-separated values. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/fail.h"
#include "lib/csv.h"
#include "t/fuzz/fuzz.h"

struct source {
	const uint8_t *data;
	size_t left;
	size_t step;
};

static long
source_read(void *cookie, char *buf, size_t size)
{
	struct source *src = cookie;
	size_t n = src->left < src->step ? src->left : src->step;

	n = n < size ? n : size;
	if (n > 0)
		memcpy(buf, src->data, n);
	src->data += n;
	src->left -= n;
	return (long)n;
}

/* Read all in pieces; the sum of the lengths of all fields, or -1. */
static long
read_all(struct source src)
{
	static struct csv cs;
	struct fail f = { 0 };
	long sum = 0;
	size_t i;
	int rc;

	csv_init(&cs, source_read, &src);
	while ((rc = csv_next(&cs, &f)) == 1)
		for (i = 0; i < cs.cs_n_fields; i++)
			sum += 1 + (long)strlen(cs.cs_field[i]);
	assert(rc == 0 || f.why[0] != '\0');
	return rc == -1 ? -1 : sum;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* However the bytes arrive, they mean the same. */
	assert(read_all((struct source) { data, size, size }) ==
	    read_all((struct source) { data, size, 3 }));
	return 0;
}
