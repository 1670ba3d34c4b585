/* SPDX-License-Identifier: ISC */
/* Read and lock the part of the entity graph that new links change. */
#include "config.h"

#include <assert.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/user_state.h"
#include "lib/db/db.h"
#include "lib/txn/txn_int.h"

/* Entities to resolve, as parameters: kind and key of each. */
struct wanted_node {
	int64_t *kind;
	const char **key;
	size_t n;
};

static int graph_resolve(struct txn *s, bool *again, struct fail *f);
static int read_resolved(struct txn *s, const struct rows *r,
    const struct wanted_node *all, bool *again, struct fail *f);
static int graph_lock(struct txn *s, bool *again, struct fail *f);
static bool read_locked(struct txn *s, const struct rows *r);
static void graph_gone(struct txn *s, struct graph_node *node);
static size_t lock_ids(struct txn *s, int64_t *ids);
static size_t link_ids(struct txn *s, int64_t *a, int64_t *b);
static size_t root_ids(struct txn *s, int64_t *ids);
static void want_node(struct wanted_node *w, const struct graph_node *node);

int
txn_read_graph(struct txn *s, struct fail *f)
{
	bool again = true, links = false, stale = false;
	size_t i;
	int tries;

	for (i = 0; i < s->n; i++)
		links = links || s->entries[i].may_link;
	for (i = 0; i < s->n_members; i++)
		stale = stale || s->members[i].stale_root;
	if (!links && !stale)
		return 0;

	/*
	 * Between finding and locking it a root may be put under another, and
	 * an entity be erased.
	 */
	for (tries = 0; again && tries < TXN_ROOT_TRIES; tries++) {
		if (graph_resolve(s, &again, f) == -1)
			return -1;
		if (again)
			continue;
		if (!links)
			return 0;
		if (graph_lock(s, &again, f) == -1)
			return -1;
	}
	if (again)
		return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
		    "the entity graph is too busy");
	return 0;
}

/*
 * Store the entities that are new and find the root of every entity that may
 * get a link or whose root is out of date.  *again is set when one was erased
 * while it was to be stored.
 */
static int
graph_resolve(struct txn *s, bool *again, struct fail *f)
{
	const size_t max = s->n * (CARRIED__MAX + 1) + s->n_members;
	struct wanted_node all = { 0 }, new = { 0 };
	struct params p, q;
	struct rows rows[2];
	size_t i, n = 0;
	int c;

	all.kind = arena_array(s->arena, max, sizeof(*all.kind));
	all.key = arena_array(s->arena, max, sizeof(*all.key));
	new.kind = arena_array(s->arena, max, sizeof(*new.kind));
	new.key = arena_array(s->arena, max, sizeof(*new.key));
	if (all.kind == NULL || all.key == NULL || new.kind == NULL ||
	    new.key == NULL)
		return txn_no_room(f);
	for (i = 0; i < s->n; i++) {
		if (!s->entries[i].may_link)
			continue;
		want_node(&all, s->entries[i].member->node);
		for (c = 0; c < CARRIED__MAX; c++)
			want_node(&all, s->entries[i].carried[c]);
	}
	for (i = 0; i < all.n; i++) {
		if (entity_graph_find(
			s->graph, (enum graph_node_kind)all.kind[i], all.key[i])
			->id != 0)
			continue;
		new.kind[new.n] = all.kind[i];
		new.key[new.n++] = all.key[i];
	}
	for (i = 0; i < s->n_members; i++) {
		if (s->members[i].stale_root)
			want_node(&all, s->members[i].node);
	}

	/* The second statement sees what the first has stored. */
	if (new.n > 0) {
		params_init(&p, s->arena);
		params_ints(&p, new.kind, new.n);
		params_texts(&p, new.key, new.n);
		if (db_send(s->db, STMT_GRAPH_ADD, &p, f) == -1)
			return -1;
		n++;
	}
	params_init(&q, s->arena);
	params_ints(&q, all.kind, all.n);
	params_texts(&q, all.key, all.n);
	if (db_send(s->db, STMT_GRAPH_RESOLVE, &q, f) == -1 ||
	    db_sync(s->db, s->arena, rows, n + 1, f) == -1)
		return -1;
	return read_resolved(s, &rows[n], &all, again, f);
}

/*
 * Bind the entities to their ids and put each under its root.  *again says
 * whether one of those that were wanted is not there.
 */
static int
read_resolved(struct txn *s, const struct rows *r,
    const struct wanted_node *all, bool *again, struct fail *f)
{
	const int id = rows_col(r, "id"), kind = rows_col(r, "kind"),
		  key = rows_col(r, "key"), root = rows_col(r, "root"),
		  size = rows_col(r, "size");
	struct graph_node *node;
	size_t w;
	int i;

	for (i = 0; i < r->n; i++) {
		node = entity_graph_find(s->graph,
		    (enum graph_node_kind)rows_int(r, i, kind),
		    rows_text(r, i, key));
		assert(node != NULL);
		if (entity_graph_place(s->graph, node, rows_int(r, i, id),
			rows_int(r, i, root),
			(int)rows_int(r, i, size)) == NULL)
			return txn_no_room(f);
	}
	*again = false;
	for (w = 0; w < all->n; w++) {
		node = entity_graph_find(
		    s->graph, (enum graph_node_kind)all->kind[w], all->key[w]);
		*again = *again || node->id == 0;
	}
	return 0;
}

/*
 * Lock the rows that may change and read which links stand.  *again is set
 * when, before the locks were had, a root had ceased to be one or an entity
 * had been erased.
 */
static int
graph_lock(struct txn *s, bool *again, struct fail *f)
{
	const size_t max = s->n * ENTITY_GRAPH_PAIRS_MAX * 3;
	int64_t *ids = arena_array(s->arena, max, sizeof(*ids));
	int64_t *a = arena_array(s->arena, max, sizeof(*a));
	int64_t *b = arena_array(s->arena, max, sizeof(*b));
	int64_t *roots = arena_array(s->arena, max, sizeof(*roots));
	struct params p, q, t;
	struct rows rows[3];
	size_t n_ids, n_links, n_roots;
	int i;

	if (ids == NULL || a == NULL || b == NULL || roots == NULL)
		return txn_no_room(f);
	n_ids = lock_ids(s, ids);
	n_links = link_ids(s, a, b);
	n_roots = root_ids(s, roots);
	params_init(&p, s->arena);
	params_ints(&p, ids, n_ids);
	params_init(&q, s->arena);
	params_ints(&q, a, n_links);
	params_ints(&q, b, n_links);
	params_init(&t, s->arena);
	params_ints(&t, roots, n_roots);
	if (db_send(s->db, STMT_GRAPH_LOCK, &p, f) == -1 ||
	    db_send(s->db, STMT_GRAPH_LINKS, &q, f) == -1 ||
	    (n_roots > 0 && db_send(s->db, STMT_GRAPH_MOVED, &t, f) == -1) ||
	    db_sync(s->db, s->arena, rows, n_roots > 0 ? 3 : 2, f) == -1)
		return -1;
	*again = read_locked(s, &rows[0]);
	if (n_roots > 0)
		*again = rows_get_bool(&rows[2], "moved") || *again;
	for (i = 0; i < rows[1].n; i++)
		entity_graph_link_known(s->graph,
		    (struct user_state_link) {
			rows_int(&rows[1], i, 0), rows_int(&rows[1], i, 1) });
	return 0;
}

/* Take in the locked rows.  Whether one is no longer what it was. */
static bool
read_locked(struct txn *s, const struct rows *r)
{
	const int id = rows_col(r, "id"), kind = rows_col(r, "kind"),
		  parent = rows_col(r, "parent"), size = rows_col(r, "size"),
		  users = rows_col(r, "users"),
		  devices = rows_col(r, "devices"),
		  first = rows_col(r, "first_device");
	struct graph_node *node;
	bool moved = false;
	int i;

	for (i = 0; i < r->n; i++) {
		node = entity_graph_node_id(s->graph, rows_int(r, i, id));
		if (node->kind != 0 && rows_int(r, i, kind) == 0) {
			graph_gone(s, node);
			moved = true;
			continue;
		}
		node->parent = rows_int(r, i, parent);
		moved = moved || (node->up == NULL && node->parent != 0);
		node->size = (int)rows_int(r, i, size);
		node->users = (int)rows_int(r, i, users);
		node->devices = (int)rows_int(r, i, devices);
		node->first_device = rows_int(r, i, first);
		node->locked = true;
	}
	return moved;
}

/* An entity was erased; whose root it was has to find another. */
static void
graph_gone(struct txn *s, struct graph_node *node)
{
	size_t i;

	for (i = 0; i < s->n_members; i++) {
		if (entity_graph_root(s->members[i].node) == node)
			s->members[i].stale_root = true;
	}
	entity_graph_unbind(node);
}

/*
 * The rows that the set may change: counters of entities that may get a new
 * neighbour, and unsaturated roots of components that may be joined.
 */
static size_t
lock_ids(struct txn *s, int64_t *ids)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct graph_node *ra, *rb, *other;
	size_t i, k, n_pairs, n = 0;

	for (i = 0; i < s->n; i++) {
		if (!s->entries[i].may_link)
			continue;
		n_pairs = entity_graph_pairs(
		    s->entries[i].member->node, s->entries[i].carried, pairs);
		for (k = 0; k < n_pairs; k++) {
			other = pairs[k].b;
			if (user_state_link_known(s->entries[i].member->state,
				entity_graph_link_of(pairs[k].a, other)))
				continue;
			if ((pairs[k].a->kind == NODE_USER &&
				other->users < ENTITY_GRAPH_CAP) ||
			    (other->kind == NODE_FINGERPRINT &&
				other->devices < ENTITY_GRAPH_CAP))
				ids[n++] = other->id;
			if (other->kind == NODE_FINGERPRINT)
				continue;
			ra = entity_graph_root(pairs[k].a);
			rb = entity_graph_root(other);
			if (ra == rb)
				continue;
			if (ra->size < ENTITY_GRAPH_CAP)
				ids[n++] = ra->id;
			if (rb->size < ENTITY_GRAPH_CAP)
				ids[n++] = rb->id;
		}
	}
	return n;
}

/* The links that may be new, for which it must be known whether they stand. */
static size_t
link_ids(struct txn *s, int64_t *a, int64_t *b)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	struct user_state_link link;
	size_t i, k, n_pairs, n = 0;

	for (i = 0; i < s->n; i++) {
		if (!s->entries[i].may_link)
			continue;
		n_pairs = entity_graph_pairs(
		    s->entries[i].member->node, s->entries[i].carried, pairs);
		for (k = 0; k < n_pairs; k++) {
			link = entity_graph_link_of(pairs[k].a, pairs[k].b);
			if (user_state_link_known(
				s->entries[i].member->state, link))
				continue;
			a[n] = link.first;
			b[n++] = link.second;
		}
	}
	return n;
}

/*
 * The unsaturated roots over both ends of a link that may be new: nobody locks
 * these, because such a link joins nothing, as long as they are roots.
 */
static size_t
root_ids(struct txn *s, int64_t *ids)
{
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX];
	const struct graph_node *root;
	size_t i, k, n_pairs, n = 0;

	for (i = 0; i < s->n; i++) {
		if (!s->entries[i].may_link)
			continue;
		n_pairs = entity_graph_pairs(
		    s->entries[i].member->node, s->entries[i].carried, pairs);
		for (k = 0; k < n_pairs; k++) {
			if (pairs[k].b->kind == NODE_FINGERPRINT ||
			    user_state_link_known(s->entries[i].member->state,
				entity_graph_link_of(pairs[k].a, pairs[k].b)))
				continue;
			root = entity_graph_root(pairs[k].a);
			if (root == entity_graph_root(pairs[k].b) &&
			    root->size < ENTITY_GRAPH_CAP)
				ids[n++] = root->id;
		}
	}
	return n;
}

/* Append one entity, if there is one. */
static void
want_node(struct wanted_node *w, const struct graph_node *node)
{
	if (node == NULL)
		return;
	w->kind[w->n] = node->kind;
	w->key[w->n++] = node->key;
}
