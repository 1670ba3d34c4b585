/* SPDX-License-Identifier: ISC */
/*
 * Request bodies: strict parsing of JSON (RFC 8259), reading events and
 * operators' fields from it, and the masked request for the activity log.
 */
#ifndef LIB_JSON_BODY_H
#define LIB_JSON_BODY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/fail.h"

struct arena;
struct event;
struct json_object;
struct str;

#define BODY_PAN_RULE "must not hold a full card number"
#define BODY_DEPTH_MAX 32 /* arrays and objects inside each other */

/*
 * Parse size bytes as one JSON text.  Refused (INVALID_JSON, why with the
 * byte offset): bad UTF-8, duplicate keys, NUL or lone surrogates in strings,
 * NaN and Infinity, numbers outside the range of double (too small is 0),
 * depth over BODY_DEPTH_MAX, more than STRICT_JSON_LISTS_MAX objects and
 * arrays, anything after the text, an empty body.  Numbers keep the text that
 * was sent.  Returns the value, which is released with the arena, or NULL with
 * f set.  A body that is null reads as false; no request accepts either.
 */
struct json_object *body_parse(
    struct arena *a, const char *text, size_t size, struct fail *f);

/*
 * Read one event from JSON and normalize it.  masked has names of attributes,
 * separated by commas, or is NULL: card numbers in their values are masked, and
 * such a value is a string then.  An event is refused, in this order, for a
 * full card number anywhere else (INGEST_PAN_REJECTED), if it is not an object
 * (INGEST_INVALID), for its type (INGEST_UNKNOWN_TYPE), or for another field
 * (INGEST_INVALID with its path).  Unknown fields are ignored; a null member
 * counts as absent.  The path has the name of an attribute if
 * body_name_shown() allows it, else "*".
 * Returns 0 with *ret filled from arena a, or -1 with f set.
 */
int body_event(struct arena *a, struct json_object *json, const char *masked,
    struct event *ret, struct fail *f) __attribute__((warn_unused_result));

/*
 * Append the masked request of an event as a JSON object in the shape of the
 * request: phone and ip masked ("+2519•••••44", "196.188.•.•"), amounts as
 * the decimal text that was sent.  Only these two fields are masked: ids,
 * channel and attributes are kept as they were sent.
 */
void body_masked(struct str *s, const struct event *ev);

/*
 * The same without masks, for an event that is decided later: body_event()
 * reads the same event from it.
 */
void body_unmasked(struct str *s, const struct event *ev);

/*
 * Append a masked address or phone number as a JSON string.  Of a text that is
 * neither, show nothing.
 */
void body_mask_ip(struct str *s, const char *ip);
void body_mask_phone(struct str *s, const char *phone);

enum body_presence {
	BODY_OPTIONAL = 0,
	BODY_REQUIRED = 1 << 0,
	BODY_NULLABLE = 1 << 1, /* null is allowed and means absent */
};

/* A field of an operator's body. */
struct body_field {
	const char *name;
	enum body_type {
		BODY_STRING = 1, /* without a full card number */
		BODY_LINE, /* the same, without control characters and not
			      blank */
		BODY_NAME, /* the same, without blanks at its ends */
		BODY_OPAQUE, /* a string that may look like a card number: a
				caller's id, or a password */
		BODY_INT,
		BODY_NUMBER,
		BODY_BOOL,
		BODY_ARRAY,
		BODY_OBJECT,
		BODY_SCALAR, /* a string, number or boolean, but not a full
				card number */
		BODY_LABEL, /* a string that rule_ident() accepts */
		BODY_ANY, /* its reader checks it */
		BODY_TYPE__MAX
	} type;
	unsigned int presence; /* the bits of enum body_presence */
	int64_t min; /* strings: bytes; numbers: value; arrays: elements */
	int64_t max;
};

/*
 * Check an operator's body against the table of its n fields: it is an object,
 * has the required and no unknown fields, and each has its type and bounds.
 * Returns 0, or -1 with f set to the field's path and INVALID_REQUEST, or
 * INGEST_PAN_REJECTED if the field has a full card number.
 */
int body_check(struct json_object *json, const struct body_field *fields,
    size_t n, struct fail *f) __attribute__((warn_unused_result));

/*
 * The same for an object in a body.  where is its path, such as "bands[2]",
 * which comes before the field's; code replaces INVALID_REQUEST.
 */
int body_check_in(struct json_object *json, const struct body_field *fields,
    size_t n, enum code code, const char *where, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Read a field of a body that has passed body_check().  If it is absent, the
 * result is NULL or fallback.  body_int() reads false and true as 0 and 1.
 */
const char *body_string(struct json_object *json, const char *name);
int64_t body_int(struct json_object *json, const char *name, int64_t fallback);
bool body_has(struct json_object *json, const char *name);

#endif
