/* SPDX-License-Identifier: ISC */
/* /v1/graph: the links of an entity. */
#include "config.h"

#include <inttypes.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/list.h"
#include "core/state/entity_graph.h"
#include "core/state/entity_risk.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"

static int print_risk(struct req *req, struct str *s, const struct rows *rows);

/* The kinds that callers may name; their ids have the form of list values. */
static const enum graph_node_kind kinds[LIST_SUBJECT__MAX] = {
	[LIST_USER] = NODE_USER,
	[LIST_DEVICE] = NODE_DEVICE,
	[LIST_IP] = NODE_IP,
	[LIST_PHONE] = NODE_PHONE,
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
	char key[LIST_VALUE_SIZE];
	struct params p;
	struct rows rows;
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
	params_text(&p, key);
	if (db_one(req->worker->db, req->arena, STMT_GRAPH_AROUND, &p, &rows,
		&req->fail) == -1)
		return -1;
	str_init(&s, req->arena);
	if (print_risk(req, &s, &rows) == -1)
		return -1;
	/* The risk comes first, then the members of the body. */
	str_addf(&s, ",%s", rows_get_text(&rows, "body") + 1);
	return resp_json(req, resp, 200, str_text(&s));
}

/* Begin the answer with the events and labels of all stored days. */
static int
print_risk(struct req *req, struct str *s, const struct rows *rows)
{
	const int col = rows_col(rows, "risk");
	struct entity_risk_days *days = arena_alloc(req->arena, sizeof(*days));
	int64_t events = 0, frauds = 0, labels = 0;
	const char *packed;
	size_t size, i;

	if (days == NULL)
		return fail_memory(&req->fail);
	str_add(s, "{\"risk\":");
	if (rows_null(rows, 0, col)) {
		str_add(s, "null");
		return 0;
	}
	packed = rows_bytes(rows, 0, col, &size);
	if (entity_risk_unpack(packed, size, days, &req->fail) == -1)
		return -1;
	for (i = 0; i < days->n; i++) {
		events += days->day[i].events;
		frauds += days->day[i].fraud;
		labels += days->day[i].labels;
	}
	str_addf(s,
	    "{\"events\":%" PRId64 ",\"frauds\":%" PRId64 ",\"labels\":%" PRId64
	    "}",
	    events, frauds, labels);
	return 0;
}
