/* SPDX-License-Identifier: ISC */
/* Entries of the lists for addresses, each of which is one or a network. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/event/list_network.h"

static size_t first_from(const struct list_network *nets, size_t n,
    const struct ip_network *network);
static int network_order(
    const struct ip_network *a, const struct ip_network *b);
static int by_network(const void *pa, const void *pb);

void
list_network_sort(struct list_network *nets, size_t n)
{
	if (n > 0)
		qsort(nets, n, sizeof(*nets), by_network);
}

void
list_network_match(const struct list_network *nets, size_t n,
    const struct list_key *key, int64_t now, struct list_match *m)
{
	char text[IP_ADDRESS_TEXT_SIZE];
	struct ip_network network;
	struct ip_address ad;
	bool found = false;
	size_t i, next;

	if (n == 0 || key->len >= sizeof(text))
		return;
	memcpy(text, key->value, key->len);
	text[key->len] = '\0';
	if (ip_address_parse(text, &ad) == -1)
		return;
	for (i = 0; i < n && !found; i = next) {
		network = ip_network_of(&ad, nets[i].network.bits);
		for (i = first_from(nets, n, &network);
		     i < n && network_order(&nets[i].network, &network) == 0;
		     i++) {
			if (!list_acts(nets[i].expires_at, now))
				continue;
			list_match_add(m, nets[i].kind, network.bits);
			found = true;
		}
		network = (struct ip_network) { .bits = network.bits - 1 };
		next = first_from(nets, n, &network);
	}
}

/* The index of the first entry that is not before network; n if all are. */
static size_t
first_from(
    const struct list_network *nets, size_t n, const struct ip_network *network)
{
	size_t low = 0, high = n, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (network_order(&nets[mid].network, network) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Longer networks are before shorter ones. */
static int
network_order(const struct ip_network *a, const struct ip_network *b)
{
	return a->bits != b->bits ? b->bits - a->bits
				  : memcmp(a->net, b->net, sizeof(a->net));
}

static int
by_network(const void *pa, const void *pb)
{
	const struct list_network *a = pa, *b = pb;

	return network_order(&a->network, &b->network);
}
