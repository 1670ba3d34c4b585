/* SPDX-License-Identifier: ISC */
/* Requests inside proposals: what can be proposed, and how it runs. */
#include "config.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "fcgi/gate/long_request.h"
#include "fcgi/gate/proposal.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"
#include "lib/conf/conf.h"
#include "lib/json/body.h"

/* Where the name of what a request changes is. */
enum target {
	TARGET_NONE = 1,
	TARGET_PATH,
	TARGET_MEMBER,
	TARGET_ENTRY,
	TARGET__MAX
};

/* What a request with the member exempt does. */
enum instead { INSTEAD_NOTHING = 1, INSTEAD_SHADOW, INSTEAD__MAX };

/* One row of proposables.tbl; without a subject the route is not in it. */
struct proposable {
	enum approval subject;
	enum approval also;
	enum target target;
	const char *member;
	const char *missing;
	const char *exempt;
	enum instead instead;
	enum role role;
};

static bool needs_no_approval(
    const struct proposable *pr, struct json_object *json);
static int entry_target(
    struct req *req, const struct resp *answer, const char **ret);

static const struct proposable proposables[ROUTE__MAX] = {
#define PROPOSABLE(                                                            \
    fn, subject, also, target, member, missing, exempt, instead, role)         \
	[ROUTE_##fn] = { APPROVAL_##subject, APPROVAL_##also, TARGET_##target, \
		member, missing, exempt, INSTEAD_##instead, ROLE_##role },
#include "fcgi/gate/proposables.tbl"
#undef PROPOSABLE
};

int
proposal_gate(struct req *req)
{
	const struct proposable *pr = &proposables[req->route->id];

	if ((!approval_named(conf.FOUR_EYES, pr->subject) &&
		!approval_named(conf.FOUR_EYES, pr->also)) ||
	    needs_no_approval(pr, req->json))
		return 0;
	return fail_set(
	    &req->fail, FAIL_DENIED, APPROVAL_REQUIRED, NULL, "%s", "");
}

int
proposal_read(struct req *req, const char *action, struct json_object *json,
    struct proposal *ret)
{
	const enum role role = req->operator.role;
	const struct proposable *pr;
	bool exempt;

	if (inner_request_read(req, action, json, &ret->request) == -1)
		return -1;
	pr = &proposables[ret->request.route->id];
	if (pr->subject == APPROVAL_NONE)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "action",
		    "must be method and path of a change that can be proposed");
	if (role < pr->role)
		return fail_set(&req->fail, FAIL_DENIED, FORBIDDEN, "action",
		    "needs a role above %s", token_role_name(role));
	ret->subject = pr->subject;
	ret->role = pr->role;
	exempt = needs_no_approval(pr, json);
	ret->shadow = exempt && pr->instead == INSTEAD_SHADOW;
	if (exempt && !ret->shadow)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "body",
		    "needs no approval with \"%s\"; send the request itself",
		    pr->exempt);
	return 0;
}

int
proposal_rehearse(struct req *req, const struct proposal *p, struct resp *ret)
{
	struct req_change change = { .author = req->change->author,
		.rehearsal = REHEARSAL_RUNS,
		.approved = true };
	struct req inner = inner_request_for(req, &p->request);

	inner.change = &change;
	inner.operator.role = ROLE_ADMIN;
	if (p->request.route->handler(&inner, ret) == 0)
		return 0;
	if (change.rehearsal == REHEARSAL_DONE) {
		*ret = (struct resp) { 0 };
		return 0;
	}
	req->fail = inner.fail;
	return -1;
}

int
proposal_target(struct req *req, const struct proposal *p,
    const struct resp *answer, const char **ret)
{
	const struct proposable *pr = &proposables[p->request.route->id];

	switch (pr->target) {
	case TARGET_PATH:
		*ret = p->request.arg[0];
		return 0;
	case TARGET_MEMBER:
		*ret = body_has(p->request.json, pr->member)
		    ? body_string(p->request.json, pr->member)
		    : pr->missing;
		return 0;
	case TARGET_ENTRY:
		return entry_target(req, answer, ret);
	default:
		*ret = NULL;
		return 0;
	}
}

int
proposal_run(struct req *req, const struct proposal *p, const char *author,
    struct resp *ret)
{
	const struct route *route = p->request.route;
	struct req inner = inner_request_for(req, &p->request);
	int r;

	req->change->approved = true;
	req->change->author = author;
	worker_limit(req->worker, route->limit_s);
	r = route->is_long ? long_request_run(&inner, ret, route->handler)
			   : route->handler(&inner, ret);
	req->fail = inner.fail;
	return r;
}

/* Whether a body has the member with which it needs no approval. */
static bool
needs_no_approval(const struct proposable *pr, struct json_object *json)
{
	struct json_object *value;

	return pr->exempt != NULL &&
	    json_object_object_get_ex(json, pr->exempt, &value) &&
	    json_object_is_type(value, json_type_boolean) &&
	    json_object_get_boolean(value);
}

/* The list entry of an answer, by what identifies it. */
static int
entry_target(struct req *req, const struct resp *answer, const char **ret)
{
	struct json_object *entry =
	    body_parse(req->arena, answer->body, answer->body_size, &req->fail);
	struct str s;

	if (entry == NULL)
		return -1;
	str_init(&s, req->arena);
	str_addf(&s, "%s %s ", body_string(entry, "kind"),
	    body_string(entry, "subject"));
	str_add(&s, body_string(entry, "value"));
	*ret = str_text(&s);
	return *ret == NULL ? fail_memory(&req->fail) : 0;
}
