/* SPDX-License-Identifier: ISC */
/* What a transaction writes: one statement per table, in one round trip. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/state/user_state.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/json/body.h"
#include "lib/spool/spool.h"
#include "lib/txn/txn_int.h"

/*
 * A send_ function queues one statement with its rows, and nothing if there
 * are none.
 */
struct event_table;

static int send_events(
    struct txn *txn, const struct event_table *table, struct fail *f);
static int send_keys(struct txn *txn, struct fail *f);
static int send_links(struct txn *txn, struct fail *f);
static int send_entities(struct txn *txn, struct fail *f);
static int send_states(struct txn *txn, bool stored, struct fail *f);
static int commit_writes(struct txn *txn, struct fail *f);
static bool is_recorded(const struct txn *txn, const struct txn_event *ev);
static bool is_review(const struct txn *txn, const struct txn_event *ev);
static bool is_anomaly(const struct txn *txn, const struct txn_event *ev);
static bool is_silenced(const struct txn *txn, const struct txn_event *ev);
static bool is_dry_run(const struct txn *txn, const struct txn_event *ev);
static void fill_verdict(struct cols *c, const struct txn_event *ev);
static void fill_detail(struct cols *c, const struct txn_event *ev);
static void fill_degraded(struct cols *c, const struct txn_event *ev);
static void fill_dry_run(struct cols *c, const struct txn_event *ev);
static void fill_case(struct cols *c, const struct txn_event *ev);
static void fill_trail(struct cols *c, const struct txn_event *ev);
static void fill_exception_use(struct cols *c, const struct txn_event *ev);
static void fill_anomaly(struct cols *c, const struct txn_event *ev);
static int64_t scored_id(const struct txn_event *ev, enum event_identifier id);
static const char *amount_text(struct arena *a, const struct event *event);
static const char *rule_tags(struct arena *a, const struct decision *d);
static const char *anomaly_data(struct arena *a, const struct txn_event *ev);
static const char *dry_run_answer(
    struct arena *a, const struct decision_answer *answer);
static const char *masked_request(struct arena *a, const struct event *event);
static int compare_keys(const void *pa, const void *pb);

/* A table that gets at most one row per event. */
static const struct event_table {
	enum stmt stmt;
	bool (*has_row)(const struct txn *, const struct txn_event *);
	void (*fill_row)(struct cols *, const struct txn_event *);
} verdicts = { STMT_TXN_ADD_VERDICTS, is_recorded, fill_verdict },
  details = { STMT_TXN_ADD_DETAILS, is_recorded, fill_detail },
  degraded = { STMT_TXN_ADD_DEGRADED, is_recorded, fill_degraded },
  dry_runs = { STMT_TXN_ADD_DRY_RUNS, is_dry_run, fill_dry_run },
  cases = { STMT_TXN_ADD_CASES, is_review, fill_case },
  trail = { STMT_TXN_ADD_TRAIL, is_review, fill_trail },
  exception_uses = { STMT_TXN_ADD_EXCEPTION_USES, is_silenced,
	  fill_exception_use },
  anomalies = { STMT_TXN_ADD_ANOMALIES, is_anomaly, fill_anomaly };

/* fill_detail() and send_states() fill in two tables with one set of names. */
_Static_assert(TXN_ADD_DETAILS_REQUEST == (int)TXN_ADD_DEGRADED_REQUEST &&
	TXN_ADD_STATES__MAX == (int)TXN_UPDATE_STATES__MAX,
    "the tables begin with the same columns");

int
txn_write(struct txn *txn, struct fail *f)
{
	int at;

	/* Keys first: a duplicate that waits there has sent nothing else. */
	if (send_keys(txn, f) == -1 || txn_send_take(txn, &at, f) == -1 ||
	    send_links(txn, f) == -1 || send_entities(txn, f) == -1 ||
	    send_events(txn, &verdicts, f) == -1 ||
	    send_events(txn, &details, f) == -1 ||
	    send_states(txn, true, f) == -1 ||
	    send_states(txn, false, f) == -1 ||
	    velocity_store_write(
		&txn->velocity_states, txn->db, txn->arena, f) == -1 ||
	    send_events(txn, &cases, f) == -1 ||
	    send_events(txn, &trail, f) == -1 ||
	    send_events(txn, &exception_uses, f) == -1 ||
	    send_events(txn, &anomalies, f) == -1 ||
	    send_events(txn, &dry_runs, f) == -1)
		return -1;
	return commit_writes(txn, f);
}

int
txn_write_degraded(struct txn *txn, struct fail *f)
{
	int at;

	if (db_send(txn->db, STMT_BEGIN, NULL, f) == -1 ||
	    txn_send_take(txn, &at, f) == -1 ||
	    db_send(txn->db, STMT_ERASURE_GUARD, NULL, f) == -1 ||
	    send_events(txn, &verdicts, f) == -1 ||
	    send_events(txn, &degraded, f) == -1)
		return -1;
	return commit_writes(txn, f);
}

int
txn_write_spool(struct txn *txn, struct fail *f)
{
	struct spool_record *records =
	    arena_array(txn->arena, txn->n, sizeof(*records));
	const struct decision_answer *answer;
	const struct txn_event *ev;
	size_t n = 0;

	if (records == NULL)
		return fail_memory(f);
	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (ev->state != TXN_STATE_DECIDED)
			continue;
		answer = &ev->item->answer;
		records[n++] = (struct spool_record) {
			.decided_at = answer->decided_at,
			.id = answer->id,
			.event_id = answer->event_id,
			.event_type = event_type_name(ev->item->event->type),
			.verdict = verdict_name(answer->verdict),
			.score = answer->score,
			.reasons = answer->reasons,
			.policy_id = answer->policy_id,
			.policy_version = answer->policy_version,
			.correlation_id = ev->item->correlation_id,
			.user = ev->user->id,
			.idempotency_key = ev->item->idempotency_key,
			.request = masked_request(txn->arena, ev->item->event),
		};
	}
	if (n == 0)
		return 0;
	return spool_append(
	    engine_spool(txn->engine), txn->arena, records, n, f);
}

/* Send the rows of the events that have one in this table. */
static int
send_events(struct txn *txn, const struct event_table *table, struct fail *f)
{
	const struct txn_event *ev, *end = txn->events + txn->n;
	struct cols c;
	size_t n = 0;

	for (ev = txn->events; ev < end; ev++)
		n += table->has_row(txn, ev);
	if (cols_init(&c, txn->arena, table->stmt, n, f) == -1)
		return -1;
	for (ev = txn->events; c.n < n; ev++) {
		if (!table->has_row(txn, ev))
			continue;
		table->fill_row(&c, ev);
		c.n++;
	}
	return cols_send(&c, txn->db, f);
}

/* Claim the idempotency keys, in an order that is the same everywhere. */
static int
send_keys(struct txn *txn, struct fail *f)
{
	const struct txn_event **sorted =
	    arena_array(txn->arena, txn->n, sizeof(*sorted));
	const struct txn_event *ev;
	struct cols c;
	size_t n = 0;

	if (sorted == NULL)
		return fail_memory(f);
	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (txn_is_logged(ev) && ev->key != NULL)
			sorted[n++] = ev;
	}
	qsort(sorted, n, sizeof(*sorted), compare_keys);
	if (cols_init(&c, txn->arena, STMT_TXN_ADD_KEYS, n, f) == -1)
		return -1;
	for (; c.n < n; c.n++) {
		ev = sorted[c.n];
		cols_text(&c, TXN_ADD_KEYS_KEY, ev->key);
		cols_text(&c, TXN_ADD_KEYS_VERDICT_ID, ev->item->answer.id);
		cols_text(&c, TXN_ADD_KEYS_EVENT_ID, ev->item->answer.event_id);
		cols_time(&c, TXN_ADD_KEYS_DECIDED_AT, ev->now);
		cols_int(&c, TXN_ADD_KEYS_DIGEST, ev->digest);
	}
	return cols_send(&c, txn->db, f);
}

/* The new links. */
static int
send_links(struct txn *txn, struct fail *f)
{
	const struct user_state_link *made;
	struct cols c;
	size_t n;

	made = entity_graph_links_made(txn->graph, &n);
	if (cols_init(&c, txn->arena, STMT_TXN_ADD_LINKS, n, f) == -1)
		return -1;
	for (; c.n < n; c.n++) {
		cols_int(&c, TXN_ADD_LINKS_A, made[c.n].first);
		cols_int(&c, TXN_ADD_LINKS_B, made[c.n].second);
	}
	return cols_send(&c, txn->db, f);
}

/* The entities whose counters or root changed; their rows are locked. */
static int
send_entities(struct txn *txn, struct fail *f)
{
	struct graph_node **nodes;
	struct cols c;
	size_t i, n;

	nodes = entity_graph_nodes(txn->graph, &n);
	if (cols_init(&c, txn->arena, STMT_TXN_UPDATE_ENTITIES, n, f) == -1)
		return -1;
	for (i = 0; i < n; i++) {
		if (!nodes[i]->dirty)
			continue;
		assert(nodes[i]->locked && nodes[i]->id != 0);
		cols_int(&c, TXN_UPDATE_ENTITIES_ID, nodes[i]->id);
		cols_int(&c, TXN_UPDATE_ENTITIES_PARENT, nodes[i]->parent);
		cols_int(&c, TXN_UPDATE_ENTITIES_SIZE, nodes[i]->size);
		cols_int(&c, TXN_UPDATE_ENTITIES_USERS, nodes[i]->users);
		cols_int(&c, TXN_UPDATE_ENTITIES_DEVICES, nodes[i]->devices);
		cols_int(&c, TXN_UPDATE_ENTITIES_FIRST_DEVICE,
		    nodes[i]->first_device);
		c.n++;
	}
	return cols_send(&c, txn->db, f);
}

/*
 * The changed states of the users: updates of stored ones, or inserts of new
 * ones.  Both statements have the same columns.
 */
static int
send_states(struct txn *txn, bool stored, struct fail *f)
{
	struct txn_user *user;
	struct cols c;
	void *packed;

	if (cols_init(&c, txn->arena,
		stored ? STMT_TXN_UPDATE_STATES : STMT_TXN_ADD_STATES,
		txn->n_users, f) == -1)
		return -1;
	for (user = txn->users; user < txn->users + txn->n_users; user++) {
		if (!user->changed || user->stored != stored)
			continue;
		packed = arena_alloc(txn->arena, USER_STATE_PACKED_MAX);
		if (packed == NULL)
			return fail_memory(f);
		cols_text(&c, TXN_ADD_STATES_USER_ID, user->id);
		cols_int(&c, TXN_ADD_STATES_NODE, user->node->id);
		cols_int(
		    &c, TXN_ADD_STATES_ROOT, entity_graph_root(user->node)->id);
		cols_bytes(&c, TXN_ADD_STATES_STATE, packed,
		    user_state_pack(user->state, user->now, packed));
		c.n++;
	}
	return cols_send(&c, txn->db, f);
}

/* Commit, and send all that is queued. */
static int
commit_writes(struct txn *txn, struct fail *f)
{
	struct rows rows[TXN_STATEMENTS_MAX];

	if (db_send(txn->db, STMT_COMMIT, NULL, f) == -1)
		return -1;
	assert(db_queued(txn->db) <= nitems(rows));
	return db_sync(txn->db, txn->arena, rows, db_queued(txn->db), f);
}

static bool
is_recorded(const struct txn *txn, const struct txn_event *ev)
{
	(void)txn;
	return txn_is_logged(ev);
}

static bool
is_review(const struct txn *txn, const struct txn_event *ev)
{
	(void)txn;
	return ev->case_id != NULL;
}

/* Whether the event was scored and its amount is far from the usual. */
static bool
is_anomaly(const struct txn *txn, const struct txn_event *ev)
{
	const struct value *z =
	    &ev->signals.value[SIGNAL_ANOMALY_AMOUNT_Z_SCORE];

	return txn_is_logged(ev) &&
	    ev->decision.score.total != SCORE_SHORT_CIRCUIT &&
	    z->type == VALUE_NUMBER && z->number >= engine_anomaly(txn->engine);
}

/* Whether an exception kept a rule from firing. */
static bool
is_silenced(const struct txn *txn, const struct txn_event *ev)
{
	(void)txn;
	return txn_is_logged(ev) && ev->silenced_by != NULL;
}

static bool
is_dry_run(const struct txn *txn, const struct txn_event *ev)
{
	(void)txn;
	return ev->state == TXN_STATE_DECIDED && ev->item->dry_run;
}

/* The entry of the verdict log. */
static void
fill_verdict(struct cols *c, const struct txn_event *ev)
{
	const struct decision_request *item = ev->item;
	const struct decision_answer *answer = &item->answer;

	cols_time(c, TXN_ADD_VERDICTS_DECIDED_AT, answer->decided_at);
	cols_text(c, TXN_ADD_VERDICTS_ID, answer->id);
	cols_text(c, TXN_ADD_VERDICTS_EVENT_ID, answer->event_id);
	cols_text(
	    c, TXN_ADD_VERDICTS_EVENT_TYPE, event_type_name(item->event->type));
	cols_text(c, TXN_ADD_VERDICTS_VERDICT, verdict_name(answer->verdict));
	cols_int(c, TXN_ADD_VERDICTS_SCORE, answer->score);
	cols_text(c, TXN_ADD_VERDICTS_REASONS, answer->reasons);
	cols_text(c, TXN_ADD_VERDICTS_POLICY_ID, answer->policy_id);
	cols_text(c, TXN_ADD_VERDICTS_POLICY_VERSION, answer->policy_version);
	cols_text(c, TXN_ADD_VERDICTS_REVIEW_QUEUE, ev->decision.queue);
	cols_text(c, TXN_ADD_VERDICTS_CORRELATION_ID, item->correlation_id);
}

/* The masked request, and the sample with the entities of a scored event. */
static void
fill_detail(struct cols *c, const struct txn_event *ev)
{
	fill_degraded(c, ev);
	cols_text(c, TXN_ADD_DETAILS_SAMPLE, ev->sample);
	cols_int(c, TXN_ADD_DETAILS_DEVICE, scored_id(ev, IDENTIFIER_DEVICE));
	cols_int(c, TXN_ADD_DETAILS_IP, scored_id(ev, IDENTIFIER_IP));
}

/* The masked request: the first columns of each detail. */
static void
fill_degraded(struct cols *c, const struct txn_event *ev)
{
	const struct decision_request *item = ev->item;

	cols_time(c, TXN_ADD_DEGRADED_DECIDED_AT, item->answer.decided_at);
	cols_text(c, TXN_ADD_DEGRADED_VERDICT_ID, item->answer.id);
	cols_text(c, TXN_ADD_DEGRADED_EVENT_ID, item->answer.event_id);
	cols_text(
	    c, TXN_ADD_DEGRADED_EVENT_TYPE, event_type_name(item->event->type));
	cols_text(c, TXN_ADD_DEGRADED_USER_ID, ev->user->id);
	cols_text(c, TXN_ADD_DEGRADED_IDEMPOTENCY_KEY, item->idempotency_key);
	cols_text(
	    c, TXN_ADD_DEGRADED_REQUEST, masked_request(c->arena, item->event));
}

/* A dry run has no row in the verdict log, so store its answer here, too. */
static void
fill_dry_run(struct cols *c, const struct txn_event *ev)
{
	const struct decision_request *item = ev->item;

	cols_time(c, TXN_ADD_DRY_RUNS_DECIDED_AT, item->answer.decided_at);
	cols_text(c, TXN_ADD_DRY_RUNS_VERDICT_ID, item->answer.id);
	cols_text(c, TXN_ADD_DRY_RUNS_EVENT_ID, item->answer.event_id);
	cols_text(
	    c, TXN_ADD_DRY_RUNS_EVENT_TYPE, event_type_name(item->event->type));
	cols_text(c, TXN_ADD_DRY_RUNS_USER_ID, ev->user->id);
	cols_text(
	    c, TXN_ADD_DRY_RUNS_REQUEST, masked_request(c->arena, item->event));
	cols_text(c, TXN_ADD_DRY_RUNS_ANSWER,
	    dry_run_answer(c->arena, &item->answer));
}

static void
fill_case(struct cols *c, const struct txn_event *ev)
{
	const struct event *event = ev->item->event;

	cols_text(c, TXN_ADD_CASES_ID, ev->case_id);
	cols_text(c, TXN_ADD_CASES_EVENT_ID, ev->item->answer.event_id);
	cols_text(c, TXN_ADD_CASES_VERDICT_ID, ev->item->answer.id);
	cols_text(c, TXN_ADD_CASES_QUEUE, ev->decision.queue);
	cols_int(c, TXN_ADD_CASES_SCORE, ev->decision.score.total);
	cols_time(c, TXN_ADD_CASES_OPENED_AT, ev->now);
	cols_text(c, TXN_ADD_CASES_EVENT_TYPE, event_type_name(event->type));
	cols_text(c, TXN_ADD_CASES_AMOUNT, amount_text(c->arena, event));
	cols_text(c, TXN_ADD_CASES_CURRENCY,
	    event->has_amount ? event->currency : NULL);
	cols_text(c, TXN_ADD_CASES_TAGS, rule_tags(c->arena, &ev->decision));
}

/* The first entry in the trail of a case. */
static void
fill_trail(struct cols *c, const struct txn_event *ev)
{
	cols_text(c, TXN_ADD_TRAIL_CASE_ID, ev->case_id);
	cols_time(c, TXN_ADD_TRAIL_AT, ev->now);
}

static void
fill_exception_use(struct cols *c, const struct txn_event *ev)
{
	const struct decision_answer *answer = &ev->item->answer;

	cols_text(c, TXN_ADD_EXCEPTION_USES_EXCEPTIONS, ev->silenced_by);
	cols_time(c, TXN_ADD_EXCEPTION_USES_DECIDED_AT, answer->decided_at);
	cols_text(c, TXN_ADD_EXCEPTION_USES_VERDICT_ID, answer->id);
	cols_text(c, TXN_ADD_EXCEPTION_USES_EVENT_ID, answer->event_id);
	cols_text(
	    c, TXN_ADD_EXCEPTION_USES_VERDICT, verdict_name(answer->verdict));
	cols_text(c, TXN_ADD_EXCEPTION_USES_VERDICT_WITHOUT,
	    verdict_name(ev->verdict_without));
}

/* The event alert.anomaly.v1. */
static void
fill_anomaly(struct cols *c, const struct txn_event *ev)
{
	cols_text(c, TXN_ADD_ANOMALIES_DATA, anomaly_data(c->arena, ev));
	cols_text(c, TXN_ADD_ANOMALIES_USER_ID, ev->user->id);
	cols_text(
	    c, TXN_ADD_ANOMALIES_CORRELATION_ID, ev->item->correlation_id);
	cols_time(
	    c, TXN_ADD_ANOMALIES_OCCURRED_AT, ev->item->answer.decided_at);
}

/* The id of this entity of a scored event, or 0. */
static int64_t
scored_id(const struct txn_event *ev, enum event_identifier id)
{
	return ev->sample == NULL || ev->identifiers[id] == NULL
	    ? 0
	    : ev->identifiers[id]->id;
}

/*
 * The amount as a double, or NULL.  What the caller wrote may be a number that
 * PostgreSQL refuses, such as 1e-400.
 */
static const char *
amount_text(struct arena *a, const struct event *event)
{
	struct str s;

	if (!event->has_amount)
		return NULL;
	str_init(&s, a);
	str_number(&s, event->amount);
	return str_text(&s);
}

/* The tags of the rules that fired, separated by commas. */
static const char *
rule_tags(struct arena *a, const struct decision *d)
{
	struct str s;

	str_init(&s, a);
	decide_tags(&s, d);
	return str_text(&s);
}

/* The data of alert.anomaly.v1, as JSON. */
static const char *
anomaly_data(struct arena *a, const struct txn_event *ev)
{
	const struct event *event = ev->item->event;
	struct str s;

	str_init(&s, a);
	writer_object(&s, NULL);
	writer_text(&s, "userId", event->user);
	writer_text(&s, "eventId", ev->item->answer.event_id);
	writer_text(&s, "eventType", event_type_name(event->type));
	writer_value(&s, "amountZScore",
	    &ev->signals.value[SIGNAL_ANOMALY_AMOUNT_Z_SCORE]);
	if (event->has_amount)
		writer_json(&s, "amount", event->amount_text);
	if (event->currency != NULL)
		writer_text(&s, "currency", event->currency);
	writer_text(&s, "verdict", verdict_name(ev->item->answer.verdict));
	writer_end(&s);
	return str_text(&s);
}

/* The answer of a dry run, as JSON. */
static const char *
dry_run_answer(struct arena *a, const struct decision_answer *answer)
{
	struct str s;

	str_init(&s, a);
	writer_object(&s, NULL);
	writer_text(&s, "verdict", verdict_name(answer->verdict));
	writer_int(&s, "score", answer->score);
	writer_json(&s, "reasons", answer->reasons);
	writer_text(&s, "policyId", answer->policy_id);
	writer_text(&s, "policyVersion", answer->policy_version);
	writer_end(&s);
	return str_text(&s);
}

/* The masked request, as the activity log stores it. */
static const char *
masked_request(struct arena *a, const struct event *event)
{
	struct str s;

	str_init(&s, a);
	body_masked(&s, event);
	return str_text(&s);
}

static int
compare_keys(const void *pa, const void *pb)
{
	const struct txn_event *const *a = pa, *const *b = pb;

	return strcmp((*a)->key, (*b)->key);
}
