/* SPDX-License-Identifier: ISC */
/* What a transaction reads before it decides its events. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/user_state.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/tag_weight_cache.h"
#include "lib/engine/list_cache.h"
#include "lib/txn/txn_int.h"

/* Column numbers of STMT_TXN_OPEN. */
struct open_cols {
	int ord, now, rules, policies, lists, settings, model, anomalies,
	    api_key, scopes, expires_at, live, earlier_id, earlier_event,
	    earlier_at, earlier_digest, node, root, state, root_parent,
	    root_size;
};

static int send_timeout(struct txn *s, bool *ret_sent, struct fail *f);
static int send_open(struct txn *s, struct fail *f);
static const struct txn_event *find_asks(struct txn *s, struct txn_event *en);
static int send_nodes(struct txn *s, bool *ret_sent, struct fail *f);
static void read_busy(struct txn *s, const struct rows *r);
static int read_open(struct txn *s, const struct rows *r, struct fail *f);
static int read_event_row(struct txn *s, const struct rows *r, int row,
    const struct open_cols *c, struct fail *f);
static int read_user_row(struct txn *s, struct txn_user *m,
    const struct rows *r, int row, const struct open_cols *c, struct fail *f);
static void read_nodes(struct txn *s, const struct rows *r);
static bool may_link(const struct txn *s, const struct txn_event *en);
static int compare_lock_keys(const void *pa, const void *pb);

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
txn_read_earlier(struct txn *s, struct fail *f)
{
	struct decision_answer *ans;
	struct params p;
	struct rows *rows;
	size_t i, n = 0;
	int r;

	rows = arena_array(s->arena, s->n, sizeof(*rows));
	if (rows == NULL)
		return txn_no_room(f);
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
		return txn_no_room(f);
	for (i = 0; i < s->n_members; i++) {
		if (!s->members[i].busy)
			keys[n++] = txn_lock_key(s->members[i].user);
	}
	qsort(keys, n, sizeof(*keys), compare_lock_keys);
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
		return txn_no_room(f);
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
		return txn_no_room(f);
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
		if (read_event_row(s, r, i, &c, f) == -1)
			return -1;
	}

	for (k = 0; k < s->n; k++) {
		en = &s->entries[k];
		en->verified = en->asks == NULL ||
		    txn_apikey_verified(s, en->item, &en->asks->key_row);
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
read_event_row(struct txn *s, const struct rows *r, int row,
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
	return read_user_row(s, en->member, r, row, c, f);
}

/* A user's state and place in the graph. */
static int
read_user_row(struct txn *s, struct txn_user *m, const struct rows *r, int row,
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
		return txn_no_room(f);
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

static int
compare_lock_keys(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}
