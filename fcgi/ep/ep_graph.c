/* SPDX-License-Identifier: ISC */
/* /v1/graph: the links of an entity. */
#include "config.h"

#include "core/base/fail.h"
#include "core/event/list.h"
#include "core/state/entity_graph.h"
#include "fcgi/http/req.h"
#include "fcgi/http/route.h"
#include "fcgi/http/sql_reply.h"

/* The kinds that callers may name; their ids have the form of list values. */
static const enum graph_node_kind kinds[LIST_SUBJECT__MAX] = {
	[LIST_USER] = NODE_USER,
	[LIST_DEVICE] = NODE_DEVICE,
	[LIST_IP] = NODE_IP,
	[LIST_PHONE] = NODE_PHONE,
};

/*
 * GET /v1/graph/{kind}/{id}.  200: the entities linked to this one, none if it
 * is unknown; 400: unknown kind, or an id that does not fit the kind.
 */
int
graph_get(struct req *req, struct resp *resp)
{
	const enum list_subject kind = list_subject_parse(req->arg[0]);
	char key[LIST_VALUE_SIZE];
	struct params p;

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
	return sql_reply_read(req, resp, STMT_GRAPH_AROUND, &p);
}
