/* SPDX-License-Identifier: ISC */
/* A strict reader of comma-separated values (RFC 4180). */
#ifndef LIB_SYS_CSV_H
#define LIB_SYS_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fail;

#define CSV_FIELDS_MAX 256 /* fields of one row */
#define CSV_ROW_MAX 65536 /* bytes of one row, its fields together */

/*
 * A reader.  Its size is fixed, whatever the input.  The caller provides the
 * storage; nothing in it needs to be freed.
 */
struct csv {
	long (*read)(void *, char *, size_t);
	void *cookie;
	char in[16384]; /* bytes read but not yet parsed */
	size_t in_pos;
	size_t in_len;
	char row[CSV_ROW_MAX]; /* fields of the row, each with a NUL */
	size_t row_len;
	const char *field[CSV_FIELDS_MAX]; /* into row */
	size_t n_fields;
	size_t columns; /* fields of the first row, 0 before it */
	uint64_t rows; /* rows returned, with the header */
	uint64_t line; /* line being read, from 1 */
	uint64_t row_line; /* line on which the row began */
};

/*
 * Initialize a reader of the bytes that read(cookie, buf, size) delivers.
 * read() puts up to size bytes into buf and returns how many, 0 at the end, or
 * -1 if it failed.
 */
void csv_init(
    struct csv *cs, long (*read)(void *, char *, size_t), void *cookie);

/*
 * Read the next row into field[0..n_fields-1], which are valid until the next
 * call.  A line ends with LF or CR LF, the last one also at the end of the
 * input; a byte order mark before the first row is skipped, and so are blank
 * lines of a file with several columns.  Returns 1 for a
 * row, 0 at the end, or -1 with f set; its text names the line.  Refused are a
 * quote inside an unquoted field, text after a closing quote, a quote never
 * closed, a CR without LF, a NUL byte, a row that is too long, a row with
 * another number of fields than the first, and a first row that has semicolons
 * or tabs instead of commas.  Do not call it again after -1.
 */
int csv_next(struct csv *cs, struct fail *f)
    __attribute__((warn_unused_result));

/* Find the column of the current row whose field is name; -1: none. */
int csv_find(const struct csv *cs, const char *name);

#endif
