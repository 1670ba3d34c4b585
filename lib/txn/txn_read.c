/* SPDX-License-Identifier: ISC */
/* What a set reads: the snapshot before its events, and the graph. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/user_state.h"
#include "lib/sys/clock.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/shared/apikey_cache.h"
#include "lib/engine/tag_weight_cache.h"
#include "lib/engine/list_cache.h"
#include "lib/txn/txn_int.h"
#include "lib/spool/spool.h"

/* Column numbers of STMT_TXN_OPEN. */
struct open_cols {
	int ord, now, rules, policies, lists, settings, model, anomalies,
	    api_key, scopes, expires_at, live, earlier_id, earlier_event,
	    earlier_at, earlier_digest, node, root, state, root_parent,
	    root_size;
};

/* Entities to resolve, as parameters: kind and key of each. */
struct wanted_node {
	int64_t *kind;
	const char **key;
	size_t n;
};

static int send_timeout(struct txn *s, bool *ret_sent, struct fail *f);
static int send_open(struct txn *s, struct fail *f);
static const struct txn_event *find_asks(struct txn *s, struct txn_event *en);
static int send_nodes(struct txn *s, bool *ret_sent, struct fail *f);
static void read_busy(struct txn *s, const struct rows *r);
static int read_open(struct txn *s, const struct rows *r, struct fail *f);
static int read_entry(struct txn *s, const struct rows *r, int row,
    const struct open_cols *c, struct fail *f);
static int read_member(struct txn *s, struct txn_user *m, const struct rows *r,
    int row, const struct open_cols *c, struct fail *f);
static void read_nodes(struct txn *s, const struct rows *r);
static bool may_link(const struct txn *s, const struct txn_event *en);
static int graph_resolve(struct txn *s, bool *again, struct fail *f);
static int read_resolved(struct txn *s, const struct rows *r,
    const struct wanted_node *all, bool *again, struct fail *f);
static int graph_lock(struct txn *s, bool *again, struct fail *f);
static bool read_locked(struct txn *s, const struct rows *r);
static void graph_gone(struct txn *s, struct graph_node *node);
static size_t lock_ids(struct txn *s, int64_t *ids);
static size_t link_ids(struct txn *s, int64_t *a, int64_t *b);
static size_t root_ids(struct txn *s, int64_t *ids);
static void want(struct wanted_node *w, const struct graph_node *node);
static int by_value(const void *pa, const void *pb);
static int full(struct fail *f);

int
txn_read(struct txn *s, struct fail *f)
{
	const unsigned probed = list_cache_long(engine_lists(s->engine));
	struct tag_weight_cache *learned = engine_learned(s->engine);
	struct rows rows[8], *lock, *open, *lists = NULL;
	bool timeout, nodes, probe, queue;
	size_t i, n;

	/* Round trip 1: the locks stand before the snapshot is taken. */
	if (db_send(s->db, STMT_BEGIN, NULL, f) == -1 ||
	    send_timeout(s, &timeout, f) == -1 ||
	    txn_send_lock(s, s->lock, f) == -1 || send_open(s, f) == -1 ||
	    send_nodes(s, &nodes, f) == -1 ||
	    txn_send_lists(s, probed, &probe, f) == -1 ||
	    txn_send_queue(s, &queue, f) == -1 ||
	    (learned != NULL &&
		tag_weight_cache_send(learned, s->db, s->arena, f) == -1))
		return -1;
	lock = &rows[timeout ? 2 : 1];
	open = lock + 1;
	n = (size_t)(open - rows) + (nodes ? 2 : 1);
	if (probe)
		lists = &rows[n++];
	if (db_sync(s->db, s->arena, rows,
		n + (queue ? 1 : 0) + (learned != NULL ? 1 : 0), f) == -1)
		return -1;
	if (queue)
		txn_read_queue(s, &rows[n++]);
	if (learned != NULL &&
	    tag_weight_cache_read(learned, &rows[n], f) == -1)
		return -1;
	if (s->lock == TXN_SKIP)
		read_busy(s, lock);
	if (read_open(s, open, f) == -1)
		return -1;
	if (nodes)
		read_nodes(s, open + 1);
	if (txn_match_lists(s, probed, lists, f) == -1)
		return -1;
	if (txn_digest(s, f) == -1)
		return -1;
	txn_find_same(s);
	for (i = 0; i < s->n; i++)
		s->entries[i].may_link = may_link(s, &s->entries[i]);
	return 0;
}

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

int
txn_read_earlier(struct txn *s, struct fail *f)
{
	struct decision_answer *ans;
	struct params p;
	struct rows *rows;
	size_t i, n = 0;
	int r;

	rows = arena_array(s->arena, s->n, sizeof(*rows));
	if (rows == NULL)
		return full(f);
	for (i = 0; i < s->n; i++) {
		if (s->entries[i].earlier_id == NULL)
			continue;
		params_init(&p, s->arena);
		params_text(&p, s->entries[i].earlier_event);
		params_text(&p, s->entries[i].earlier_id);
		params_time(&p, s->entries[i].earlier_at);
		if (db_send(s->db, STMT_VERDICT_FIND, &p, f) == -1)
			return -1;
		n++;
	}
	if (n == 0)
		return 0;
	r = db_sync(s->db, s->arena, rows, n, f);
	for (i = 0; r == 0 && i < s->n; i++) {
		if (s->entries[i].earlier_id == NULL)
			continue;
		if (rows->n != 1)
			return fail_set(f, FAIL_US, INTERNAL, NULL,
			    "an idempotency key names no decision");
		ans = &s->entries[i].item->answer;
		ans->id = rows_get_text(rows, "id");
		ans->event_id = rows_get_text(rows, "event_id");
		ans->verdict = verdict_parse(rows_get_text(rows, "verdict"));
		ans->score = (int)rows_get_int(rows, "score");
		ans->reasons = rows_get_text(rows, "reasons");
		ans->policy_id = rows_get_text(rows, "policy_id");
		ans->policy_version = rows_get_text(rows, "policy_version");
		ans->decided_at = rows_get_time(rows, "decided_at");
		rows++;
	}
	return r;
}

bool
txn_verified(const struct txn *s, struct decision_request *item,
    const struct txn_key_row *key)
{
	struct spool *spool = engine_spool(s->engine);
	const int64_t left =
	    key->expires_at == 0 ? INT64_MAX : key->expires_at - key->now;

	if (spool != NULL && key->live)
		apikey_cache_put(spool_shm(spool), item->key_hash,
		    (unsigned)key->scopes, left, clock_ticks());
	else if (spool != NULL)
		apikey_cache_drop(spool_shm(spool), item->key_hash);
	if (key->live)
		return txn_list_allows(item, key->scopes);
	fail_set(&item->fail, FAIL_DENIED, INVALID_API_KEY, NULL, "%s",
	    fail_code_text(INVALID_API_KEY));
	return false;
}

bool
txn_list_allows(struct decision_request *item, int64_t scopes)
{
	if (((uint64_t)scopes & item->scope) == item->scope)
		return true;
	fail_set(&item->fail, FAIL_DENIED, INSUFFICIENT_SCOPE, NULL, "%s",
	    fail_code_text(INSUFFICIENT_SCOPE));
	return false;
}

/* Another time for this transaction's statements, if the session's is wrong. */
static int
send_timeout(struct txn *s, bool *ret_sent, struct fail *f)
{
	const int left = txn_left(s);
	struct params p;

	*ret_sent = left > TXN_TIMEOUT_ONE || left < TXN_TIMEOUT_ONE - 100;
	if (!*ret_sent)
		return 0;
	params_init(&p, s->arena);
	params_int(&p, left);
	return db_send(s->db, STMT_TXN_TIMEOUT, &p, f);
}

int
txn_send_lock(struct txn *s, enum txn_lock lock, struct fail *f)
{
	int64_t *keys = arena_array(s->arena, s->n_members, sizeof(*keys));
	struct params p;
	size_t i, n = 0;

	if (keys == NULL)
		return full(f);
	for (i = 0; i < s->n_members; i++) {
		if (!s->members[i].busy)
			keys[n++] = txn_lock_key(s->members[i].user);
	}
	qsort(keys, n, sizeof(*keys), by_value);
	params_init(&p, s->arena);
	params_ints(&p, keys, n);
	return db_send(
	    s->db, lock == TXN_SKIP ? STMT_TXN_TRY_LOCK : STMT_TXN_LOCK, &p, f);
}

/* Mark the users that other sets hold. */
static void
read_busy(struct txn *s, const struct rows *r)
{
	const int key = rows_col(r, "key"), got = rows_col(r, "got");
	size_t k;
	int i;

	for (i = 0; i < r->n; i++) {
		if (rows_bool(r, i, got))
			continue;
		for (k = 0; k < s->n_members; k++) {
			if (txn_lock_key(s->members[k].user) ==
			    rows_int(r, i, key))
				s->members[k].busy = true;
		}
	}
}

/* The snapshot; an API key is asked for once, by its first entry. */
static int
send_open(struct txn *s, struct fail *f)
{
	const char **users = arena_array(s->arena, s->n, sizeof(*users));
	const char **keys = arena_array(s->arena, s->n, sizeof(*keys));
	const void **hashes = arena_array(s->arena, s->n, sizeof(*hashes));
	size_t *sizes = arena_array(s->arena, s->n, sizeof(*sizes));
	struct params p;
	size_t i;

	if (users == NULL || keys == NULL || hashes == NULL || sizes == NULL)
		return full(f);
	for (i = 0; i < s->n; i++) {
		users[i] = s->entries[i].member->user;
		keys[i] = s->entries[i].key;
		sizes[i] = CRYPT_SHA256_SIZE;
		if (find_asks(s, &s->entries[i]) == &s->entries[i])
			hashes[i] = s->entries[i].item->key_hash;
	}
	params_init(&p, s->arena);
	params_texts(&p, users, s->n);
	params_texts(&p, keys, s->n);
	params_blobs(&p, hashes, sizes, s->n);
	return db_send(s->db, STMT_TXN_OPEN, &p, f);
}

/* Which entry asks for this one's API key, NULL when nobody needs to. */
static const struct txn_event *
find_asks(struct txn *s, struct txn_event *en)
{
	struct txn_event *a;

	if (en->item->key_hash == NULL)
		return NULL;
	for (a = s->entries; a < en; a++) {
		if (a->asks == a &&
		    memcmp(a->item->key_hash, en->item->key_hash,
			CRYPT_SHA256_SIZE) == 0)
			break;
	}
	en->asks = a;
	return a;
}

/* The entities besides users; *ret_sent is false when there are none. */
static int
send_nodes(struct txn *s, bool *ret_sent, struct fail *f)
{
	const char **keys =
	    arena_array(s->arena, s->n * CARRIED__MAX, sizeof(*keys));
	struct graph_node **nodes;
	struct params p;
	size_t i, all, n = 0;

	*ret_sent = false;
	if (keys == NULL)
		return full(f);
	nodes = entity_graph_nodes(s->graph, &all);
	for (i = 0; i < all; i++) {
		if (nodes[i]->kind != NODE_USER)
			keys[n++] = nodes[i]->key;
	}
	if (n == 0)
		return 0;
	*ret_sent = true;
	params_init(&p, s->arena);
	params_texts(&p, keys, n);
	return db_send(s->db, STMT_TXN_NODES, &p, f);
}

/* Take in the snapshot, and refresh rulebooks and lists if they have moved. */
static int
read_open(struct txn *s, const struct rows *r, struct fail *f)
{
	const struct open_cols c = {
		.ord = rows_col(r, "ord"),
		.now = rows_col(r, "now"),
		.rules = rows_col(r, "rules"),
		.policies = rows_col(r, "policies"),
		.lists = rows_col(r, "lists"),
		.settings = rows_col(r, "settings"),
		.model = rows_col(r, "model"),
		.anomalies = rows_col(r, "anomalies"),
		.api_key = rows_col(r, "api_key"),
		.scopes = rows_col(r, "scopes"),
		.expires_at = rows_col(r, "expires_at"),
		.live = rows_col(r, "live"),
		.earlier_id = rows_col(r, "earlier_id"),
		.earlier_event = rows_col(r, "earlier_event"),
		.earlier_at = rows_col(r, "earlier_at"),
		.earlier_digest = rows_col(r, "earlier_digest"),
		.node = rows_col(r, "node"),
		.root = rows_col(r, "root"),
		.state = rows_col(r, "state"),
		.root_parent = rows_col(r, "root_parent"),
		.root_size = rows_col(r, "root_size"),
	};
	struct epochs epochs;
	struct txn_event *en;
	size_t k;
	int i;

	if (r->n != (int)s->n)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the snapshot has %d rows for %zu events", r->n, s->n);
	for (i = 0; i < r->n; i++) {
		if (read_entry(s, r, i, &c, f) == -1)
			return -1;
	}

	for (k = 0; k < s->n; k++) {
		en = &s->entries[k];
		en->verified = en->asks == NULL ||
		    txn_verified(s, en->item, &en->asks->key_row);
	}
	engine_saw(s->engine, s->entries[s->n - 1].now);
	epochs.rules = rows_int(r, 0, c.rules);
	epochs.policies = rows_int(r, 0, c.policies);
	epochs.lists = rows_int(r, 0, c.lists);
	epochs.settings = rows_int(r, 0, c.settings);
	epochs.model = rows_int(r, 0, c.model);
	epochs.anomalies = rows_bool(r, 0, c.anomalies);
	return engine_fresh(s->engine, s->db, s->arena, &epochs, f);
}

/* One event's row of the snapshot. */
static int
read_entry(struct txn *s, const struct rows *r, int row,
    const struct open_cols *c, struct fail *f)
{
	const int64_t ord = rows_int(r, row, c->ord);
	struct txn_event *en;

	assert(ord >= 1 && (size_t)ord <= s->n);
	en = &s->entries[ord - 1];
	en->now = rows_time(r, row, c->now);
	en->earlier_id = rows_text(r, row, c->earlier_id);
	en->earlier_event = rows_text(r, row, c->earlier_event);
	en->earlier_at = rows_time(r, row, c->earlier_at);
	en->earlier_digest = rows_int(r, row, c->earlier_digest);
	en->key_row = (struct txn_key_row) {
		.live = rows_bool(r, row, c->live),
		.scopes = rows_int(r, row, c->scopes),
		.expires_at = rows_time(r, row, c->expires_at),
		.now = en->now,
	};
	en->busy = en->member->busy && en->earlier_id == NULL;
	if (en->member->state != NULL)
		return 0;
	return read_member(s, en->member, r, row, c, f);
}

/* A user's state and place in the graph. */
static int
read_member(struct txn *s, struct txn_user *m, const struct rows *r, int row,
    const struct open_cols *c, struct fail *f)
{
	struct graph_node *root;
	const void *packed;
	size_t size;

	packed = rows_bytes(r, row, c->state, &size);
	m->stored = packed != NULL;
	m->state = user_state_unpack(s->arena, packed, size, f);
	if (m->state == NULL)
		return -1;
	if (rows_null(r, row, c->node))
		return 0;
	m->node =
	    entity_graph_bind(s->graph, m->node, rows_int(r, row, c->node));
	m->node->seen = true;
	root = entity_graph_node_id(s->graph, rows_int(r, row, c->root));
	if (root == NULL)
		return full(f);
	root->size = (int)rows_int(r, row, c->root_size);
	m->stale_root = !rows_null(r, row, c->root_parent) ||
	    rows_null(r, row, c->root_size);
	if (root != m->node)
		m->node->up = root;
	return 0;
}

/* The entities that stood before; a key may stand under other kinds too. */
static void
read_nodes(struct txn *s, const struct rows *r)
{
	const int id = rows_col(r, "id"), kind = rows_col(r, "kind"),
		  key = rows_col(r, "key"), users = rows_col(r, "users"),
		  devices = rows_col(r, "devices"),
		  first = rows_col(r, "first_device"),
		  risk = rows_col(r, "risk");
	struct graph_node *node;
	int i;

	for (i = 0; i < r->n; i++) {
		node = entity_graph_find(s->graph,
		    (enum graph_node_kind)rows_int(r, i, kind),
		    rows_text(r, i, key));
		if (node == NULL)
			continue;
		node = entity_graph_bind(s->graph, node, rows_int(r, i, id));
		node->seen = true;
		node->users = (int)rows_int(r, i, users);
		node->devices = (int)rows_int(r, i, devices);
		node->first_device = rows_int(r, i, first);
		node->risk = rows_bytes(r, i, risk, &node->risk_size);
	}
}

/* Whether the entry is scored, counts, and may make a link. */
static bool
may_link(const struct txn *s, const struct txn_event *en)
{
	const struct event_context sc = txn_event_context(s, en);

	return txn_decides(en) && !en->item->dry_run &&
	    !list_decides(en->listed) && event_context_may_link(&sc);
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
		return full(f);
	for (i = 0; i < s->n; i++) {
		if (!s->entries[i].may_link)
			continue;
		want(&all, s->entries[i].member->node);
		for (c = 0; c < CARRIED__MAX; c++)
			want(&all, s->entries[i].carried[c]);
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
			want(&all, s->members[i].node);
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
			return full(f);
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
		return full(f);
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
want(struct wanted_node *w, const struct graph_node *node)
{
	if (node == NULL)
		return;
	w->kind[w->n] = node->kind;
	w->key[w->n++] = node->key;
}

static int
by_value(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}

static int
full(struct fail *f)
{
	return fail_set(f, FAIL_US, INTERNAL, NULL, "the request is too big");
}
