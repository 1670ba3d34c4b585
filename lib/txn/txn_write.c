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

static int send_take(struct txn *s, size_t *n, struct fail *f);
static int send_keys(struct txn *s, size_t *n, struct fail *f);
static int send_links(struct txn *s, size_t *n, struct fail *f);
static int send_entities(struct txn *s, size_t *n, struct fail *f);
static int send_verdicts(struct txn *s, size_t *n, struct fail *f);
static int send_details(struct txn *s, size_t *n, struct fail *f);
static int send_degraded(struct txn *s, size_t *n, struct fail *f);
static int send_states(struct txn *s, bool stored, size_t *n, struct fail *f);
static int send_cases(struct txn *s, size_t *n, struct fail *f);
static int send_anomalies(struct txn *s, size_t *n, struct fail *f);
static int send_dry_runs(struct txn *s, size_t *n, struct fail *f);
static int send(struct txn *s, enum stmt stmt, const struct params *p,
    size_t *n, struct fail *f);
static int columns_init(struct columns *c, struct arena *a, size_t n, int texts,
    int numbers, struct fail *f);
static int64_t scored_id(const struct txn_event *en, enum event_identifier c);
static bool is_anomaly(const struct txn_event *en, double from);
static const char *anomaly_data(struct arena *a, const struct txn_event *en);
static const char *dry_run_answer(
    struct arena *a, const struct decision_answer *ans);
static const char *masked_request(struct arena *a, const struct event *ev);
static int compare_keys(const void *pa, const void *pb);

int
txn_write(struct txn *s, struct fail *f)
{
	struct rows rows[WRITES_MAX];
	size_t n = 0;

	/* Keys first: a duplicate that waits there has sent nothing else. */
	if (send_keys(s, &n, f) == -1 || send_take(s, &n, f) == -1 ||
	    send_links(s, &n, f) == -1 || send_entities(s, &n, f) == -1 ||
	    send_verdicts(s, &n, f) == -1 || send_details(s, &n, f) == -1 ||
	    send_states(s, true, &n, f) == -1 ||
	    send_states(s, false, &n, f) == -1 || send_cases(s, &n, f) == -1 ||
	    send_anomalies(s, &n, f) == -1 || send_dry_runs(s, &n, f) == -1 ||
	    send(s, STMT_COMMIT, NULL, &n, f) == -1)
		return -1;
	return db_sync(s->db, s->arena, rows, n, f);
}

int
txn_write_degraded(struct txn *s, struct fail *f)
{
	struct rows rows[WRITES_MAX];
	size_t n = 0;

	if (send(s, STMT_BEGIN, NULL, &n, f) == -1 ||
	    send_take(s, &n, f) == -1 ||
	    send(s, STMT_ERASURE_GUARD, NULL, &n, f) == -1 ||
	    send_verdicts(s, &n, f) == -1 || send_degraded(s, &n, f) == -1 ||
	    send(s, STMT_COMMIT, NULL, &n, f) == -1)
		return -1;
	return db_sync(s->db, s->arena, rows, n, f);
}

int
txn_write_spool(struct txn *s, struct fail *f)
{
	struct spool_record *records =
	    arena_array(s->arena, s->n, sizeof(*records));
	const struct decision_answer *ans;
	const struct txn_event *en;
	size_t n = 0;

	if (records == NULL)
		return txn_no_room(f);
	for (en = s->entries; en < s->entries + s->n; en++) {
		if (!en->decided)
			continue;
		ans = &en->item->answer;
		records[n++] = (struct spool_record) {
			.decided_at = ans->decided_at,
			.id = ans->id,
			.event_id = ans->event_id,
			.event_type = event_type_name(en->item->event->type),
			.verdict = verdict_name(ans->verdict),
			.score = ans->score,
			.reasons = ans->reasons,
			.policy_id = ans->policy_id,
			.policy_version = ans->policy_version,
			.correlation_id = en->item->correlation_id,
			.user = en->member->user,
			.idempotency_key = en->item->idempotency_key,
			.request = masked_request(s->arena, en->item->event),
		};
	}
	if (n == 0)
		return 0;
	return spool_append(engine_spool(s->engine), s->arena, records, n, f);
}

/* What is done with leaves the queue. */
static int
send_take(struct txn *s, size_t *n, struct fail *f)
{
	bool sent;

	if (txn_send_take(s, &sent, f) == -1)
		return -1;
	if (sent)
		(*n)++;
	return 0;
}

/* Claim the idempotency keys, in one order for everybody. */
static int
send_keys(struct txn *s, size_t *n, struct fail *f)
{
	const struct txn_event **sorted =
	    arena_array(s->arena, s->n, sizeof(*sorted));
	struct columns c;
	struct params p;
	size_t i;

	if (columns_init(&c, s->arena, s->n, 3, 2, f) == -1 || sorted == NULL)
		return -1;
	for (i = 0; i < s->n; i++) {
		if (txn_records(&s->entries[i]) && s->entries[i].key != NULL)
			sorted[c.n++] = &s->entries[i];
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
	params_init(&p, s->arena);
	params_texts(&p, c.text[0], c.n);
	params_texts(&p, c.text[1], c.n);
	params_texts(&p, c.text[2], c.n);
	params_times(&p, c.number[0], c.n);
	params_ints(&p, c.number[1], c.n);
	return send(s, STMT_TXN_ADD_KEYS, &p, n, f);
}

/* The links that are new. */
static int
send_links(struct txn *s, size_t *n, struct fail *f)
{
	const struct user_state_link *made;
	struct columns c;
	struct params p;
	size_t i, n_made;

	made = entity_graph_links_made(s->graph, &n_made);
	if (n_made == 0)
		return 0;
	if (columns_init(&c, s->arena, n_made, 0, 2, f) == -1)
		return -1;
	for (i = 0; i < n_made; i++) {
		c.number[0][i] = made[i].first;
		c.number[1][i] = made[i].second;
	}
	params_init(&p, s->arena);
	params_ints(&p, c.number[0], n_made);
	params_ints(&p, c.number[1], n_made);
	return send(s, STMT_TXN_ADD_LINKS, &p, n, f);
}

/* Counters and roots that changed; every one of these rows is locked. */
static int
send_entities(struct txn *s, size_t *n, struct fail *f)
{
	struct graph_node **nodes;
	struct columns c;
	struct params p;
	size_t i, all;
	int k;

	nodes = entity_graph_nodes(s->graph, &all);
	if (columns_init(&c, s->arena, all, 0, 6, f) == -1)
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
	params_init(&p, s->arena);
	for (k = 0; k < 6; k++)
		params_ints(&p, c.number[k], c.n);
	return send(s, STMT_TXN_UPDATE_ENTITIES, &p, n, f);
}

/* The verdict log. */
static int
send_verdicts(struct txn *s, size_t *n, struct fail *f)
{
	const struct decision_answer *ans;
	const struct txn_event *en;
	struct columns c;
	struct params p;
	size_t i;
	int k;

	if (columns_init(&c, s->arena, s->n, 9, 2, f) == -1)
		return -1;
	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (!txn_records(en))
			continue;
		ans = &en->item->answer;
		c.number[0][c.n] = ans->decided_at;
		c.text[0][c.n] = ans->id;
		c.text[1][c.n] = ans->event_id;
		c.text[2][c.n] = event_type_name(en->item->event->type);
		c.text[3][c.n] = verdict_name(ans->verdict);
		c.number[1][c.n] = ans->score;
		c.text[4][c.n] = ans->reasons;
		c.text[5][c.n] = ans->policy_id;
		c.text[6][c.n] = ans->policy_version;
		c.text[7][c.n] = en->decision.queue;
		c.text[8][c.n++] = en->item->correlation_id;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 4; k++)
		params_texts(&p, c.text[k], c.n);
	params_ints(&p, c.number[1], c.n);
	for (k = 4; k < 9; k++)
		params_texts(&p, c.text[k], c.n);
	return send(s, STMT_TXN_ADD_VERDICTS, &p, n, f);
}

/* The masked requests and signal snapshots. */
static int
send_details(struct txn *s, size_t *n, struct fail *f)
{
	const struct txn_event *en;
	struct columns c;
	struct params p;
	size_t i;
	int k;

	if (columns_init(&c, s->arena, s->n, 7, 3, f) == -1)
		return -1;
	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (!txn_records(en))
			continue;
		c.number[0][c.n] = en->item->answer.decided_at;
		c.number[1][c.n] = scored_id(en, CARRIED_DEVICE);
		c.number[2][c.n] = scored_id(en, CARRIED_IP);
		c.text[0][c.n] = en->item->answer.id;
		c.text[1][c.n] = en->item->answer.event_id;
		c.text[2][c.n] = event_type_name(en->item->event->type);
		c.text[3][c.n] = en->member->user;
		c.text[4][c.n] = en->item->idempotency_key;
		c.text[5][c.n] = masked_request(s->arena, en->item->event);
		c.text[6][c.n++] = en->replay;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 7; k++)
		params_texts(&p, c.text[k], c.n);
	params_ints(&p, c.number[1], c.n);
	params_ints(&p, c.number[2], c.n);
	return send(s, STMT_TXN_ADD_DETAILS, &p, n, f);
}

/* The masked requests of degraded decisions, but for users who were erased. */
static int
send_degraded(struct txn *s, size_t *n, struct fail *f)
{
	const struct txn_event *en;
	struct columns c;
	struct params p;
	int k;

	if (columns_init(&c, s->arena, s->n, 6, 1, f) == -1)
		return -1;
	for (en = s->entries; en < s->entries + s->n; en++) {
		if (!txn_records(en))
			continue;
		c.number[0][c.n] = en->item->answer.decided_at;
		c.text[0][c.n] = en->item->answer.id;
		c.text[1][c.n] = en->item->answer.event_id;
		c.text[2][c.n] = event_type_name(en->item->event->type);
		c.text[3][c.n] = en->member->user;
		c.text[4][c.n] = en->item->idempotency_key;
		c.text[5][c.n++] = masked_request(s->arena, en->item->event);
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 6; k++)
		params_texts(&p, c.text[k], c.n);
	return send(s, STMT_TXN_ADD_DEGRADED, &p, n, f);
}

/* The id of what a scored event carries, or 0. */
static int64_t
scored_id(const struct txn_event *en, enum event_identifier c)
{
	return en->replay == NULL || en->carried[c] == NULL
	    ? 0
	    : en->carried[c]->id;
}

/* The users' states: updates of stored ones, or inserts of new ones. */
static int
send_states(struct txn *s, bool stored, size_t *n, struct fail *f)
{
	const void **packed =
	    arena_array(s->arena, s->n_members, sizeof(*packed));
	size_t *sizes = arena_array(s->arena, s->n_members, sizeof(*sizes));
	struct txn_user *m;
	struct columns c;
	struct params p;
	size_t i;
	void *room;

	if (packed == NULL || sizes == NULL ||
	    columns_init(&c, s->arena, s->n_members, 1, 2, f) == -1)
		return -1;
	for (i = 0; i < s->n_members; i++) {
		m = &s->members[i];
		if (!m->changed || m->stored != stored)
			continue;
		if ((room = arena_alloc(s->arena, USER_STATE_PACKED_MAX)) ==
		    NULL)
			return txn_no_room(f);
		sizes[c.n] = user_state_pack(m->state, m->now, room);
		packed[c.n] = room;
		c.text[0][c.n] = m->user;
		c.number[0][c.n] = m->node->id;
		c.number[1][c.n++] = entity_graph_root(m->node)->id;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	params_texts(&p, c.text[0], c.n);
	params_ints(&p, c.number[0], c.n);
	params_ints(&p, c.number[1], c.n);
	params_blobs(&p, packed, sizes, c.n);
	return send(
	    s, stored ? STMT_TXN_UPDATE_STATES : STMT_TXN_ADD_STATES, &p, n, f);
}

/* A case with its first trail entry for each review. */
static int
send_cases(struct txn *s, size_t *n, struct fail *f)
{
	const struct txn_event *en;
	struct columns c;
	struct params p, q;
	size_t i;
	int k;

	if (columns_init(&c, s->arena, s->n, 4, 2, f) == -1)
		return -1;
	for (i = 0; i < s->n; i++) {
		en = &s->entries[i];
		if (en->case_id == NULL)
			continue;
		c.text[0][c.n] = en->case_id;
		c.text[1][c.n] = en->item->answer.event_id;
		c.text[2][c.n] = en->item->answer.id;
		c.text[3][c.n] = en->decision.queue;
		c.number[0][c.n] = en->decision.score.total;
		c.number[1][c.n++] = en->now;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	for (k = 0; k < 4; k++)
		params_texts(&p, c.text[k], c.n);
	params_ints(&p, c.number[0], c.n);
	params_times(&p, c.number[1], c.n);
	params_init(&q, s->arena);
	params_texts(&q, c.text[0], c.n);
	params_times(&q, c.number[1], c.n);
	if (send(s, STMT_TXN_ADD_CASES, &p, n, f) == -1)
		return -1;
	return send(s, STMT_TXN_ADD_TRAIL, &q, n, f);
}

/* Events of the decisions whose amounts are out of the ordinary. */
static int
send_anomalies(struct txn *s, size_t *n, struct fail *f)
{
	const double from = engine_anomaly(s->engine);
	const struct txn_event *en;
	struct columns c = { 0 };
	struct params p;
	int k;

	for (en = s->entries; en < s->entries + s->n; en++) {
		if (!is_anomaly(en, from))
			continue;
		if (c.n == 0 && columns_init(&c, s->arena, s->n, 3, 1, f) == -1)
			return -1;
		c.text[0][c.n] = anomaly_data(s->arena, en);
		c.text[1][c.n] = en->member->user;
		c.text[2][c.n] = en->item->correlation_id;
		c.number[0][c.n++] = en->item->answer.decided_at;
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	for (k = 0; k < 3; k++)
		params_texts(&p, c.text[k], c.n);
	params_times(&p, c.number[0], c.n);
	return send(s, STMT_TXN_ADD_ANOMALIES, &p, n, f);
}

/* Dry runs: the masked requests, and the answers, which stand nowhere else. */
static int
send_dry_runs(struct txn *s, size_t *n, struct fail *f)
{
	const struct txn_event *en;
	struct columns c;
	struct params p;
	int k;

	if (!s->dry_runs)
		return 0;
	if (columns_init(&c, s->arena, s->n, 6, 1, f) == -1)
		return -1;
	for (en = s->entries; en < s->entries + s->n; en++) {
		if (!en->decided || !en->item->dry_run)
			continue;
		c.number[0][c.n] = en->item->answer.decided_at;
		c.text[0][c.n] = en->item->answer.id;
		c.text[1][c.n] = en->item->answer.event_id;
		c.text[2][c.n] = event_type_name(en->item->event->type);
		c.text[3][c.n] = en->member->user;
		c.text[4][c.n] = masked_request(s->arena, en->item->event);
		c.text[5][c.n++] = dry_run_answer(s->arena, &en->item->answer);
	}
	if (c.n == 0)
		return 0;
	params_init(&p, s->arena);
	params_times(&p, c.number[0], c.n);
	for (k = 0; k < 6; k++)
		params_texts(&p, c.text[k], c.n);
	return send(s, STMT_TXN_ADD_DRY_RUNS, &p, n, f);
}

/* Queue one statement and count it. */
static int
send(struct txn *s, enum stmt stmt, const struct params *p, size_t *n,
    struct fail *f)
{
	(*n)++;
	return db_send(s->db, stmt, p, f);
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
		return txn_no_room(f);
	return 0;
}

/* Whether an entry was scored and its amount is so far from the usual. */
static bool
is_anomaly(const struct txn_event *en, double from)
{
	const struct value *z =
	    &en->signals.value[SIGNAL_ANOMALY_AMOUNT_Z_SCORE];

	return txn_records(en) &&
	    en->decision.score.total != SCORE_SHORT_CIRCUIT &&
	    z->type == VALUE_NUMBER && z->number >= from;
}

/* What alert.anomaly.v1 says of it, as JSON. */
static const char *
anomaly_data(struct arena *a, const struct txn_event *en)
{
	const struct event *ev = en->item->event;
	struct str s;

	str_init(&s, a);
	str_add(&s, "{\"userId\":");
	str_json(&s, ev->user);
	str_add(&s, ",\"eventId\":");
	str_json(&s, en->item->answer.event_id);
	str_addf(&s, ",\"eventType\":\"%s\",\"amountZScore\":",
	    event_type_name(ev->type));
	str_value(&s, &en->signals.value[SIGNAL_ANOMALY_AMOUNT_Z_SCORE]);
	if (ev->has_amount)
		str_addf(&s, ",\"amount\":%s", ev->amount_text);
	if (ev->currency != NULL)
		str_addf(&s, ",\"currency\":\"%s\"", ev->currency);
	str_addf(
	    &s, ",\"verdict\":\"%s\"}", verdict_name(en->item->answer.verdict));
	return str_text(&s);
}

/* What a dry run was answered, as JSON. */
static const char *
dry_run_answer(struct arena *a, const struct decision_answer *ans)
{
	struct str s;

	str_init(&s, a);
	str_addf(&s, "{\"verdict\":\"%s\",\"score\":%d,\"reasons\":%s",
	    verdict_name(ans->verdict), ans->score, ans->reasons);
	str_add(&s, ",\"policyId\":");
	str_json(&s, ans->policy_id);
	str_add(&s, ",\"policyVersion\":");
	str_json(&s, ans->policy_version);
	str_addc(&s, '}');
	return str_text(&s);
}

/* The request as the activity log may keep it. */
static const char *
masked_request(struct arena *a, const struct event *ev)
{
	struct str s;

	str_init(&s, a);
	body_masked(&s, ev);
	return str_text(&s);
}

static int
compare_keys(const void *pa, const void *pb)
{
	const struct txn_event *const *a = pa, *const *b = pb;

	return strcmp((*a)->key, (*b)->key);
}
