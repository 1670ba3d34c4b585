/* SPDX-License-Identifier: ISC */
/* Read list entries from requests and CSV files. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/utf8.h"
#include "core/event/pan.h"
#include "lib/json/body.h"
#include "lib/json/list_entry.h"
#include "lib/sys/clock.h"
#include "lib/sys/csv.h"

#define COLUMNS "kind,subject,value,reason,expiresAt"

static bool is_field(const struct list_entry_columns *ec, int column);
static int refuse_entry(struct fail *f, const char *where, const char *why);

static const char *const fields[LIST_ENTRY_FIELD__MAX] = {
	[LIST_ENTRY_KIND] = "kind",
	[LIST_ENTRY_SUBJECT] = "subject",
	[LIST_ENTRY_VALUE] = "value",
	[LIST_ENTRY_REASON] = "reason",
	[LIST_ENTRY_EXPIRES] = "expiresAt",
};

const char *
list_entry_field_name(enum list_entry_field field)
{
	return fields[field];
}

int
list_entry_read(const char *const text[LIST_ENTRY_FIELD__MAX],
    struct list_entry_input *ret, struct fail *f)
{
	const char *reason = text[LIST_ENTRY_REASON],
		   *end = text[LIST_ENTRY_EXPIRES];

	memset(ret, 0, sizeof(*ret));
	ret->kind = list_kind_parse(text[LIST_ENTRY_KIND]);
	if (ret->kind == LIST_KIND__NONE)
		return refuse_entry(f, fields[LIST_ENTRY_KIND], LIST_KIND_RULE);
	ret->subject = list_subject_parse(text[LIST_ENTRY_SUBJECT]);
	if (ret->subject == LIST_SUBJECT__NONE)
		return refuse_entry(
		    f, fields[LIST_ENTRY_SUBJECT], LIST_SUBJECT_RULE);
	if (list_entry_value(
		ret->subject, text[LIST_ENTRY_VALUE], ret->value) == -1)
		return refuse_entry(f, fields[LIST_ENTRY_VALUE],
		    list_entry_value_rule(ret->subject));
	if (utf8_has_blank_ends(ret->value))
		return refuse_entry(f, fields[LIST_ENTRY_VALUE],
		    "must not begin or end with white space or a character "
		    "that shows nothing: it would look like another value");
	if (reason != NULL && !list_reason(reason))
		return refuse_entry(f, fields[LIST_ENTRY_REASON],
		    "must be 1 to 256 bytes of UTF-8, on one line, not blank");
	if (reason != NULL && pan_in_text(reason, strlen(reason)))
		return fail_set(f, FAIL_INPUT, INGEST_PAN_REJECTED,
		    fields[LIST_ENTRY_REASON], "%s", BODY_PAN_RULE);
	ret->reason = reason;
	if (end != NULL &&
	    (clock_parse(end, &ret->expires) == -1 || ret->expires <= 0))
		return refuse_entry(f, fields[LIST_ENTRY_EXPIRES],
		    "must be a day and time of ISO 8601, like "
		    "2027-01-31T00:00:00Z");
	return 0;
}

int
list_entry_header(
    struct csv *cs, struct list_entry_columns *ret, struct fail *f)
{
	enum list_entry_field field;
	int r;

	if ((r = csv_next(cs, f)) == -1)
		return -1;
	if (r == 0)
		return refuse_entry(f, NULL, "the file is empty");
	for (field = 0; field < LIST_ENTRY_FIELD__MAX; field++) {
		ret->ec_column[field] = csv_find(cs, fields[field]);
		if (ret->ec_column[field] == -1 && field <= LIST_ENTRY_VALUE)
			return refuse_entry(
			    f, fields[field], "is not in the header: " COLUMNS);
	}
	for (r = 0; r < (int)cs->n_fields; r++)
		if (!is_field(ret, r))
			return refuse_entry(
			    f, NULL, "a column is none of " COLUMNS);
	return 0;
}

int
list_entry_next(struct csv *cs, const struct list_entry_columns *ec,
    struct list_entry_input *ret, struct fail *f)
{
	const char *text[LIST_ENTRY_FIELD__MAX];
	int field, r;

	if ((r = csv_next(cs, f)) != 1)
		return r;
	for (field = 0; field < LIST_ENTRY_FIELD__MAX; field++) {
		text[field] = ec->ec_column[field] == -1
		    ? NULL
		    : cs->field[ec->ec_column[field]];

		/* In a file, an absent field is empty. */
		if (field > LIST_ENTRY_VALUE && text[field] != NULL &&
		    *text[field] == '\0')
			text[field] = NULL;
	}
	return list_entry_read(text, ret, f) == -1 ? -1 : 1;
}

static bool
is_field(const struct list_entry_columns *ec, int column)
{
	enum list_entry_field field;

	for (field = 0; field < LIST_ENTRY_FIELD__MAX; field++)
		if (ec->ec_column[field] == column)
			return true;
	return false;
}

static int
refuse_entry(struct fail *f, const char *where, const char *why)
{
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, where, "%s", why);
}
