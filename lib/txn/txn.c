/* SPDX-License-Identifier: ISC */
/* Decide a set of events in one transaction. */
#include "config.h"

#include <assert.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/decide/decide.h"
#include "core/event/event.h"
#include "core/base/fail.h"
#include "core/state/entity_graph.h"
#include "core/decide/sample.h"
#include "core/signal/signals.h"
#include "core/state/user_state.h"
#include "core/base/str.h"
#include "lib/sys/clock.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/engine/geoip.h"
#include "lib/shared/apikey_cache.h"
#include "lib/shared/metric.h"
#include "lib/txn/txn_int.h"
#include "lib/spool/spool.h"

#define SET_TRIES 4 /* of a set that meets deadlocks and taken keys */
#define LEFT_MIN 50 /* ms; with less there is no point in trying */
#define RESTART_POLL 20 /* ms between looks at a server that restarts */
#define MS INT64_C(1000)
#define SHARE_MIN (100 * MS) /* of the time for one event of a failed set */
#define SLACK (150 * MS) /* a statement's own timeout comes first */
#define LOG_TIME (400 * MS) /* beyond the deadline, to log what is degraded */

/* How one try of a set ended. */
enum txn_try {
	TRY_DONE = 1,
	TRY_AGAIN, /* roll back and run it again */
	TRY_GIVE_UP, /* this will not work as it is */
	TRY__MAX
};

static void set_singly(struct txn *s, struct decision_request *const *items,
    size_t n, int64_t deadline);
static bool set_tried(
    struct txn *s, struct decision_request *const *items, size_t n);
static enum txn_try set_try(
    struct txn *s, struct decision_request *const *items, size_t n);
static int set_begin(struct txn *s, struct decision_request *const *items,
    size_t n, struct fail *f);
static int set_build(struct txn *s, struct decision_request *const *items,
    size_t n, struct fail *f);
static int set_entry(struct txn *s, struct txn_event *en,
    struct decision_request *item, struct fail *f);
static struct txn_user *set_member(struct txn *s, const char *user);
static enum txn_try set_failed(struct txn *s, bool committing);
static bool set_settled(struct txn *s);
static int set_decide(struct txn *s, struct fail *f);
static int decide_entry(struct txn *s, struct txn_event *en, struct fail *f);
static int entry_answer(struct txn *s, struct txn_event *en, struct fail *f);
static const char *reasons_text(struct arena *a, const struct score *score);
static const char *replay_text(
    struct arena *a, const struct ruleset *rs, const struct txn_event *en);
static const char *replay_beside(struct arena *a, const struct ruleset *rs,
    const struct txn_event *en, const struct shadow_result *shade);
static void set_outcomes(struct txn *s);
static void set_degrade(
    struct txn *s, struct decision_request *const *items, size_t n);
static void degrade(
    struct txn *s, struct decision_request *const *items, size_t n);
static int degrade_logged(struct txn *s, struct decision_request *const *items,
    size_t n, struct fail *f);
static int degrade_keys(struct txn *s, struct fail *f);
static bool same_key(
    const struct decision_request *a, const struct decision_request *b);
static int degrade_spooled(struct txn *s, struct decision_request *const *items,
    size_t n, struct fail *f);
static bool degrade_known(struct txn *s, struct decision_request *item);
static int degrade_answers(struct txn *s, struct fail *f);

void
txn_run(struct engine *engine, struct db *db, struct arena *a,
    struct decision_request *const *items, size_t n, enum txn_lock lock,
    int64_t deadline)
{
	struct txn s = {
		.engine = engine,
		.db = db,
		.arena = a,
		.lock = lock,
		.deadline = deadline,
	};

	assert(n >= 1 && n <= TXN_MAX);

	/* Time is left for the innocent, should one event hold up them all. */
	if (!txn_of_one_user(items, n))
		s.deadline -= (deadline - clock_ticks()) / 2;
	if (!set_tried(&s, items, n))
		set_singly(&s, items, n, deadline);
	db_until(db, 0);
}

void
txn_count(struct worker_slot *slot, const struct decision_request *item)
{
	if (item->dry_run) {
		metric_add(slot, METRIC_ID_SHADOWS,
		    (size_t)item->answer.verdict - VERDICT_ALLOW, 0, 1);
		return;
	}
	metric_add(slot, METRIC_ID_MISMATCHES, 0, 0, item->mismatch);
	if (item->outcome == TXN_MISMATCHED)
		return;
	metric_add(slot, METRIC_ID_DECISIONS,
	    (size_t)item->answer.verdict - VERDICT_ALLOW,
	    item->outcome == TXN_REPLAYED ? 1 : 0, 1);
	if (item->outcome != TXN_DEGRADED)
		return;
	metric_add(slot, METRIC_ID_DEGRADED, 0, 0, 1);
	metric_add(slot, METRIC_ID_SPOOLED, 0, 0, item->spooled);
}

bool
txn_of_one_user(struct decision_request *const *items, size_t n)
{
	size_t i;

	for (i = 1; i < n; i++) {
		if (strcmp(items[i]->event->user, items[0]->event->user) != 0)
			return false;
	}
	return true;
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
txn_records(const struct txn_event *en)
{
	return en->decided && !en->item->dry_run;
}

bool
txn_decides(const struct txn_event *en)
{
	return en->verified && !en->gone && !en->busy &&
	    en->earlier_id == NULL && en->same == NULL;
}

int
txn_left(const struct txn *s)
{
	const int64_t left = s->deadline - clock_ticks();

	return left < 0 ? 0 : (int)(left / (CLOCK_SECOND / 1000));
}

/*
 * Only the guilty events of a set that failed are to suffer: try each by
 * itself, with a share of the time that is left, and those that need longer
 * again when everybody else is done, here or by a caller that does not wait.
 * What cannot be decided is degraded.
 */
static void
set_singly(struct txn *s, struct decision_request *const *items, size_t n,
    int64_t deadline)
{
	struct decision_request *late[TXN_MAX];
	size_t i, n_late = 0;
	int64_t now;

	for (i = 0; n > 1 && i < n && db_trouble(s->db) != DB_LOST; i++) {
		now = clock_ticks();
		s->deadline = now + (deadline - now) / (int64_t)(n - i + 1);
		if (s->deadline < now + SHARE_MIN)
			s->deadline = now + SHARE_MIN;
		if (s->deadline > deadline)
			break;
		if (set_tried(s, &items[i], 1))
			continue;
		items[i]->fail = s->why;
		if (db_trouble(s->db) == DB_TIMEOUT)
			late[n_late++] = items[i];
		else
			set_degrade(s, &items[i], 1);
	}
	for (; i < n; i++)
		late[n_late++] = items[i];
	s->deadline = deadline;
	if (s->lock == TXN_SKIP && n > 1 && db_trouble(s->db) != DB_LOST) {
		/* The caller has others to answer before it waits. */
		for (i = 0; i < n_late; i++)
			late[i]->outcome = TXN_BUSY;
		return;
	}
	for (i = 0; n > 1 && i < n_late && txn_left(s) >= LEFT_MIN &&
	     db_trouble(s->db) != DB_LOST;
	     i++) {
		if (!set_tried(s, &late[i], 1))
			set_degrade(s, &late[i], 1);
	}
	if (i < n_late)
		set_degrade(s, &late[i], n_late - i);
}

/* Run a set until it is done, or it is no use or too late. */
static bool
set_tried(struct txn *s, struct decision_request *const *items, size_t n)
{
	const struct arena_mark mark = arena_mark(s->arena);
	enum txn_try t = TRY_AGAIN;
	int tries;

	s->lost = 0;
	s->why.code = CODE__NONE;
	db_until(s->db, s->deadline + SLACK);
	for (tries = 0; t == TRY_AGAIN && tries < SET_TRIES; tries++) {
		arena_rewind(s->arena, mark);
		t = set_try(s, items, n);
	}
	if (t != TRY_DONE)
		arena_rewind(s->arena, mark);
	return t == TRY_DONE;
}

/* Run the set once. */
static enum txn_try
set_try(struct txn *s, struct decision_request *const *items, size_t n)
{
	struct fail *f = &s->why;
	enum txn_try t = TRY_DONE;
	bool commit = false;
	size_t i;

	if (txn_left(s) < LEFT_MIN) {
		/* What took the time says more. */
		if (f->code == CODE__NONE)
			fail_set(
			    f, FAIL_US, UNAVAILABLE, NULL, "the time is over");
		return TRY_GIVE_UP;
	}
	if (set_begin(s, items, n, f) == -1)
		return TRY_GIVE_UP;
	if (txn_read(s, f) == -1 || txn_read_earlier(s, f) == -1 ||
	    txn_read_graph(s, f) == -1 || set_decide(s, f) == -1)
		return set_failed(s, false);

	/* A set of refusals and replays leaves nothing behind. */
	for (i = 0; i < s->n; i++)
		commit = commit || s->entries[i].decided ||
		    txn_takes(&s->entries[i]);
	if (!commit)
		db_rollback(s->db);
	else if (txn_write(s, f) == -1)
		t = set_failed(s, true);
	if (t == TRY_DONE)
		set_outcomes(s);
	return t;
}

/* A connection that can do what the items need, and room for them. */
static int
set_begin(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	if (db_ready(s->db, f) == -1 || set_build(s, items, n, f) == -1)
		return -1;
	engine_session(s->engine, s->db);
	if (engine_learned(s->engine) != NULL &&
	    db_has(s->db, STMT_TAGS_LEARNED, f) == -1)
		return -1;
	if (s->dry_runs && db_has(s->db, STMT_TXN_ADD_DRY_RUNS, f) == -1)
		return -1;
	if (!s->queued)
		return 0;
	if (db_has(s->db, STMT_TXN_QUEUED, f) == -1)
		return -1;
	return db_has(s->db, STMT_TXN_TAKE, f);
}

/* Lay out entries, users and entities of the items. */
static int
set_build(struct txn *s, struct decision_request *const *items, size_t n,
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
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "the request is too big");
	for (i = 0; i < n; i++) {
		if (set_entry(s, &s->entries[i], items[i], f) == -1)
			return -1;
	}
	return 0;
}

/* One entry with its user and its entities. */
static int
set_entry(struct txn *s, struct txn_event *en, struct decision_request *item,
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
	en->member = set_member(s, ev->user);
	if (en->member == NULL)
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "the request is too big");
	if (entity_graph_identifier(s->graph, ev, en->carried) == -1)
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "the request is too big");
	return 0;
}

/* The user's place in the set, made when the user is new to it. */
static struct txn_user *
set_member(struct txn *s, const char *user)
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

/* What to do after a failure; a commit in flight is looked up first. */
static enum txn_try
set_failed(struct txn *s, bool committing)
{
	const enum db_trouble trouble = db_trouble(s->db);

	db_rollback(s->db);
	if (trouble == DB_LOST && committing && set_settled(s))
		return TRY_DONE;
	if (trouble == DB_LOST)
		return s->lost++ == 0 ? TRY_AGAIN : TRY_GIVE_UP;
	return trouble == DB_AGAIN || trouble == DB_DUPLICATE ? TRY_AGAIN
							      : TRY_GIVE_UP;
}

/*
 * Whether a transaction whose commit was not answered took place.  The users'
 * locks are taken first: once they are had, the old transaction has ended.  A
 * server that restarts is waited for: an onError verdict would stand beside a
 * decision that nobody was told of.
 */
static bool
set_settled(struct txn *s)
{
	const struct decision_answer *ans = NULL;
	struct params find;
	struct rows rows[3];
	struct fail f = { 0 };
	size_t i;
	bool found;

	for (i = 0; i < s->n && ans == NULL; i++) {
		if (txn_records(&s->entries[i]))
			ans = &s->entries[i].item->answer;
	}
	if (ans == NULL)
		return false;
	while (db_ready(s->db, &f) == -1) {
		if (txn_left(s) < LEFT_MIN)
			return false;
		poll(NULL, 0, RESTART_POLL);
	}
	params_init(&find, s->arena);
	params_text(&find, ans->event_id);
	params_text(&find, ans->id);
	params_time(&find, ans->decided_at);
	found = db_send(s->db, STMT_BEGIN, NULL, &f) == 0 &&
	    txn_send_lock(s, TXN_WAIT, &f) == 0 &&
	    db_send(s->db, STMT_VERDICT_FIND, &find, &f) == 0 &&
	    db_sync(s->db, s->arena, rows, 3, &f) == 0 && rows[2].n == 1;
	db_rollback(s->db);
	return found;
}

/* Decide the entries in order; each sees what those before it changed. */
static int
set_decide(struct txn *s, struct fail *f)
{
	struct txn_event *en;
	size_t i;

	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (!txn_decides(en))
			continue;
		if (decide_entry(s, en, f) == -1 ||
		    entry_answer(s, en, f) == -1)
			return -1;
	}
	return 0;
}

/*
 * Compute signals and decision of one entry, then count the event.  What a
 * list decides by itself has no signals and is not counted; a dry run neither.
 */
static int
decide_entry(struct txn *s, struct txn_event *en, struct fail *f)
{
	const struct event *ev = en->item->event;
	const struct rulebook *book = engine_book(s->engine, ev->type);
	struct event_context sc = txn_event_context(s, en);
	struct shadow shadow;

	en->decided = true;
	if (list_decides(en->listed)) {
		decide_listed(book->policy, en->listed, &en->decision);
		return 0;
	}
	if (event_context_risk(&sc, (int)conf.LABEL_DELAY_DAYS, en->risk, f) ==
	    -1)
		return -1;
	event_context_facts(&sc, &en->facts);
	signals_compute(ev, &en->facts, &en->signals);
	if (decide(book, &en->signals, s->arena, &en->decision, f) == -1 ||
	    (en->listed == LIST_WATCH &&
		decide_watched(s->arena, &en->decision, f) == -1))
		return -1;
	if (en->item->dry_run)
		return 0;
	if (engine_shadow(s->engine, ev->type, &shadow))
		decide_shadow(&shadow, &en->signals, en->listed == LIST_WATCH,
		    s->arena, &en->shade);
	event_context_count(&sc, en->decision.verdict);
	en->member->now = en->now;
	en->member->changed = true;
	return 0;
}

/* Give a decision its id, its time and its texts. */
static int
entry_answer(struct txn *s, struct txn_event *en, struct fail *f)
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
		en->replay = replay_text(s->arena, rs, en);
	if (s->arena->overflow)
		return fail_set(
		    f, FAIL_US, INTERNAL, NULL, "the request is too big");
	return 0;
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
replay_text(
    struct arena *a, const struct ruleset *rs, const struct txn_event *en)
{
	const struct arena_mark mark = arena_mark(a);
	const char *text = NULL;

	if (en->shade.id != NULL)
		text = replay_beside(a, rs, en, &en->shade);
	if (text != NULL)
		return text;
	arena_rewind(a, mark);
	return replay_beside(a, rs, en, NULL);
}

/* A model's reasons are no tags of rules, which labels are credited to. */
static const char *
replay_beside(struct arena *a, const struct ruleset *rs,
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

/* Tell each item what became of it. */
static void
set_outcomes(struct txn *s)
{
	struct txn_event *en;
	size_t i;

	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (!en->verified) {
			en->item->outcome = TXN_REFUSED;
		} else if (en->gone) {
			en->item->outcome = TXN_GONE;
		} else if (en->busy) {
			en->item->outcome = TXN_BUSY;
		} else if (en->same != NULL && en->same->verified) {
			en->item->answer = en->same->item->answer;
			en->item->outcome = txn_replayed(en);
		} else if (en->earlier_id != NULL) {
			en->item->outcome = txn_replayed(en);
		} else {
			en->item->outcome = TXN_DECIDED;
		}
	}
}

/* What could not be decided is degraded, unless it is to be kept. */
static void
set_degrade(struct txn *s, struct decision_request *const *items, size_t n)
{
	struct decision_request *given[TXN_MAX];
	size_t i, n_given = 0;

	for (i = 0; i < n; i++) {
		items[i]->outcome = TXN_FAILED;
		items[i]->fail = s->why;
		if (!items[i]->keep)
			given[n_given++] = items[i];
	}
	if (n_given > 0)
		degrade(s, given, n_given);
}

/*
 * Answer events that could not be decided with their policies' onError
 * verdicts, and log these answers: all in the database, or else in the spool.
 * What was logged in doubt is logged there under ids of its own, so that no id
 * is ever there twice.
 */
static void
degrade(struct txn *s, struct decision_request *const *items, size_t n)
{
	const struct arena_mark mark = arena_mark(s->arena);
	const struct fail cause = s->why;
	struct fail *f = &s->why;
	size_t i;

	db_until(s->db, s->deadline + LOG_TIME);
	if (degrade_logged(s, items, n, f) == -1) {
		db_rollback(s->db);
		arena_rewind(s->arena, mark);
		if (engine_spool(s->engine) == NULL ||
		    degrade_spooled(s, items, n, f) == -1) {
			for (i = 0; i < n; i++) {
				items[i]->outcome = TXN_FAILED;
				items[i]->fail = *f;
			}
		}
	}
	for (i = 0; i < n; i++) {
		if (items[i]->outcome == TXN_DEGRADED)
			items[i]->fail = cause;
	}
}

/* Log degraded answers in a transaction of their own. */
static int
degrade_logged(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	size_t i;

	if (set_begin(s, items, n, f) == -1 || degrade_keys(s, f) == -1 ||
	    degrade_answers(s, f) == -1 || txn_write_degraded(s, f) == -1)
		return -1;
	for (i = 0; i < n; i++)
		items[i]->outcome =
		    s->entries[i].verified ? TXN_DEGRADED : TXN_REFUSED;
	return 0;
}

/* The clock and the API keys, which the set's snapshot may not have had. */
static int
degrade_keys(struct txn *s, struct fail *f)
{
	struct txn_key_row key;
	struct txn_event *en;
	struct params p;
	struct rows r;

	for (en = s->entries; en < s->entries + s->n; en++) {
		if (en > s->entries && same_key(en->item, en[-1].item)) {
			en->now = en[-1].now;
			en->verified = en[-1].verified;
			en->item->fail = en[-1].item->fail;
			continue;
		}
		params_init(&p, s->arena);
		if (en->item->key_hash == NULL)
			params_null(&p);
		else
			params_bytes(&p, en->item->key_hash, CRYPT_SHA256_SIZE);
		if (db_one(s->db, s->arena, STMT_APIKEY_FIND, &p, &r, f) == -1)
			return -1;
		key = (struct txn_key_row) {
			.live = rows_get_bool(&r, "live"),
			.scopes = rows_get_int(&r, "scopes"),
			.expires_at = rows_get_time(&r, "expires_at"),
			.now = rows_get_time(&r, "now"),
		};
		en->now = key.now;
		en->verified = en->item->key_hash == NULL ||
		    txn_verified(s, en->item, &key);
	}
	return 0;
}

static bool
same_key(const struct decision_request *a, const struct decision_request *b)
{
	return a->key_hash != NULL && b->key_hash != NULL &&
	    memcmp(a->key_hash, b->key_hash, CRYPT_SHA256_SIZE) == 0;
}

/*
 * Log degraded answers in the spool, those of callers whose keys are known:
 * nobody else is answered while nobody can be asked.
 */
static int
degrade_spooled(struct txn *s, struct decision_request *const *items, size_t n,
    struct fail *f)
{
	const int64_t now = engine_now(s->engine);
	size_t i;

	if (set_build(s, items, n, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		s->entries[i].now = now;
		s->entries[i].verified = degrade_known(s, items[i]);
	}
	if (degrade_answers(s, f) == -1 || txn_write_spool(s, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		items[i]->spooled = s->entries[i].verified;
		if (items[i]->spooled)
			items[i]->outcome = TXN_DEGRADED;
	}
	return 0;
}

/* Whether the item's API key is known and may; if not, it is refused. */
static bool
degrade_known(struct txn *s, struct decision_request *item)
{
	unsigned scopes;

	if (item->key_hash == NULL)
		return true;
	scopes = apikey_cache_scopes(
	    spool_shm(engine_spool(s->engine)), item->key_hash, clock_ticks());
	if (scopes == 0) {
		item->outcome = TXN_FAILED;
		fail_set(&item->fail, FAIL_US, UNAVAILABLE, NULL,
		    "the API key was not verified lately");
		return false;
	}
	item->outcome = TXN_REFUSED;
	return txn_list_allows(item, scopes);
}

/*
 * The onError verdicts of the entries whose API keys are good; what the
 * cached lists block stays blocked.
 */
static int
degrade_answers(struct txn *s, struct fail *f)
{
	const struct rulebook *book;
	struct txn_event *en;

	for (en = s->entries; en < s->entries + s->n; en++) {
		book = engine_book(s->engine, en->item->event->type);
		if (!en->verified)
			continue;
		if (book == NULL)
			return fail_set(f, FAIL_US, UNAVAILABLE, NULL,
			    "no policy has been loaded yet");
		if (engine_listed(s->engine, en->item->event, en->now) ==
		    LIST_BLOCK)
			decide_listed(book->policy, LIST_BLOCK, &en->decision);
		else
			decide_degraded(book->policy, &en->decision);
		en->decided = true;
		if (entry_answer(s, en, f) == -1)
			return -1;
	}
	return 0;
}
