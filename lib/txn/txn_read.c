/* SPDX-License-Identifier: ISC */
/* Read the data of a transaction before its events are decided. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/user_state.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/list_cache.h"
#include "lib/engine/tag_weight_cache.h"
#include "lib/txn/txn_int.h"

/* Indices of the results of round trip 1, or TXN_NOT_SENT. */
struct read_indices {
	int lock, open, nodes, lists, queue, weights, velocities;
};

static int send_read(struct txn *txn, unsigned queried,
    struct read_indices *ret, struct fail *f);
static int send_timeout(struct txn *txn, struct fail *f);
static int send_open(struct txn *txn, struct fail *f);
static const struct txn_event *find_asking_event(
    struct txn *txn, struct txn_event *ev);
static int send_nodes(struct txn *txn, int *ret_index, struct fail *f);
static void read_locks(struct txn *txn, const struct rows *r);
static int read_open(struct txn *txn, const struct rows *r, struct fail *f);
static int read_event_row(
    struct txn *txn, const struct rows *r, int row, struct fail *f);
static int read_user_row(struct txn *txn, struct txn_user *user,
    const struct rows *r, int row, struct fail *f);
static void read_nodes(struct txn *txn, const struct rows *r);
static void settle_states(struct txn *txn);
static enum txn_state settled_state(
    const struct txn *txn, struct txn_event *ev);
static bool may_link(const struct txn *txn, const struct txn_event *ev);
static int compare_lock_keys(const void *pa, const void *pb);

int
txn_read(struct txn *txn, struct fail *f)
{
	const unsigned queried = list_cache_long(engine_lists(txn->engine));
	struct rows rows[TXN_STATEMENTS_MAX];
	struct read_indices at;

	if (send_read(txn, queried, &at, f) == -1 ||
	    db_sync(txn->db, txn->arena, rows, db_queued(txn->db), f) == -1)
		return -1;
	if (at.queue != TXN_NOT_SENT)
		txn_read_queue(txn, &rows[at.queue]);
	if (at.weights != TXN_NOT_SENT &&
	    tag_weight_cache_read(
		engine_tag_weights(txn->engine), &rows[at.weights], f) == -1)
		return -1;
	if (txn->lock == TXN_SKIP)
		read_locks(txn, &rows[at.lock]);
	if (read_open(txn, &rows[at.open], f) == -1)
		return -1;
	if (at.nodes != TXN_NOT_SENT)
		read_nodes(txn, &rows[at.nodes]);
	if (txn_read_velocities(txn,
		at.velocities == TXN_NOT_SENT ? NULL : &rows[at.velocities],
		f) == -1)
		return -1;
	if (txn_match_lists(txn, queried,
		at.lists == TXN_NOT_SENT ? NULL : &rows[at.lists], f) == -1 ||
	    txn_digest(txn, f) == -1)
		return -1;
	settle_states(txn);
	return 0;
}

int
txn_read_earlier(struct txn *txn, struct fail *f)
{
	struct decision_answer *answer;
	struct params p;
	struct rows *rows;
	size_t i, n = 0;
	int r;

	rows = arena_array(txn->arena, txn->n, sizeof(*rows));
	if (rows == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->n; i++) {
		if (txn->events[i].earlier_id == NULL)
			continue;
		params_init(&p, txn->arena);
		params_text(&p, txn->events[i].earlier_event);
		params_text(&p, txn->events[i].earlier_id);
		params_time(&p, txn->events[i].earlier_at);
		if (db_send(txn->db, STMT_VERDICT_FIND, &p, f) == -1)
			return -1;
		n++;
	}
	if (n == 0)
		return 0;
	r = db_sync(txn->db, txn->arena, rows, n, f);
	for (i = 0; r == 0 && i < txn->n; i++) {
		if (txn->events[i].earlier_id == NULL)
			continue;
		if (rows->n != 1)
			return fail_set(f, FAIL_US, INTERNAL, NULL,
			    "the decision of an idempotency key is missing");
		answer = &txn->events[i].item->answer;
		answer->id = rows_text(rows, 0, "id");
		answer->event_id = rows_text(rows, 0, "event_id");
		answer->verdict = verdict_parse(rows_text(rows, 0, "verdict"));
		answer->score = (int)rows_int(rows, 0, "score");
		answer->reasons = rows_text(rows, 0, "reasons");
		answer->policy_id = rows_text(rows, 0, "policy_id");
		answer->policy_version = rows_text(rows, 0, "policy_version");
		answer->decided_at = rows_time(rows, 0, "decided_at");
		rows++;
	}
	return r;
}

/* Queue round trip 1: the users are locked before the snapshot is taken. */
static int
send_read(
    struct txn *txn, unsigned queried, struct read_indices *ret, struct fail *f)
{
	struct tag_weight_cache *weights = engine_tag_weights(txn->engine);

	if (db_send(txn->db, STMT_BEGIN, NULL, f) == -1 ||
	    send_timeout(txn, f) == -1)
		return -1;
	if ((ret->lock = txn_send_lock(txn, txn->lock, f)) == -1 ||
	    (ret->open = send_open(txn, f)) == -1 ||
	    send_nodes(txn, &ret->nodes, f) == -1 ||
	    txn_send_lists(txn, queried, &ret->lists, f) == -1 ||
	    txn_send_queue(txn, &ret->queue, f) == -1 ||
	    txn_send_velocities(txn, &ret->velocities, f) == -1)
		return -1;
	ret->weights = TXN_NOT_SENT;
	if (weights == NULL)
		return 0;
	ret->weights = tag_weight_cache_send(weights, txn->db, txn->arena, f);
	return ret->weights == -1 ? -1 : 0;
}

/* Queue a statement timeout, unless the session's is right within 100 ms. */
static int
send_timeout(struct txn *txn, struct fail *f)
{
	const int left = txn_left(txn);
	struct params p;

	if (left <= TXN_TIMEOUT_ONE && left >= TXN_TIMEOUT_ONE - 100)
		return 0;
	params_init(&p, txn->arena);
	params_int(&p, left);
	return db_send(txn->db, STMT_TXN_TIMEOUT, &p, f);
}

int
txn_send_lock(struct txn *txn, enum txn_lock lock, struct fail *f)
{
	int64_t *keys = arena_array(txn->arena, txn->n_users, sizeof(*keys));
	struct params p;
	size_t i, n = 0;

	if (keys == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->n_users; i++) {
		if (!txn->users[i].busy)
			keys[n++] = txn_lock_key(txn->users[i].id);
	}
	qsort(keys, n, sizeof(*keys), compare_lock_keys);
	params_init(&p, txn->arena);
	params_ints(&p, keys, n);
	return db_send(txn->db,
	    lock == TXN_SKIP ? STMT_TXN_TRY_LOCK : STMT_TXN_LOCK, &p, f);
}

/* Mark the users that other transactions lock. */
static void
read_locks(struct txn *txn, const struct rows *r)
{
	size_t k;
	int i;

	for (i = 0; i < r->n; i++) {
		if (rows_bool(r, i, "got"))
			continue;
		for (k = 0; k < txn->n_users; k++) {
			if (txn_lock_key(txn->users[k].id) ==
			    rows_int(r, i, "key"))
				txn->users[k].busy = true;
		}
	}
}

/* Queue the snapshot; only the first event with an API key asks for it. */
static int
send_open(struct txn *txn, struct fail *f)
{
	const char **users = arena_array(txn->arena, txn->n, sizeof(*users));
	const char **keys = arena_array(txn->arena, txn->n, sizeof(*keys));
	const void **hashes = arena_array(txn->arena, txn->n, sizeof(*hashes));
	size_t *sizes = arena_array(txn->arena, txn->n, sizeof(*sizes));
	struct params p;
	size_t i;

	if (users == NULL || keys == NULL || hashes == NULL || sizes == NULL)
		return fail_memory(f);
	for (i = 0; i < txn->n; i++) {
		users[i] = txn->events[i].user->id;
		keys[i] = txn->events[i].key;
		sizes[i] = CRYPT_SHA256_SIZE;
		if (find_asking_event(txn, &txn->events[i]) == &txn->events[i])
			hashes[i] = txn->events[i].item->key_hash;
	}
	params_init(&p, txn->arena);
	params_texts(&p, users, txn->n);
	params_texts(&p, keys, txn->n);
	params_blobs(&p, hashes, sizes, txn->n);
	return db_send(txn->db, STMT_TXN_OPEN, &p, f);
}

/* Find the first event with this one's API key; NULL without one. */
static const struct txn_event *
find_asking_event(struct txn *txn, struct txn_event *ev)
{
	struct txn_event *a;

	if (ev->item->key_hash == NULL)
		return NULL;
	for (a = txn->events; a < ev; a++) {
		if (a->apikey_event == a &&
		    memcmp(a->item->key_hash, ev->item->key_hash,
			CRYPT_SHA256_SIZE) == 0)
			break;
	}
	ev->apikey_event = a;
	return a;
}

/* Queue the query for all entities except users. */
static int
send_nodes(struct txn *txn, int *ret_index, struct fail *f)
{
	const char **keys =
	    arena_array(txn->arena, txn->n * IDENTIFIER__MAX, sizeof(*keys));
	struct graph_node **nodes;
	struct params p;
	size_t i, all, n = 0;

	*ret_index = TXN_NOT_SENT;
	if (keys == NULL)
		return fail_memory(f);
	nodes = entity_graph_nodes(txn->graph, &all);
	for (i = 0; i < all; i++) {
		if (nodes[i]->kind != NODE_USER)
			keys[n++] = nodes[i]->key;
	}
	if (n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_texts(&p, keys, n);
	*ret_index = db_send(txn->db, STMT_TXN_NODES, &p, f);
	return *ret_index == -1 ? -1 : 0;
}

/* Read the snapshot, and reload rulebooks and lists that have changed. */
static int
read_open(struct txn *txn, const struct rows *r, struct fail *f)
{
	struct epochs epochs;
	struct txn_event *ev;
	size_t k;
	int i;

	if (r->n != (int)txn->n)
		return fail_set(f, FAIL_US, INTERNAL, NULL,
		    "the snapshot has %d rows for %zu events", r->n, txn->n);
	for (i = 0; i < r->n; i++) {
		if (read_event_row(txn, r, i, f) == -1)
			return -1;
	}

	for (k = 0; k < txn->n; k++) {
		ev = &txn->events[k];
		if (ev->apikey_event != NULL &&
		    !txn_apikey_verified(
			txn, ev->item, &ev->apikey_event->apikey))
			ev->state = TXN_STATE_REFUSED;
	}
	engine_note_time(txn->engine, txn->events[txn->n - 1].now);
	epochs.rules = rows_int(r, 0, "rules");
	epochs.policies = rows_int(r, 0, "policies");
	epochs.lists = rows_int(r, 0, "lists");
	epochs.exceptions = rows_int(r, 0, "exceptions");
	epochs.settings = rows_int(r, 0, "settings");
	epochs.model = rows_int(r, 0, "model");
	epochs.anomalies = rows_bool(r, 0, "anomalies");
	return engine_refresh(txn->engine, txn->db, txn->arena, &epochs, f);
}

/* Read one event's row of the snapshot. */
static int
read_event_row(struct txn *txn, const struct rows *r, int row, struct fail *f)
{
	const int64_t ord = rows_int(r, row, "ord");
	struct txn_event *ev;

	assert(ord >= 1 && (size_t)ord <= txn->n);
	ev = &txn->events[ord - 1];
	ev->now = rows_time(r, row, "now");
	ev->earlier_id = rows_text(r, row, "earlier_id");
	ev->earlier_event = rows_text(r, row, "earlier_event");
	ev->earlier_at = rows_time(r, row, "earlier_at");
	ev->earlier_digest = rows_int(r, row, "earlier_digest");
	ev->apikey = (struct txn_apikey) {
		.live = rows_bool(r, row, "live"),
		.scopes = rows_int(r, row, "scopes"),
		.expires_at = rows_time(r, row, "expires_at"),
		.now = ev->now,
	};
	if (ev->user->state != NULL)
		return 0;
	return read_user_row(txn, ev->user, r, row, f);
}

/* Read a user's state and place in the graph. */
static int
read_user_row(struct txn *txn, struct txn_user *user, const struct rows *r,
    int row, struct fail *f)
{
	struct graph_node *root;
	const void *packed;
	size_t size;

	packed = rows_bytes(r, row, "state", &size);
	user->stored = packed != NULL;
	user->state = user_state_unpack(txn->arena, packed, size, f);
	if (user->state == NULL)
		return -1;
	if (rows_null(r, row, "node"))
		return 0;
	user->node =
	    entity_graph_bind(txn->graph, user->node, rows_int(r, row, "node"));
	user->node->seen = true;
	root = entity_graph_node_id(txn->graph, rows_int(r, row, "root"));
	if (root == NULL)
		return fail_memory(f);
	root->size = (int)rows_int(r, row, "root_size");
	user->stale_root =
	    !rows_null(r, row, "root_parent") || rows_null(r, row, "root_size");
	if (root != user->node)
		user->node->up = root;
	return 0;
}

/* Read the entities; a key may also exist under kinds that no event has. */
static void
read_nodes(struct txn *txn, const struct rows *r)
{
	struct graph_node *node;
	int i;

	for (i = 0; i < r->n; i++) {
		node = entity_graph_find(txn->graph,
		    (enum graph_node_kind)rows_int(r, i, "kind"),
		    rows_text(r, i, "key"));
		if (node == NULL)
			continue;
		node =
		    entity_graph_bind(txn->graph, node, rows_int(r, i, "id"));
		node->seen = true;
		node->users = (int)rows_int(r, i, "users");
		node->devices = (int)rows_int(r, i, "devices");
		node->first_device = rows_int(r, i, "first_device");
		node->risk = rows_bytes(r, i, "risk", &node->risk_size);
	}
}

/* Give each event that is still OPEN the state that it has before deciding. */
static void
settle_states(struct txn *txn)
{
	struct txn_event *ev;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (ev->state == TXN_STATE_OPEN)
			ev->state = settled_state(txn, ev);
		ev->may_link = ev->state == TXN_STATE_OPEN && may_link(txn, ev);
	}
}

/* A repeat waits for the event that it repeats, if that one's user is busy. */
static enum txn_state
settled_state(const struct txn *txn, struct txn_event *ev)
{
	if (ev->earlier_id != NULL)
		return TXN_STATE_REPLAYS;
	ev->same = txn_find_same(txn, ev);
	if (ev->same != NULL)
		return ev->same->state == TXN_STATE_BUSY ? TXN_STATE_BUSY
							 : TXN_STATE_REPEATS;
	return ev->user->busy ? TXN_STATE_BUSY : TXN_STATE_OPEN;
}

/* Whether the event is scored, counts, and may make a link. */
static bool
may_link(const struct txn *txn, const struct txn_event *ev)
{
	const struct event_context context = txn_event_context(txn, ev);

	return !ev->item->dry_run && !list_decides(ev->listed) &&
	    event_context_may_link(&context);
}

static int
compare_lock_keys(const void *pa, const void *pb)
{
	const int64_t *a = pa, *b = pb;

	return (*a > *b) - (*a < *b);
}
