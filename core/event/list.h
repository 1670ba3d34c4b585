/* SPDX-License-Identifier: ISC */
/* Block, allow and watch lists: what an entry is, and which one acts. */
#ifndef CORE_EVENT_LIST_H
#define CORE_EVENT_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/event/event.h"

#define LIST_VALUE_SIZE (EVENT_ID_MAX + 1) /* the longest value and NUL */
#define LIST_REASON_MAX 256 /* bytes of an entry's reason */

/* What an entry does; where several act, the first of these goes before. */
enum list_kind {
	LIST_KIND__NONE = 0,
	LIST_BLOCK, /* deny without scoring */
	LIST_ALLOW, /* allow without scoring */
	LIST_WATCH, /* score, then at least review */
	LIST_KIND__MAX
};

/* What of an event an entry is about. */
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

/* One thing of an event that entries may be about; value is not owned. */
struct list_key {
	enum list_subject subject;
	const char *value; /* its first len bytes */
	size_t len;
};

/* One for each subject; an event's bin begins with up to three listed ones. */
#define LIST_KEYS_MAX                                                          \
	(LIST_SUBJECT__MAX - LIST_USER + EVENT_BIN_MAX - EVENT_BIN_MIN)

/* An entry as decisions need it; which subject's it is, its keeper knows. */
struct list_entry {
	const char *value; /* in normal form */
	int64_t expires_at; /* microseconds UTC, 0: never */
	enum list_kind kind;
};

/* What kinds and subjects are called: a sentence's tail. */
#define LIST_KIND_RULE "must be block, allow or watch"
#define LIST_SUBJECT_RULE                                                      \
	"must be user, device, fingerprint, ip, phone, bin or country"

/* "block" for LIST_BLOCK and back; the parsers take anything, for 0. */
const char *list_kind_name(enum list_kind kind);
enum list_kind list_kind_parse(const char *name);
const char *list_subject_name(enum list_subject subject);
enum list_subject list_subject_parse(const char *name);

/*
 * Write the normal form of a value to ret, which is that of events: a phone's
 * digits, an address in canonical text, a country of ISO 3166 in upper case.
 * Returns 0, or -1 if text is no value of that subject.
 */
int list_value(enum list_subject subject, const char *text,
    char ret[LIST_VALUE_SIZE]) __attribute__((warn_unused_result));

/* What list_value() asks for: a sentence's tail, "must be ...". */
const char *list_value_rule(enum list_subject subject);

/*
 * Whether text may be kept as a reason: up to LIST_REASON_MAX bytes of UTF-8,
 * not blank, no control characters.
 */
bool list_reason(const char *text);

/*
 * What entries may be about in an event from a country ("": unknown), to ret;
 * returns how many.  The values point into ev and country.
 */
size_t list_keys(const struct event *ev, const char *country,
    struct list_key ret[LIST_KEYS_MAX]);

/* Put the entries of one subject into the order that list_find() needs. */
void list_sort(struct list_entry *entries, size_t n);

/* What the sorted entries of the key's subject say of it at now, or 0. */
enum list_kind list_find(const struct list_entry *entries, size_t n,
    const struct list_key *key, int64_t now);

/* Whether an entry has not expired at now. */
bool list_acts(int64_t expires_at, int64_t now);

/* The one that goes before; either may be 0. */
enum list_kind list_stronger(enum list_kind a, enum list_kind b);

/* Whether an entry decides by itself, without a score. */
bool list_decides(enum list_kind kind);

#endif
