/* SPDX-License-Identifier: ISC */
/* Entries of the lists for addresses, each of which is one or a network. */
#ifndef CORE_EVENT_LIST_NETWORK_H
#define CORE_EVENT_LIST_NETWORK_H

#include <stddef.h>
#include <stdint.h>

#include "core/event/ip_address.h"
#include "core/event/list.h"

/* An entry. */
struct list_network {
	struct ip_network network;
	int64_t expires_at; /* microseconds UTC, 0: never */
	enum list_kind kind;
};

/* Sort for list_network_match(): longest networks first. */
void list_network_sort(struct list_network *nets, size_t n);

/*
 * Add to *m the entries of the longest network that has the address of key, and
 * has one that has not expired at now.
 */
void list_network_match(const struct list_network *nets, size_t n,
    const struct list_key *key, int64_t now, struct list_match *m);

#endif
