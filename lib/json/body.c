/* SPDX-License-Identifier: ISC */
/* Parse request bodies, and check the fields of operators' bodies. */
#include "config.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/pan.h"
#include "core/rule/rule.h"
#include "lib/json/body.h"
#include "lib/json/body_int.h"
#include "lib/json/strict_json.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53: doubles hold all up to it */

static void release_json(void *json);
static const struct body_field *field_named(
    const struct body_field *fields, size_t n, const char *name);
static bool field_fits(
    const struct body_field *field, struct json_object *value);
static bool field_has_pan(
    const struct body_field *field, struct json_object *value);
static bool is_integer(struct json_object *value);
static bool is_within_bounds(const struct body_field *field, int64_t n);
static int field_refuse(const struct body_field *field, struct fail *f);

/* The words for each type in a refusal; from and unit enclose the bounds. */
static const struct {
	const char *noun;
	const char *from; /* NULL: without bounds */
	const char *unit;
} types[BODY_TYPE__MAX] = {
	[BODY_STRING] = { "a string", " of ", " bytes" },
	[BODY_LINE] = { "one line, not blank,", " of ", " bytes" },
	[BODY_NAME] = { "one line, not blank, without blanks at its ends,",
	    " of ", " bytes" },
	[BODY_OPAQUE] = { "a string", " of ", " bytes" },
	[BODY_INT] = { "an integer", " from ", "" },
	[BODY_NUMBER] = { "a number", " from ", "" },
	[BODY_BOOL] = { "true or false", NULL, NULL },
	[BODY_ARRAY] = { "an array", " of ", " elements" },
	[BODY_OBJECT] = { "an object", NULL, NULL },
	[BODY_SCALAR] = { "a string, a number, true or false", NULL, NULL },
	[BODY_LABEL] = { "1 to 64 letters, digits and ._@+-", NULL, NULL },
	[BODY_ANY] = { "anything", NULL, NULL },
};

struct json_object *
body_parse(struct arena *a, const char *text, size_t size, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	struct json_object *json;
	char *scratch;
	int r;

	scratch = arena_alloc(a, size + 1);
	if (scratch == NULL) {
		fail_memory(f);
		return NULL;
	}
	r = strict_json_read(text, size, scratch, &json, f);
	arena_rewind(a, mark);
	if (r == -1)
		return NULL;
	if (arena_defer(a, release_json, json) == -1) {
		fail_memory(f);
		return NULL;
	}
	return json;
}

int
body_check(struct json_object *json, const struct body_field *fields, size_t n,
    struct fail *f)
{
	struct json_object *value;
	size_t i;

	if (!json_object_is_type(json, json_type_object))
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the body must be a JSON object");
	json_object_object_foreach(json, name, ignored)
	{
		(void)ignored;
		if (field_named(fields, n, name) != NULL)
			continue;
		if (!body_name_shown(name))
			return fail_set(f, FAIL_INPUT, INVALID_REQUEST, NULL,
			    "the body has an unknown field");
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, name,
		    "is an unknown field");
	}
	for (i = 0; i < n; i++) {
		if (!json_object_object_get_ex(json, fields[i].name, &value)) {
			if (fields[i].presence & BODY_REQUIRED)
				return fail_set(f, FAIL_INPUT, INVALID_REQUEST,
				    fields[i].name, "is required");
		} else if (value == NULL ? !(fields[i].presence & BODY_NULLABLE)
					 : !field_fits(&fields[i], value))
			return field_refuse(&fields[i], f);
		else if (field_has_pan(&fields[i], value))
			return fail_set(f, FAIL_INPUT, INGEST_PAN_REJECTED,
			    fields[i].name, "%s", BODY_PAN_RULE);
	}
	return 0;
}

int
body_check_in(struct json_object *json, const struct body_field *fields,
    size_t n, enum code code, const char *where, struct fail *f)
{
	struct fail inner = { 0 };
	char path[2 * sizeof(inner.where)];

	if (!json_object_is_type(json, json_type_object))
		return fail_set(
		    f, FAIL_INPUT, code, where, "must be an object");
	if (body_check(json, fields, n, &inner) == 0)
		return 0;
	if (inner.code == INGEST_PAN_REJECTED)
		code = inner.code;
	if (inner.where[0] == '\0')
		return fail_set(
		    f, FAIL_INPUT, code, where, "has an unknown field");
	snprintf(path, sizeof(path), "%s.%s", where, inner.where);
	return fail_set(f, FAIL_INPUT, code, path, "%s", inner.why);
}

const char *
body_string(struct json_object *json, const char *name)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, name, &value))
		return NULL;
	return value == NULL ? NULL : json_object_get_string(value);
}

int64_t
body_int(struct json_object *json, const char *name, int64_t fallback)
{
	struct json_object *value;

	if (!json_object_object_get_ex(json, name, &value) || value == NULL)
		return fallback;
	return json_object_get_int64(value);
}

bool
body_has(struct json_object *json, const char *name)
{
	struct json_object *value;

	return json_object_object_get_ex(json, name, &value) && value != NULL;
}

bool
body_is_number(const struct json_object *json)
{
	return json_object_is_type(json, json_type_int) ||
	    json_object_is_type(json, json_type_double);
}

const char *
body_number_text(struct json_object *json)
{
	return json_object_to_json_string_ext(json, JSON_C_TO_STRING_PLAIN);
}

bool
body_name_shown(const char *name)
{
	static const char first[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ_";
	static const char rest[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
	size_t n = strspn(name, rest);

	return n <= EVENT_ATTR_NAME_MAX && name[n] == '\0' &&
	    strspn(name, first) > 0 && !pan_in_text(name, n);
}

static void
release_json(void *json)
{
	json_object_put(json);
}

/* Find the field of that name; NULL: none. */
static const struct body_field *
field_named(const struct body_field *fields, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

/* Whether a value, not null, has the type and bounds of the field. */
static bool
field_fits(const struct body_field *field, struct json_object *value)
{
	double n;

	switch (field->type) {
	case BODY_STRING:
	case BODY_OPAQUE:
		return json_object_is_type(value, json_type_string) &&
		    is_within_bounds(field, json_object_get_string_len(value));
	case BODY_LINE:
		return json_object_is_type(value, json_type_string) &&
		    is_within_bounds(
			field, json_object_get_string_len(value)) &&
		    event_line(json_object_get_string(value));
	case BODY_NAME:
		return json_object_is_type(value, json_type_string) &&
		    is_within_bounds(
			field, json_object_get_string_len(value)) &&
		    event_name(json_object_get_string(value));
	case BODY_INT:
		return is_integer(value) &&
		    is_within_bounds(field, json_object_get_int64(value));
	case BODY_NUMBER:
		n = json_object_get_double(value);
		return body_is_number(value) && n >= (double)field->min &&
		    n <= (double)field->max;
	case BODY_BOOL:
		return json_object_is_type(value, json_type_boolean);
	case BODY_ARRAY:
		return json_object_is_type(value, json_type_array) &&
		    is_within_bounds(
			field, (int64_t)json_object_array_length(value));
	case BODY_OBJECT:
		return json_object_is_type(value, json_type_object);
	case BODY_SCALAR:
		return json_object_is_type(value, json_type_string) ||
		    json_object_is_type(value, json_type_boolean) ||
		    body_is_number(value);
	case BODY_LABEL:
		return json_object_is_type(value, json_type_string) &&
		    rule_ident(json_object_get_string(value));
	case BODY_ANY:
		return true;
	case BODY_TYPE__MAX:
		break;
	}
	return false;
}

/* Whether a value that fits its field has a full card number. */
static bool
field_has_pan(const struct body_field *field, struct json_object *value)
{
	if (field->type != BODY_STRING && field->type != BODY_LINE &&
	    field->type != BODY_NAME && field->type != BODY_LABEL &&
	    field->type != BODY_SCALAR)
		return false;
	if (body_is_number(value))
		return pan_in_number(body_number_text(value));
	return json_object_is_type(value, json_type_string) &&
	    pan_in_text(json_object_get_string(value),
		(size_t)json_object_get_string_len(value));
}

/* 10.0 and 1e1 are integers, too: JSON has one kind of number. */
static bool
is_integer(struct json_object *value)
{
	double n;

	if (json_object_is_type(value, json_type_int))
		return true;
	n = json_object_get_double(value);
	return json_object_is_type(value, json_type_double) &&
	    fabs(n) <= EXACT_MAX && n == trunc(n);
}

static bool
is_within_bounds(const struct body_field *field, int64_t n)
{
	return n >= field->min && n <= field->max;
}

/* Refuse a value and say what the field must be. */
static int
field_refuse(const struct body_field *field, struct fail *f)
{
	if (types[field->type].from == NULL)
		return fail_set(f, FAIL_INPUT, INVALID_REQUEST, field->name,
		    "must be %s", types[field->type].noun);
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, field->name,
	    "must be %s%s%" PRId64 " to %" PRId64 "%s", types[field->type].noun,
	    types[field->type].from, field->min, field->max,
	    types[field->type].unit);
}
