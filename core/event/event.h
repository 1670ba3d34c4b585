/* SPDX-License-Identifier: ISC */
/* One normalized event: what a caller asks a verdict for. */
#ifndef CORE_EVENT_EVENT_H
#define CORE_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/event/ip_address.h"
#include "core/base/value.h"

struct fail;
struct str;

enum event_type {
	EVENT_TYPE__NONE = 0,
#define EVENT_TYPE(name, text, baseline) EVENT_##name,
#include "core/event/event_types.tbl"
#undef EVENT_TYPE
	EVENT_TYPE__MAX
};

/* Limits of an event (DESIGN: "Where the specification is silent"). */
#define EVENT_ID_MAX 128 /* bytes of any id */
#define EVENT_TEXT_MAX 128 /* bytes of subject.channel */
#define EVENT_AMOUNT_MAX 1e15 /* largest amount */
#define EVENT_ATTRS_MAX 64 /* attributes of one event */
#define EVENT_ATTR_NAME_MAX 64 /* bytes of an attribute's name */
#define EVENT_ATTR_VALUE_MAX 1024 /* bytes of an attribute's string */
#define EVENT_ATTRS_BYTES_MAX 16384 /* names and values together */
#define EVENT_IP_SIZE IP_ADDRESS_TEXT_SIZE /* canonical text and NUL */
#define EVENT_PHONE_SIZE 16 /* 15 digits and NUL */
#define EVENT_BIN_MIN 6 /* digits of a bin */
#define EVENT_BIN_MAX 8

/* One attribute as the caller sent it. */
struct attr {
	const char *name;
	const char *text; /* a number as it was sent, else NULL */
	struct value value;
};

/*
 * An event after validation.  Optional fields are NULL (or unknown) when
 * absent; strings live in the arena that the event was read into.
 */
struct event {
	enum event_type type;
	const char *id; /* the caller's, NULL if none was sent */
	bool has_amount;
	double amount; /* 0 to EVENT_AMOUNT_MAX */
	const char *amount_text; /* the decimal text as it was sent */
	const char *currency; /* a code of ISO 4217, upper case */

	const char *user; /* never NULL */
	const char *device;
	const char *fingerprint;
	const char *ip; /* canonical text; personal */
	bool ip_public; /* a routable address, which can have a place */
	const char *phone; /* digits only, 8 to 15; personal */
	const char *channel;

	const char *instrument_kind; /* card, wallet or bank */
	const char *bin; /* 6 to 8 digits */
	const char *issuer_country; /* a code of ISO 3166, upper case */
	struct value three_ds; /* bool or unknown */

	const struct attr *attrs; /* in the order sent */
	size_t n_attrs;
};

/* "card.authorize" for EVENT_CARD_AUTHORIZE; type must be a real one. */
const char *event_type_name(enum event_type type);

/* The type with that name, or EVENT_TYPE__NONE (also for NULL). */
enum event_type event_type_parse(const char *name);

/* Whether amounts of this type feed the spending baseline. */
bool event_type_baseline(enum event_type type);

/*
 * Append the event's normal form: a JSON array of every field that a caller
 * can set, in one order, attributes by name, null for what is absent.  Equal
 * texts, equal events.  The version rises with whatever changes the form of an
 * event that could be sent before.
 */
#define EVENT_NORMAL_VERSION 1
void event_normal(struct str *s, const struct event *ev);

/* The attribute of that name, or NULL. */
const struct attr *event_attr(const struct event *ev, const char *name);

/*
 * Write the canonical text of the address ip (IPv4 dotted, IPv6 as RFC 5952,
 * an IPv4-mapped address as IPv4) to ret and whether it is publicly routable
 * to *ret_public.  Returns 0, or -1 if ip is no address.
 */
int event_ip(const char *ip, char ret[EVENT_IP_SIZE], bool *ret_public)
    __attribute__((warn_unused_result));

/*
 * Write the digits of a phone number to ret: a leading "+" or "00" dropped,
 * spaces, dashes, dots and parentheses skipped, 8 to 15 digits that do not
 * begin with another "00" (so that a normal form is its own normal form).
 * Returns 0, or -1 if phone is no such number.
 */
int event_phone(const char *phone, char ret[EVENT_PHONE_SIZE])
    __attribute__((warn_unused_result));

/* Whether text is 6 to 8 digits: the beginning of a card number, no more. */
bool event_bin(const char *text);

/* Whether code, in upper case, is a currency of core/event/currencies.tbl. */
bool event_currency(const char *code);

/* Whether text is empty or nothing but spaces. */
bool event_blank(const char *text);

/* Whether n bytes are UTF-8 without Unicode's controls (C0, DEL, C1). */
bool event_plain(const char *s, size_t n);

/*
 * Whether text is a line that people can read: event_plain(), with something
 * in it that is no space.
 */
bool event_line(const char *text);

#endif
