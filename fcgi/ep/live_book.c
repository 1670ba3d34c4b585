/* SPDX-License-Identifier: ISC */
/* The rulebook of an event type as it is active now, for one request. */
#include "config.h"

#include <string.h>

#include "core/base/fail.h"
#include "core/rule/rule.h"
#include "fcgi/ep/live_book.h"
#include "fcgi/http/req.h"
#include "fcgi/worker/worker.h"
#include "lib/db/db.h"
#include "lib/json/body_rules.h"

static int read_active(
    struct req *req, enum stmt stmt, enum event_type type, struct rows *ret);
static int take_policy(
    struct req *req, const struct rows *rows, struct policy *ret);
static int fail_live_book(struct req *req);

int
live_book_load_policy(struct req *req, enum event_type type, struct policy *ret)
{
	struct rows rows;

	return read_active(req, STMT_LIVE_POLICY, type, &rows) == -1
	    ? -1
	    : take_policy(req, &rows, ret);
}

int
live_book_load(struct req *req, enum event_type type, struct live_book *ret)
{
	struct ruleset *rs;
	struct rows rows;
	const char *text;

	if (read_active(req, STMT_LIVE_BOOK, type, &rows) == -1 ||
	    take_policy(req, &rows, &ret->policy) == -1)
		return -1;
	text = rows_text(&rows, 0, "rules");
	rs = rule_compile(req->arena, text, strlen(text), &req->fail);
	if (rs == NULL)
		return fail_live_book(req);
	rs->version = rows_text(&rows, 0, "ruleset_version");
	ret->book = (struct rulebook) {
		.ruleset = rs,
		.scoring = &ret->scoring.scoring,
		.policy = &ret->policy,
	};
	return live_scoring_load(
	    &ret->scoring, req->db, req->arena, &req->fail);
}

/* Read what is active for an event type. */
static int
read_active(
    struct req *req, enum stmt stmt, enum event_type type, struct rows *ret)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, event_type_name(type));
	return db_one(req->db, req->arena, stmt, &p, ret, &req->fail);
}

static int
take_policy(struct req *req, const struct rows *rows, struct policy *ret)
{
	if (body_policy_text(req->arena, rows_text(rows, 0, "policy"), ret,
		&req->fail) == -1)
		return fail_live_book(req);
	ret->id = rows_text(rows, 0, "policy_id");
	ret->version = rows_text(rows, 0, "policy_version");
	return 0;
}

static int
fail_live_book(struct req *req)
{
	return fail_set(&req->fail, FAIL_US, INTERNAL, NULL,
	    "the active ruleset or policy cannot be read");
}
