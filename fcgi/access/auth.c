/* SPDX-License-Identifier: ISC */
/* Authentication: API keys of services and tokens of operators. */
#include "config.h"

#include <stdbool.h>

#include "core/base/fail.h"
#include "core/base/writer.h"
#include "fcgi/access/auth.h"
#include "fcgi/access/second_factor.h"
#include "fcgi/access/session_cookie.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/apikey.h"
#include "lib/auth/token.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/shared/apikey_cache.h"
#include "lib/sys/clock.h"

/* How old the entry of the password may be where the step up is PASSWORD. */
#define PASSWORD_AGE_MAX (5 * 60 * CLOCK_SECOND)

/* An API key as the database or the cache has it. */
struct key_found {
	bool live;
	unsigned scopes;
};

/* The least role that a route needs, and the reason of its refusal. */
static const struct {
	enum role role;
	const char *why;
} needs[ACCESS__MAX] = {
	[ACCESS_AUTHOR] = { ROLE_AUTHOR,
	    "this needs the role author or admin" },
	[ACCESS_ADMIN] = { ROLE_ADMIN, "this needs the role admin" },
};

static int find_key(struct req *req, struct key_found *ret);
static int check_session(struct req *req, const struct token *token);
static int check_rights(struct req *req);

int
auth_key_form(struct req *req)
{
	if (!apikey_hash(req->api_key, req->key_hash))
		return fail_set(
		    &req->fail, FAIL_DENIED, INVALID_API_KEY, NULL, "%s", "");
	return 0;
}

int
auth_apikey(struct req *req)
{
	struct key_found key;

	if (req->key_verified)
		return 0;
	if (find_key(req, &key) == -1)
		return -1;
	if (!key.live)
		return fail_set(
		    &req->fail, FAIL_DENIED, INVALID_API_KEY, NULL, "%s", "");
	if ((key.scopes & (unsigned)req->route->scope) == 0)
		return fail_set(&req->fail, FAIL_DENIED, INSUFFICIENT_SCOPE,
		    NULL, "%s", "");
	req->key_verified = true;
	return 0;
}

int
auth_operator(struct req *req)
{
	struct token_keys keys;
	const struct token_limits limits = auth_token_limits();
	const char *text = req->bearer;
	struct token token;
	struct fail *f = &req->fail;

	if (text == NULL) {
		text = session_cookie_token(req);
		if (text != NULL && session_cookie_check(req) == -1)
			return -1;
	}
	if (text == NULL)
		return fail_set(
		    f, FAIL_DENIED, UNAUTHENTICATED, NULL, "%s", "");
	if (token_keys_load(&keys, req->arena, f) == -1 ||
	    token_verify(
		&keys, req->arena, text, &limits, clock_now(), &token, f) == -1)
		return -1;

	/* A token is valid only where it was sent to: header or cookie. */
	if (token.web != (req->bearer == NULL))
		return fail_set(
		    f, FAIL_DENIED, UNAUTHENTICATED, NULL, "%s", "");
	if (check_session(req, &token) == -1)
		return -1;
	return check_rights(req);
}

struct token_limits
auth_token_limits(void)
{
	return (struct token_limits) {
		.session = conf.SESSION_MAX_HOURS * 3600 * CLOCK_SECOND,
		.idle = conf.SESSION_IDLE_MINUTES * 60 * CLOCK_SECOND,
	};
}

int
auth_issue(
    struct req *req, struct resp *resp, const struct token *t, struct str *s)
{
	const struct token_limits limits = auth_token_limits();
	char expires_at[CLOCK_TEXT_SIZE];
	struct token_keys keys;
	const char *token;

	if (token_keys_load(&keys, req->arena, &req->fail) == -1)
		return -1;
	token = token_issue(&keys, req->arena, t, &limits, clock_now());
	if (token == NULL)
		return fail_memory(&req->fail);
	resp_header(req, resp, "Cache-Control: no-store");
	if (t->web) {
		session_cookie_set(req, resp, token);
		clock_text(token_expiry(req->arena, token), expires_at);
		writer_text(s, "expiresAt", expires_at);
		writer_int(s, "idleSeconds", limits.idle / CLOCK_SECOND);
	} else
		writer_text(s, "token", token);
	writer_object(s, "user");
	writer_text(s, "email", t->email);
	writer_text(s, "role", token_role_name(t->role));
	writer_end(s);
	return 0;
}

int
auth_revoke(struct req *req)
{
	struct params p;
	struct rows rows;

	params_init(&p, req->arena);
	params_text(&p, req->operator.token_id);
	/* A browser's token may have been refreshed under the same id. */
	params_time(&p,
	    req->operator.web ? clock_now() + auth_token_limits().idle
			      : req->operator.expires_at);
	if (db_one(req->db, req->arena, STMT_OPERATOR_LOGOUT, &p, &rows,
		&req->fail) == -1)
		return -1;
	return sql_reply_refused(req, &rows);
}

int
auth_revoke_all(struct req *req)
{
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, req->operator.email);
	return db_run(req->db, req->arena, STMT_OPERATOR_LOGOUT_ALL, &p, NULL,
	    &req->fail);
}

/*
 * Find the key of the request in the database, or in the cache of recently
 * verified keys if the database is unavailable.
 */
static int
find_key(struct req *req, struct key_found *ret)
{
	struct shm *shm = req->worker->shm;
	int64_t left = INT64_MAX;
	struct params p;
	struct rows r;

	params_init(&p, req->arena);
	params_bytes(&p, req->key_hash, sizeof(req->key_hash));
	if (worker_db(req->worker, &req->fail) == -1 ||
	    db_one(req->db, req->arena, STMT_APIKEY_FIND, &p, &r, &req->fail) ==
		-1) {
		ret->scopes =
		    apikey_cache_scopes(shm, req->key_hash, clock_ticks());
		ret->live = ret->scopes != 0;
		return ret->live ? 0 : -1;
	}
	ret->live = rows_bool(&r, 0, "live");
	ret->scopes = (unsigned)rows_int(&r, 0, "scopes");
	if (rows_time(&r, 0, "expires_at") != 0)
		left = rows_time(&r, 0, "expires_at") - rows_time(&r, 0, "now");
	if (ret->live)
		apikey_cache_put(
		    shm, req->key_hash, ret->scopes, left, clock_ticks());
	else
		apikey_cache_drop(shm, req->key_hash);
	return 0;
}

/* The signature is valid; check that the session still exists. */
static int
check_session(struct req *req, const struct token *token)
{
	struct params p;
	struct rows rows;

	if (worker_db(req->worker, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, token->email);
	params_text(&p, token->id);
	if (db_run(req->db, req->arena, STMT_OPERATOR_SESSION, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0 || rows_bool(&rows, 0, "revoked") ||
	    rows_int(&rows, 0, "session_number") != token->session)
		return fail_set(
		    &req->fail, FAIL_DENIED, UNAUTHENTICATED, NULL, "%s", "");
	req->change = arena_alloc(req->arena, sizeof(*req->change));
	if (req->change == NULL)
		return fail_memory(&req->fail);
	req->operator.email = req->change->author = token->email;
	req->operator.role = token_role(rows_text(&rows, 0, "role"));
	req->operator.temporary = rows_bool(&rows, 0, "password_temporary");
	req->operator.second_factor = rows_bool(&rows, 0, "second_factor");
	req->operator.token_id = token->id;
	req->operator.expires_at = token->expires_at;
	req->operator.session = token->session;
	req->operator.given_at = token->given_at;
	req->operator.web = token->web;
	return 0;
}

/* The session exists; check that its operator may use the route now. */
static int
check_rights(struct req *req)
{
	const struct operator* who = & req->operator;
	const struct route *route = req->route;
	struct fail *f = &req->fail;

	if (route->access != ACCESS_SESSION && who->temporary &&
	    conf.PASSWORD_CHANGE_REQUIRED)
		return fail_set(
		    f, FAIL_DENIED, PASSWORD_CHANGE_REQUIRED, NULL, "%s", "");
	if (route->access != ACCESS_SESSION && !who->second_factor &&
	    second_factor_needed(who->role))
		return fail_set(
		    f, FAIL_DENIED, SECOND_FACTOR_REQUIRED, NULL, "%s", "");
	if (who->role < needs[route->access].role)
		return fail_set(f, FAIL_DENIED, FORBIDDEN, NULL, "%s",
		    needs[route->access].why);
	if (route->step_up == STEP_UP_PASSWORD && who->web &&
	    clock_now() - who->given_at > PASSWORD_AGE_MAX)
		return fail_set(
		    f, FAIL_DENIED, REAUTH_REQUIRED, NULL, "%s", "");
	return 0;
}
