/* SPDX-License-Identifier: ISC */
/* Entries of the lists as people and files write them. */
#ifndef LIB_JSON_LIST_ENTRY_H
#define LIB_JSON_LIST_ENTRY_H

#include <stdint.h>

#include "core/event/list.h"

struct csv;
struct fail;

/* The fields of an entry, which are also the columns of a file. */
enum list_entry_field {
	LIST_ENTRY_KIND,
	LIST_ENTRY_SUBJECT,
	LIST_ENTRY_VALUE,
	LIST_ENTRY_REASON,
	LIST_ENTRY_EXPIRES,
	LIST_ENTRY_FIELD__MAX
};

/* An entry in its normal form. */
struct list_entry_input {
	enum list_kind kind;
	enum list_subject subject;
	char value[LIST_VALUE_SIZE];
	const char *reason; /* NULL: none; the text that was read */
	int64_t expires; /* microseconds UTC, 0: never */
};

/* Which column of a file is which field, -1: it has none. */
struct list_entry_columns {
	int ec_column[LIST_ENTRY_FIELD__MAX];
};

/* "expiresAt" for LIST_ENTRY_EXPIRES. */
const char *list_entry_field_name(enum list_entry_field field);

/*
 * Read an entry out of the texts of its fields; an absent or empty reason or
 * end is none.  Returns 0, or -1 with f set: where is the field at fault.
 */
int list_entry_read(const char *const text[LIST_ENTRY_FIELD__MAX],
    struct list_entry_input *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read a file's header, its first row.  Returns 0, or -1 with f set: a column
 * is missing, or is none of ours (mistyped, it would make eternal entries).
 */
int list_entry_header(struct csv *cs, struct list_entry_columns *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Read a file's next entry, whose reason stays with cs until the row after.
 * Returns 1; 0 at the end; or -1 with f set: a row that is no entry, where the
 * field, after which others can be read; or what csv_next() says, where "".
 */
int list_entry_next(struct csv *cs, const struct list_entry_columns *ec,
    struct list_entry_input *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
