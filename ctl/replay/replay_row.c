/* SPDX-License-Identifier: ISC */
/* Convert the rows of a CSV file to events. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/ctl.h"
#include "ctl/replay/replay.h"
#include "ctl/term_text.h"
#include "lib/sys/clock.h"

#define TIME_END INT64_C(32503680000000000) /* the year 3000 */
#define ATTR "attr." /* prefix of columns that are attributes */

/* The object of the event that contains a field; OURS is not sent. */
enum row_part { PART_TOP = 1, PART_SUBJECT, PART_INSTRUMENT, PART_OURS };

enum replay_field {
	FIELD_ID,
	FIELD_TYPE,
	FIELD_AMOUNT,
	FIELD_CURRENCY,
	FIELD_USER,
	FIELD_DEVICE,
	FIELD_FINGERPRINT,
	FIELD_IP,
	FIELD_PHONE,
	FIELD_CHANNEL,
	FIELD_KIND,
	FIELD_BIN,
	FIELD_ISSUER,
	FIELD_THREEDS,
	FIELD_FRAUD,
	FIELD_TIME,
	FIELD__MAX
};

static const struct {
	const char *name;
	enum row_part part;
	bool text; /* always a string, also if it looks like a number */
} fields[FIELD__MAX] = {
	[FIELD_ID] = { "id", PART_TOP, true },
	[FIELD_TYPE] = { "type", PART_TOP, true },
	[FIELD_AMOUNT] = { "amount", PART_TOP, false },
	[FIELD_CURRENCY] = { "currency", PART_TOP, true },
	[FIELD_USER] = { "userId", PART_SUBJECT, true },
	[FIELD_DEVICE] = { "deviceId", PART_SUBJECT, true },
	[FIELD_FINGERPRINT] = { "fingerprint", PART_SUBJECT, true },
	[FIELD_IP] = { "ip", PART_SUBJECT, true },
	[FIELD_PHONE] = { "phone", PART_SUBJECT, true },
	[FIELD_CHANNEL] = { "channel", PART_SUBJECT, true },
	[FIELD_KIND] = { "kind", PART_INSTRUMENT, true },
	[FIELD_BIN] = { "bin", PART_INSTRUMENT, true },
	[FIELD_ISSUER] = { "issuerCountry", PART_INSTRUMENT, true },
	[FIELD_THREEDS] = { "threeDS", PART_INSTRUMENT, false },
	[FIELD_FRAUD] = { "fraud", PART_OURS, true },
	[FIELD_TIME] = { "time", PART_OURS, true },
};

_Static_assert(FIELD__MAX <= ROW_FIELDS, "a layout has room for all fields");

static int map_apply(struct replay_layout *la, const struct csv *cs, char *map,
    struct arena *a, struct fail *f);
static int map_one(struct replay_layout *la, const struct csv *cs, char *pair,
    struct arena *a, struct fail *f);
static void attr_add(
    struct replay_layout *la, const char *name, int column, struct arena *a);
static const char *shown_name(struct arena *a, const char *name);
static bool attr_named(const struct replay_layout *la, const char *name);
static void name_unused(
    struct replay_layout *la, const struct csv *cs, struct arena *a);
static bool is_used(const struct replay_layout *la, int column);
static bool say_types(const struct replay_attr *at);
static enum value_type type_of_text(const char *text);
static const char *as_boolean(const char *text);
static const char *row_field(const struct replay_layout *la,
    const struct csv *cs, enum replay_field field);
static void put_row_id(const struct replay_layout *la, const struct csv *cs,
    struct str *s, struct replay_item *item);
static void put_part(const struct replay_layout *la, const struct csv *cs,
    enum row_part part, const char *name, struct str *s);
static void put_row_attrs(
    const struct replay_layout *la, const struct csv *cs, struct str *s);
static void put_row_value(struct str *s, const char *text, bool must_be_text);
static bool is_number(const char *text);

int
replay_row_layout(struct replay_layout *la, const struct csv *cs,
    const char *map, struct arena *a, struct fail *f)
{
	size_t i, n = strlen(ATTR);
	char *copy;

	for (i = 0; i < FIELD__MAX; i++)
		la->column[i] = csv_find(cs, fields[i].name);
	if (map != NULL) {
		if ((copy = arena_strdup(a, map)) == NULL)
			return fail_set(
			    f, FAIL_US, INTERNAL, NULL, "--map is too long");
		if (map_apply(la, cs, copy, a, f) == -1)
			return -1;
	}
	for (i = 0; i < cs->n_fields; i++)
		if (strncmp(cs->field[i], ATTR, n) == 0 &&
		    !attr_named(la, cs->field[i] + n))
			attr_add(la, cs->field[i] + n, (int)i, a);
	if (la->column[FIELD_USER] == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "no column is named userId; use --map userId=COLUMN");
	la->type_column = -1;
	if (la->type != NULL) {
		la->type_column = la->column[FIELD_TYPE];
		la->column[FIELD_TYPE] = -1;
	}
	name_unused(la, cs, a);
	la->truth = la->column[FIELD_FRAUD] != -1;
	return 0;
}

void
replay_row_event(const struct replay_layout *la, const struct csv *cs,
    struct str *s, struct replay_item *item)
{
	const char *type = row_field(la, cs, FIELD_TYPE);
	const char *amount = row_field(la, cs, FIELD_AMOUNT);
	const char *currency = row_field(la, cs, FIELD_CURRENCY);
	const char *user = row_field(la, cs, FIELD_USER);

	if (type == NULL)
		type = la->type == NULL ? "card.authorize" : la->type;
	currency = currency == NULL ? la->currency : currency;
	put_row_id(la, cs, s, item);
	writer_text(s, "type", type);
	if (amount != NULL) {
		writer_name(s, "amount");
		put_row_value(s, amount, false);
		if (currency != NULL)
			writer_text(s, "currency", currency);
	}
	put_part(la, cs, PART_SUBJECT, "subject", s);
	put_part(la, cs, PART_INSTRUMENT, "instrument", s);
	put_row_attrs(la, cs, s);
	writer_end(s);

	snprintf(
	    item->user, sizeof(item->user), "%s", user == NULL ? "" : user);
	snprintf(item->type, sizeof(item->type), "%s", type);
	snprintf(item->amount, sizeof(item->amount), "%s%s%s",
	    amount == NULL ? "" : amount, amount == NULL ? "" : " ",
	    amount == NULL || currency == NULL ? "" : currency);
}

void
replay_row_note(struct replay_layout *la, const struct csv *cs)
{
	struct replay_seen *seen;
	const char *text;
	size_t i;

	for (i = 0; i < la->n_attrs; i++) {
		text = cs->field[la->attr[i].column];
		if (*text == '\0')
			continue;
		seen = &la->attr[i].seen[type_of_text(text)];
		if (seen->n++ == 0)
			seen->line = cs->row_line;
	}
}

bool
replay_row_losses(const struct replay_layout *la)
{
	bool lost;
	size_t i;

	if (la->unused == NULL)
		return false; /* the header was refused */
	lost = *la->unused != '\0' || *la->dropped != '\0';
	if (*la->unused != '\0')
		ctl_say(
		    "columns that are no field of an event: %s", la->unused);
	if (*la->dropped != '\0')
		ctl_say("columns left out, because an event has at most %d "
			"attributes: %s",
		    EVENT_ATTRS_MAX, la->dropped);
	for (i = 0; i < la->n_attrs; i++)
		lost = say_types(&la->attr[i]) || lost;
	return lost;
}

/* Say which types an attribute has, if there are several. */
static bool
say_types(const struct replay_attr *at)
{
	static const struct {
		enum value_type type;
		const char *name;
	} types[] = { { VALUE_NUMBER, "numbers" }, { VALUE_BOOL, "booleans" },
		{ VALUE_STRING, "texts" } };
	char text[200] = "";
	size_t i, n = 0;

	for (i = 0; i < nitems(types); i++) {
		if (at->seen[types[i].type].n == 0)
			continue;
		snprintf(text + strlen(text), sizeof(text) - strlen(text),
		    "%s%" PRIu64 " %s (line %" PRIu64 ")", n == 0 ? "" : ", ",
		    at->seen[types[i].type].n, types[i].name,
		    at->seen[types[i].type].line);
		n++;
	}
	if (n > 1)
		ctl_say(
		    "attr.%s has values of several types: %s", at->shown, text);
	return n > 1;
}

int
replay_row_time(const struct replay_layout *la, const struct csv *cs,
    int64_t *ret, struct fail *f)
{
	const char *text;

	if (la->column[FIELD_TIME] == -1)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "no column is named time; use --map time=COLUMN");
	text = row_field(la, cs, FIELD_TIME);
	if (text != NULL && clock_parse(text, ret) == 0 && *ret >= 0 &&
	    *ret < TIME_END)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
	    "the time in line %" PRIu64 " must be like 2026-01-31T13:45:00Z",
	    cs->row_line);
}

int
replay_row_truth(const struct replay_layout *la, const struct csv *cs,
    enum backtest_label *ret, struct fail *f)
{
	const char *text = row_field(la, cs, FIELD_FRAUD);

	if (text != NULL && as_boolean(text) != NULL)
		text = as_boolean(text);
	if (text == NULL)
		*ret = LABEL_NONE;
	else if (strcmp(text, "1") == 0 || strcmp(text, "true") == 0)
		*ret = LABEL_FRAUD;
	else if (strcmp(text, "0") == 0 || strcmp(text, "false") == 0)
		*ret = LABEL_LEGIT;
	else
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "fraud in line %" PRIu64
		    " must be 1, 0, true, false or empty",
		    cs->row_line);
	return 0;
}

/* Apply "field=column,field=column"; this overwrites map. */
static int
map_apply(struct replay_layout *la, const struct csv *cs, char *map,
    struct arena *a, struct fail *f)
{
	char *next;

	for (; map != NULL; map = next) {
		if ((next = strchr(map, ',')) != NULL)
			*next++ = '\0';
		if (map_one(la, cs, map, a, f) == -1)
			return -1;
	}
	return 0;
}

/* Apply one "field=column"; without a column the field is left out. */
static int
map_one(struct replay_layout *la, const struct csv *cs, char *pair,
    struct arena *a, struct fail *f)
{
	char *column = strchr(pair, '=');
	size_t i;
	int found;

	if (column == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "--map",
		    "'%s' is not of the form field=column", pair);
	*column++ = '\0';
	found = *column == '\0' ? -1 : csv_find(cs, column);
	if (found == -1 && *column != '\0')
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "--map",
		    "the file has no column '%s'", column);
	if (strncmp(pair, ATTR, strlen(ATTR)) == 0) {
		if (found != -1)
			attr_add(la, pair + strlen(ATTR), found, a);
		else if (la->n_left_out < nitems(la->left_out))
			la->left_out[la->n_left_out++] = pair + strlen(ATTR);
		return 0;
	}
	for (i = 0; i < FIELD__MAX; i++) {
		if (strcmp(pair, fields[i].name) == 0) {
			la->column[i] = found;
			return 0;
		}
	}
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "--map",
	    "an event has no field '%s'; assayctl(8) lists them", pair);
}

/* Add a column as an attribute, unless there are EVENT_ATTRS_MAX. */
static void
attr_add(
    struct replay_layout *la, const char *name, int column, struct arena *a)
{
	if (la->n_attrs == EVENT_ATTRS_MAX)
		return;
	la->attr[la->n_attrs] = (struct replay_attr) {
		.name = arena_strdup(a, name),
		.shown = shown_name(a, name),
		.column = column,
	};
	if (la->attr[la->n_attrs].name != NULL)
		la->n_attrs++;
}

static const char *
shown_name(struct arena *a, const char *name)
{
	struct str s;

	str_init(&s, a);
	term_text_clean(&s, name);
	return str_text(&s) == NULL ? "?" : str_text(&s);
}

/* Whether --map has named an attribute. */
static bool
attr_named(const struct replay_layout *la, const char *name)
{
	size_t i;

	for (i = 0; i < la->n_attrs; i++)
		if (strcmp(la->attr[i].name, name) == 0)
			return true;
	for (i = 0; i < la->n_left_out; i++)
		if (strcmp(la->left_out[i], name) == 0)
			return true;
	return false;
}

/* Collect the names of the columns that make no field of an event. */
static void
name_unused(struct replay_layout *la, const struct csv *cs, struct arena *a)
{
	struct str unused, dropped, *s;
	size_t i, n = strlen(ATTR);

	str_init(&unused, a);
	str_init(&dropped, a);
	for (i = 0; i < cs->n_fields; i++) {
		if (is_used(la, (int)i))
			continue;
		s = strncmp(cs->field[i], ATTR, n) == 0 &&
			!attr_named(la, cs->field[i] + n)
		    ? &dropped
		    : &unused;
		str_add(s, s->len == 0 ? "" : ", ");
		term_text_clean(s, cs->field[i]);
	}
	la->unused = str_text(&unused) == NULL ? "" : str_text(&unused);
	la->dropped = str_text(&dropped) == NULL ? "" : str_text(&dropped);
}

static bool
is_used(const struct replay_layout *la, int column)
{
	size_t i;

	for (i = 0; i < FIELD__MAX; i++)
		if (la->column[i] == column)
			return true;
	for (i = 0; i < la->n_attrs; i++)
		if (la->attr[i].column == column)
			return true;
	return la->type_column == column;
}

/* Return a field of the row, NULL if it is empty or has no column. */
static const char *
row_field(const struct replay_layout *la, const struct csv *cs,
    enum replay_field field)
{
	const int column = la->column[field];

	if (column == -1 || cs->field[column][0] == '\0')
		return NULL;
	return cs->field[column];
}

/* Begin the event with its id, which is the same in each run. */
static void
put_row_id(const struct replay_layout *la, const struct csv *cs, struct str *s,
    struct replay_item *item)
{
	const char *id = row_field(la, cs, FIELD_ID);

	if (id != NULL)
		snprintf(item->id, sizeof(item->id), "%s%s", la->prefix, id);
	else
		snprintf(item->id, sizeof(item->id), "%s%s%" PRIu64, la->prefix,
		    la->name, item->row);
	writer_object(s, NULL);
	writer_text(s, "id", item->id);
}

/* Append one object of the event, unless the row has none of its fields. */
static void
put_part(const struct replay_layout *la, const struct csv *cs,
    enum row_part part, const char *name, struct str *s)
{
	const char *text;
	bool any = false;
	int i;

	for (i = 0; i < FIELD__MAX; i++) {
		if (fields[i].part != part)
			continue;
		if ((text = row_field(la, cs, (enum replay_field)i)) == NULL)
			continue;
		if (!any)
			writer_object(s, name);
		writer_name(s, fields[i].name);
		put_row_value(s, text, fields[i].text);
		any = true;
	}
	if (any)
		writer_end(s);
}

static void
put_row_attrs(
    const struct replay_layout *la, const struct csv *cs, struct str *s)
{
	const char *text;
	bool any = false;
	size_t i;

	for (i = 0; i < la->n_attrs; i++) {
		text = cs->field[la->attr[i].column];
		if (*text == '\0')
			continue;
		if (!any)
			writer_object(s, "attributes");
		writer_name(s, la->attr[i].name);
		put_row_value(s, text, false);
		any = true;
	}
	if (any)
		writer_end(s);
}

/* Append a JSON value: a number or a boolean if text is one, else a string. */
static void
put_row_value(struct str *s, const char *text, bool must_be_text)
{
	switch (must_be_text ? VALUE_STRING : type_of_text(text)) {
	case VALUE_BOOL:
		str_add(s, as_boolean(text));
		break;
	case VALUE_NUMBER:
		str_add(s, text);
		break;
	default:
		str_json(s, text);
	}
}

static enum value_type
type_of_text(const char *text)
{
	return as_boolean(text) != NULL ? VALUE_BOOL
	    : is_number(text)		? VALUE_NUMBER
					: VALUE_STRING;
}

/* "true" or "false", also from "TRUE" as spreadsheets write; NULL for others.
 */
static const char *
as_boolean(const char *text)
{
	return strcasecmp(text, "true") == 0 ? "true"
	    : strcasecmp(text, "false") == 0 ? "false"
					     : NULL;
}

/* Whether text is a JSON number; "007" is not. */
static bool
is_number(const char *text)
{
	static const char digits[] = "0123456789";
	size_t n;

	text += *text == '-';
	n = strspn(text, digits);
	if (n == 0 || (n > 1 && *text == '0'))
		return false;
	text += n;
	if (*text == '.') {
		if ((n = strspn(++text, digits)) == 0)
			return false;
		text += n;
	}
	if (*text == 'e' || *text == 'E') {
		text++;
		text += *text == '-' || *text == '+';
		if ((n = strspn(text, digits)) == 0)
			return false;
		text += n;
	}
	return *text == '\0';
}
