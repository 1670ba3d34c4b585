/* SPDX-License-Identifier: ISC */
/* Read events from JSON: each field is a row of a table. */
#include "config.h"

#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/event/event.h"
#include "core/event/geo.h"
#include "core/event/pan.h"
#include "core/event/phone.h"
#include "lib/json/body.h"
#include "lib/json/body_int.h"

#define CURRENCY_LETTERS 3
#define COUNTRY_LETTERS 2

/*
 * Return the normal form of the n bytes at s, in the arena, or NULL if their
 * form is wrong or the arena is full.  It may set other members of the event.
 */
typedef const char *form(
    struct arena *, const char *s, size_t n, struct event *);

/* Whether a field may be left out, and whether "" is the same. */
enum presence {
	REQUIRED = 1,
	OPTIONAL,
	OR_EMPTY,
};

/* A field that is a string: its member and its form. */
struct text_field {
	const char *path; /* path in the event: "subject.userId" */
	size_t member; /* a const char * of struct event */
	enum presence presence;
	form *form;
	const char *rule; /* the text of a refusal */
};

/* An object of the event and its strings. */
struct section {
	const char *name;
	bool required;
	const struct text_field *fields;
	size_t n;
};

/* A field whose value may look like a card number; object "": the event. */
struct exempt {
	const char *object;
	const char *name;
};

static bool has_pan(
    struct json_object *json, const char *path, const char *masked);
static bool object_has_pan(
    struct json_object *json, const char *path, const char *masked);
static bool is_exempt(const char *object, const char *name, const char *masked);
static bool is_listed(const char *names, const char *name);
static bool find_member(
    struct json_object *json, const char *name, struct json_object **ret);
static int read_type(
    struct json_object *json, struct event *ev, struct fail *f);
static int read_texts(struct arena *a, struct json_object *json,
    const struct text_field *fields, size_t n, struct event *ev,
    struct fail *f);
static int read_amount(struct arena *a, struct json_object *json,
    struct event *ev, struct fail *f);
static int read_section(struct arena *a, struct json_object *json,
    const struct section *section, struct event *ev, struct fail *f);
static int read_three_ds(
    struct json_object *json, struct event *ev, struct fail *f);
static int read_attrs(struct arena *a, struct json_object *json,
    const char *masked, struct event *ev, struct fail *f);
static int read_event_attr(struct arena *a, const char *name,
    struct json_object *json, struct attr *ret, size_t *bytes, struct fail *f);
static int mask_attr(
    struct arena *a, struct attr *attr, struct event *ev, struct fail *f);
static form event_form_id, form_event_id, form_channel, event_form_ip,
    event_form_phone, form_currency;
static form event_form_country, form_kind, event_form_bin;
static const char *form_letters(
    struct arena *a, const char *s, size_t n, size_t letters);
static int refuse_event_field(
    const char *path, const char *rule, struct fail *f);
static int too_big(struct fail *f);

/* What a form returns if the event is read as one without the field. */
static const char absent[] = "";

#define ID_DEPTH 2 /* directories of /v1/decisions/{id} */
#define ID_RULE "must be a string of 1 to 128 bytes, no control characters"

static const struct text_field event_fields[] = {
	{ "id", offsetof(struct event, id), OPTIONAL, form_event_id,
	    ID_RULE ", and not climb by \"..\" above where a URL begins" },
	{ "currency", offsetof(struct event, currency), OR_EMPTY, form_currency,
	    "must be the three letters of a currency in ISO 4217; XTS and "
	    "XXX name none" },
};

static const struct text_field subject_fields[] = {
	{ "subject.userId", offsetof(struct event, user), REQUIRED,
	    event_form_id, ID_RULE },
	{ "subject.deviceId", offsetof(struct event, device), OR_EMPTY,
	    event_form_id, ID_RULE },
	{ "subject.fingerprint", offsetof(struct event, fingerprint), OR_EMPTY,
	    event_form_id, ID_RULE },
	{ "subject.ip", offsetof(struct event, ip), OR_EMPTY, event_form_ip,
	    "must be a string that is an IPv4 or IPv6 address" },
	{ "subject.phone", offsetof(struct event, phone), OR_EMPTY,
	    event_form_phone, "must be a string" },
	{ "subject.channel", offsetof(struct event, channel), OPTIONAL,
	    form_channel,
	    "must be a string of up to 128 bytes, no control characters" },
};

static const struct text_field instrument_fields[] = {
	{ "instrument.kind", offsetof(struct event, instrument_kind), OR_EMPTY,
	    form_kind, "must be card, wallet or bank" },
	{ "instrument.bin", offsetof(struct event, bin), OR_EMPTY,
	    event_form_bin, "must be a string of 6 to 8 digits" },
	{ "instrument.issuerCountry", offsetof(struct event, issuer_country),
	    OR_EMPTY, event_form_country,
	    "must be the two letters of a country in ISO 3166" },
};

static const struct section subject = { "subject", true, subject_fields,
	nitems(subject_fields) };
static const struct section instrument = { "instrument", false,
	instrument_fields, nitems(instrument_fields) };

static const struct exempt exempts[] = {
	{ "", "id" },
	{ "subject", "userId" },
	{ "subject", "deviceId" },
	{ "subject", "fingerprint" },
	{ "subject", "phone" },
};

static const char *const kinds[] = { "card", "wallet", "bank" };

int
body_event(struct arena *a, struct json_object *json, const char *masked,
    struct event *ret, struct fail *f)
{
	memset(ret, 0, sizeof(*ret));
	ret->three_ds = value_unknown();
	if (has_pan(json, "", masked))
		return fail_set(f, FAIL_INPUT, INGEST_PAN_REJECTED, NULL, "%s",
		    fail_code_text(INGEST_PAN_REJECTED));
	if (!json_object_is_type(json, json_type_object))
		return refuse_event_field(
		    NULL, "an event must be a JSON object", f);
	if (read_type(json, ret, f) == -1 ||
	    read_texts(a, json, event_fields, nitems(event_fields), ret, f) ==
		-1 ||
	    read_amount(a, json, ret, f) == -1 ||
	    read_section(a, json, &subject, ret, f) == -1 ||
	    read_section(a, json, &instrument, ret, f) == -1 ||
	    read_three_ds(json, ret, f) == -1 ||
	    read_attrs(a, json, masked, ret, f) == -1)
		return -1;
	if (ret->has_amount && ret->currency == NULL)
		return refuse_event_field(
		    "currency", "is required with an amount", f);
	return 0;
}

/*
 * Whether json contains a full card number.  path is "" for the event itself,
 * the name of an object directly in it, or NULL for deeper values.
 */
static bool
has_pan(struct json_object *json, const char *path, const char *masked)
{
	size_t i;

	switch (json_object_get_type(json)) {
	case json_type_string:
		return pan_in_text(json_object_get_string(json),
		    (size_t)json_object_get_string_len(json));
	case json_type_int:
	case json_type_double:
		return pan_in_number(body_number_text(json));
	case json_type_array:
		for (i = 0; i < json_object_array_length(json); i++)
			if (has_pan(json_object_array_get_idx(json, i), NULL,
				masked))
				return true;
		return false;
	case json_type_object:
		return object_has_pan(json, path, masked);
	case json_type_null:
	case json_type_boolean:
		break;
	}
	return false;
}

/* The same for an object: its names, and the values that are not exempt. */
static bool
object_has_pan(struct json_object *json, const char *path, const char *masked)
{
	const bool event = path != NULL && *path == '\0';

	json_object_object_foreach(json, name, value)
	{
		if (pan_in_text(name, strlen(name)))
			return true;
		if (!is_exempt(path, name, masked) &&
		    has_pan(value, event ? name : NULL, masked))
			return true;
	}
	return false;
}

/* Whether a field's value may look like a card number, or will be masked. */
static bool
is_exempt(const char *object, const char *name, const char *masked)
{
	size_t i;

	if (object == NULL)
		return false;
	if (strcmp(object, "attributes") == 0)
		return is_listed(masked, name);
	for (i = 0; i < nitems(exempts); i++)
		if (strcmp(exempts[i].object, object) == 0 &&
		    strcmp(exempts[i].name, name) == 0)
			return true;
	return false;
}

/* Whether a name is one of those in a text, separated by commas. */
static bool
is_listed(const char *names, const char *name)
{
	size_t size = 0;

	for (; names != NULL && *names != '\0'; names += size) {
		names += *names == ',';
		size = strcspn(names, ",");
		if (strlen(name) == size && memcmp(names, name, size) == 0)
			return true;
	}
	return false;
}

/* Find the member of that name; null means absent, as many clients send it. */
static bool
find_member(
    struct json_object *json, const char *name, struct json_object **ret)
{
	return json_object_object_get_ex(json, name, ret) && *ret != NULL;
}

static int
read_type(struct json_object *json, struct event *ev, struct fail *f)
{
	struct json_object *value;

	if (find_member(json, "type", &value) &&
	    json_object_is_type(value, json_type_string))
		ev->type = event_type_parse(json_object_get_string(value));
	if (ev->type == EVENT_TYPE__NONE)
		return fail_set(f, FAIL_INPUT, INGEST_UNKNOWN_TYPE, "type",
		    "is missing or unknown");
	return 0;
}

/* Read the string fields of one object. */
static int
read_texts(struct arena *a, struct json_object *json,
    const struct text_field *fields, size_t n, struct event *ev, struct fail *f)
{
	struct json_object *value;
	const char *dot, *text;
	size_t i;

	for (i = 0; i < n; i++) {
		dot = strchr(fields[i].path, '.');
		if (!find_member(
			json, dot == NULL ? fields[i].path : dot + 1, &value)) {
			if (fields[i].presence == REQUIRED)
				return refuse_event_field(
				    fields[i].path, "is required", f);
			continue;
		}
		if (!json_object_is_type(value, json_type_string))
			return refuse_event_field(
			    fields[i].path, fields[i].rule, f);
		if (fields[i].presence == OR_EMPTY &&
		    json_object_get_string_len(value) == 0)
			continue;
		text = fields[i].form(a, json_object_get_string(value),
		    (size_t)json_object_get_string_len(value), ev);
		if (text == NULL)
			return a->overflow ? too_big(f)
					   : refuse_event_field(fields[i].path,
						 fields[i].rule, f);
		if (text != absent)
			memcpy(
			    (char *)ev + fields[i].member, &text, sizeof(text));
	}
	return 0;
}

static int
read_amount(
    struct arena *a, struct json_object *json, struct event *ev, struct fail *f)
{
	static const char rule[] =
	    "must be a number from 0 to 1e15, written in up to 128 bytes";
	struct json_object *value;
	const char *text;

	if (!find_member(json, "amount", &value))
		return 0;
	if (!body_is_number(value))
		return refuse_event_field("amount", rule, f);
	text = body_number_text(value);
	ev->amount = json_object_get_double(value);
	if (ev->amount < 0 || ev->amount > EVENT_AMOUNT_MAX ||
	    strlen(text) > EVENT_TEXT_MAX)
		return refuse_event_field("amount", rule, f);
	if (ev->amount == 0)
		ev->amount = 0; /* instead of -0, which prints differently */
	ev->has_amount = true;
	ev->amount_text = arena_strdup(a, text);
	return ev->amount_text == NULL ? too_big(f) : 0;
}

/* Read the strings of an object that is a field of the event. */
static int
read_section(struct arena *a, struct json_object *json,
    const struct section *section, struct event *ev, struct fail *f)
{
	struct json_object *value;

	if (!find_member(json, section->name, &value))
		return section->required
		    ? refuse_event_field(section->name, "is required", f)
		    : 0;
	if (!json_object_is_type(value, json_type_object))
		return refuse_event_field(
		    section->name, "must be an object", f);
	return read_texts(a, value, section->fields, section->n, ev, f);
}

static int
read_three_ds(struct json_object *json, struct event *ev, struct fail *f)
{
	struct json_object *object, *value;

	if (!find_member(json, instrument.name, &object) ||
	    !find_member(object, "threeDS", &value))
		return 0;
	if (!json_object_is_type(value, json_type_boolean))
		return refuse_event_field(
		    "instrument.threeDS", "must be true or false", f);
	ev->three_ds = value_bool(json_object_get_boolean(value));
	return 0;
}

static int
read_attrs(struct arena *a, struct json_object *json, const char *masked,
    struct event *ev, struct fail *f)
{
	struct json_object *object;
	struct attr *attrs, *attr;
	size_t bytes = 0;

	if (!find_member(json, "attributes", &object))
		return 0;
	if (!json_object_is_type(object, json_type_object))
		return refuse_event_field("attributes", "must be an object", f);
	attrs = arena_array(a, EVENT_ATTRS_MAX, sizeof(*attrs));
	if (attrs == NULL)
		return too_big(f);
	ev->attrs = attrs;
	json_object_object_foreach(object, name, value)
	{
		if (value == NULL)
			continue;
		if (ev->n_attrs == EVENT_ATTRS_MAX)
			return refuse_event_field(
			    "attributes", "must be at most 64", f);
		attr = &attrs[ev->n_attrs++];
		if (read_event_attr(a, name, value, attr, &bytes, f) == -1)
			return -1;
		if (is_listed(masked, name) && mask_attr(a, attr, ev, f) == -1)
			return -1;
		if (bytes > EVENT_ATTRS_BYTES_MAX)
			return refuse_event_field("attributes",
			    "must be at most 16384 bytes together", f);
	}
	return 0;
}

/* Read one attribute; add the size of its name and value to *bytes. */
static int
read_event_attr(struct arena *a, const char *name, struct json_object *json,
    struct attr *ret, size_t *bytes, struct fail *f)
{
	char path[sizeof("attributes.") + EVENT_ATTR_NAME_MAX];
	const char *text = "";

	if (*name == '\0' || strlen(name) > EVENT_ATTR_NAME_MAX)
		return refuse_event_field(
		    "attributes", "must have names of 1 to 64 bytes", f);
	snprintf(path, sizeof(path), "attributes.%s",
	    body_name_shown(name) ? name : "*");

	ret->name = arena_strdup(a, name);
	if (json_object_is_type(json, json_type_boolean)) {
		ret->value = value_bool(json_object_get_boolean(json));
	} else if (json_object_is_type(json, json_type_string)) {
		text = arena_strdup(a, json_object_get_string(json));
		ret->value = value_string(text);
	} else if (body_is_number(json)) {
		text = arena_strdup(a, body_number_text(json));
		ret->value = value_number(json_object_get_double(json));
		ret->text = text;
	} else {
		return refuse_event_field(
		    path, "must be a string, a number or a boolean", f);
	}
	if (ret->name == NULL || text == NULL)
		return too_big(f);
	if (strlen(text) > EVENT_ATTR_VALUE_MAX)
		return refuse_event_field(
		    path, "must be at most 1024 bytes", f);
	*bytes += strlen(name) + strlen(text);
	return 0;
}

/* Mask card numbers in the value of an attribute, which is a string then. */
static int
mask_attr(struct arena *a, struct attr *attr, struct event *ev, struct fail *f)
{
	const bool number = attr->text != NULL;
	const char *given = number ? attr->text : attr->value.string;
	char *text;

	if (!number && attr->value.type != VALUE_STRING)
		return 0;
	if (!(number ? pan_in_number(given)
		     : pan_in_text(given, strlen(given))))
		return 0;
	if ((text = arena_strdup(a, given)) == NULL)
		return too_big(f);

	/* 4.111111111111111e15 has no card's digits to show. */
	attr->value =
	    value_string(pan_mask(text, strlen(text)) ? text : "****");
	attr->text = NULL;
	ev->card_masked = true;
	return 0;
}

/* An id: the caller's bytes, unchanged. */
static const char *
event_form_id(struct arena *a, const char *s, size_t n, struct event *ev)
{
	return n == 0 ? NULL : form_channel(a, s, n, ev);
}

/*
 * An id that can be part of the path of GET /v1/decisions/{id}.  A web server
 * resolves ".." between slashes, also encoded ones, and refuses a path that
 * leads above its root.
 */
static const char *
form_event_id(struct arena *a, const char *s, size_t n, struct event *ev)
{
	int depth = ID_DEPTH;
	size_t i, size;

	for (i = 0; i < n && depth >= 0; i += size + 1) {
		size = strcspn(s + i, "/");
		if (size == 2 && strncmp(s + i, "..", 2) == 0)
			depth--;
		else if (size > 1 || (size == 1 && s[i] != '.'))
			depth++;
	}
	return depth < 0 ? NULL : event_form_id(a, s, n, ev);
}

static const char *
form_channel(struct arena *a, const char *s, size_t n, struct event *ev)
{
	(void)ev;
	if (n > EVENT_TEXT_MAX || !event_plain(s, n))
		return NULL;
	return arena_strndup(a, s, n);
}

static const char *
event_form_ip(struct arena *a, const char *s, size_t n, struct event *ev)
{
	char ip[EVENT_IP_SIZE];

	(void)n;
	return event_ip(s, ip, &ev->ip_public) == -1 ? NULL
						     : arena_strdup(a, ip);
}

/* A phone that cannot be read costs its signals, not the decision. */
static const char *
event_form_phone(struct arena *a, const char *s, size_t n, struct event *ev)
{
	char phone[PHONE_SIZE];

	if (strlen(s) == n && phone_canonical(s, phone) == 0)
		return arena_strdup(a, phone);
	ev->phone_unreadable = true;
	return absent;
}

static const char *
form_currency(struct arena *a, const char *s, size_t n, struct event *ev)
{
	(void)ev;
	s = form_letters(a, s, n, CURRENCY_LETTERS);
	return s != NULL && event_currency(s) ? s : NULL;
}

static const char *
event_form_country(struct arena *a, const char *s, size_t n, struct event *ev)
{
	(void)ev;
	s = form_letters(a, s, n, COUNTRY_LETTERS);
	return s != NULL && geo_issuer_country(s) ? s : NULL;
}

static const char *
form_kind(struct arena *a, const char *s, size_t n, struct event *ev)
{
	size_t i;

	(void)a;
	(void)n;
	(void)ev;
	for (i = 0; i < nitems(kinds); i++)
		if (strcmp(kinds[i], s) == 0)
			return kinds[i];
	return NULL;
}

static const char *
event_form_bin(struct arena *a, const char *s, size_t n, struct event *ev)
{
	(void)ev;
	return event_bin(s) ? arena_strndup(a, s, n) : NULL;
}

/* A code of n letters, in upper case. */
static const char *
form_letters(struct arena *a, const char *s, size_t n, size_t letters)
{
	char *code;
	size_t i;

	if (n != letters || (code = arena_strndup(a, s, n)) == NULL)
		return NULL;
	for (i = 0; i < n; i++) {
		if (code[i] >= 'a' && code[i] <= 'z')
			code[i] = (char)(code[i] - 'a' + 'A');
		if (code[i] < 'A' || code[i] > 'Z')
			return NULL;
	}
	return code;
}

static int
refuse_event_field(const char *path, const char *rule, struct fail *f)
{
	return fail_set(f, FAIL_INPUT, INGEST_INVALID, path, "%s", rule);
}

static int
too_big(struct fail *f)
{
	return fail_memory(f);
}
