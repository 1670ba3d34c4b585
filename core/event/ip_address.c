/* SPDX-License-Identifier: ISC */
/* IP addresses: read and write them, and check whether they are public. */
#include "config.h"

#include <arpa/inet.h>
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/ascii.h"
#include "core/event/ip_address.h"

#define PARTS_MAX 4 /* numbers of an IPv4 address */
#define BYTES4 4
#define CLIENT_BITS 64 /* of IPv6 */

static size_t split_labels(
    const char *host, size_t n, const char *ret[PARTS_MAX + 1]);
static int parse_host_number(
    const char *text, size_t n, uint64_t max, uint64_t *ret);
static int digit_value(char c);
static bool is_numeric(const char *label, size_t n);
static int prefix_length(const char *text);
static bool in_any(
    const struct ip_address *ad, const struct ip_network *nets, size_t n);
static void map_ipv4(const uint8_t *bytes, struct ip_address *ret);

/* An IPv4 network, as one of mapped addresses. */
#define V4(a, b, c, bits)                                                      \
	{                                                                      \
		{ [10] = 0xff, 0xff, a, b, c }, IP_MAPPED_BITS + (bits)        \
	}

static const struct ip_network mapped = V4(0, 0, 0, 0);
static const struct ip_network unicast = { { 0x20 }, 3 };
static const struct ip_network nat64 = { { 0x00, 0x64, 0xff, 0x9b }, 96 };

/* IANA's special-purpose IPv4 blocks, multicast and class E. */
static const struct ip_network special4[] = {
	V4(0, 0, 0, 8), /* this network */
	V4(10, 0, 0, 8), /* private */
	V4(100, 64, 0, 10), /* carrier-grade NAT */
	V4(127, 0, 0, 8), /* loopback */
	V4(169, 254, 0, 16), /* link local, cloud metadata */
	V4(172, 16, 0, 12), /* private */
	V4(192, 0, 0, 24), /* protocol assignments */
	V4(192, 0, 2, 24), /* documentation */
	V4(192, 88, 99, 24), /* old 6to4 relays */
	V4(192, 168, 0, 16), /* private */
	V4(198, 18, 0, 15), /* benchmarking */
	V4(198, 51, 100, 24), /* documentation */
	V4(203, 0, 113, 24), /* documentation */
	V4(224, 0, 0, 3), /* multicast, reserved, broadcast */
};

/* Addresses that each host, site or carrier has for itself. */
static const struct ip_network private[] = {
	V4(0, 0, 0, 8), /* this network */
	V4(10, 0, 0, 8), /* private */
	V4(100, 64, 0, 10), /* carrier-grade NAT */
	V4(127, 0, 0, 8), /* loopback */
	V4(169, 254, 0, 16), /* link local */
	V4(172, 16, 0, 12), /* private */
	V4(192, 168, 0, 16), /* private */
	{ { 0 }, 127 }, /* unspecified and loopback */
	{ { 0xfc }, 7 }, /* unique local */
	{ { 0xfe, 0x80 }, 10 }, /* link local */
};

/*
 * Networks of which strangers have addresses in one /64, beside mapped and
 * nat64: those of IPv4.
 */
static const struct ip_network shared64[] = {
	{ { 0x00, 0x64, 0xff, 0x9b, 0x00, 0x01 }, 48 }, /* NAT64 (RFC 8215) */
	{ { 0x20, 0x01 }, 32 }, /* Teredo, with its server in the /64 */
};

/* IANA's special-purpose blocks of IPv6 global unicast. */
static const struct ip_network special6[] = {
	{ { 0x20, 0x01, 0x00 }, 23 }, /* protocol assignments, Teredo */
	{ { 0x20, 0x01, 0x0d, 0xb8 }, 32 }, /* documentation */
	{ { 0x20, 0x02 }, 16 }, /* 6to4 */
	{ { 0x3f, 0xff, 0x00 }, 20 }, /* documentation */
};

int
ip_address_parse(const char *text, struct ip_address *ret)
{
	uint8_t bytes[BYTES4];

	if (inet_pton(AF_INET, text, bytes) == 1) {
		map_ipv4(bytes, ret);
		return 0;
	}
	return inet_pton(AF_INET6, text, ret->ad_byte) == 1 ? 0 : -1;
}

int
ip_address_parse_host(const char *host, size_t n, struct ip_address *ret)
{
	const char *part[PARTS_MAX + 1];
	uint8_t bytes[BYTES4];
	uint64_t value, max;
	size_t count, i, end;

	if (n > 0 && host[n - 1] == '.')
		n--;
	for (i = n; i > 0 && host[i - 1] != '.'; i--)
		continue;
	if (!is_numeric(host + i, n - i))
		return 0;
	if ((count = split_labels(host, n, part)) == 0)
		return -1;

	/* Each number is one byte; the last one is all remaining bytes. */
	for (i = 0; i < count; i++) {
		max =
		    i < count - 1 ? UINT8_MAX : UINT32_MAX >> (8 * (count - 1));
		if (parse_host_number(part[i],
			(size_t)(part[i + 1] - part[i]) - 1, max, &value) == -1)
			return -1;
		bytes[i] = (uint8_t)value;
	}
	for (end = BYTES4; end >= count; end--, value >>= 8)
		bytes[end - 1] = (uint8_t)value;
	map_ipv4(bytes, ret);
	return 1;
}

void
ip_address_text(const struct ip_address *ad, char ret[IP_ADDRESS_TEXT_SIZE])
{
	const char *text;

	text = in_any(ad, &mapped, 1)
	    ? inet_ntop(AF_INET, ad->ad_byte + IP_ADDRESS_SIZE - BYTES4, ret,
		  IP_ADDRESS_TEXT_SIZE)
	    : inet_ntop(AF_INET6, ad->ad_byte, ret, IP_ADDRESS_TEXT_SIZE);
	assert(text != NULL);
}

bool
ip_address_public(const struct ip_address *ad)
{
	if (in_any(ad, &mapped, 1))
		return !in_any(ad, special4, nitems(special4));
	return in_any(ad, &unicast, 1) &&
	    !in_any(ad, special6, nitems(special6));
}

bool
ip_address_private(const struct ip_address *ad)
{
	return in_any(ad, private, nitems(private));
}

bool
ip_address_outside(const struct ip_address *ad)
{
	struct ip_address inner;

	if (!in_any(ad, &nat64, 1))
		return ip_address_public(ad);
	map_ipv4(ad->ad_byte + IP_ADDRESS_SIZE - BYTES4, &inner);
	return ip_address_public(&inner);
}

void
ip_client_text(const char *text, char ret[IP_ADDRESS_TEXT_SIZE])
{
	struct ip_network client;
	struct ip_address ad;

	if (ip_address_parse(text, &ad) == -1 || in_any(&ad, &mapped, 1) ||
	    in_any(&ad, &nat64, 1) || in_any(&ad, shared64, nitems(shared64))) {
		snprintf(ret, IP_ADDRESS_TEXT_SIZE, "%s", text);
		return;
	}
	client = ip_network_of(&ad, CLIENT_BITS);
	memcpy(ad.ad_byte, client.net, IP_ADDRESS_SIZE);
	ip_address_text(&ad, ret);
}

int
ip_network_parse(const char *text, struct ip_network *ret)
{
	const char *slash = strchr(text, '/');
	char address[IP_ADDRESS_TEXT_SIZE];
	const size_t n = slash == NULL ? strlen(text) : (size_t)(slash - text);
	struct ip_address ad;
	int most, bits;

	if (n >= sizeof(address))
		return -1;
	memcpy(address, text, n);
	address[n] = '\0';
	if (ip_address_parse(address, &ad) == -1)
		return -1;
	most = strchr(address, ':') == NULL ? 8 * BYTES4 : IP_ADDRESS_BITS;
	bits = slash == NULL ? most : prefix_length(slash + 1);
	if (bits == -1 || bits > most)
		return -1;
	*ret = ip_network_of(&ad, IP_ADDRESS_BITS - most + bits);
	return memcmp(ret->net, ad.ad_byte, IP_ADDRESS_SIZE) == 0 ? 0 : -1;
}

struct ip_network
ip_network_of(const struct ip_address *ad, int bits)
{
	struct ip_network net = { .bits = bits };
	const int whole = bits / 8, rest = bits % 8;

	memcpy(net.net, ad->ad_byte, (size_t)whole);
	if (rest > 0)
		net.net[whole] = (uint8_t)(ad->ad_byte[whole] & 0xff00 >> rest);
	return net;
}

void
ip_network_text(const struct ip_network *net, char ret[IP_NETWORK_TEXT_SIZE])
{
	struct ip_address ad;
	int bits = net->bits;

	memcpy(ad.ad_byte, net->net, IP_ADDRESS_SIZE);
	ip_address_text(&ad, ret);
	if (bits == IP_ADDRESS_BITS)
		return;
	if (strchr(ret, ':') == NULL)
		bits -= IP_MAPPED_BITS;
	snprintf(ret + strlen(ret), sizeof("/128"), "/%d", bits);
}

bool
ip_network_has(const struct ip_network *net, const struct ip_address *ad)
{
	const int whole = net->bits / 8, rest = net->bits % 8;

	return memcmp(ad->ad_byte, net->net, (size_t)whole) == 0 &&
	    (rest == 0 ||
		(ad->ad_byte[whole] ^ net->net[whole]) >> (8 - rest) == 0);
}

/*
 * Set ret to the starts of the labels of a host, followed by a pointer one past
 * the end, as if a dot ended the host.  Return the number of labels, or 0 if
 * there are more than PARTS_MAX.
 */
static size_t
split_labels(const char *host, size_t n, const char *ret[PARTS_MAX + 1])
{
	size_t i, count = 0;

	ret[count++] = host;
	for (i = 0; i < n; i++) {
		if (host[i] != '.')
			continue;
		if (count == PARTS_MAX)
			return 0;
		ret[count++] = host + i + 1;
	}
	ret[count] = host + n + 1;
	return count;
}

/*
 * Read a number of at most max; "0x" begins a hexadecimal one, "0" an octal
 * one.  Return 0, or -1 if it is invalid.
 */
static int
parse_host_number(const char *text, size_t n, uint64_t max, uint64_t *ret)
{
	int base = 10, d;
	size_t i = 0;

	if (n >= 2 && text[0] == '0') {
		base = (text[1] | 0x20) == 'x' ? 16 : 8;
		i = base == 16 ? 2 : 1;
	}
	if (n == 0)
		return -1;
	for (*ret = 0; i < n; i++) {
		d = digit_value(text[i]);
		if (d == -1 || d >= base)
			return -1;
		*ret = *ret * (uint64_t)base + (uint64_t)d;
		if (*ret > max)
			return -1;
	}
	return 0;
}

static int
digit_value(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *found;

	if (c >= 'A' && c <= 'F')
		c = (char)(c | 0x20);
	found = c == '\0' ? NULL : strchr(digits, c);
	return found == NULL ? -1 : (int)(found - digits);
}

/* Whether the last label of a host is a number: digits, or 0x and hex digits.
 */
static bool
is_numeric(const char *label, size_t n)
{
	const bool hex = n >= 2 && label[0] == '0' && (label[1] | 0x20) == 'x';
	size_t i;

	for (i = hex ? 2 : 0; i < n; i++)
		if (digit_value(label[i]) == -1 ||
		    (!hex && digit_value(label[i]) > 9))
			return false;
	return n > 0;
}

static bool
in_any(const struct ip_address *ad, const struct ip_network *nets, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (ip_network_has(&nets[i], ad))
			return true;
	return false;
}

/* Read the number behind the slash of a network, or return -1. */
static int
prefix_length(const char *text)
{
	int n = 0;

	if (*text == '\0' || (*text == '0' && text[1] != '\0'))
		return -1;
	for (; *text != '\0'; text++) {
		if (!ascii_is_digit(*text) || n > 99)
			return -1;
		n = n * 10 + *text - '0';
	}
	return n;
}

/* Map an IPv4 address to IPv6. */
static void
map_ipv4(const uint8_t *bytes, struct ip_address *ret)
{
	memcpy(ret->ad_byte, mapped.net, IP_ADDRESS_SIZE - BYTES4);
	memcpy(ret->ad_byte + IP_ADDRESS_SIZE - BYTES4, bytes, BYTES4);
}
