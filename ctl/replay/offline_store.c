/* SPDX-License-Identifier: ISC */
/* Store the state of a history in memory. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/decide/event_context.h"
#include "core/event/event.h"
#include "core/state/entity_graph.h"
#include "core/state/user_state.h"
#include "ctl/replay/offline_store.h"
#include "lib/engine/string_ids.h"

/* Entities of an event, with their roots. */
#define NODES_MAX (2 * (IDENTIFIER__MAX + 1))
#define FIRST 1024 /* initial capacity for entities and links */
#define BLOB_STEP 32 /* bytes by which packed data grows */

/* An entity, with the columns of the database. */
struct store_row {
	uint32_t parent; /* 0 at a root */
	uint32_t first_device;
	uint16_t size;
	uint16_t users;
	uint16_t devices;
	uint16_t packed_size;
	uint16_t packed_cap;
	uint8_t *packed; /* state of a user; risk history of a device or ip */
};

/* A link of two entities, first < second; first is 0 in a free slot. */
struct edge {
	uint32_t first;
	uint32_t second;
};

struct offline_store {
	int delay; /* of labels, days */
	const struct placeholders *placeholders; /* or NULL */
	struct string_ids ids; /* of events */
	struct string_ids names; /* of entities; the number is the id */
	struct store_row *rows; /* by id - 1 */
	size_t max_rows;
	struct edge *links; /* hash table with linear probing */
	size_t n_links;
	size_t mask;
};

_Static_assert(ENTITY_GRAPH_CAP <= UINT16_MAX, "counters and sizes fit");
_Static_assert(USER_STATE_PACKED_MAX <= UINT16_MAX - BLOB_STEP &&
	ENTITY_RISK_PACKED_MAX <= UINT16_MAX - BLOB_STEP,
    "sizes of what is packed fit");

static int read_node(struct offline_store *h, struct graph *g,
    struct graph_node *node, struct fail *f);
static void read_store_row(
    const struct offline_store *h, struct graph_node *node);
static int add_store_row(struct offline_store *h, struct fail *f);
static uint32_t root_of(struct offline_store *h, uint32_t id);
static int store_risk(struct offline_store *h, const struct graph_node *node,
    int64_t now, enum backtest_label truth, struct fail *f);
static int store_graph(
    struct offline_store *h, const struct graph *g, struct fail *f);
static int store_packed(
    struct store_row *row, const void *packed, size_t size, struct fail *f);
static struct store_row *row_of(
    const struct offline_store *h, const struct graph_node *node);
static struct edge *edge_slot(const struct offline_store *h, struct edge edge);
static struct edge edge_of(struct user_state_link link);
static int grow_links(struct offline_store *h, struct fail *f);
struct offline_store *
offline_store_new(int delay, const struct placeholders *more)
{
	struct offline_store *h = calloc(1, sizeof(*h));

	if (h == NULL)
		return NULL;
	h->delay = delay;
	h->placeholders = more;
	h->mask = 2 * FIRST - 1;
	h->links = calloc(h->mask + 1, sizeof(*h->links));
	if (h->links == NULL) {
		free(h);
		return NULL;
	}
	return h;
}

void
offline_store_free(struct offline_store *h)
{
	uint32_t i;

	if (h == NULL)
		return;
	for (i = 0; i < h->names.n && i < h->max_rows; i++)
		free(h->rows[i].packed);
	free(h->rows);
	free(h->links);
	string_ids_clear(&h->names);
	string_ids_clear(&h->ids);
	free(h);
}

int
offline_store_add_id(
    struct offline_store *h, const char *id, bool *ret_again, struct fail *f)
{
	const uint32_t n = h->ids.n;

	if (string_ids_add(&h->ids, 0, id) == 0)
		return fail_memory(f);
	*ret_again = h->ids.n == n;
	return 0;
}

int
offline_store_read(struct offline_store *h, const struct event *ev,
    const struct place *place, int64_t now, struct arena *a,
    struct event_context *ret, struct fail *f)
{
	struct graph_node **identifiers =
	    arena_array(a, IDENTIFIER__MAX, sizeof(*identifiers));
	struct graph *g =
	    entity_graph_new(a, NODES_MAX, ENTITY_GRAPH_PAIRS_MAX);
	struct entity_risk_rates *rates =
	    arena_array(a, IDENTIFIER__MAX, sizeof(*rates));
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct user_state_link link;
	struct graph_node *user;
	const struct store_row *row;
	size_t i, n;
	int c;

	if (identifiers == NULL || g == NULL || rates == NULL ||
	    entity_graph_identifier(g, ev, h->placeholders, identifiers) ==
		-1 ||
	    (user = entity_graph_node(g, NODE_USER, ev->user)) == NULL)
		return fail_memory(f);
	if (read_node(h, g, user, f) == -1)
		return -1;
	for (c = 0; c < IDENTIFIER__MAX; c++) {
		if (identifiers[c] != NULL &&
		    read_node(h, g, identifiers[c], f) == -1)
			return -1;
	}
	n = entity_graph_pairs(user, identifiers, pairs);
	for (i = 0; i < n; i++) {
		link = entity_graph_link_of(pairs[i].a, pairs[i].b);
		if (edge_slot(h, edge_of(link))->first != 0)
			entity_graph_link_known(g, link);
	}

	*ret = (struct event_context) {
		.event = ev,
		.graph = g,
		.user = user,
		.identifiers = identifiers,
		.place = place,
		.now = now,
	};
	row = row_of(h, user);
	ret->state = user_state_unpack(a, row->packed, row->packed_size, f);
	if (ret->state == NULL)
		return -1;
	return event_context_risk(ret, h->delay, rates, f);
}

int
offline_store_write(struct offline_store *h, const struct event_context *sc,
    enum backtest_label truth, struct fail *f)
{
	uint8_t packed[USER_STATE_PACKED_MAX];
	size_t size;

	size = user_state_pack(sc->state, sc->now, packed);
	if (store_graph(h, sc->graph, f) == -1 ||
	    store_packed(row_of(h, sc->user), packed, size, f) == -1 ||
	    store_risk(
		h, sc->identifiers[IDENTIFIER_DEVICE], sc->now, truth, f) == -1)
		return -1;
	return store_risk(h, sc->identifiers[IDENTIFIER_IP], sc->now, truth, f);
}

/* Read the row of an entity into node; add the row if it is new. */
static int
read_node(struct offline_store *h, struct graph *g, struct graph_node *node,
    struct fail *f)
{
	const uint32_t n = h->names.n;
	struct graph_node *top;
	uint32_t id, root;

	id = string_ids_add(&h->names, (unsigned char)node->kind, node->key);
	if (id == 0)
		return fail_memory(f);
	if (id > n && add_store_row(h, f) == -1)
		return -1;
	node->seen = id <= n;
	root = root_of(h, id);
	top = entity_graph_place(g, node, id, root, h->rows[root - 1].size);
	if (top == NULL)
		return fail_memory(f);
	read_store_row(h, node);
	read_store_row(h, top);
	return 0;
}

/* Copy the row into node; store_graph() writes back changed nodes. */
static void
read_store_row(const struct offline_store *h, struct graph_node *node)
{
	const struct store_row *row = row_of(h, node);

	node->parent = row->parent;
	node->size = row->size;
	node->users = row->users;
	node->devices = row->devices;
	node->first_device = row->first_device;
	if (node->kind == NODE_DEVICE || node->kind == NODE_IP) {
		node->risk = row->packed;
		node->risk_size = row->packed_size;
	}
}

/* Add the row of the newest entity, a component by itself. */
static int
add_store_row(struct offline_store *h, struct fail *f)
{
	const size_t n = h->names.n;
	struct store_row *rows;
	size_t max;

	if (n > h->max_rows) {
		max = h->max_rows == 0 ? FIRST : 2 * h->max_rows;
		rows = realloc(h->rows, max * sizeof(*rows));
		if (rows == NULL)
			return fail_memory(f);
		h->rows = rows;
		h->max_rows = max;
	}
	h->rows[n - 1] = (struct store_row) { .size = 1 };
	return 0;
}

/* Return the root of an entity, and shorten the path to it. */
static uint32_t
root_of(struct offline_store *h, uint32_t id)
{
	struct store_row *row = &h->rows[id - 1];

	while (row->parent != 0) {
		id = row->parent;
		if (h->rows[id - 1].parent != 0)
			row->parent = h->rows[id - 1].parent;
		row = &h->rows[id - 1];
	}
	return id;
}

/* Count an event and its label in the history of node, if not NULL. */
static int
store_risk(struct offline_store *h, const struct graph_node *node, int64_t now,
    enum backtest_label truth, struct fail *f)
{
	const struct entity_risk_slot more = {
		.slot = entity_risk_slot_of(now),
		.events = 1,
		.fraud = truth == LABEL_FRAUD,
		.labels = truth != LABEL_NONE,
	};
	uint8_t packed[ENTITY_RISK_PACKED_MAX];
	struct entity_risk_history history;
	struct store_row *row;

	if (node == NULL)
		return 0;
	row = row_of(h, node);
	if (entity_risk_unpack(row->packed, row->packed_size, &history, f) ==
	    -1)
		return -1;
	entity_risk_add(&history, &more, h->delay);
	return store_packed(row, packed, entity_risk_pack(&history, packed), f);
}

/* Store changed nodes and new links. */
static int
store_graph(struct offline_store *h, const struct graph *g, struct fail *f)
{
	const struct user_state_link *made;
	struct graph_node **nodes;
	struct store_row *row;
	size_t i, n;

	nodes = entity_graph_nodes(g, &n);
	for (i = 0; i < n; i++) {
		if (!nodes[i]->dirty)
			continue;
		row = row_of(h, nodes[i]);
		row->parent = (uint32_t)nodes[i]->parent;
		row->first_device = (uint32_t)nodes[i]->first_device;
		row->size = (uint16_t)nodes[i]->size;
		row->users = (uint16_t)nodes[i]->users;
		row->devices = (uint16_t)nodes[i]->devices;
	}
	made = entity_graph_links_made(g, &n);
	for (i = 0; i < n; i++) {
		if (2 * h->n_links > h->mask && grow_links(h, f) == -1)
			return -1;
		*edge_slot(h, edge_of(made[i])) = edge_of(made[i]);
		h->n_links++;
	}
	return 0;
}

/* Store a copy of size bytes as the packed data of an entity. */
static int
store_packed(
    struct store_row *row, const void *packed, size_t size, struct fail *f)
{
	const size_t cap = (size + BLOB_STEP - 1) / BLOB_STEP * BLOB_STEP;
	uint8_t *room;

	if (cap != row->packed_cap) {
		if ((room = realloc(row->packed, cap)) == NULL)
			return fail_memory(f);
		row->packed = room;
		row->packed_cap = (uint16_t)cap;
	}
	memcpy(row->packed, packed, size);
	row->packed_size = (uint16_t)size;
	return 0;
}

static struct store_row *
row_of(const struct offline_store *h, const struct graph_node *node)
{
	return &h->rows[node->id - 1];
}

/* Return the slot of a link, or the free slot for it. */
static struct edge *
edge_slot(const struct offline_store *h, struct edge edge)
{
	uint64_t at = (uint64_t)edge.first << 32 | edge.second;
	struct edge *slot;

	at *= UINT64_C(0x9e3779b97f4a7c15);
	for (at ^= at >> 32;; at++) {
		slot = &h->links[at & h->mask];
		if (slot->first == 0 ||
		    (slot->first == edge.first && slot->second == edge.second))
			return slot;
	}
}

static struct edge
edge_of(struct user_state_link link)
{
	return (struct edge) { (uint32_t)link.first, (uint32_t)link.second };
}

static int
grow_links(struct offline_store *h, struct fail *f)
{
	const size_t slots = h->mask + 1;
	struct edge *old = h->links;
	struct edge *new = calloc(2 * slots, sizeof(*new));
	size_t i;

	if (new == NULL)
		return fail_memory(f);
	h->links = new;
	h->mask = 2 * slots - 1;
	for (i = 0; i < slots; i++) {
		if (old[i].first != 0)
			*edge_slot(h, old[i]) = old[i];
	}
	free(old);
	return 0;
}
