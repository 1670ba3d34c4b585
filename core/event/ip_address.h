/* SPDX-License-Identifier: ISC */
/* IP addresses: read and write them, and check whether they are public. */
#ifndef CORE_EVENT_IP_ADDRESS_H
#define CORE_EVENT_IP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IP_ADDRESS_SIZE 16 /* bytes */
#define IP_ADDRESS_BITS (8 * IP_ADDRESS_SIZE)
#define IP_ADDRESS_TEXT_SIZE 46 /* canonical text and NUL */
#define IP_NETWORK_TEXT_SIZE (IP_ADDRESS_TEXT_SIZE + 4) /* with "/128" */
#define IP_MAPPED_BITS 96 /* before the bits of an IPv4 address */

/* An IPv6 address in network order; an IPv4 address is mapped to IPv6. */
struct ip_address {
	uint8_t ad_byte[IP_ADDRESS_SIZE];
};

/* The addresses that begin with the first bits of net. */
struct ip_network {
	uint8_t net[IP_ADDRESS_SIZE]; /* like ad_byte; 0 after the bits */
	int bits; /* of the IPv6 address; IP_MAPPED_BITS and more: of IPv4 */
};

/*
 * Read an address in its standard form: IPv4 dotted, IPv6 as in RFC 4291.
 * Return 0, or -1 if text is not an address.
 */
int ip_address_parse(const char *text, struct ip_address *ret)
    __attribute__((warn_unused_result));

/*
 * Read the n bytes of a host as an IPv4 address in any form that resolvers and
 * URLs accept: one to four numbers separated by dots, each decimal, octal (017)
 * or hexadecimal (0x7f).  The last number gives all remaining bytes of the
 * address.  Return 1 with *ret set, 0 if the host is a name, or -1 if it is
 * invalid: it ends in a number, but is not an address.
 */
int ip_address_parse_host(const char *host, size_t n, struct ip_address *ret)
    __attribute__((warn_unused_result));

/* Write the canonical text: IPv4 dotted, IPv6 as in RFC 5952. */
void ip_address_text(
    const struct ip_address *ad, char ret[IP_ADDRESS_TEXT_SIZE]);

/*
 * Whether the address is publicly routable: outside IANA's special-purpose
 * blocks, and for IPv6 inside the block for global unicast (2000::/3).
 */
bool ip_address_public(const struct ip_address *ad);

/*
 * Whether the address is loopback, private, link local or of a carrier's NAT,
 * so that hosts of strangers may have the same one.
 */
bool ip_address_private(const struct ip_address *ad);

/*
 * Whether a connection to the address reaches a public address: it is public,
 * or it has the well-known NAT64 prefix (RFC 6052) and contains a public IPv4
 * address.
 */
bool ip_address_outside(const struct ip_address *ad);

/*
 * Write the canonical text of the address that stands for one client: an IPv4
 * address itself, the first address of the /64 of an IPv6 address, because a
 * host takes any of these.  An IPv6 address that contains an IPv4 address, as
 * behind NAT64, stands for itself.  text that is not an address is copied.
 */
void ip_client_text(const char *text, char ret[IP_ADDRESS_TEXT_SIZE]);

/*
 * Read a network such as 198.51.100.0/24 or 2001:db8::/32; an address alone is
 * a network of one.  Return 0, or -1 if text is not a network, or has bits
 * after the length.
 */
int ip_network_parse(const char *text, struct ip_network *ret)
    __attribute__((warn_unused_result));

/* The network of so many bits that has an address. */
struct ip_network ip_network_of(const struct ip_address *ad, int bits);

/* Write the canonical text; of a network of one address only that. */
void ip_network_text(
    const struct ip_network *net, char ret[IP_NETWORK_TEXT_SIZE]);

/* Whether an address is in a network. */
bool ip_network_has(const struct ip_network *net, const struct ip_address *ad);

#endif
