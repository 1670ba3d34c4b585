/* SPDX-License-Identifier: ISC */
/* Read and lock the part of the entity graph that new links change. */
#include "config.h"

#include <assert.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/user_state.h"
#include "lib/db/db.h"
#include "lib/txn/txn_int.h"

/* Entities as parameters of a statement: kind and key of each. */
struct node_keys {
	int64_t *kind;
	const char **key;
	size_t n;
};

/* Iterates over the pairs of all events that may be new links. */
struct new_pairs {
	const struct txn *txn;
	const struct txn_event *event; /* the next one */
	const struct user_state *state; /* of the current event's user */
	struct graph_pair pairs[ENTITY_GRAPH_PAIRS_MAX]; /* of that event */
	size_t next, n;
};

static int resolve_roots(struct txn *txn, bool *again, struct fail *f);
static int collect_nodes(struct txn *txn, struct node_keys *all,
    struct node_keys *new, struct fail *f);
static int node_keys_init(
    struct node_keys *keys, struct arena *a, size_t max, struct fail *f);
static int read_resolved(struct txn *txn, const struct rows *r,
    const struct node_keys *all, bool *again, struct fail *f);
static int lock_nodes(struct txn *txn, bool *again, struct fail *f);
static void read_links(struct txn *txn, const struct rows *r);
static bool read_locked(struct txn *txn, const struct rows *r);
static void drop_erased_node(struct txn *txn, struct graph_node *node);
static void new_pairs_init(struct new_pairs *it, const struct txn *txn);
static const struct graph_pair *new_pairs_next(struct new_pairs *it);
static size_t lock_ids(const struct txn *txn, int64_t *ids);
static size_t link_ids(const struct txn *txn, int64_t *a, int64_t *b);
static size_t root_ids(const struct txn *txn, int64_t *ids);
static void add_node_key(struct node_keys *keys, const struct graph_node *node);

int
txn_read_graph(struct txn *txn, struct fail *f)
{
	bool again = true, links = false, stale = false;
	size_t i;
	int tries;

	for (i = 0; i < txn->n; i++)
		links = links || txn->events[i].may_link;
	for (i = 0; i < txn->n_users; i++)
		stale = stale || txn->users[i].stale_root;
	if (!links && !stale)
		return 0;

	/*
	 * Until this transaction locks a root that it found, another one may
	 * put it under another root, or erase an entity.
	 */
	for (tries = 0; again && tries < TXN_ROOT_TRIES; tries++) {
		if (resolve_roots(txn, &again, f) == -1)
			return -1;
		if (again)
			continue;
		if (!links)
			return 0;
		if (lock_nodes(txn, &again, f) == -1)
			return -1;
	}
	if (again)
		return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
		    "the entity graph is too busy");
	return 0;
}

/*
 * Store the new entities, and find the root of every entity that may get a link
 * or whose root is out of date.  *again is set if an erasure removed one of
 * them in the meantime.
 */
static int
resolve_roots(struct txn *txn, bool *again, struct fail *f)
{
	struct node_keys all, new;
	struct params add, resolve;
	struct rows rows[2];
	int at;

	if (collect_nodes(txn, &all, &new, f) == -1)
		return -1;

	/* The second statement sees what the first has stored. */
	if (new.n > 0) {
		params_init(&add, txn->arena);
		params_ints(&add, new.kind, new.n);
		params_texts(&add, new.key, new.n);
		if (db_send(txn->db, STMT_GRAPH_ADD, &add, f) == -1)
			return -1;
	}
	params_init(&resolve, txn->arena);
	params_ints(&resolve, all.kind, all.n);
	params_texts(&resolve, all.key, all.n);
	at = db_send(txn->db, STMT_GRAPH_RESOLVE, &resolve, f);
	if (at == -1 ||
	    db_sync(txn->db, txn->arena, rows, db_queued(txn->db), f) == -1)
		return -1;
	return read_resolved(txn, &rows[at], &all, again, f);
}

/* Collect all entities to resolve, and those among them that are not stored. */
static int
collect_nodes(struct txn *txn, struct node_keys *all, struct node_keys *new,
    struct fail *f)
{
	const size_t max = txn->n * (IDENTIFIER__MAX + 1) + txn->n_users;
	const struct txn_event *ev;
	const struct graph_node *node;
	size_t i;
	int c;

	if (node_keys_init(all, txn->arena, max, f) == -1 ||
	    node_keys_init(new, txn->arena, max, f) == -1)
		return -1;
	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (!ev->may_link)
			continue;
		add_node_key(all, ev->user->node);
		for (c = 0; c < IDENTIFIER__MAX; c++)
			add_node_key(all, ev->identifiers[c]);
	}
	for (i = 0; i < all->n; i++) {
		node = entity_graph_find(txn->graph,
		    (enum graph_node_kind)all->kind[i], all->key[i]);
		if (node->id == 0)
			add_node_key(new, node);
	}
	for (i = 0; i < txn->n_users; i++) {
		if (txn->users[i].stale_root)
			add_node_key(all, txn->users[i].node);
	}
	return 0;
}

static int
node_keys_init(
    struct node_keys *keys, struct arena *a, size_t max, struct fail *f)
{
	keys->kind = arena_array(a, max, sizeof(*keys->kind));
	keys->key = arena_array(a, max, sizeof(*keys->key));
	keys->n = 0;
	return keys->kind == NULL || keys->key == NULL ? fail_memory(f) : 0;
}

/*
 * Bind the entities to their ids and put each under its root.  *again is set
 * when the rows lack one of them.
 */
static int
read_resolved(struct txn *txn, const struct rows *r,
    const struct node_keys *all, bool *again, struct fail *f)
{
	struct graph_node *node;
	size_t w;
	int i;

	for (i = 0; i < r->n; i++) {
		node = entity_graph_find(txn->graph,
		    (enum graph_node_kind)rows_int(r, i, "kind"),
		    rows_text(r, i, "key"));
		assert(node != NULL);
		if (entity_graph_place(txn->graph, node, rows_int(r, i, "id"),
			rows_int(r, i, "root"),
			(int)rows_int(r, i, "size")) == NULL)
			return fail_memory(f);
	}
	*again = false;
	for (w = 0; w < all->n; w++) {
		node = entity_graph_find(txn->graph,
		    (enum graph_node_kind)all->kind[w], all->key[w]);
		*again = *again || node->id == 0;
	}
	return 0;
}

/*
 * Lock the rows that may change and read which links exist.  *again is set
 * when, before the rows were locked, a root went under another or an entity was
 * erased.
 */
static int
lock_nodes(struct txn *txn, bool *again, struct fail *f)
{
	const size_t max = txn->n * ENTITY_GRAPH_PAIRS_MAX * 3;
	int64_t *ids = arena_array(txn->arena, max, sizeof(*ids));
	int64_t *a = arena_array(txn->arena, max, sizeof(*a));
	int64_t *b = arena_array(txn->arena, max, sizeof(*b));
	int64_t *roots = arena_array(txn->arena, max, sizeof(*roots));
	struct params locks, links, moved;
	struct rows rows[3];
	size_t n_ids, n_links, n_roots;
	int lock_at, links_at, moved_at = TXN_NOT_SENT;

	if (ids == NULL || a == NULL || b == NULL || roots == NULL)
		return fail_memory(f);
	n_ids = lock_ids(txn, ids);
	n_links = link_ids(txn, a, b);
	n_roots = root_ids(txn, roots);
	params_init(&locks, txn->arena);
	params_ints(&locks, ids, n_ids);
	params_init(&links, txn->arena);
	params_ints(&links, a, n_links);
	params_ints(&links, b, n_links);
	params_init(&moved, txn->arena);
	params_ints(&moved, roots, n_roots);
	lock_at = db_send(txn->db, STMT_GRAPH_LOCK, &locks, f);
	if (lock_at == -1)
		return -1;
	links_at = db_send(txn->db, STMT_GRAPH_LINKS, &links, f);
	if (links_at == -1)
		return -1;
	if (n_roots > 0 &&
	    (moved_at = db_send(txn->db, STMT_GRAPH_MOVED, &moved, f)) == -1)
		return -1;
	if (db_sync(txn->db, txn->arena, rows, db_queued(txn->db), f) == -1)
		return -1;
	*again = read_locked(txn, &rows[lock_at]);
	if (moved_at != TXN_NOT_SENT)
		*again = rows_bool(&rows[moved_at], 0, "moved") || *again;
	read_links(txn, &rows[links_at]);
	return 0;
}

static void
read_links(struct txn *txn, const struct rows *r)
{
	int i;

	for (i = 0; i < r->n; i++)
		entity_graph_link_known(txn->graph,
		    (struct user_state_link) {
			rows_int(r, i, "a"), rows_int(r, i, "b") });
}

/* Read the locked rows.  Returns true if one has changed since it was read. */
static bool
read_locked(struct txn *txn, const struct rows *r)
{
	struct graph_node *node;
	bool moved = false;
	int i;

	for (i = 0; i < r->n; i++) {
		node = entity_graph_node_id(txn->graph, rows_int(r, i, "id"));
		if (node->kind != 0 && rows_int(r, i, "kind") == 0) {
			drop_erased_node(txn, node);
			moved = true;
			continue;
		}
		node->parent = rows_int(r, i, "parent");
		moved = moved || (node->up == NULL && node->parent != 0);
		node->size = (int)rows_int(r, i, "size");
		node->users = (int)rows_int(r, i, "users");
		node->devices = (int)rows_int(r, i, "devices");
		node->first_device = rows_int(r, i, "first_device");
		node->locked = true;
	}
	return moved;
}

/* An entity was erased: give users below it another root. */
static void
drop_erased_node(struct txn *txn, struct graph_node *node)
{
	size_t i;

	for (i = 0; i < txn->n_users; i++) {
		if (entity_graph_root(txn->users[i].node) == node)
			txn->users[i].stale_root = true;
	}
	entity_graph_unbind(node);
}

/* Begin with the first pair of the first event. */
static void
new_pairs_init(struct new_pairs *it, const struct txn *txn)
{
	it->txn = txn;
	it->event = txn->events;
	it->next = it->n = 0;
}

/*
 * Return the next pair of an event that may make a link, without pairs that the
 * user's state has as links; NULL at the end.
 */
static const struct graph_pair *
new_pairs_next(struct new_pairs *it)
{
	const struct txn_event *ev;
	const struct graph_pair *pair;

	for (;;) {
		while (it->next < it->n) {
			pair = &it->pairs[it->next++];
			if (!user_state_link_known(it->state,
				entity_graph_link_of(pair->a, pair->b)))
				return pair;
		}
		if (it->event == it->txn->events + it->txn->n)
			return NULL;
		ev = it->event++;
		if (!ev->may_link)
			continue;
		it->state = ev->user->state;
		it->next = 0;
		it->n = entity_graph_pairs(
		    ev->user->node, ev->identifiers, it->pairs);
	}
}

/*
 * Collect the rows that may change: counters of entities that may get a new
 * neighbour, and unsaturated roots of components that may be joined.
 */
static size_t
lock_ids(const struct txn *txn, int64_t *ids)
{
	struct new_pairs it;
	const struct graph_pair *pair;
	struct graph_node *root_a, *root_b, *other;
	size_t n = 0;

	new_pairs_init(&it, txn);
	while ((pair = new_pairs_next(&it)) != NULL) {
		other = pair->b;
		if ((pair->a->kind == NODE_USER &&
			other->users < ENTITY_GRAPH_CAP) ||
		    (other->kind == NODE_FINGERPRINT &&
			other->devices < ENTITY_GRAPH_CAP))
			ids[n++] = other->id;
		if (other->kind == NODE_FINGERPRINT)
			continue;
		root_a = entity_graph_root(pair->a);
		root_b = entity_graph_root(other);
		if (root_a == root_b)
			continue;
		if (root_a->size < ENTITY_GRAPH_CAP)
			ids[n++] = root_a->id;
		if (root_b->size < ENTITY_GRAPH_CAP)
			ids[n++] = root_b->id;
	}
	return n;
}

/* Collect the links that may be new: GRAPH_LINKS says which exist. */
static size_t
link_ids(const struct txn *txn, int64_t *a, int64_t *b)
{
	struct new_pairs it;
	const struct graph_pair *pair;
	struct user_state_link link;
	size_t n = 0;

	new_pairs_init(&it, txn);
	while ((pair = new_pairs_next(&it)) != NULL) {
		link = entity_graph_link_of(pair->a, pair->b);
		a[n] = link.first;
		b[n++] = link.second;
	}
	return n;
}

/*
 * Collect the unsaturated roots over both ends of a link that may be new.  Such
 * a link joins nothing, so these roots are not locked, only checked: they must
 * still be roots.
 */
static size_t
root_ids(const struct txn *txn, int64_t *ids)
{
	struct new_pairs it;
	const struct graph_pair *pair;
	const struct graph_node *root;
	size_t n = 0;

	new_pairs_init(&it, txn);
	while ((pair = new_pairs_next(&it)) != NULL) {
		if (pair->b->kind == NODE_FINGERPRINT)
			continue;
		root = entity_graph_root(pair->a);
		if (root == entity_graph_root(pair->b) &&
		    root->size < ENTITY_GRAPH_CAP)
			ids[n++] = root->id;
	}
	return n;
}

/* Append one entity, unless it is NULL. */
static void
add_node_key(struct node_keys *keys, const struct graph_node *node)
{
	if (node == NULL)
		return;
	keys->kind[keys->n] = node->kind;
	keys->key[keys->n++] = node->key;
}
