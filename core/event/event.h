/* SPDX-License-Identifier: ISC */
/* One normalized event, for which a caller requests a verdict. */
#ifndef CORE_EVENT_EVENT_H
#define CORE_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/value.h"
#include "core/event/ip_address.h"

struct str;

enum event_type {
	EVENT_TYPE__NONE = 0,
#define EVENT_TYPE(name, text, baseline) EVENT_##name,
#include "core/event/event_types.tbl"
#undef EVENT_TYPE
	EVENT_TYPE__MAX
};

/* Limits of an event; assay-api(7). */
#define EVENT_ID_MAX 128 /* bytes of any id */
#define EVENT_TEXT_MAX 128 /* bytes of subject.channel */
#define EVENT_AMOUNT_MAX 1e15 /* largest amount */
#define EVENT_ATTRS_MAX 64 /* attributes of one event */
#define EVENT_ATTR_NAME_MAX 64 /* bytes of an attribute's name */
#define EVENT_ATTR_VALUE_MAX 1024 /* bytes of an attribute's string */
#define EVENT_ATTRS_BYTES_MAX 16384 /* bytes of all names and values */
#define EVENT_IP_SIZE IP_ADDRESS_TEXT_SIZE /* canonical text and NUL */
#define EVENT_BIN_MIN 6 /* digits of a bin */
#define EVENT_BIN_MAX 8

/* One attribute of an event. */
struct attr {
	const char *name;
	const char *text; /* a number as the caller wrote it, else NULL */
	struct value value;
};

/*
 * An event after validation.  Optional fields are NULL (or unknown) when
 * absent; strings live in the arena that the event was read into.
 */
struct event {
	enum event_type type;
	const char *id; /* of the caller, or NULL */
	bool has_amount;
	double amount; /* 0 to EVENT_AMOUNT_MAX */
	const char *amount_text; /* the amount as the caller wrote it */
	const char *currency; /* a code of ISO 4217, upper case */

	const char *user; /* never NULL */
	const char *device;
	const char *fingerprint;
	const char *ip; /* canonical text; personal */
	bool ip_public; /* publicly routable, so it can have a place */
	const char *phone; /* digits, see phone_canonical(); personal */
	bool phone_unreadable; /* a phone was sent that is not a number */
	bool card_masked; /* an attribute held a card number */
	const char *channel;

	const char *instrument_kind; /* card, wallet or bank */
	const char *bin; /* 6 to 8 digits */
	const char *issuer_country; /* a code of ISO 3166, upper case */
	struct value three_ds; /* bool or unknown */

	const struct attr *attrs; /* in the order sent */
	size_t n_attrs;
};

/* The name of a type, such as "card.authorize"; not of EVENT_TYPE__NONE. */
const char *event_type_name(enum event_type type);

/* The type with that name, or EVENT_TYPE__NONE if it is unknown or NULL. */
enum event_type event_type_parse(const char *name);

/* Whether amounts of this type count in the spending baseline. */
bool event_type_baseline(enum event_type type);

/*
 * Append the event's normal form: a JSON array of all fields that a caller can
 * set, in a fixed order, with attributes sorted by name and null for an absent
 * field.  Events are equal if their normal forms are equal.  Increase the
 * version with every change that gives an existing event another form.
 */
#define EVENT_NORMAL_VERSION 2
void event_normal(struct str *s, const struct event *ev);

/* The attribute with that name, or NULL. */
const struct attr *event_attr(const struct event *ev, const char *name);

/*
 * Write the canonical text of an address to ret: IPv4 dotted, IPv6 as in RFC
 * 5952, an IPv4-mapped address as IPv4.  Set *ret_public to whether it is
 * publicly routable.  Return 0, or -1 if ip is not an address.
 */
int event_ip(const char *ip, char ret[EVENT_IP_SIZE], bool *ret_public)
    __attribute__((warn_unused_result));

/* Whether text is 6 to 8 digits, as the first digits of a card number. */
bool event_bin(const char *text);

/* Whether code is in core/event/currencies.tbl, which is in upper case. */
bool event_currency(const char *code);

/* Whether text is empty or shows nothing, see utf8_is_blank(). */
bool event_blank(const char *text);

/* Whether n bytes are valid UTF-8 without control characters (C0, DEL, C1). */
bool event_plain(const char *s, size_t n);

/*
 * Whether text is one readable line: event_plain(), and not event_blank().
 */
bool event_line(const char *text);

/*
 * Whether text is such a line, and looks unlike all others: without blanks at
 * its ends.
 */
bool event_name(const char *text);

#endif
