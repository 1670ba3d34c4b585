/* SPDX-License-Identifier: ISC */
/* Block, allow and watch lists: entries, and how an event matches them. */
#ifndef CORE_EVENT_LIST_H
#define CORE_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"

#define LIST_VALUE_SIZE (EVENT_ID_MAX + 1) /* the longest value and NUL */
#define LIST_REASON_MAX 256 /* bytes of an entry's reason */

/* The shortest networks that may be listed, in bits. */
#define LIST_BITS4_MIN 8
#define LIST_BITS6_MIN 16

/* The effect of an entry; if several match, the first of these wins. */
enum list_kind {
	LIST_KIND__NONE = 0,
	LIST_BLOCK, /* deny without scoring */
	LIST_ALLOW, /* allow without scoring */
	LIST_WATCH, /* score, then at least review */
	LIST_KIND__MAX
};

/* The part of an event that an entry matches. */
enum list_subject {
	LIST_SUBJECT__NONE = 0,
	LIST_USER,
	LIST_DEVICE,
	LIST_FINGERPRINT,
	LIST_IP,
	LIST_PHONE,
	LIST_BIN, /* by prefix */
	LIST_COUNTRY, /* geo.country */
	LIST_SUBJECT__MAX
};

/* A value of an event, for which entries are searched. */
struct list_key {
	enum list_subject subject;
	const char *value; /* not owned, not terminated */
	size_t len; /* bytes of value */
};

/* One key per subject; a bin has one for each prefix of 6 to 8 digits. */
#define LIST_KEYS_MAX                                                          \
	(LIST_SUBJECT__MAX - LIST_USER + EVENT_BIN_MAX - EVENT_BIN_MIN)

/* An entry, without its subject: an array has the entries of one subject. */
struct list_entry {
	const char *value; /* in normal form */
	int64_t expires_at; /* microseconds UTC, 0: never */
	enum list_kind kind;
};

/* What the entries say that match an event. */
struct list_match {
	enum list_kind other; /* of the strongest of all but ips */
	enum list_kind ip; /* of the longest network with its ip */
	int ip_bits; /* of that network */
};

/* The possible names, to complete the message of a failure. */
#define LIST_KIND_RULE "must be block, allow or watch"
#define LIST_SUBJECT_RULE                                                      \
	"must be user, device, fingerprint, ip, phone, bin or country"

/* Names such as "block" and "device".  Parsers return 0 if unknown. */
const char *list_kind_name(enum list_kind kind);
enum list_kind list_kind_parse(const char *name);
const char *list_subject_name(enum list_subject subject);
enum list_subject list_subject_parse(const char *name);

/*
 * Write the normal form of a value to ret, the same that events have: the
 * digits of a phone number, the canonical text of an address, an ISO 3166 code
 * in upper case.  Return 0, or -1 if text is not a value of that subject.
 */
int list_value(enum list_subject subject, const char *text,
    char ret[LIST_VALUE_SIZE]) __attribute__((warn_unused_result));

/* What list_value() requires, "must be ...", for the message of a failure. */
const char *list_value_rule(enum list_subject subject);

/*
 * The same for the value of an entry: that of an ip may also be a network of at
 * least LIST_BITS4_MIN or for IPv6 LIST_BITS6_MIN, such as 203.0.113.0/24.
 */
int list_entry_value(enum list_subject subject, const char *text,
    char ret[LIST_VALUE_SIZE]) __attribute__((warn_unused_result));
const char *list_entry_value_rule(enum list_subject subject);

/*
 * Whether text is valid as the reason of an entry: up to LIST_REASON_MAX bytes
 * of UTF-8, not blank, without control characters.
 */
bool list_reason(const char *text);

/*
 * Set ret to the keys of an event from a country ("" if unknown), and return
 * their number.  The keys point into ev and country.
 */
size_t list_keys(const struct event *ev, const char *country,
    struct list_key ret[LIST_KEYS_MAX]);

/* Sort the entries of one subject for list_find(). */
void list_sort(struct list_entry *entries, size_t n);

/*
 * The kind of the strongest entry that matches the key and has not expired at
 * now, or 0.  The entries are those of the key's subject, sorted.
 */
enum list_kind list_find(const struct list_entry *entries, size_t n,
    const struct list_key *key, int64_t now);

/* Whether an entry has not expired at now; expires_at 0 is never. */
bool list_acts(int64_t expires_at, int64_t now);

/* The kind that wins of two; either may be 0. */
enum list_kind list_stronger(enum list_kind a, enum list_kind b);

/*
 * Add an entry to what others say; bits is that of an ip's network, see struct
 * ip_network, and else 0.
 */
void list_match_add(struct list_match *m, enum list_kind kind, int bits);

/* The kind of the entry that wins, or 0. */
enum list_kind list_match_kind(const struct list_match *m);

/* Whether an entry of that kind decides without a score. */
bool list_decides(enum list_kind kind);

#endif
