/* SPDX-License-Identifier: ISC */
/* Rows out of comma-separated values, strictly as RFC 4180 has them. */
#ifndef LIB_SYS_CSV_H
#define LIB_SYS_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fail;

#define CSV_FIELDS_MAX 256 /* fields of one row */
#define CSV_ROW_MAX 65536 /* bytes of one row, its fields together */

/*
 * A reader.  Its size is fixed, so that no input can make it grow; it lives
 * in the caller's storage and holds nothing that must be freed.
 */
struct csv {
	long (*read)(void *, char *, size_t);
	void *cookie;
	char in[16384]; /* bytes read and not yet looked at */
	size_t in_pos;
	size_t in_len;
	char row[CSV_ROW_MAX]; /* fields of the row, each with its NUL */
	size_t row_len;
	const char *field[CSV_FIELDS_MAX]; /* into row */
	size_t n_fields;
	size_t columns; /* fields of the first row, 0 before it */
	uint64_t rows; /* rows returned, the header among them */
	uint64_t line; /* line being read, from 1 */
	uint64_t row_line; /* line on which the row began */
};

/*
 * A reader of what read(cookie, buf, size) gives: it puts up to size bytes
 * into buf and returns how many, 0 at the end, -1 when it failed.
 */
void csv_init(
    struct csv *cs, long (*read)(void *, char *, size_t), void *cookie);

/*
 * Read the next row into cs_field[0..n_fields-1], which are valid until
 * the next call.  A line ends with LF or CR LF, the last one also with the
 * end; a byte order mark in front of the first row is skipped.  Returns 1
 * for a row, 0 at the end, or -1 with f set, where "line N": a quote inside
 * an unquoted field, text after a closing quote, a quote never closed, a CR
 * without LF, a NUL byte, a row that is too long or has other than the first
 * row's number of fields.  After -1 the reader is of no more use.
 */
int csv_next(struct csv *cs, struct fail *f)
    __attribute__((warn_unused_result));

/* The column of the row just read whose field is name, or -1. */
int csv_find(const struct csv *cs, const char *name);

#endif
