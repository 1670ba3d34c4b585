/* SPDX-License-Identifier: ISC */
/*
 * The part of the entity graph that one transaction needs: the entities of its
 * events, their counters, components (union-find) and links.  The caller fills
 * it from its store, decisions change it, and the caller writes it back.
 */
#ifndef CORE_STATE_ENTITY_GRAPH_H
#define CORE_STATE_ENTITY_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/user_state.h"

struct arena;
struct event;
struct placeholders;

/* Counters and component sizes stop here; later links do not write the row. */
#define ENTITY_GRAPH_CAP 500

/* The kinds are stored as these numbers: never reorder. */
enum graph_node_kind {
	NODE_USER = 1,
	NODE_DEVICE,
	NODE_IP,
	NODE_PHONE,
	NODE_FINGERPRINT, /* has links, but belongs to no component */
	NODE__MAX
};

/* One entity. */
struct graph_node {
	int64_t id; /* id in the database; 0 until the entity is stored */

	/* Both 0 for a root that is not an entity of these events. */
	enum graph_node_kind kind;
	const char *key;

	bool seen; /* an earlier event had this entity */
	int users; /* distinct linked users, at most ENTITY_GRAPH_CAP */

	/* Only of fingerprints. */
	int devices; /* distinct linked devices, at most ENTITY_GRAPH_CAP */
	int64_t first_device; /* id of the first linked device, or 0 */

	const void *risk; /* packed entity_risk_days, or NULL */
	size_t risk_size; /* bytes of risk */
	int64_t parent; /* stored id of the union parent; 0 at a root */
	int size; /* at a root: entities of the component, capped */
	struct graph_node *up; /* union parent in memory; NULL at a root */
	bool locked; /* its row is locked, so its numbers are current */
	bool dirty; /* its row must be written */
};

struct graph;

/* The identifiers of an event: its entities other than the user. */
enum event_identifier {
	IDENTIFIER_DEVICE,
	IDENTIFIER_IP,
	IDENTIFIER_PHONE,
	IDENTIFIER_FINGERPRINT,
	IDENTIFIER__MAX
};

/* A pair of entities that an event links. */
struct graph_pair {
	struct graph_node *a;
	struct graph_node *b;
};

/* Six pairs of user, device, ip and phone, and two with the fingerprint. */
#define ENTITY_GRAPH_PAIRS_MAX 8

/*
 * Make an empty graph in arena a.  The caller must not add more nodes and
 * links than these.  Return NULL if the arena is full.
 */
struct graph *entity_graph_new(struct arena *a, size_t nodes, size_t links);

/*
 * The entity with that kind and key.  If it is not in the graph, add it with
 * seen false and size 1.  NULL if the arena is full.
 */
struct graph_node *entity_graph_node(
    struct graph *g, enum graph_node_kind kind, const char *key);

/*
 * Find the identifiers of an event; add those that are not in the graph.  ret
 * has NULL for each one that the event lacks, or that is a placeholder, see
 * core/event/placeholder.h.  The key of an ip is that of ip_client_text().
 * Return the placeholders, bits of 1 << event_identifier, or -1 if the arena is
 * full.
 */
int entity_graph_identifier(struct graph *g, const struct event *ev,
    const struct placeholders *more, struct graph_node *ret[IDENTIFIER__MAX])
    __attribute__((warn_unused_result));

/* The pairs that an event links, in a fixed order; return their number. */
size_t entity_graph_pairs(struct graph_node *user,
    struct graph_node *const identifiers[IDENTIFIER__MAX],
    struct graph_pair ret[ENTITY_GRAPH_PAIRS_MAX]);

/* The entity with that kind and key, or NULL. */
struct graph_node *entity_graph_find(
    const struct graph *g, enum graph_node_kind kind, const char *key);

/*
 * The entity with that id.  If it is not in the graph, add it without kind and
 * key.  NULL if the arena is full.
 */
struct graph_node *entity_graph_node_id(struct graph *g, int64_t id);

/*
 * Record that the node is stored with that id.  If a root without kind and key
 * already has the id, its component moves to the node.  Return the node.
 */
struct graph_node *entity_graph_bind(
    struct graph *g, struct graph_node *node, int64_t id);

/*
 * Record that the node is stored with that id, in the component of that root,
 * which has size entities.  Return the root, or NULL if the arena is full.
 */
struct graph_node *entity_graph_place(struct graph *g, struct graph_node *node,
    int64_t id, int64_t root, int size);

/*
 * Record that the node's entity was erased since it was read: reset the node to
 * a new one, not seen and without links.  Bind it to a new id later.
 */
void entity_graph_unbind(struct graph_node *node);

/* All nodes in the order in which they were added, for writing them back. */
struct graph_node **entity_graph_nodes(const struct graph *g, size_t *ret_n);

/* The root of a node's component, and the component's size. */
struct graph_node *entity_graph_root(struct graph_node *node);
int entity_graph_ring(struct graph_node *node);

/* The link between two stored entities. */
struct user_state_link entity_graph_link_of(
    const struct graph_node *a, const struct graph_node *b);

/* Whether the graph knows that the link exists; record that it does. */
bool entity_graph_linked(const struct graph *g, struct user_state_link link);
void entity_graph_link_known(struct graph *g, struct user_state_link link);

/*
 * Make a link that did not exist: count it at both entities and join their
 * components.  Two components that both have ENTITY_GRAPH_CAP entities are not
 * joined.  The root of the larger component becomes the union parent; at equal
 * size the root with the smaller id.
 */
void entity_graph_link_make(
    struct graph *g, struct graph_node *a, struct graph_node *b);

/* The links that entity_graph_link_make() made, in order. */
const struct user_state_link *entity_graph_links_made(
    const struct graph *g, size_t *ret_n);

#endif
