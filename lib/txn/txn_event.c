/* SPDX-License-Identifier: ISC */
/* How a transaction is laid out, and what all its steps need. */
#include "config.h"

#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/sample.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/geoip.h"
#include "lib/shared/apikey_cache.h"
#include "lib/spool/spool.h"
#include "lib/sys/clock.h"
#include "lib/txn/txn_int.h"

static int build_event(struct txn *txn, struct txn_event *ev,
    struct decision_request *item, struct fail *f);
static struct txn_user *find_user(struct txn *txn, const char *id);
static const char *reasons_text(struct arena *a, const struct score *score);
static const char *sample_text(struct arena *a, const struct txn_event *ev);
static const char *sample_text_with(struct arena *a, const struct txn_event *ev,
    const struct shadow_result *shadow);

int
txn_begin(struct txn *txn, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	if (db_ready(txn->db, f) == -1 || txn_build(txn, items, n, f) == -1)
		return -1;
	engine_session(txn->engine, txn->db);
	return 0;
}

int
txn_prepare(struct txn *txn, struct fail *f)
{
	if (engine_tag_weights(txn->engine) != NULL &&
	    db_prepare_late(txn->db, STMT_TAG_WEIGHTS, f) == -1)
		return -1;
	if (txn_prepare_velocities(txn, f) == -1)
		return -1;
	if (txn->dry_runs &&
	    db_prepare_late(txn->db, STMT_TXN_ADD_DRY_RUNS, f) == -1)
		return -1;
	if (!txn->queued)
		return 0;
	if (db_prepare_late(txn->db, STMT_TXN_QUEUED, f) == -1)
		return -1;
	return db_prepare_late(txn->db, STMT_TXN_TAKE, f);
}

int
txn_build(struct txn *txn, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	size_t i;

	txn->n = n;
	txn->n_users = 0;
	txn->queued = false;
	txn->dry_runs = false;
	txn->events = arena_array(txn->arena, n, sizeof(*txn->events));
	txn->users = arena_array(txn->arena, n, sizeof(*txn->users));
	txn->graph = entity_graph_new(
	    txn->arena, n * TXN_NODES_MAX, n * ENTITY_GRAPH_PAIRS_MAX);
	if (txn->events == NULL || txn->users == NULL || txn->graph == NULL)
		return fail_memory(f);
	for (i = 0; i < n; i++) {
		if (build_event(txn, &txn->events[i], items[i], f) == -1)
			return -1;
	}
	return 0;
}

int64_t
txn_lock_key(const char *user)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	/* FNV-1a, the same on every host; a collision only shares a lock. */
	for (; *user != '\0'; user++)
		h = (h ^ (unsigned char)*user) * UINT64_C(0x100000001b3);
	return (int64_t)h;
}

int
txn_left(const struct txn *txn)
{
	const int64_t left = txn->deadline - clock_ticks();

	return left < 0 ? 0 : (int)(left / (CLOCK_SECOND / 1000));
}

struct event_context
txn_event_context(const struct txn *txn, const struct txn_event *ev)
{
	return (struct event_context) {
		.event = ev->item->event,
		.graph = txn->graph,
		.state = ev->user->state,
		.user = ev->user->node,
		.identifiers = ev->identifiers,
		.place = &ev->place,
		.ip_facts = ev->ip_facts,
		.now = ev->now,
	};
}

bool
txn_is_logged(const struct txn_event *ev)
{
	return ev->state == TXN_STATE_DECIDED && !ev->item->dry_run;
}

bool
txn_apikey_verified(const struct txn *txn, struct decision_request *item,
    const struct txn_apikey *key)
{
	struct spool *spool = engine_spool(txn->engine);
	const int64_t left =
	    key->expires_at == 0 ? INT64_MAX : key->expires_at - key->now;

	if (spool != NULL && key->live)
		apikey_cache_put(spool_shm(spool), item->key_hash,
		    (unsigned)key->scopes, left, clock_ticks());
	else if (spool != NULL)
		apikey_cache_drop(spool_shm(spool), item->key_hash);
	if (key->live)
		return txn_apikey_allows(item, key->scopes);
	fail_set(&item->fail, FAIL_DENIED, INVALID_API_KEY, NULL, "%s",
	    fail_code_text(INVALID_API_KEY));
	return false;
}

bool
txn_apikey_allows(struct decision_request *item, int64_t scopes)
{
	if (((uint64_t)scopes & item->scope) == item->scope)
		return true;
	fail_set(&item->fail, FAIL_DENIED, INSUFFICIENT_SCOPE, NULL, "%s",
	    fail_code_text(INSUFFICIENT_SCOPE));
	return false;
}

int
txn_answer(struct txn *txn, struct txn_event *ev, struct fail *f)
{
	const struct decision *d = &ev->decision;
	struct decision_answer *answer = &ev->item->answer;
	char id[CRYPT_ID_SIZE];

	crypt_id("vd_", ev->now, id);
	answer->id = arena_strdup(txn->arena, id);
	answer->event_id = ev->item->event->id;
	if (answer->event_id == NULL) {
		crypt_id("evt_", ev->now, id);
		answer->event_id = arena_strdup(txn->arena, id);
	}
	if (d->verdict == VERDICT_REVIEW && txn_is_logged(ev) &&
	    d->score.total != SCORE_SHORT_CIRCUIT) {
		crypt_id("cse_", ev->now, id);
		ev->case_id = arena_strdup(txn->arena, id);
	}
	answer->verdict = d->verdict;
	answer->score = d->score.total;

	/* Copies: the next event may load new rulebooks (run_singly()). */
	answer->policy_id = arena_strdup(txn->arena, d->policy->id);
	answer->policy_version = arena_strdup(txn->arena, d->policy->version);
	answer->decided_at = ev->now;

	answer->reasons = reasons_text(txn->arena, &d->score);
	if (d->score.total != SCORE_SHORT_CIRCUIT && txn_is_logged(ev))
		ev->sample = sample_text(txn->arena, ev);
	if (txn->arena->overflow)
		return fail_memory(f);
	return 0;
}

/* Lay out one event with its user and its entities. */
static int
build_event(struct txn *txn, struct txn_event *ev,
    struct decision_request *item, struct fail *f)
{
	const struct event *event = item->event;

	item->outcome = 0;
	item->spooled = false;
	item->mismatch = false;
	memset(&item->answer, 0, sizeof(item->answer));
	memset(&item->fail, 0, sizeof(item->fail));
	ev->item = item;
	ev->state = TXN_STATE_OPEN;
	txn->queued = txn->queued || item->queued != 0;
	txn->dry_runs = txn->dry_runs || item->dry_run;
	geoip_look_up(engine_geoip(txn->engine), event, txn->arena, &ev->place,
	    &ev->ip_facts);
	ev->n_keys = list_keys(event, ev->place.country, ev->keys);
	if (!item->dry_run)
		ev->key = item->idempotency_key != NULL ? item->idempotency_key
							: event->id;
	ev->user = find_user(txn, event->user);
	if (ev->user == NULL)
		return fail_memory(f);
	item->rolled_out = false;
	item->silenced = false;
	item->placeholders = entity_graph_identifier(txn->graph, event,
	    engine_placeholders(txn->engine), ev->identifiers);
	return item->placeholders == -1 ? fail_memory(f) : 0;
}

/* Find the user with this id, or add it; NULL if the arena is full. */
static struct txn_user *
find_user(struct txn *txn, const char *id)
{
	struct txn_user *user;
	size_t i;

	for (i = 0; i < txn->n_users; i++) {
		if (strcmp(txn->users[i].id, id) == 0)
			return &txn->users[i];
	}
	user = &txn->users[txn->n_users];
	user->id = id;
	user->node = entity_graph_node(txn->graph, NODE_USER, id);
	if (user->node == NULL)
		return NULL;
	txn->n_users++;
	return user;
}

/* The reasons as a JSON array; NULL if the arena is full. */
static const char *
reasons_text(struct arena *a, const struct score *score)
{
	struct str s;

	str_init(&s, a);
	score_reasons(&s, score);
	return str_text(&s);
}

/*
 * The sample as JSON: the inputs for deciding the event again, and the result
 * of the shadow.  The result is left out if there is no room for both.
 */
static const char *
sample_text(struct arena *a, const struct txn_event *ev)
{
	const struct arena_mark mark = arena_mark(a);
	const char *text = NULL;

	if (ev->shadow.id != NULL)
		text = sample_text_with(a, ev, &ev->shadow);
	if (text != NULL)
		return text;
	arena_rewind(a, mark);
	return sample_text_with(a, ev, NULL);
}

static const char *
sample_text_with(struct arena *a, const struct txn_event *ev,
    const struct shadow_result *shadow)
{
	struct str s;

	str_init(&s, a);
	sample_json(&s, ev->ruleset, &ev->decision, ev->listed == LIST_WATCH,
	    shadow, &ev->signals);
	return str_text(&s);
}
