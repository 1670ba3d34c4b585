/* SPDX-License-Identifier: ISC */
/*
 * The entity graph as one set of events sees it: the entities that the set
 * touches, their counters, their components (union-find) and links.  Pure:
 * the store fills it in, decisions change it, the store writes it back.
 */
#ifndef CORE_STATE_ENTITY_GRAPH_H
#define CORE_STATE_ENTITY_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/state/user_state.h"

struct arena;
struct event;

/* Counters and component sizes stop here; beyond, rows are not touched. */
#define ENTITY_GRAPH_CAP 500

/* The kinds are stored as these numbers: never reorder. */
enum graph_node_kind {
	NODE_USER = 1,
	NODE_DEVICE,
	NODE_IP,
	NODE_PHONE,
	NODE_FINGERPRINT, /* linked for its own signals; in no component */
	NODE__MAX
};

/* One entity. */
struct graph_node {
	int64_t id; /* surrogate id, 0 until the entity is stored */
	enum graph_node_kind
	    kind; /* 0: a root that no event of the set carries */
	const char *key; /* NULL likewise */
	bool seen; /* an event before this one carried it */
	int users; /* distinct users linked, at most ENTITY_GRAPH_CAP */
	int devices; /* fingerprints: distinct devices, at most ENTITY_GRAPH_CAP
		      */
	int64_t first_device; /* fingerprints: id of the first device, or 0 */
	const void
	    *risk; /* packed days (core/state/entity_risk.h), NULL: none */
	size_t risk_size;
	int64_t parent; /* as stored: 0 at a root */
	int size; /* at a root: entities of the component, capped */
	struct graph_node *up; /* in memory: towards the root, NULL at a root */
	bool locked; /* its row is locked and its numbers are current */
	bool dirty; /* its row must be written */
};

struct graph;

/* The entities that an event can carry besides its user. */
enum event_identifier {
	IDENTIFIER_DEVICE,
	IDENTIFIER_IP,
	IDENTIFIER_PHONE,
	IDENTIFIER_FINGERPRINT,
	IDENTIFIER__MAX
};

/* A pair of entities that an event links; the user's devices count it. */
struct graph_pair {
	struct graph_node *a;
	struct graph_node *b;
};

/* Six of user, device, ip and phone, two of a fingerprint. */
#define ENTITY_GRAPH_PAIRS_MAX 8

/*
 * An empty graph in arena a for at most so many nodes and links (each is
 * refused beyond).  NULL when the arena is full.
 */
struct graph *entity_graph_new(struct arena *a, size_t nodes, size_t links);

/* The entity of that kind and key, added (unseen, size 1) if it is new. */
struct graph_node *entity_graph_node(
    struct graph *g, enum graph_node_kind kind, const char *key);

/*
 * The entities that an event carries, each added if it is new, NULL where it
 * carries none.  Returns 0, or -1 when the arena is full.
 */
int entity_graph_identifier(struct graph *g, const struct event *ev,
    struct graph_node *ret[IDENTIFIER__MAX])
    __attribute__((warn_unused_result));

/* The pairs that an event links, in a fixed order.  Returns how many. */
size_t entity_graph_pairs(struct graph_node *user,
    struct graph_node *const identifiers[IDENTIFIER__MAX],
    struct graph_pair ret[ENTITY_GRAPH_PAIRS_MAX]);

/* The entity of that kind and key, or NULL. */
struct graph_node *entity_graph_find(
    const struct graph *g, enum graph_node_kind kind, const char *key);

/* The entity with that id, added without kind and key if it is new. */
struct graph_node *entity_graph_node_id(struct graph *g, int64_t id);

/*
 * Say that the node is stored under id.  If id is known already (as a root),
 * what is known of it moves into the node that is returned.
 */
struct graph_node *entity_graph_bind(
    struct graph *g, struct graph_node *node, int64_t id);

/*
 * Say that the node is stored under id in the component of that root, which
 * has size entities.  Returns the root, or NULL when the arena is full.
 */
struct graph_node *entity_graph_place(struct graph *g, struct graph_node *node,
    int64_t id, int64_t root, int size);

/*
 * Say that the node's row has become nobody's since it was read: the node is
 * as new, unseen and without links, until it is bound again.
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

/* Whether a link is known to exist; entity_graph_link_known() makes it known.
 */
bool entity_graph_linked(const struct graph *g, struct user_state_link link);
void entity_graph_link_known(struct graph *g, struct user_state_link link);

/*
 * Make a link that did not exist: count it at both ends and join the
 * components.  Joining changes unsaturated roots only: the smaller component
 * goes under the larger, at equal size the one with the larger id.
 */
void entity_graph_link_make(
    struct graph *g, struct graph_node *a, struct graph_node *b);

/* The links that entity_graph_link_make() made, in order. */
const struct user_state_link *entity_graph_links_made(
    const struct graph *g, size_t *ret_n);

#endif
