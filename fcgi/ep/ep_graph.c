/* SPDX-License-Identifier: ISC */
/* /v1/graph: the links of an entity. */
#include "config.h"

#include <json-c/json_object.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/ip_address.h"
#include "core/event/list.h"
#include "core/state/entity_graph.h"
#include "core/state/entity_risk.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"

#define VALUE_MAX 256 /* bytes of a value as sent, with blanks */

static int print_facts(
    struct req *req, struct str *s, const struct rows *facts);
static int print_risk(
    struct req *req, struct str *s, const struct rows *facts, int row);

/* The kinds that callers may name; their ids have the form of list values. */
static const enum graph_node_kind kinds[LIST_SUBJECT__MAX] = {
	[LIST_USER] = NODE_USER,
	[LIST_DEVICE] = NODE_DEVICE,
	[LIST_IP] = NODE_IP,
	[LIST_PHONE] = NODE_PHONE,
};

static const struct body_field reveal_fields[] = {
	{ "subject", BODY_STRING, BODY_REQUIRED, 1, 16 },
	{ "value", BODY_OPAQUE, BODY_REQUIRED, 1, VALUE_MAX },
	{ "userId", BODY_OPAQUE, BODY_NULLABLE, 1, VALUE_MAX },
};

/*
 * GET /v1/graph/{kind}/{id}.  200: the entities linked to this one, none if it
 * is unknown, the links among them, and its fraud history; 400: unknown kind,
 * or an id that does not fit the kind.
 */
int
graph_get(struct req *req, struct resp *resp)
{
	const enum list_subject kind = list_subject_parse(req->arg[0]);
	char key[LIST_VALUE_SIZE], client[IP_ADDRESS_TEXT_SIZE];
	struct rows around, facts;
	struct params p;
	struct str s;

	if (kinds[kind] == 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "kind",
		    "must be user, device, ip or phone");
	if (list_value(kind, req->arg[1], key) == -1)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "id",
		    "%s", list_value_rule(kind));
	params_init(&p, req->arena);
	params_text(&p, req->arg[0]);
	params_int(&p, kinds[kind]);
	ip_client_text(key, client);
	params_text(&p, kind == LIST_IP ? client : key);
	if (db_one(req->db, req->arena, STMT_GRAPH_AROUND, &p, &around,
		&req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, rows_text(&around, 0, "near"));
	if (db_run(req->db, req->arena, STMT_GRAPH_FACTS, &p, &facts,
		&req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	if (print_facts(req, &s, &facts) == -1)
		return -1;
	str_addf(&s, ",%s", rows_text(&around, 0, "body") + 1);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * POST /v1/graph/reveal.  200: the address or phone number, in its normal form;
 * the audit trail then has that the operator saw it, masked, and whose it was;
 * 400: a field is wrong.
 */
int
graph_reveal(struct req *req, struct resp *resp)
{
	char value[LIST_VALUE_SIZE], user[LIST_VALUE_SIZE];
	const char *name, *of_user;
	enum list_subject subject;
	struct str s;

	if (body_check(req->json, reveal_fields, nitems(reveal_fields),
		&req->fail) == -1)
		return -1;
	name = body_string(req->json, "subject");
	of_user = body_string(req->json, "userId");
	subject = list_subject_parse(name);
	if (subject != LIST_IP && subject != LIST_PHONE) {
		/* The trail would have it without a mask. */
		json_object_object_del(req->json, "value");
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "subject", "must be ip or phone");
	}
	if (list_value(subject, body_string(req->json, "value"), value) == -1)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "value", "%s", list_value_rule(subject));
	if (of_user != NULL && list_value(LIST_USER, of_user, user) == -1)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "userId", "%s", list_value_rule(LIST_USER));
	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "subject", name);
	writer_text(&s, "value", value);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * Begin the answer with the facts of the entity, which is the first row if it
 * was ever seen, and of its links, the other rows.
 */
static int
print_facts(struct req *req, struct str *s, const struct rows *facts)
{
	char at[CLOCK_TEXT_SIZE];
	int row;

	writer_object(s, NULL);
	if (facts->n == 0)
		writer_null(s, "risk");
	else if (print_risk(req, s, facts, 0) == -1)
		return -1;
	writer_array(s, "links");
	for (row = 1; row < facts->n; row++) {
		writer_object(s, NULL);
		writer_text(s, "kind", rows_text(facts, row, "kind"));
		writer_text(s, "id", rows_text(facts, row, "id"));
		clock_text(rows_time(facts, row, "first_seen"), at);
		writer_text(s, "firstSeen",
		    rows_null(facts, row, "first_seen") ? NULL : at);
		writer_int(s, "users", rows_int(facts, row, "users"));
		if (print_risk(req, s, facts, row) == -1)
			return -1;
		writer_end(s);
	}
	writer_end(s);
	return 0;
}

/*
 * Append the events and labels of a device or an ip of all stored days, or of a
 * user; null if it has no events, or is a phone number.
 */
static int
print_risk(struct req *req, struct str *s, const struct rows *facts, int row)
{
	struct entity_risk_history history;
	int64_t events, frauds, labels;
	const char *packed;
	size_t size, i;

	events = rows_int(facts, row, "events");
	frauds = rows_int(facts, row, "frauds");
	labels = rows_int(facts, row, "labels");
	packed = rows_bytes(facts, row, "days", &size);
	if (entity_risk_unpack(packed, size, &history, &req->fail) == -1)
		return -1;
	for (i = 0; i < history.n; i++) {
		events += history.slots[i].events;
		frauds += history.slots[i].fraud;
		labels += history.slots[i].labels;
	}
	if (events == 0) {
		writer_null(s, "risk");
		return 0;
	}
	writer_object(s, "risk");
	writer_int(s, "events", events);
	writer_int(s, "frauds", frauds);
	writer_int(s, "labels", labels);
	writer_end(s);
	return 0;
}
