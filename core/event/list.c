/* SPDX-License-Identifier: ISC */
/* Block, allow and watch lists: entries, and how an event matches them. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/event/geo.h"
#include "core/event/ip_address.h"
#include "core/event/list.h"
#include "core/event/phone.h"

/* Write the normal form of text, or return -1. */
typedef int form(const char *text, char ret[LIST_VALUE_SIZE]);

static form list_value_id, list_value_ip, list_value_phone, list_value_bin,
    list_value_country;
static size_t bin_keys(const char *bin, struct list_key *ret);
static int key_order(const struct list_key *key, const char *value);
static int by_value(const void *pa, const void *pb);

static const char *const kinds[LIST_KIND__MAX] = {
	[LIST_BLOCK] = "block",
	[LIST_ALLOW] = "allow",
	[LIST_WATCH] = "watch",
};

#define ID_RULE                                                                \
	"must be 1 to 128 bytes of UTF-8, not blank, no control characters"

/* The subjects.  member is unused for country, which is not in an event. */
static const struct {
	const char *name;
	form *form;
	const char *rule;
	size_t member; /* a const char * of struct event */
} subjects[LIST_SUBJECT__MAX] = {
	[LIST_USER] = { "user", list_value_id, ID_RULE,
	    offsetof(struct event, user) },
	[LIST_DEVICE] = { "device", list_value_id, ID_RULE,
	    offsetof(struct event, device) },
	[LIST_FINGERPRINT] = { "fingerprint", list_value_id, ID_RULE,
	    offsetof(struct event, fingerprint) },
	[LIST_IP] = { "ip", list_value_ip, "must be an IPv4 or IPv6 address",
	    offsetof(struct event, ip) },
	[LIST_PHONE] = { "phone", list_value_phone,
	    "must be a phone number of 7 to 15 digits",
	    offsetof(struct event, phone) },
	[LIST_BIN] = { "bin", list_value_bin, "must be 6 to 8 digits",
	    offsetof(struct event, bin) },
	[LIST_COUNTRY] = { "country", list_value_country,
	    "must be the two letters of a country in ISO 3166", 0 },
};

const char *
list_kind_name(enum list_kind kind)
{
	assert(kind > LIST_KIND__NONE && kind < LIST_KIND__MAX);
	return kinds[kind];
}

enum list_kind
list_kind_parse(const char *name)
{
	return name_index(kinds, name);
}

const char *
list_subject_name(enum list_subject subject)
{
	assert(subject > LIST_SUBJECT__NONE && subject < LIST_SUBJECT__MAX);
	return subjects[subject].name;
}

enum list_subject
list_subject_parse(const char *name)
{
	return name_index(subjects, name);
}

int
list_value(
    enum list_subject subject, const char *text, char ret[LIST_VALUE_SIZE])
{
	assert(subject > LIST_SUBJECT__NONE && subject < LIST_SUBJECT__MAX);
	return subjects[subject].form(text, ret);
}

const char *
list_value_rule(enum list_subject subject)
{
	assert(subject > LIST_SUBJECT__NONE && subject < LIST_SUBJECT__MAX);
	return subjects[subject].rule;
}

int
list_entry_value(
    enum list_subject subject, const char *text, char ret[LIST_VALUE_SIZE])
{
	static const struct ip_address ipv4 = {
		{ [10] = 0xff, 0xff },
	};
	struct ip_network net;
	int least = LIST_BITS6_MIN;

	if (subject != LIST_IP || strchr(text, '/') == NULL)
		return list_value(subject, text, ret);
	if (ip_network_parse(text, &net) == -1)
		return -1;
	if (net.bits > IP_MAPPED_BITS &&
	    memcmp(net.net, ipv4.ad_byte, IP_MAPPED_BITS / 8) == 0)
		least = IP_MAPPED_BITS + LIST_BITS4_MIN;
	if (net.bits < least || ip_network_has(&net, &ipv4))
		return -1;
	ip_network_text(&net, ret);
	return 0;
}

const char *
list_entry_value_rule(enum list_subject subject)
{
	return subject == LIST_IP
	    ? "must be an IPv4 or IPv6 address, or a network such as "
	      "203.0.113.0/24, at least /8 or for IPv6 /16, without bits "
	      "after that"
	    : list_value_rule(subject);
}

bool
list_reason(const char *text)
{
	const size_t n = strlen(text);

	return n <= LIST_REASON_MAX && !event_blank(text) &&
	    event_plain(text, n);
}

size_t
list_keys(const struct event *ev, const char *country,
    struct list_key ret[LIST_KEYS_MAX])
{
	enum list_subject subject;
	const char *value;
	size_t n = 0;

	for (subject = LIST_USER; subject < LIST_SUBJECT__MAX; subject++) {
		value = country;
		if (subject != LIST_COUNTRY)
			memcpy(&value,
			    (const char *)ev + subjects[subject].member,
			    sizeof(value));
		if (value == NULL || *value == '\0')
			continue;
		if (subject == LIST_BIN)
			n += bin_keys(value, ret + n);
		else
			ret[n++] =
			    (struct list_key) { subject, value, strlen(value) };
	}
	return n;
}

void
list_sort(struct list_entry *entries, size_t n)
{
	if (n > 0)
		qsort(entries, n, sizeof(*entries), by_value);
}

enum list_kind
list_find(const struct list_entry *entries, size_t n,
    const struct list_key *key, int64_t now)
{
	enum list_kind kind = LIST_KIND__NONE;
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (key_order(key, entries[mid].value) > 0)
			low = mid + 1;
		else
			high = mid;
	}
	for (; low < n && key_order(key, entries[low].value) == 0; low++)
		if (list_acts(entries[low].expires_at, now))
			kind = list_stronger(kind, entries[low].kind);
	return kind;
}

bool
list_acts(int64_t expires_at, int64_t now)
{
	return expires_at == 0 || expires_at > now;
}

enum list_kind
list_stronger(enum list_kind a, enum list_kind b)
{
	if (a == LIST_KIND__NONE || b == LIST_KIND__NONE)
		return a == LIST_KIND__NONE ? b : a;
	return a < b ? a : b;
}

void
list_match_add(struct list_match *m, enum list_kind kind, int bits)
{
	if (bits == 0) {
		m->other = list_stronger(m->other, kind);
		return;
	}
	if (bits < m->ip_bits)
		return;
	m->ip = bits > m->ip_bits ? kind : list_stronger(m->ip, kind);
	m->ip_bits = bits;
}

enum list_kind
list_match_kind(const struct list_match *m)
{
	return list_stronger(m->other, m->ip);
}

bool
list_decides(enum list_kind kind)
{
	return kind == LIST_BLOCK || kind == LIST_ALLOW;
}

static int
list_value_id(const char *text, char ret[LIST_VALUE_SIZE])
{
	const size_t n = strlen(text);

	if (event_blank(text) || n > EVENT_ID_MAX || !event_plain(text, n))
		return -1;
	memcpy(ret, text, n + 1);
	return 0;
}

static int
list_value_ip(const char *text, char ret[LIST_VALUE_SIZE])
{
	bool public;

	return event_ip(text, ret, &public);
}

static int
list_value_phone(const char *text, char ret[LIST_VALUE_SIZE])
{
	return phone_canonical(text, ret);
}

static int
list_value_bin(const char *text, char ret[LIST_VALUE_SIZE])
{
	if (!event_bin(text))
		return -1;
	memcpy(ret, text, strlen(text) + 1);
	return 0;
}

/* Accept only codes that exist: an entry for "UK" would never match. */
static int
list_value_country(const char *text, char ret[LIST_VALUE_SIZE])
{
	size_t i;

	if (strlen(text) != 2)
		return -1;
	for (i = 0; i < 3; i++)
		ret[i] = text[i] >= 'a' && text[i] <= 'z'
		    ? (char)(text[i] - 'a' + 'A')
		    : text[i];
	return geo_country(ret) ? 0 : -1;
}

/* Make a key of each prefix of a bin that can be listed. */
static size_t
bin_keys(const char *bin, struct list_key *ret)
{
	const size_t digits = strlen(bin);
	size_t len, n = 0;

	for (len = EVENT_BIN_MIN; len <= digits; len++)
		ret[n++] = (struct list_key) { LIST_BIN, bin, len };
	return n;
}

/* Compare a key with the value of an entry; return a result like strcmp(). */
static int
key_order(const struct list_key *key, const char *value)
{
	const int order = strncmp(key->value, value, key->len);

	if (order != 0)
		return order;
	return value[key->len] == '\0' ? 0 : -1;
}

static int
by_value(const void *pa, const void *pb)
{
	const struct list_entry *a = pa, *b = pb;

	return strcmp(a->value, b->value);
}
