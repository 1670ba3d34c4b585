/* SPDX-License-Identifier: ISC */
/* A strict reader of comma-separated values (RFC 4180). */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/sys/csv.h"

/* Results of csv_byte() that are not bytes. */
#define BYTE_END (-1)
#define BYTE_FAILED (-2)

static int csv_byte(struct csv *cs);
static int csv_peek(struct csv *cs);
static int csv_put(struct csv *cs, int c, struct fail *f);
static int csv_field(struct csv *cs, int c, int *ret_end, struct fail *f);
static int csv_plain(struct csv *cs, int c, int *ret_end, struct fail *f);
static int csv_quoted(struct csv *cs, int *ret_end, struct fail *f);
static int csv_end_of_line(struct csv *cs, int *c, struct fail *f);
static int csv_bad(const struct csv *cs, const char *why, struct fail *f);
static void csv_skip_mark(struct csv *cs);
static int csv_skip_blank(struct csv *cs, int c);

void
csv_init(struct csv *cs, long (*read)(void *, char *, size_t), void *cookie)
{
	memset(cs, 0, sizeof(*cs));
	cs->read = read;
	cs->cookie = cookie;
	cs->line = 1;
}

int
csv_next(struct csv *cs, struct fail *f)
{
	int c;

	if (cs->rows == 0)
		csv_skip_mark(cs);
	cs->row_len = 0;
	cs->n_fields = 0;
	cs->row_line = cs->line;
	c = csv_skip_blank(cs, csv_byte(cs));
	if (c == BYTE_END)
		return 0;

	/* csv_field() sets c to the byte after the field. */
	for (;;) {
		if (csv_field(cs, c, &c, f) == -1)
			return -1;
		if (c != ',')
			break;
		c = csv_byte(cs);
	}
	if (c == '\n')
		cs->line++;

	if (cs->columns == 0 && cs->n_fields == 1 &&
	    strpbrk(cs->field[0], ";\t") != NULL)
		return csv_bad(cs,
		    "has no comma, but a semicolon or a tab: separate the "
		    "fields by commas",
		    f);
	if (cs->columns == 0)
		cs->columns = cs->n_fields;
	if (cs->n_fields != cs->columns)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "line %" PRIu64 " has %zu fields, the first row has %zu",
		    cs->row_line, cs->n_fields, cs->columns);
	cs->rows++;
	return 1;
}

int
csv_find(const struct csv *cs, const char *name)
{
	size_t i;

	for (i = 0; i < cs->n_fields; i++)
		if (strcmp(cs->field[i], name) == 0)
			return (int)i;
	return -1;
}

/* Read the field that begins with byte c; *ret_end is the byte after it. */
static int
csv_field(struct csv *cs, int c, int *ret_end, struct fail *f)
{
	if (cs->n_fields == CSV_FIELDS_MAX)
		return csv_bad(cs, "has too many fields", f);
	cs->field[cs->n_fields++] = cs->row + cs->row_len;
	if (c == '"' ? csv_quoted(cs, ret_end, f) == -1
		     : csv_plain(cs, c, ret_end, f) == -1)
		return -1;
	return csv_put(cs, '\0', f);
}

/* Read the rest of an unquoted field whose first byte is c. */
static int
csv_plain(struct csv *cs, int c, int *ret_end, struct fail *f)
{
	for (; c != ',' && c != '\n' && c != '\r' && c >= 0; c = csv_byte(cs)) {
		if (c == '"')
			return csv_bad(
			    cs, "has a quote inside a field without quotes", f);
		if (c == '\0')
			return csv_bad(cs, "has a NUL byte", f);
		if (csv_put(cs, c, f) == -1)
			return -1;
	}
	*ret_end = c;
	return csv_end_of_line(cs, ret_end, f);
}

/* Read the rest of a field after its opening quote. */
static int
csv_quoted(struct csv *cs, int *ret_end, struct fail *f)
{
	int c;

	for (;;) {
		c = csv_byte(cs);
		if (c == '"') {
			/* Two quotes mean one; a single one ends the field. */
			if (csv_peek(cs) != '"')
				break;
			c = csv_byte(cs);
		}
		if (c == BYTE_END)
			return csv_bad(cs, "begins a quote never closed", f);
		if (c == BYTE_FAILED)
			return csv_bad(cs, "could not be read", f);
		if (c == '\0')
			return csv_bad(cs, "has a NUL byte", f);
		if (c == '\n')
			cs->line++;
		if (csv_put(cs, c, f) == -1)
			return -1;
	}
	*ret_end = csv_byte(cs);
	if (csv_end_of_line(cs, ret_end, f) == -1)
		return -1;
	if (*ret_end != ',' && *ret_end != '\n' && *ret_end != BYTE_END)
		return csv_bad(cs, "has text after a closing quote", f);
	return 0;
}

/* Turn CR LF into LF; refuse any other CR. */
static int
csv_end_of_line(struct csv *cs, int *c, struct fail *f)
{
	if (*c == '\r' && (*c = csv_byte(cs)) != '\n')
		return csv_bad(cs, "has a CR without LF", f);
	if (*c == BYTE_FAILED)
		return csv_bad(cs, "could not be read", f);
	return 0;
}

/* Append one byte to the row. */
static int
csv_put(struct csv *cs, int c, struct fail *f)
{
	if (cs->row_len == sizeof(cs->row))
		return csv_bad(cs, "is too long", f);
	cs->row[cs->row_len++] = (char)c;
	return 0;
}

/* Return the next byte without consuming it, BYTE_END or BYTE_FAILED. */
static int
csv_peek(struct csv *cs)
{
	long n;

	if (cs->in_pos == cs->in_len) {
		n = cs->read(cs->cookie, cs->in, sizeof(cs->in));
		if (n <= 0)
			return n == 0 ? BYTE_END : BYTE_FAILED;
		cs->in_pos = 0;
		cs->in_len = (size_t)n;
	}
	return (unsigned char)cs->in[cs->in_pos];
}

/* Consume the next byte. */
static int
csv_byte(struct csv *cs)
{
	int c = csv_peek(cs);

	if (c >= 0)
		cs->in_pos++;
	return c;
}

/*
 * Skip the byte order mark that spreadsheets write.  read() may deliver its
 * bytes one by one.
 */
static void
csv_skip_mark(struct csv *cs)
{
	static const char mark[] = "\xef\xbb\xbf";
	const size_t size = sizeof(mark) - 1;
	long n = 1;

	while (n > 0 && cs->in_len < size) {
		n = cs->read(cs->cookie, cs->in + cs->in_len,
		    sizeof(cs->in) - cs->in_len);
		cs->in_len += n > 0 ? (size_t)n : 0;
	}
	if (cs->in_len >= size && memcmp(cs->in, mark, size) == 0)
		cs->in_pos = size;
}

/*
 * Skip lines without a byte, of which the first begins with c.  They are rows
 * of a file with one column.  Return the first byte of the next row.
 */
static int
csv_skip_blank(struct csv *cs, int c)
{
	while (cs->columns != 1 &&
	    (c == '\n' || (c == '\r' && csv_peek(cs) == '\n'))) {
		if (c == '\r')
			csv_byte(cs);
		cs->row_line = ++cs->line;
		c = csv_byte(cs);
	}
	return c;
}

/* Refuse the row being read. */
static int
csv_bad(const struct csv *cs, const char *why, struct fail *f)
{
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "line %" PRIu64 " %s", cs->row_line, why);
}
