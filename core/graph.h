/* SPDX-License-Identifier: ISC */
/*
 * The entity graph as one set of events sees it: the nodes that the set
 * touches, their counters, and union-find over their components.  Pure: the
 * store fills it, decisions change it in memory, the store writes it back.
 */
#ifndef CORE_GRAPH_H
#define CORE_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct event;

/* Counters and component sizes stop here; beyond, rows are not touched. */
#define GRAPH_CAP 500

/* The kinds are stored as these numbers: never reorder. */
enum node_kind {
	NODE_USER = 1,
	NODE_DEVICE,
	NODE_IP,
	NODE_PHONE,
	NODE_FINGERPRINT, /* linked for its own signals; in no component */
	NODE__MAX
};

/* One entity. */
struct node {
	int64_t id; /* surrogate id, 0 until the entity is stored */
	enum node_kind kind;
	const char *key;
	bool seen; /* it stood in the store before this event */
	int users; /* distinct users linked, at most GRAPH_CAP */
	int devices; /* fingerprints: distinct devices, at most GRAPH_CAP */
	int64_t first_device; /* fingerprints: id of the first device, or 0 */
	int64_t root; /* id of its component's root, 0 if not resolved */
	bool dirty; /* counters differ from what is stored */
};

#endif
