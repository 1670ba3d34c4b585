/* SPDX-License-Identifier: ISC */
/* What a set writes: one statement a table, all in one round trip. */
#include "config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/state/user_state.h"
#include "core/base/str.h"
#include "lib/json/body.h"
#include "lib/db/db.h"
#include "lib/engine/engine.h"
#include "lib/txn/txn_int.h"
#include "lib/spool/spool.h"

#define WRITES_MAX 16 /* statements of one write, begin and commit included */
#define COLUMNS_MAX 9

/*
 * Rows under construction, kept by column: texts or numbers, never both in
 * one column.  Each send_ function lays out one table's rows in the order of
 * its statement's parameters and sends them if there are any.
 */
struct columns {
	size_t n; /* rows so far */
	const char **text[COLUMNS_MAX];
	int64_t *number[COLUMNS_MAX];
};

static int send_take(struct txn *txn, size_t *n, struct fail *f);
static int send_keys(struct txn *txn, size_t *n, struct fail *f);
static int send_links(struct txn *txn, size_t *n, struct fail *f);
static int send_entities(struct txn *txn, size_t *n, struct fail *f);
static int send_verdicts(struct txn *txn, size_t *n, struct fail *f);
static int send_details(struct txn *txn, size_t *n, struct fail *f);
static int send_degraded(struct txn *txn, size_t *n, struct fail *f);
static int send_states(struct txn *txn, bool stored, size_t *n, struct fail *f);
static int send_cases(struct txn *txn, size_t *n, struct fail *f);
static int send_anomalies(struct txn *txn, size_t *n, struct fail *f);
static int send_dry_runs(struct txn *txn, size_t *n, struct fail *f);
static int send_counted(struct txn *txn, enum stmt stmt, const struct params *p,
    size_t *n, struct fail *f);
static int columns_init(struct columns *c, struct arena *a, size_t n, int texts,
    int numbers, struct fail *f);
static int64_t scored_id(const struct txn_event *ev, enum event_identifier c);
static bool is_anomaly(const struct txn_event *ev, double from);
static const char *anomaly_data(struct arena *a, const struct txn_event *ev);
static const char *dry_run_answer(
    struct arena *a, const struct decision_answer *answer);
static const char *masked_request(struct arena *a, const struct event *event);
static int compare_keys(const void *pa, const void *pb);

int
txn_write(struct txn *txn, struct fail *f)
{
	struct rows rows[WRITES_MAX];
	size_t n = 0;

	/* Keys first: a duplicate that waits there has sent nothing else. */
	if (send_keys(txn, &n, f) == -1 || send_take(txn, &n, f) == -1 ||
	    send_links(txn, &n, f) == -1 || send_entities(txn, &n, f) == -1 ||
	    send_verdicts(txn, &n, f) == -1 || send_details(txn, &n, f) == -1 ||
	    send_states(txn, true, &n, f) == -1 ||
	    send_states(txn, false, &n, f) == -1 ||
	    send_cases(txn, &n, f) == -1 || send_anomalies(txn, &n, f) == -1 ||
	    send_dry_runs(txn, &n, f) == -1 ||
	    send_counted(txn, STMT_COMMIT, NULL, &n, f) == -1)
		return -1;
	return db_sync(txn->db, txn->arena, rows, n, f);
}

int
txn_write_degraded(struct txn *txn, struct fail *f)
{
	struct rows rows[WRITES_MAX];
	size_t n = 0;

	if (send_counted(txn, STMT_BEGIN, NULL, &n, f) == -1 ||
	    send_take(txn, &n, f) == -1 ||
	    send_counted(txn, STMT_ERASURE_GUARD, NULL, &n, f) == -1 ||
	    send_verdicts(txn, &n, f) == -1 ||
	    send_degraded(txn, &n, f) == -1 ||
	    send_counted(txn, STMT_COMMIT, NULL, &n, f) == -1)
		return -1;
	return db_sync(txn->db, txn->arena, rows, n, f);
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

/* What is done with leaves the queue. */
static int
send_take(struct txn *txn, size_t *n, struct fail *f)
{
	int at;

	if (txn_send_take(txn, &at, f) == -1)
		return -1;
	if (at != TXN_NOT_SENT)
		(*n)++;
	return 0;
}

/* Claim the idempotency keys, in one order for everybody. */
static int
send_keys(struct txn *txn, size_t *n, struct fail *f)
{
	const struct txn_event **sorted =
	    arena_array(txn->arena, txn->n, sizeof(*sorted));
	struct columns c;
	struct params p;
	size_t i;

	if (columns_init(&c, txn->arena, txn->n, 3, 2, f) == -1 ||
	    sorted == NULL)
		return -1;
	for (i = 0; i < txn->n; i++) {
		if (txn_records(&txn->events[i]) && txn->events[i].key != NULL)
			sorted[c.n++] = &txn->events[i];
	}
	if (c.n == 0)
		return 0;
	qsort(sorted, c.n, sizeof(*sorted), compare_keys);
	for (i = 0; i < c.n; i++) {
		c.text[0][i] = sorted[i]->key;
		c.text[1][i] = sorted[i]->item->answer.id;
		c.text[2][i] = sorted[i]->item->answer.event_id;
		c.number[0][i] = sorted[i]->now;
		c.number[1][i] = sorted[i]->digest;
	}
	params_init(&p, txn->arena);
	params_texts(&p, c.text[0], c.n);
	params_texts(&p, c.text[1], c.n);
	params_texts(&p, c.text[2], c.n);
	params_times(&p, c.number[0], c.n);
	params_ints(&p, c.number[1], c.n);
	return send_counted(txn, STMT_TXN_ADD_KEYS, &p, n, f);
}

/* The links that are new. */
static int
send_links(struct txn *txn, size_t *n, struct fail *f)
{
	const struct user_state_link *made;
	struct columns c;
	struct params p;
	size_t i, n_made;

	made = entity_graph_links_made(txn->graph, &n_made);
	if (n_made == 0)
		return 0;
	if (columns_init(&c, txn->arena, n_made, 0, 2, f) == -1)
		return -1;
	for (i = 0; i < n_made; i++) {
		c.number[0][i] = made[i].first;
		c.number[1][i] = made[i].second;
	}
	params_init(&p, txn->arena);
	params_ints(&p, c.number[0], n_made);
	params_ints(&p, c.number[1], n_made);
	return send_counted(txn, STMT_TXN_ADD_LINKS, &p, n, f);
}

/* Counters and roots that changed; every one of these rows is locked. */
static int
send_entities(struct txn *txn, size_t *n, struct fail *f)
{
	struct graph_node **nodes;
	struct columns c;
	struct params p;
	size_t i, all;
	int k;

	nodes = entity_graph_nodes(txn->graph, &all);
	if (columns_init(&c, txn->arena, all, 0, 6, f) == -1)
		return -1;
	for (i = 0; i < all; i++) {
		if (!nodes[i]->dirty)
			continue;
		assert(nodes[i]->locked && nodes[i]->id != 0);
		c.number[0][c.n] = nodes[i]->id;
		c.number[1][c.n] = nodes[i]->parent;
		c.number[2][c.n] = nodes[i]->size;
		c.number[3][c.n] = nodes[i]->users;
		c.number[4][c.n] = nodes[i]->devices;
		c.number[5][c.n++] = nodes[i]->first_device;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	for (k = 0; k < 6; k++)
		params_ints(&p, c.number[k], c.n);
	return send_counted(txn, STMT_TXN_UPDATE_ENTITIES, &p, n, f);
}

/* The verdict log. */
static int
send_verdicts(struct txn *txn, size_t *n, struct fail *f)
{
	const struct decision_answer *answer;
	const struct txn_event *ev;
	struct columns c;
	struct params p;
	size_t i;
	int k;

	if (columns_init(&c, txn->arena, txn->n, 9, 2, f) == -1)
		return -1;
	for (i = 0; i < txn->n; i++) {
		ev = &txn->events[i];
		if (!txn_records(ev))
			continue;
		answer = &ev->item->answer;
		c.number[0][c.n] = answer->decided_at;
		c.text[0][c.n] = answer->id;
		c.text[1][c.n] = answer->event_id;
		c.text[2][c.n] = event_type_name(ev->item->event->type);
		c.text[3][c.n] = verdict_name(answer->verdict);
		c.number[1][c.n] = answer->score;
		c.text[4][c.n] = answer->reasons;
		c.text[5][c.n] = answer->policy_id;
		c.text[6][c.n] = answer->policy_version;
		c.text[7][c.n] = ev->decision.queue;
		c.text[8][c.n++] = ev->item->correlation_id;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 4; k++)
		params_texts(&p, c.text[k], c.n);
	params_ints(&p, c.number[1], c.n);
	for (k = 4; k < 9; k++)
		params_texts(&p, c.text[k], c.n);
	return send_counted(txn, STMT_TXN_ADD_VERDICTS, &p, n, f);
}

/* The masked requests and signal snapshots. */
static int
send_details(struct txn *txn, size_t *n, struct fail *f)
{
	const struct txn_event *ev;
	struct columns c;
	struct params p;
	size_t i;
	int k;

	if (columns_init(&c, txn->arena, txn->n, 7, 3, f) == -1)
		return -1;
	for (i = 0; i < txn->n; i++) {
		ev = &txn->events[i];
		if (!txn_records(ev))
			continue;
		c.number[0][c.n] = ev->item->answer.decided_at;
		c.number[1][c.n] = scored_id(ev, IDENTIFIER_DEVICE);
		c.number[2][c.n] = scored_id(ev, IDENTIFIER_IP);
		c.text[0][c.n] = ev->item->answer.id;
		c.text[1][c.n] = ev->item->answer.event_id;
		c.text[2][c.n] = event_type_name(ev->item->event->type);
		c.text[3][c.n] = ev->user->id;
		c.text[4][c.n] = ev->item->idempotency_key;
		c.text[5][c.n] = masked_request(txn->arena, ev->item->event);
		c.text[6][c.n++] = ev->sample;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 7; k++)
		params_texts(&p, c.text[k], c.n);
	params_ints(&p, c.number[1], c.n);
	params_ints(&p, c.number[2], c.n);
	return send_counted(txn, STMT_TXN_ADD_DETAILS, &p, n, f);
}

/* The masked requests of degraded decisions, but for users who were erased. */
static int
send_degraded(struct txn *txn, size_t *n, struct fail *f)
{
	const struct txn_event *ev;
	struct columns c;
	struct params p;
	int k;

	if (columns_init(&c, txn->arena, txn->n, 6, 1, f) == -1)
		return -1;
	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (!txn_records(ev))
			continue;
		c.number[0][c.n] = ev->item->answer.decided_at;
		c.text[0][c.n] = ev->item->answer.id;
		c.text[1][c.n] = ev->item->answer.event_id;
		c.text[2][c.n] = event_type_name(ev->item->event->type);
		c.text[3][c.n] = ev->user->id;
		c.text[4][c.n] = ev->item->idempotency_key;
		c.text[5][c.n++] = masked_request(txn->arena, ev->item->event);
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 6; k++)
		params_texts(&p, c.text[k], c.n);
	return send_counted(txn, STMT_TXN_ADD_DEGRADED, &p, n, f);
}

/* The id of what a scored event carries, or 0. */
static int64_t
scored_id(const struct txn_event *ev, enum event_identifier c)
{
	return ev->sample == NULL || ev->identifiers[c] == NULL
	    ? 0
	    : ev->identifiers[c]->id;
}

/* The users' states: updates of stored ones, or inserts of new ones. */
static int
send_states(struct txn *txn, bool stored, size_t *n, struct fail *f)
{
	const void **packed =
	    arena_array(txn->arena, txn->n_users, sizeof(*packed));
	size_t *sizes = arena_array(txn->arena, txn->n_users, sizeof(*sizes));
	struct txn_user *user;
	struct columns c;
	struct params p;
	size_t i;
	void *room;

	if (packed == NULL || sizes == NULL ||
	    columns_init(&c, txn->arena, txn->n_users, 1, 2, f) == -1)
		return -1;
	for (i = 0; i < txn->n_users; i++) {
		user = &txn->users[i];
		if (!user->changed || user->stored != stored)
			continue;
		if ((room = arena_alloc(txn->arena, USER_STATE_PACKED_MAX)) ==
		    NULL)
			return fail_memory(f);
		sizes[c.n] = user_state_pack(user->state, user->now, room);
		packed[c.n] = room;
		c.text[0][c.n] = user->id;
		c.number[0][c.n] = user->node->id;
		c.number[1][c.n++] = entity_graph_root(user->node)->id;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_texts(&p, c.text[0], c.n);
	params_ints(&p, c.number[0], c.n);
	params_ints(&p, c.number[1], c.n);
	params_blobs(&p, packed, sizes, c.n);
	return send_counted(txn,
	    stored ? STMT_TXN_UPDATE_STATES : STMT_TXN_ADD_STATES, &p, n, f);
}

/* A case with its first trail entry for each review. */
static int
send_cases(struct txn *txn, size_t *n, struct fail *f)
{
	const struct txn_event *ev;
	struct columns c;
	struct params p, q;
	size_t i;
	int k;

	if (columns_init(&c, txn->arena, txn->n, 4, 2, f) == -1)
		return -1;
	for (i = 0; i < txn->n; i++) {
		ev = &txn->events[i];
		if (ev->case_id == NULL)
			continue;
		c.text[0][c.n] = ev->case_id;
		c.text[1][c.n] = ev->item->answer.event_id;
		c.text[2][c.n] = ev->item->answer.id;
		c.text[3][c.n] = ev->decision.queue;
		c.number[0][c.n] = ev->decision.score.total;
		c.number[1][c.n++] = ev->now;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	for (k = 0; k < 4; k++)
		params_texts(&p, c.text[k], c.n);
	params_ints(&p, c.number[0], c.n);
	params_times(&p, c.number[1], c.n);
	params_init(&q, txn->arena);
	params_texts(&q, c.text[0], c.n);
	params_times(&q, c.number[1], c.n);
	if (send_counted(txn, STMT_TXN_ADD_CASES, &p, n, f) == -1)
		return -1;
	return send_counted(txn, STMT_TXN_ADD_TRAIL, &q, n, f);
}

/* Events of the decisions whose amounts are out of the ordinary. */
static int
send_anomalies(struct txn *txn, size_t *n, struct fail *f)
{
	const double from = engine_anomaly(txn->engine);
	const struct txn_event *ev;
	struct columns c = { 0 };
	struct params p;
	int k;

	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (!is_anomaly(ev, from))
			continue;
		if (c.n == 0 &&
		    columns_init(&c, txn->arena, txn->n, 3, 1, f) == -1)
			return -1;
		c.text[0][c.n] = anomaly_data(txn->arena, ev);
		c.text[1][c.n] = ev->user->id;
		c.text[2][c.n] = ev->item->correlation_id;
		c.number[0][c.n++] = ev->item->answer.decided_at;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	for (k = 0; k < 3; k++)
		params_texts(&p, c.text[k], c.n);
	params_times(&p, c.number[0], c.n);
	return send_counted(txn, STMT_TXN_ADD_ANOMALIES, &p, n, f);
}

/* Dry runs: the masked requests, and the answers, which stand nowhere else. */
static int
send_dry_runs(struct txn *txn, size_t *n, struct fail *f)
{
	const struct txn_event *ev;
	struct columns c;
	struct params p;
	int k;

	if (!txn->dry_runs)
		return 0;
	if (columns_init(&c, txn->arena, txn->n, 6, 1, f) == -1)
		return -1;
	for (ev = txn->events; ev < txn->events + txn->n; ev++) {
		if (ev->state != TXN_STATE_DECIDED || !ev->item->dry_run)
			continue;
		c.number[0][c.n] = ev->item->answer.decided_at;
		c.text[0][c.n] = ev->item->answer.id;
		c.text[1][c.n] = ev->item->answer.event_id;
		c.text[2][c.n] = event_type_name(ev->item->event->type);
		c.text[3][c.n] = ev->user->id;
		c.text[4][c.n] = masked_request(txn->arena, ev->item->event);
		c.text[5][c.n++] =
		    dry_run_answer(txn->arena, &ev->item->answer);
	}
	if (c.n == 0)
		return 0;
	params_init(&p, txn->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 6; k++)
		params_texts(&p, c.text[k], c.n);
	return send_counted(txn, STMT_TXN_ADD_DRY_RUNS, &p, n, f);
}

/* Queue one statement and count it. */
static int
send_counted(struct txn *txn, enum stmt stmt, const struct params *p, size_t *n,
    struct fail *f)
{
	(*n)++;
	return db_send(txn->db, stmt, p, f) == -1 ? -1 : 0;
}

/* Room for n rows of so many texts and numbers. */
static int
columns_init(struct columns *c, struct arena *a, size_t n, int texts,
    int numbers, struct fail *f)
{
	int i;

	memset(c, 0, sizeof(*c));
	for (i = 0; i < texts; i++)
		c->text[i] = arena_array(a, n, sizeof(**c->text));
	for (i = 0; i < numbers; i++)
		c->number[i] = arena_array(a, n, sizeof(**c->number));
	if (a->overflow)
		return fail_memory(f);
	return 0;
}

/* Whether an entry was scored and its amount is so far from the usual. */
static bool
is_anomaly(const struct txn_event *ev, double from)
{
	const struct value *z =
	    &ev->signals.value[SIGNAL_ANOMALY_AMOUNT_Z_SCORE];

	return txn_records(ev) &&
	    ev->decision.score.total != SCORE_SHORT_CIRCUIT &&
	    z->type == VALUE_NUMBER && z->number >= from;
}

/* What alert.anomaly.v1 says of it, as JSON. */
static const char *
anomaly_data(struct arena *a, const struct txn_event *ev)
{
	const struct event *event = ev->item->event;
	struct str s;

	str_init(&s, a);
	str_add(&s, "{\"userId\":");
	str_json(&s, event->user);
	str_add(&s, ",\"eventId\":");
	str_json(&s, ev->item->answer.event_id);
	str_addf(&s, ",\"eventType\":\"%s\",\"amountZScore\":",
	    event_type_name(event->type));
	str_value(&s, &ev->signals.value[SIGNAL_ANOMALY_AMOUNT_Z_SCORE]);
	if (event->has_amount)
		str_addf(&s, ",\"amount\":%s", event->amount_text);
	if (event->currency != NULL)
		str_addf(&s, ",\"currency\":\"%s\"", event->currency);
	str_addf(
	    &s, ",\"verdict\":\"%s\"}", verdict_name(ev->item->answer.verdict));
	return str_text(&s);
}

/* What a dry run was answered, as JSON. */
static const char *
dry_run_answer(struct arena *a, const struct decision_answer *answer)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "{\"verdict\":\"%s\",\"score\":%d,\"reasons\":%s",
	    verdict_name(answer->verdict), answer->score, answer->reasons);
	str_add(&s, ",\"policyId\":");
	str_json(&s, answer->policy_id);
	str_add(&s, ",\"policyVersion\":");
	str_json(&s, answer->policy_version);
	str_addc(&s, '}');
	return str_text(&s);
}

/* The request as the activity log may keep it. */
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
