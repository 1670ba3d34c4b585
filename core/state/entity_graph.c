/* SPDX-License-Identifier: ISC */
/* The part of the entity graph that one transaction needs. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/event/placeholder.h"
#include "core/state/entity_graph.h"

/* Three hash tables with linear probing, at most half full. */
struct graph {
	struct arena *arena;
	struct graph_node **nodes; /* in the order in which they were added */
	size_t n_nodes;
	size_t max_nodes;
	struct graph_node **by_key; /* mask + 1 slots */
	struct graph_node **by_id; /* mask + 1 slots */
	size_t mask;

	/* Links that exist: link_mask + 1 slots; first is 0 in free ones. */
	struct user_state_link *linked;
	size_t link_mask;

	struct user_state_link *made; /* new links, in order */
	size_t n_made;
	size_t n_linked;
	size_t max_links;
};

static const char *ip_key(struct graph *g, const char *ip);
static size_t slots_for(size_t n);
static uint64_t mix_bits(uint64_t x);
static uint64_t hash_key(enum graph_node_kind kind, const char *key);
static struct graph_node *node_add(struct graph *g);
static struct graph_node **key_slot(
    const struct graph *g, enum graph_node_kind kind, const char *key);
static struct graph_node **id_slot(const struct graph *g, int64_t id);
static struct user_state_link *link_slot(
    const struct graph *g, struct user_state_link link);
static void count_link(struct graph_node *node, const struct graph_node *other);
static void join_roots(struct graph_node *a, struct graph_node *b);
static int cap_count(int n);

struct graph *
entity_graph_new(struct arena *a, size_t nodes, size_t links)
{
	struct graph *g = arena_alloc(a, sizeof(*g));

	if (g == NULL)
		return NULL;
	g->arena = a;
	g->max_nodes = nodes;
	g->max_links = links;
	g->mask = slots_for(nodes) - 1;
	g->link_mask = slots_for(links) - 1;
	g->nodes = arena_array(a, nodes, sizeof(*g->nodes));
	g->by_key = arena_array(a, g->mask + 1, sizeof(*g->by_key));
	g->by_id = arena_array(a, g->mask + 1, sizeof(*g->by_id));
	g->linked = arena_array(a, g->link_mask + 1, sizeof(*g->linked));
	g->made = arena_array(a, links, sizeof(*g->made));
	return a->overflow ? NULL : g;
}

struct graph_node *
entity_graph_node(struct graph *g, enum graph_node_kind kind, const char *key)
{
	struct graph_node **slot = key_slot(g, kind, key);

	if (*slot == NULL && (*slot = node_add(g)) != NULL) {
		(*slot)->kind = kind;
		(*slot)->key = key;
	}
	return *slot;
}

int
entity_graph_identifier(struct graph *g, const struct event *ev,
    const struct placeholders *more, struct graph_node *ret[IDENTIFIER__MAX])
{
	const struct {
		enum graph_node_kind kind;
		enum list_subject subject;
		const char *value;
	} all[IDENTIFIER__MAX] = {
		[IDENTIFIER_DEVICE] = { NODE_DEVICE, LIST_DEVICE, ev->device },
		[IDENTIFIER_IP] = { NODE_IP, LIST_IP, ev->ip },
		[IDENTIFIER_PHONE] = { NODE_PHONE, LIST_PHONE, ev->phone },
		[IDENTIFIER_FINGERPRINT] = { NODE_FINGERPRINT, LIST_FINGERPRINT,
		    ev->fingerprint },
	};
	const char *key;
	int c, left_out = 0;

	for (c = 0; c < IDENTIFIER__MAX; c++) {
		ret[c] = NULL;
		if (all[c].value == NULL)
			continue;
		if (placeholder_is(more, all[c].subject, all[c].value)) {
			left_out |= 1 << c;
			continue;
		}
		key =
		    c == IDENTIFIER_IP ? ip_key(g, all[c].value) : all[c].value;
		if (key == NULL ||
		    (ret[c] = entity_graph_node(g, all[c].kind, key)) == NULL)
			return -1;
	}
	return left_out;
}

/* The key of an address: see ip_client_text(). NULL if the arena is full. */
static const char *
ip_key(struct graph *g, const char *ip)
{
	char client[IP_ADDRESS_TEXT_SIZE];

	if (strchr(ip, ':') == NULL)
		return ip;
	ip_client_text(ip, client);
	return arena_strdup(g->arena, client);
}

size_t
entity_graph_pairs(struct graph_node *user,
    struct graph_node *const identifiers[IDENTIFIER__MAX],
    struct graph_pair ret[ENTITY_GRAPH_PAIRS_MAX])
{
	struct graph_node *const all[] = { user, identifiers[IDENTIFIER_DEVICE],
		identifiers[IDENTIFIER_IP], identifiers[IDENTIFIER_PHONE] };
	struct graph_node *fingerprint = identifiers[IDENTIFIER_FINGERPRINT];
	size_t i, j, n = 0;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		for (j = i + 1; j < sizeof(all) / sizeof(all[0]); j++) {
			if (all[i] != NULL && all[j] != NULL)
				ret[n++] =
				    (struct graph_pair) { all[i], all[j] };
		}
	}
	if (fingerprint != NULL) {
		ret[n++] = (struct graph_pair) { all[0], fingerprint };
		if (all[1] != NULL)
			ret[n++] = (struct graph_pair) { all[1], fingerprint };
	}
	return n;
}

struct graph_node *
entity_graph_find(
    const struct graph *g, enum graph_node_kind kind, const char *key)
{
	return *key_slot(g, kind, key);
}

struct graph_node *
entity_graph_node_id(struct graph *g, int64_t id)
{
	struct graph_node **slot = id_slot(g, id);

	if (*slot == NULL && (*slot = node_add(g)) != NULL)
		(*slot)->id = id;
	return *slot;
}

struct graph_node *
entity_graph_bind(struct graph *g, struct graph_node *node, int64_t id)
{
	struct graph_node **slot = id_slot(g, id);
	struct graph_node *bare = *slot;
	size_t i;

	if (bare == node)
		return node;

	/* The graph has this entity already, as the root of a component. */
	if (bare != NULL) {
		assert(bare->kind == 0);
		node->size = bare->size;
		node->parent = bare->parent;
		node->up = bare->up;
		for (i = 0; i < g->n_nodes; i++) {
			if (g->nodes[i]->up == bare)
				g->nodes[i]->up = node;
		}
		bare->id = 0;
	}
	node->id = id;
	*slot = node;
	return node;
}

struct graph_node *
entity_graph_place(struct graph *g, struct graph_node *node, int64_t id,
    int64_t root, int size)
{
	struct graph_node *top;

	node = entity_graph_bind(g, node, id);
	if ((top = entity_graph_node_id(g, root)) == NULL)
		return NULL;
	top->size = size;
	top->up = NULL;
	if (node != top)
		node->up = top;
	return top;
}

void
entity_graph_unbind(struct graph_node *node)
{
	*node = (struct graph_node) {
		.kind = node->kind,
		.key = node->key,
		.size = 1,
	};
}

struct graph_node **
entity_graph_nodes(const struct graph *g, size_t *ret_n)
{
	*ret_n = g->n_nodes;
	return g->nodes;
}

struct graph_node *
entity_graph_root(struct graph_node *node)
{
	while (node->up != NULL)
		node = node->up;
	return node;
}

int
entity_graph_ring(struct graph_node *node)
{
	return entity_graph_root(node)->size;
}

struct user_state_link
entity_graph_link_of(const struct graph_node *a, const struct graph_node *b)
{
	assert(a->id != 0 && b->id != 0 && a->id != b->id);
	if (a->id < b->id)
		return (struct user_state_link) { a->id, b->id };
	return (struct user_state_link) { b->id, a->id };
}

bool
entity_graph_linked(const struct graph *g, struct user_state_link link)
{
	return link_slot(g, link)->first != 0;
}

void
entity_graph_link_known(struct graph *g, struct user_state_link link)
{
	struct user_state_link *slot = link_slot(g, link);

	if (slot->first != 0)
		return;
	assert(g->n_linked < g->max_links);
	g->n_linked++;
	*slot = link;
}

void
entity_graph_link_make(
    struct graph *g, struct graph_node *a, struct graph_node *b)
{
	const struct user_state_link link = entity_graph_link_of(a, b);

	entity_graph_link_known(g, link);
	g->made[g->n_made++] = link;
	count_link(a, b);
	count_link(b, a);
	if (a->kind != NODE_FINGERPRINT && b->kind != NODE_FINGERPRINT)
		join_roots(entity_graph_root(a), entity_graph_root(b));
}

const struct user_state_link *
entity_graph_links_made(const struct graph *g, size_t *ret_n)
{
	*ret_n = g->n_made;
	return g->made;
}

/* The number of slots for n entries: a power of two, at least 2 * n. */
static size_t
slots_for(size_t n)
{
	size_t slots = 16;

	while (slots < 2 * n)
		slots *= 2;
	return slots;
}

/* Spread the bits of x (the finalizer of MurmurHash3, public domain). */
static uint64_t
mix_bits(uint64_t x)
{
	x ^= x >> 33;
	x *= UINT64_C(0xff51afd7ed558ccd);
	x ^= x >> 33;
	x *= UINT64_C(0xc4ceb9fe1a85ec53);
	return x ^ x >> 33;
}

/*
 * FNV-1a.  Callers can choose keys that collide, but that slows down only the
 * few hundred lookups of one transaction.
 */
static uint64_t
hash_key(enum graph_node_kind kind, const char *key)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325) + (uint64_t)kind;

	for (; *key != '\0'; key++)
		h = (h ^ (unsigned char)*key) * UINT64_C(0x100000001b3);
	return mix_bits(h);
}

/* Add a node that is its own component; NULL if the arena is full. */
static struct graph_node *
node_add(struct graph *g)
{
	struct graph_node *node;

	assert(g->n_nodes < g->max_nodes);
	node = arena_alloc(g->arena, sizeof(*node));
	if (node == NULL)
		return NULL;
	node->size = 1;
	g->nodes[g->n_nodes++] = node;
	return node;
}

/* The slot that has, or would have, the node with that kind and key. */
static struct graph_node **
key_slot(const struct graph *g, enum graph_node_kind kind, const char *key)
{
	uint64_t h = hash_key(kind, key);
	struct graph_node **slot;

	for (;; h++) {
		slot = &g->by_key[h & g->mask];
		if (*slot == NULL ||
		    ((*slot)->kind == kind && strcmp((*slot)->key, key) == 0))
			return slot;
	}
}

/* The slot that has, or would have, the node with that id. */
static struct graph_node **
id_slot(const struct graph *g, int64_t id)
{
	uint64_t h = mix_bits((uint64_t)id);

	while (g->by_id[h & g->mask] != NULL && g->by_id[h & g->mask]->id != id)
		h++;
	return &g->by_id[h & g->mask];
}

/* The slot that has, or would have, that link. */
static struct user_state_link *
link_slot(const struct graph *g, struct user_state_link link)
{
	uint64_t h =
	    mix_bits((uint64_t)link.first ^ mix_bits((uint64_t)link.second));
	struct user_state_link *slot;

	for (;; h++) {
		slot = &g->linked[h & g->link_mask];
		if (slot->first == 0 ||
		    (slot->first == link.first && slot->second == link.second))
			return slot;
	}
}

/* Count in node that it is linked to other. */
static void
count_link(struct graph_node *node, const struct graph_node *other)
{
	int *counter = NULL;

	if (other->kind == NODE_USER && node->kind != NODE_USER)
		counter = &node->users;
	else if (other->kind == NODE_DEVICE && node->kind == NODE_FINGERPRINT)
		counter = &node->devices;
	if (counter == NULL || *counter >= ENTITY_GRAPH_CAP)
		return;
	(*counter)++;
	if (counter == &node->devices && node->first_device == 0)
		node->first_device = other->id;
	node->dirty = true;
}

/* Join two components, unless both have reached the cap. */
static void
join_roots(struct graph_node *a, struct graph_node *b)
{
	struct graph_node *above = a, *below = b;

	if (a == b ||
	    (a->size >= ENTITY_GRAPH_CAP && b->size >= ENTITY_GRAPH_CAP))
		return;
	if (b->size > a->size || (b->size == a->size && b->id < a->id)) {
		above = b;
		below = a;
	}
	below->up = above;
	below->parent = above->id;
	below->dirty = true;
	if (above->size < ENTITY_GRAPH_CAP) {
		above->size = cap_count(above->size + below->size);
		above->dirty = true;
	}
}

static int
cap_count(int n)
{
	return n < ENTITY_GRAPH_CAP ? n : ENTITY_GRAPH_CAP;
}
