/* SPDX-License-Identifier: ISC */
/* IP addresses: their spellings, and which of them are out in the open. */
#ifndef CORE_EVENT_IP_ADDRESS_H
#define CORE_EVENT_IP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IP_ADDRESS_SIZE 16 /* bytes */
#define IP_ADDRESS_TEXT_SIZE 46 /* canonical text and NUL */

/* An IPv6 address in network order; an IPv4 one is the one mapped to it. */
struct ip_address {
	uint8_t ad_byte[IP_ADDRESS_SIZE];
};

/*
 * Read an address as people are asked to write it: IPv4 dotted, IPv6 as
 * RFC 4291.  Returns 0, or -1 if text is none.
 */
int ip_address_parse(const char *text, struct ip_address *ret)
    __attribute__((warn_unused_result));

/*
 * Read the n bytes of a host as resolvers and URLs take IPv4 addresses, which
 * is every spelling there is: one to four numbers between dots, decimal,
 * octal (017) or hexadecimal (0x7f), the last of which fills what is left.
 * Returns 1 with *ret, 0 if the host is a name, or -1 if it can be neither,
 * because it ends in a number.
 */
int ip_address_parse_host(const char *host, size_t n, struct ip_address *ret)
    __attribute__((warn_unused_result));

/* Write the canonical text: IPv4 dotted, IPv6 as RFC 5952. */
void ip_address_text(
    const struct ip_address *ad, char ret[IP_ADDRESS_TEXT_SIZE]);

/*
 * Whether the address is publicly routable: in none of IANA's blocks for
 * special purposes, and for IPv6 in the one that unicast addresses are given
 * out of.
 */
bool ip_address_public(const struct ip_address *ad);

/*
 * Whether a connection to the address ends at a public one: it is public, or
 * a NAT64 translator (RFC 6052, the well-known prefix) leads from it to a
 * public IPv4 address.
 */
bool ip_address_outside(const struct ip_address *ad);

#endif
