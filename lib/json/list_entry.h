/* SPDX-License-Identifier: ISC */
/* Read list entries from requests and CSV files. */
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

/* A normalized entry. */
struct list_entry_input {
	enum list_kind kind;
	enum list_subject subject;
	char value[LIST_VALUE_SIZE];
	const char *reason; /* NULL: none; points into the text that was read */
	int64_t expires; /* microseconds UTC, 0: never */
};

/* The column of each field in a file; -1: none. */
struct list_entry_columns {
	int ec_column[LIST_ENTRY_FIELD__MAX];
};

/* "expiresAt" for LIST_ENTRY_EXPIRES. */
const char *list_entry_field_name(enum list_entry_field field);

/*
 * Read an entry from the texts of its fields; reason and end may be absent or
 * empty.  Returns 0, or -1 with f set; where is the field at fault.
 */
int list_entry_read(const char *const text[LIST_ENTRY_FIELD__MAX],
    struct list_entry_input *ret, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read the header of a file, its first row.  Returns 0, or -1 with f set: a
 * column is missing or unknown.  Unknown columns are refused because a mistyped
 * "expiresAt" would make entries that never expire.
 */
int list_entry_header(struct csv *cs, struct list_entry_columns *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Read the next entry of a file; its reason is valid until the next call.
 * Returns 1; 0 at the end; or -1 with f set.  If where is a field, the row is
 * not a valid entry, and the next row can be read.  If where is "", csv_next()
 * failed.
 */
int list_entry_next(struct csv *cs, const struct list_entry_columns *ec,
    struct list_entry_input *ret, struct fail *f)
    __attribute__((warn_unused_result));

#endif
