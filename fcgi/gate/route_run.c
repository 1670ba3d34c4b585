/* SPDX-License-Identifier: ISC */
/* Run a request: the checks before every handler, then the handler. */
#include "config.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/access/auth.h"
#include "fcgi/access/rate_limit.h"
#include "fcgi/access/session_cookie.h"
#include "fcgi/gate/audit.h"
#include "fcgi/gate/load_shed.h"
#include "fcgi/gate/long_request.h"
#include "fcgi/gate/proposal.h"
#include "fcgi/gate/route_find.h"
#include "fcgi/gate/route_run.h"
#include "fcgi/gate/standby_read.h"
#include "fcgi/http/path_match.h"
#include "fcgi/http/query.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"
#include "fcgi/worker/settings_sync.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/shared/metric.h"
#include "lib/shared/runtime_setting.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define CHECK_TIME CLOCK_SECOND /* to read the settings before a login */
#define BODY_IGNORED 4096 /* bytes of a body that is ignored */

static int run_handler(struct req *req, struct resp *resp);
static int pass_gate(struct req *req, struct resp *resp);
static int check_load(struct req *req);
static int check_access(struct req *req);
static int check_budget(struct req *req, struct resp *resp);
static int check_login(struct req *req, struct resp *resp);
static void count_key(
    struct req *req, struct resp *resp, struct rate_limit_result *ret);
static void count_once(struct req *req, struct rate_limit_result *ret);
static int refuse_over_budget(
    struct req *req, struct resp *resp, const struct rate_limit_result *got);
static int read_request_body(struct req *req);
static int parse_body(struct req *req);
static int check_query(struct req *req);
static bool query_known(const struct route *route, const char *name);
static int check_caller(struct req *req);
static void refuse_request(struct req *req, struct resp *resp);

/* The query parameters of operator routes. */
static const struct {
	const char *path;
	const char *name;
} queries[] = {
#define QUERY(path, name) { path, name },
#include "fcgi/gate/queries.tbl"
#undef QUERY
};

void
route_run(struct req *req, const struct route *route, struct resp *resp)
{
	req->route = route;
	if (pass_gate(req, resp) == -1 ||
	    (route->is_long ? long_request_run(req, resp, run_handler)
			    : run_handler(req, resp)) == -1)
		refuse_request(req, resp);
}

void
route_settle(struct req *req, struct resp *resp)
{
	if (req->answer(req, resp) == -1)
		refuse_request(req, resp);
}

/* Run the handler, with an audit entry if the route requires one. */
static int
run_handler(struct req *req, struct resp *resp)
{
	if (req->route->trail == TRAIL_AUDIT)
		return audit_handle(req, resp);
	return standby_read_run(req, resp);
}

/* Check everything that precedes the handler, in order. */
static int
pass_gate(struct req *req, struct resp *resp)
{
	struct path_match m;

	if (req->route == NULL)
		return route_find_none(req, resp);
	worker_limit(req->worker, req->route->limit_s);
	if (check_load(req) == -1 || check_access(req) == -1 ||
	    check_budget(req, resp) == -1)
		return -1;
	if (read_request_body(req) == -1)
		return -1;
	path_match(req->route->path, req->path, &m);
	if (path_match_args(&m, req->arena, req->arg, &req->fail) == -1 ||
	    query_parse(&req->params, req->arena, req->query, &req->fail) ==
		-1 ||
	    check_query(req) == -1)
		return -1;
	return parse_body(req) == -1 || proposal_gate(req) == -1 ? -1 : 0;
}

/* Parse the body of a route with JSON. */
static int
parse_body(struct req *req)
{
	if (req->route->body_max == 0 || req->route->csv)
		return 0;
	req->json =
	    body_parse(req->arena, req->body, req->body_size, &req->fail);
	return req->json == NULL ? -1 : 0;
}

/* 400: the query of an operator route has an unknown parameter. */
static int
check_query(struct req *req)
{
	size_t i;

	if (req->method != METHOD_GET || req->route->access == ACCESS_PUBLIC ||
	    req->route->access == ACCESS_APIKEY)
		return 0;
	for (i = 0; i < req->params.n; i++)
		if (!query_known(req->route, req->params.pair[i].name))
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    NULL, "the query has an unknown parameter");
	return 0;
}

static bool
query_known(const struct route *route, const char *name)
{
	size_t i;

	for (i = 0; i < nitems(queries); i++)
		if (strcmp(queries[i].path, route->path) == 0 &&
		    strcmp(queries[i].name, name) == 0)
			return true;
	return false;
}

/* 503: under overload, before the request costs database time. */
static int
check_load(struct req *req)
{
	const int64_t waited =
	    req->received_at == 0 ? 0 : clock_now() - req->received_at;

	if (!load_shed_refuses(
		req->worker->shm, req->route, waited, clock_ticks()))
		return 0;
	metric_add(req->worker->slot, METRIC_ID_SHED,
	    (size_t)req->route->group - 1, 0, 1);
	return fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, "",
	    "too many requests are waiting; try again");
}

/*
 * 401, 403: check the caller's credential.  Of an API key check only the form:
 * check_budget() verifies it if this host does not know it, else the first
 * round trip of the decision, or check_caller() before a refusal.
 */
static int
check_access(struct req *req)
{
	switch (req->route->access) {
	case ACCESS_PUBLIC:
		return req->route->budget == BUDGET_LOGIN &&
			session_cookie_wanted(req)
		    ? session_cookie_check(req)
		    : 0;
	case ACCESS_APIKEY:
		return auth_key_form(req);
	case ACCESS_SESSION:
	case ACCESS_OPERATOR:
	case ACCESS_AUTHOR:
	case ACCESS_ADMIN:
		return auth_operator(req);
	case ACCESS__MAX:
		break;
	}
	assert(false && "a route has an access class");
	return -1;
}

/* 429: count the request against its budget. */
static int
check_budget(struct req *req, struct resp *resp)
{
	struct rate_limit_result got;

	if (req->route->budget == BUDGET_LOGIN)
		return check_login(req, resp);
	if (req->route->budget == BUDGET_NONE)
		return 0;

	/*
	 * Only verified keys have a budget.  For decisions, verify a key once
	 * on each host; for labels, always.
	 */
	if ((req->route->budget == BUDGET_LABELS ||
		!rate_limit_known(req->worker->shm, req->key_hash)) &&
	    auth_apikey(req) == -1)
		return -1;
	count_key(req, resp, &got);
	return got.allowed ? 0 : refuse_over_budget(req, resp, &got);
}

static int
check_login(struct req *req, struct resp *resp)
{
	struct worker *w = req->worker;
	uint8_t hash[CRYPT_SHA256_SIZE];
	struct rate_limit_result got;

	/* A login needs the database anyway, but must not wait long here. */
	if (w->db != NULL)
		db_set_deadline(w->db, clock_ticks() + CHECK_TIME);
	settings_sync_renew(w, req->arena);
	if (w->db != NULL)
		db_set_deadline(w->db, 0);
	rate_limit_address(conf.AUTH_SECRET, req->client_ip, hash);
	rate_limit_take(w, LIMIT_LOGIN, hash, clock_now(),
	    runtime_setting_limit(w->shm, SETTING_LOGINS), &got);
	return got.allowed ? 0 : refuse_over_budget(req, resp, &got);
}

/*
 * Count the request of a key, and add the headers of its budget.  Before a
 * refusal make sure that the limit is up to date.
 */
static void
count_key(struct req *req, struct resp *resp, struct rate_limit_result *ret)
{
	struct worker *w = req->worker;

	count_once(req, ret);
	if (!ret->allowed && settings_sync_renew(w, req->arena))
		count_once(req, ret);
	resp_header(
	    req, resp, "X-RateLimit-Limit: %lld", (long long)ret->limit);
	resp_header(req, resp, "X-RateLimit-Remaining: %lld",
	    (long long)ret->remaining);
}

static void
count_once(struct req *req, struct rate_limit_result *ret)
{
	const int64_t now = clock_now();

	if (req->route->budget == BUDGET_LABELS)
		rate_limit_take(req->worker, LIMIT_LABELS, req->key_hash, now,
		    conf.RATE_LIMIT_LABELS_PER_MIN, ret);
	else
		rate_limit_take(req->worker, LIMIT_KEY, req->key_hash, now,
		    runtime_setting_limit(req->worker->shm, SETTING_DECISIONS),
		    ret);
}

static int
refuse_over_budget(
    struct req *req, struct resp *resp, const struct rate_limit_result *got)
{
	metric_add(req->worker->slot, METRIC_ID_LIMITED,
	    (size_t)(req->route->budget - BUDGET_DECISIONS), 0, 1);
	resp_header(
	    req, resp, "Retry-After: %lld", (long long)got->retry_after);
	return fail_set(&req->fail, FAIL_DENIED, RATE_LIMITED, NULL,
	    "more than %lld requests in this minute", (long long)got->limit);
}

/*
 * Read the body.  413: too large; 415: compressed, or not the media type of the
 * route.
 */
static int
read_request_body(struct req *req)
{
	const size_t max = req->route->body_max;
	const char *type = req->route->csv ? "text/csv" : "application/json";

	if (req_body(req, max == 0 ? BODY_IGNORED : max) == -1)
		return -1;
	if (max == 0 || req->body_size == 0)
		return 0;
	if (req->content_encoding != NULL &&
	    strcasecmp(req->content_encoding, "identity") != 0)
		return fail_set(&req->fail, FAIL_INPUT, UNSUPPORTED_MEDIA_TYPE,
		    "Content-Encoding",
		    "must be absent: send the body as it is");
	if (!path_match_media_type(type, req->content_type))
		return fail_set(&req->fail, FAIL_INPUT, UNSUPPORTED_MEDIA_TYPE,
		    NULL, "the body must be %s", type);
	return 0;
}

/*
 * Verify the API key before an error of the request is reported, so that 401
 * and 403 come first.
 */
static int
check_caller(struct req *req)
{
	if (req->route == NULL || req->route->access != ACCESS_APIKEY ||
	    req->key_verified || req->fail.kind != FAIL_INPUT)
		return 0;
	return auth_apikey(req);
}

/* Answer with the error, or with one that takes precedence. */
static void
refuse_request(struct req *req, struct resp *resp)
{
	const struct fail why = req->fail;

	if (check_caller(req) == 0)
		req->fail = why;
	if (req->route != NULL && req->route->trail == TRAIL_AUDIT)
		audit_refused(req);
	if (req->fail.code == UNAUTHENTICATED)
		resp_header(req, resp, "WWW-Authenticate: Bearer");
	if (req->fail.kind == FAIL_US)
		log_warn("event=request_failed code=%s why=%s",
		    fail_code_name(req->fail.code), req->fail.why);
	resp_fail(req, resp);
}
