/* SPDX-License-Identifier: ISC */
/* An event and its transaction: what every step of deciding uses. */
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

static int build_event(struct txn *s, struct txn_event *en,
    struct decision_request *item, struct fail *f);
static struct txn_user *find_user(struct txn *s, const char *user);
static const char *reasons_text(struct arena *a, const struct score *score);
static const char *sample_text(
    struct arena *a, const struct ruleset *rs, const struct txn_event *en);
static const char *sample_text_with(struct arena *a, const struct ruleset *rs,
    const struct txn_event *en, const struct shadow_result *shade);

/* A connection that can do what the items need, and room for them. */
int
txn_begin(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	if (db_ready(s->db, f) == -1 || txn_build(s, items, n, f) == -1)
		return -1;
	engine_session(s->engine, s->db);
	if (engine_learned(s->engine) != NULL &&
	    db_prepare_late(s->db, STMT_TAGS_LEARNED, f) == -1)
		return -1;
	if (s->dry_runs &&
	    db_prepare_late(s->db, STMT_TXN_ADD_DRY_RUNS, f) == -1)
		return -1;
	if (!s->queued)
		return 0;
	if (db_prepare_late(s->db, STMT_TXN_QUEUED, f) == -1)
		return -1;
	return db_prepare_late(s->db, STMT_TXN_TAKE, f);
}

/* Lay out entries, users and entities of the items. */
int
txn_build(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	size_t i;

	s->n = n;
	s->n_members = 0;
	s->queued = false;
	s->dry_runs = false;
	s->entries = arena_array(s->arena, n, sizeof(*s->entries));
	s->members = arena_array(s->arena, n, sizeof(*s->members));
	s->graph = entity_graph_new(
	    s->arena, n * TXN_NODES_MAX, n * ENTITY_GRAPH_PAIRS_MAX);
	if (s->entries == NULL || s->members == NULL || s->graph == NULL)
		return txn_no_room(f);
	for (i = 0; i < n; i++) {
		if (build_event(s, &s->entries[i], items[i], f) == -1)
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
txn_left(const struct txn *s)
{
	const int64_t left = s->deadline - clock_ticks();

	return left < 0 ? 0 : (int)(left / (CLOCK_SECOND / 1000));
}

struct event_context
txn_event_context(const struct txn *s, const struct txn_event *en)
{
	return (struct event_context) {
		.event = en->item->event,
		.graph = s->graph,
		.state = en->member->state,
		.user = en->member->node,
		.carried = en->carried,
		.place = &en->place,
		.now = en->now,
	};
}

bool
txn_decides(const struct txn_event *en)
{
	return en->verified && !en->gone && !en->busy &&
	    en->earlier_id == NULL && en->same == NULL;
}

bool
txn_records(const struct txn_event *en)
{
	return en->decided && !en->item->dry_run;
}

bool
txn_apikey_verified(const struct txn *s, struct decision_request *item,
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

/* Give a decision its id, its time and its texts. */
int
txn_answer(struct txn *s, struct txn_event *en, struct fail *f)
{
	const struct decision *d = &en->decision;
	const struct ruleset *rs =
	    engine_book(s->engine, en->item->event->type)->ruleset;
	struct decision_answer *ans = &en->item->answer;
	char id[CRYPT_ID_SIZE];

	crypt_id("vd_", en->now, id);
	ans->id = arena_strdup(s->arena, id);
	ans->event_id = en->item->event->id;
	if (ans->event_id == NULL) {
		crypt_id("evt_", en->now, id);
		ans->event_id = arena_strdup(s->arena, id);
	}
	if (d->verdict == VERDICT_REVIEW && txn_records(en) &&
	    d->score.total != SCORE_SHORT_CIRCUIT) {
		crypt_id("cse_", en->now, id);
		en->case_id = arena_strdup(s->arena, id);
	}
	ans->verdict = d->verdict;
	ans->score = d->score.total;

	/* Copies: the next event of a failed set may load new rulebooks. */
	ans->policy_id = arena_strdup(s->arena, d->policy->id);
	ans->policy_version = arena_strdup(s->arena, d->policy->version);
	ans->decided_at = en->now;

	ans->reasons = reasons_text(s->arena, &d->score);
	if (d->score.total != SCORE_SHORT_CIRCUIT && txn_records(en))
		en->replay = sample_text(s->arena, rs, en);
	if (s->arena->overflow)
		return txn_no_room(f);
	return 0;
}

int
txn_no_room(struct fail *f)
{
	return fail_set(f, FAIL_US, INTERNAL, NULL, "the request is too big");
}

/* One entry with its user and its entities. */
static int
build_event(struct txn *s, struct txn_event *en, struct decision_request *item,
    struct fail *f)
{
	const struct event *ev = item->event;

	item->outcome = 0;
	item->spooled = false;
	item->mismatch = false;
	memset(&item->answer, 0, sizeof(item->answer));
	memset(&item->fail, 0, sizeof(item->fail));
	en->item = item;
	s->queued = s->queued || item->queued != 0;
	s->dry_runs = s->dry_runs || item->dry_run;
	geoip_place(engine_geoip(s->engine), ev, &en->place);
	en->n_keys = list_keys(ev, en->place.country, en->keys);
	if (!item->dry_run)
		en->key = item->idempotency_key != NULL ? item->idempotency_key
							: ev->id;
	en->member = find_user(s, ev->user);
	if (en->member == NULL)
		return txn_no_room(f);
	if (entity_graph_identifier(s->graph, ev, en->carried) == -1)
		return txn_no_room(f);
	return 0;
}

/* The user's place in the set, made when the user is new to it. */
static struct txn_user *
find_user(struct txn *s, const char *user)
{
	struct txn_user *m;
	size_t i;

	for (i = 0; i < s->n_members; i++) {
		if (strcmp(s->members[i].user, user) == 0)
			return &s->members[i];
	}
	m = &s->members[s->n_members];
	m->user = user;
	m->node = entity_graph_node(s->graph, NODE_USER, user);
	if (m->node == NULL)
		return NULL;
	s->n_members++;
	return m;
}

/* The reasons as a JSON array, NULL when there is no room. */
static const char *
reasons_text(struct arena *a, const struct score *score)
{
	struct str s;

	str_init(&s, a);
	score_reasons(&s, score);
	return str_text(&s);
}

/*
 * What a backtest needs to decide the event again, and what is on probation
 * made of it, as JSON; without the latter where both do not find room.
 */
static const char *
sample_text(
    struct arena *a, const struct ruleset *rs, const struct txn_event *en)
{
	const struct arena_mark mark = arena_mark(a);
	const char *text = NULL;

	if (en->shade.id != NULL)
		text = sample_text_with(a, rs, en, &en->shade);
	if (text != NULL)
		return text;
	arena_rewind(a, mark);
	return sample_text_with(a, rs, en, NULL);
}

/* A model's reasons are no tags of rules, which labels are credited to. */
static const char *
sample_text_with(struct arena *a, const struct ruleset *rs,
    const struct txn_event *en, const struct shadow_result *shade)
{
	const struct decision *d = &en->decision;
	struct str s;

	str_init(&s, a);
	sample_json(&s, rs, d, en->listed == LIST_WATCH,
	    d->scorer == SCORER_ML ? reasons_text(a, &d->rules)
				   : en->item->answer.reasons,
	    shade, &en->signals);
	return str_text(&s);
}
