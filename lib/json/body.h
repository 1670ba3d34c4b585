/* SPDX-License-Identifier: ISC */
/*
 * Bodies: a strict gate in front of json-c (RFC 8259), events out of JSON,
 * and the masked request that the activity log keeps.
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
 * depth over BODY_DEPTH_MAX, more objects and arrays than any request of
 * ours has, anything after the text, an empty body.  Numbers keep the text
 * that was sent.  Returns the value, released with the arena (null as false:
 * nothing of ours takes either), or NULL with f set.
 */
struct json_object *body_parse(
    struct arena *a, const char *text, size_t size, struct fail *f);

/*
 * Read one event out of JSON, normalized, checked in this order: a full card
 * number anywhere (INGEST_PAN_REJECTED), not an object (INGEST_INVALID), type
 * (INGEST_UNKNOWN_TYPE), any other field (INGEST_INVALID with its path).
 * Unknown fields are ignored; null is refused where a field is known.  The
 * name of an attribute is in the path if it is a word, else it is "*".
 * Returns 0 with *ret filled from arena a, or -1 with f set.
 */
int body_event(struct arena *a, struct json_object *json, struct event *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * Append the masked request of an event as a JSON object in the shape of the
 * request: phone and ip masked ("+2519•••••44", "196.188.•.•"), amounts as
 * the decimal text that was sent.  Only these two fields are masked: ids,
 * channel and attributes are kept as they were sent.
 */
void body_masked(struct str *s, const struct event *ev);

/*
 * The same with nothing masked, for an event that is decided later: what
 * body_event() makes of it is the same event again.
 */
void body_unmasked(struct str *s, const struct event *ev);

/*
 * Append an address or a number, masked as there, as a JSON string; of what
 * is neither nothing is shown.
 */
void body_mask_ip(struct str *s, const char *ip);
void body_mask_phone(struct str *s, const char *phone);

/* One field that an operator's body may have. */
struct body_field {
	const char *name;
	enum body_type {
		BODY_STRING = 1, /* one that holds no full card number */
		BODY_LINE, /* the same, with no control character and with
			      something else than spaces */
		BODY_OPAQUE, /* a string that may look like a card number: an
				id of callers, or a password */
		BODY_INT,
		BODY_NUMBER,
		BODY_BOOL,
		BODY_ARRAY,
		BODY_OBJECT,
		BODY_SCALAR, /* a string, a number or a boolean, none of them a
				full card number */
		BODY_LABEL, /* a string that rule_ident() takes */
		BODY_ANY, /* who reads it says what it must be */
		BODY_TYPE__MAX
	} type;
	bool required;
	bool nullable; /* null is taken and reads as absent */
	int64_t min; /* strings: bytes; numbers: value; arrays: elements */
	int64_t max;
};

/*
 * Check an operator's body against the table of its n fields: an object, no
 * unknown field, each present with its type and within its bounds.  Returns
 * 0, or -1 with f set to the field's path and INVALID_REQUEST, or
 * INGEST_PAN_REJECTED where the field holds a full card number.
 */
int body_check(struct json_object *json, const struct body_field *fields,
    size_t n, struct fail *f) __attribute__((warn_unused_result));

/*
 * The same for an object inside of a body: where is its path, "bands[2]", in
 * front of the field's, and code what its faults are, but for a card number.
 */
int body_check_in(struct json_object *json, const struct body_field *fields,
    size_t n, enum code code, const char *where, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * A field of a body that has passed body_check(), NULL or fallback if absent;
 * body_int() reads false and true as 0 and 1.
 */
const char *body_string(struct json_object *json, const char *name);
int64_t body_int(struct json_object *json, const char *name, int64_t fallback);
bool body_has(struct json_object *json, const char *name);

#endif
