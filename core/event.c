/* SPDX-License-Identifier: ISC */
/* One normalized event: its type, its attributes, its ip and its phone. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/utf8.h"
#include "core/event.h"

#define PHONE_DIGITS_MIN 8
#define IP4_SIZE 4
#define IP6_SIZE 16

/* A block of IPv4 addresses: the first bits of them all. */
struct net4 {
	uint32_t net;
	int bits;
};

/* A block of IPv6 addresses by its upper half, which decides them all. */
struct net6 {
	uint64_t net;
	int bits;
};

static bool ip4_public(const uint8_t *);
static bool ip6_public(const uint8_t *);

/* What event_types.tbl says of each type. */
static const struct {
	const char *name;
	bool baseline;
} types[EVENT_TYPE__MAX] = {
#define EVENT_TYPE(name, text, baseline) [EVENT_##name] = { text, baseline },
#include "core/event_types.tbl"
#undef EVENT_TYPE
};

/* IANA's special-purpose IPv4 blocks, multicast and class E. */
static const struct net4 special4[] = {
	{ 0x00000000, 8 }, /* this network */
	{ 0x0a000000, 8 }, /* private */
	{ 0x64400000, 10 }, /* shared by carriers */
	{ 0x7f000000, 8 }, /* loopback */
	{ 0xa9fe0000, 16 }, /* link local */
	{ 0xac100000, 12 }, /* private */
	{ 0xc0000000, 24 }, /* protocol assignments */
	{ 0xc0000200, 24 }, /* documentation */
	{ 0xc0586300, 24 }, /* old 6to4 relays */
	{ 0xc0a80000, 16 }, /* private */
	{ 0xc6120000, 15 }, /* benchmarks */
	{ 0xc6336400, 24 }, /* documentation */
	{ 0xcb007100, 24 }, /* documentation */
	{ 0xe0000000, 3 }, /* multicast, reserved, broadcast */
};

/* The IPv6 block that unicast addresses are given out of... */
static const struct net6 unicast6 = { 0x2000000000000000, 3 };

/* ... and what is special inside it. */
static const struct net6 special6[] = {
	{ 0x2001000000000000, 23 }, /* protocol assignments, Teredo */
	{ 0x20010db800000000, 32 }, /* documentation */
	{ 0x2002000000000000, 16 }, /* 6to4 */
	{ 0x3fff000000000000, 20 }, /* documentation */
};

static const uint8_t mapped4[IP6_SIZE - IP4_SIZE] = {
	[10] = 0xff, [11] = 0xff
};

const char *
event_type_name(enum event_type type)
{
	assert(type > EVENT_TYPE__NONE && type < EVENT_TYPE__MAX);
	return types[type].name;
}

enum event_type
event_type_parse(const char *name)
{
	enum event_type type;

	if (name == NULL)
		return EVENT_TYPE__NONE;
	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++)
		if (strcmp(types[type].name, name) == 0)
			return type;
	return EVENT_TYPE__NONE;
}

bool
event_type_baseline(enum event_type type)
{
	assert(type > EVENT_TYPE__NONE && type < EVENT_TYPE__MAX);
	return types[type].baseline;
}

const struct attr *
event_attr(const struct event *ev, const char *name)
{
	size_t i;

	for (i = 0; i < ev->n_attrs; i++)
		if (strcmp(ev->attrs[i].name, name) == 0)
			return &ev->attrs[i];
	return NULL;
}

int
event_ip(const char *ip, char ret[EVENT_IP_SIZE], bool *ret_public)
{
	uint8_t addr[IP6_SIZE];
	int family = AF_INET;

	/* A dotted address, or one of 128 bits that may wrap a dotted one. */
	if (inet_pton(AF_INET, ip, addr) != 1) {
		if (inet_pton(AF_INET6, ip, addr) != 1)
			return -1;
		if (memcmp(addr, mapped4, sizeof(mapped4)) == 0)
			memcpy(addr, addr + sizeof(mapped4), IP4_SIZE);
		else
			family = AF_INET6;
	}
	if (inet_ntop(family, addr, ret, EVENT_IP_SIZE) == NULL)
		return -1;
	*ret_public = family == AF_INET ? ip4_public(addr) : ip6_public(addr);
	return 0;
}

int
event_phone(const char *phone, char ret[EVENT_PHONE_SIZE])
{
	char digits[EVENT_PHONE_SIZE + 2]; /* room for the 00 */
	size_t n = 0, drop;
	bool plus = false;

	/* Digits and what people put between them; one plus before them. */
	for (; *phone != '\0'; phone++) {
		if (*phone >= '0' && *phone <= '9') {
			if (n == sizeof(digits))
				return -1;
			digits[n++] = *phone;
		} else if (*phone == '+') {
			if (plus || n > 0)
				return -1;
			plus = true;
		} else if (strchr(" -.()", *phone) == NULL)
			return -1;
	}

	/* Both prefixes say "international", once; a number follows. */
	drop = !plus && n >= 2 && memcmp(digits, "00", 2) == 0 ? 2 : 0;
	n -= drop;
	if (n < PHONE_DIGITS_MIN || n >= EVENT_PHONE_SIZE ||
	    memcmp(digits + drop, "00", 2) == 0)
		return -1;
	memcpy(ret, digits + drop, n);
	ret[n] = '\0';
	return 0;
}

bool
event_bin(const char *text)
{
	const size_t n = strlen(text);

	return n >= EVENT_BIN_MIN && n <= EVENT_BIN_MAX &&
	    strspn(text, "0123456789") == n;
}

bool
event_plain(const char *s, size_t n)
{
	uint32_t code;
	size_t i, length;

	for (i = 0; i < n; i += length) {
		length = utf8_get(s + i, n - i, &code);
		if (length == 0 || code < 0x20 || (code >= 0x7f && code < 0xa0))
			return false;
	}
	return true;
}

/* Whether no special block holds the address of four bytes. */
static bool
ip4_public(const uint8_t *addr)
{
	uint32_t ip = 0;
	size_t i;

	for (i = 0; i < IP4_SIZE; i++)
		ip = ip << 8 | addr[i];
	for (i = 0; i < sizeof(special4) / sizeof(special4[0]); i++)
		if ((ip ^ special4[i].net) >> (32 - special4[i].bits) == 0)
			return false;
	return true;
}

/* Whether the address of sixteen bytes is unicast and not special. */
static bool
ip6_public(const uint8_t *addr)
{
	uint64_t ip = 0;
	size_t i;

	for (i = 0; i < IP6_SIZE / 2; i++)
		ip = ip << 8 | addr[i];
	if ((ip ^ unicast6.net) >> (64 - unicast6.bits) != 0)
		return false;
	for (i = 0; i < sizeof(special6) / sizeof(special6[0]); i++)
		if ((ip ^ special6[i].net) >> (64 - special6[i].bits) == 0)
			return false;
	return true;
}
