/* SPDX-License-Identifier: ISC */
/* assayctl lists: entries as people write them. */
#ifndef CTL_ENTRY_H
#define CTL_ENTRY_H

#include <stdint.h>

#include "core/list.h"

struct fail;

#define ENTRY_CREATED_BY "assayctl"

/* The fields of an entry, which are also the columns of a file. */
enum entry_field {
	ENTRY_KIND,
	ENTRY_SUBJECT,
	ENTRY_VALUE,
	ENTRY_REASON,
	ENTRY_EXPIRES,
	ENTRY_FIELD__MAX
};

/* An entry in its normal form. */
struct entry {
	enum list_kind en_kind;
	enum list_subject en_subject;
	char en_value[LIST_VALUE_SIZE];
	const char *en_reason; /* NULL: none; the text that was read */
	int64_t en_expires; /* microseconds UTC, 0: never */
};

/* "expiresAt" for ENTRY_EXPIRES. */
const char *entry_field_name(enum entry_field field);

/*
 * Read an entry out of the texts of its fields; an absent or empty reason or
 * end is none.  Returns 0, or -1 with f set: where is the field at fault.
 */
int entry_read(const char *const text[ENTRY_FIELD__MAX], struct entry *ret,
    struct fail *f) __attribute__((warn_unused_result));

#endif
