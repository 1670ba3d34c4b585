/* SPDX-License-Identifier: ISC */
/* /v1/auth: the first operator, logins, passwords and logouts. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/access/auth.h"
#include "fcgi/access/capability.h"
#include "fcgi/access/login_backoff.h"
#include "fcgi/access/password.h"
#include "fcgi/access/second_factor.h"
#include "fcgi/access/session_cookie.h"
#include "fcgi/ep/routes.h"
#include "fcgi/gate/audit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/host_semaphore.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/token.h"
#include "lib/conf/approval.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/shared/shm.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

/* A password and code to check, of a login or of an operator with a session. */
struct login {
	const char *email;
	const char *new_password; /* of a change; else NULL */
	struct login_backoff_pair pair;
	struct rows rows; /* row of the operator; its password may be null */
	bool match; /* the password is correct */
	enum code code; /* CODE__NONE: the code is right, or not needed */
	bool stale; /* its hash has old parameters */
	char hash[CRYPT_PASSWORD_SIZE]; /* new hash to store */
};

static int needs_bootstrap(struct req *req, bool *ret);
static int refuse_registration(struct req *req);
static int hash_first_password(struct req *req, char ret[CRYPT_PASSWORD_SIZE]);
static int try_password(struct req *req, struct resp *resp, struct login *l);
static int check_password(struct req *req, struct resp *resp, struct login *l);
static int match_password(struct req *req, struct login *l);
static bool is_accepted(const struct login *l);
static int refuse_login(
    struct req *req, const struct login *l, enum code wrong_password);
static void rehash_password(struct req *req, const struct login *l);
static int answer_logout(struct req *req, struct resp *resp);
static int answer_login(struct req *req, struct resp *resp, int status,
    const char *email, const struct rows *rows, bool temporary);
static int answer_token(struct req *req, struct resp *resp, int status,
    const struct token *t, bool temporary);

/* Fields of a registration; lengths in bytes. */
static const struct body_field registration[] = {
	{ "email", BODY_STRING, BODY_REQUIRED, 1, PASSWORD_EMAIL_MAX },
	{ "password", BODY_OPAQUE, BODY_REQUIRED, 1, PASSWORD_BYTES_MAX },
};

/* Fields of a login. */
static const struct body_field fields[] = {
	{ "email", BODY_STRING, BODY_REQUIRED, 1, PASSWORD_EMAIL_MAX },
	{ "password", BODY_OPAQUE, BODY_REQUIRED, 1, PASSWORD_BYTES_MAX },
	{ "code", BODY_OPAQUE, BODY_OPTIONAL, 1, SECOND_FACTOR_CODE_MAX },
};

/* The fields of a confirmation. */
static const struct body_field confirmation[] = {
	{ "password", BODY_OPAQUE, BODY_REQUIRED, 1, PASSWORD_BYTES_MAX },
	{ "code", BODY_OPAQUE, BODY_OPTIONAL, 1, SECOND_FACTOR_CODE_MAX },
};

/* Fields of a change of password. */
static const struct body_field changes[] = {
	{ "password", BODY_OPAQUE, BODY_REQUIRED, 1, PASSWORD_BYTES_MAX },
	{ "newPassword", BODY_OPAQUE, BODY_REQUIRED, 1, PASSWORD_BYTES_MAX },
	{ "code", BODY_OPAQUE, BODY_OPTIONAL, 1, SECOND_FACTOR_CODE_MAX },
};

/* GET /v1/auth/status.  200: whether the first operator has to register. */
int
auth_status(struct req *req, struct resp *resp)
{
	bool needed;

	if (needs_bootstrap(req, &needed) == -1)
		return -1;
	return resp_json(req, resp, 200,
	    needed ? "{\"needsBootstrap\":true}"
		   : "{\"needsBootstrap\":false}");
}

/*
 * POST /v1/auth/register.  201: the first operator, an admin, and a token; 400:
 * a field is wrong; 403: there is an operator already, found before or after
 * the costly hash; 503: too many passwords are being hashed.
 */
int
auth_register(struct req *req, struct resp *resp)
{
	char hash[CRYPT_PASSWORD_SIZE];
	const char *email;
	struct params p;
	struct rows rows;
	bool open;

	if (needs_bootstrap(req, &open) == -1)
		return -1;
	if (!open)
		return refuse_registration(req);
	if (body_check(req->json, registration, nitems(registration),
		&req->fail) == -1 ||
	    (email = password_email(req, body_string(req->json, "email"))) ==
		NULL)
		return -1;
	if (password_check_email(req, email) == -1 ||
	    password_check(req, "password") == -1 ||
	    hash_first_password(req, hash) == -1)
		return -1;

	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, hash);
	if (db_run(req->db, req->arena, STMT_OPERATOR_REGISTER, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0)
		return refuse_registration(req);
	return answer_login(req, resp, 201, email, &rows, false);
}

/*
 * POST /v1/auth/login.  200: a token; 400: a field is missing or unknown; 401:
 * wrong email or password, or a disabled operator, which take the same time and
 * get the same answer; 403: the password is right, but the code of the second
 * factor is missing or wrong; 429: too many logins of this email have failed;
 * 503: too many passwords are being hashed.
 */
int
auth_login(struct req *req, struct resp *resp)
{
	struct login l = { 0 };

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    (l.email = password_email(req, body_string(req->json, "email"))) ==
		NULL)
		return -1;
	if (try_password(req, resp, &l) == -1)
		return -1;
	if (!l.match || l.code == CODE_WRONG)
		audit_login_failed(req, l.email);
	else if (audit_login(req, l.email, l.code) == -1)
		return -1;
	if (!is_accepted(&l))
		return refuse_login(req, &l, INVALID_CREDENTIALS);
	if (l.stale)
		rehash_password(req, &l);
	return answer_login(req, resp, 200, l.email, &l.rows,
	    rows_bool(&l.rows, 0, "password_temporary"));
}

/*
 * GET /v1/auth/me.  200: the sender, what the sender may do, and when the
 * session began and ends.
 */
int
auth_me(struct req *req, struct resp *resp)
{
	char text[CLOCK_TEXT_SIZE];
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "email", req->operator.email);
	writer_text(&s, "role", token_role_name(req->operator.role));
	writer_bool(&s, "passwordTemporary", req->operator.temporary);
	writer_bool(&s, "secondFactor", req->operator.second_factor);
	writer_bool(&s, "secondFactorRequired",
	    second_factor_needed(req->operator.role));
	writer_text(&s, "session", req->operator.web ? "cookie" : "token");
	clock_text(req->operator.given_at, text);
	writer_text(&s, "authenticatedAt", text);
	clock_text(req->operator.expires_at, text);
	writer_text(&s, "expiresAt", text);
	writer_int(&s, "idleSeconds",
	    req->operator.web ? auth_token_limits().idle / CLOCK_SECOND : 0);
	writer_name(&s, "capabilities");
	capability_list(&s, req->operator.role);
	writer_name(&s, "fourEyes");
	approval_list(&s, conf.FOUR_EYES);
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * POST /v1/auth/password.  Change the password of the operator who sends the
 * request.  200: all sessions have ended; a token of a new session; 400: a
 * field is wrong or unknown; 403: the present password is wrong, or the code is
 * missing or wrong, which counts as a failed login; 429, 503: as for a login.
 */
int
auth_password(struct req *req, struct resp *resp)
{
	struct login l = { .email = req->operator.email };
	struct params p;
	struct rows rows;

	if (body_check(req->json, changes, nitems(changes), &req->fail) == -1 ||
	    password_check(req, "newPassword") == -1)
		return -1;
	l.new_password = body_string(req->json, "newPassword");
	if (strcmp(l.new_password, body_string(req->json, "password")) == 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "newPassword", "must differ from the present password");

	/*
	 * The count of failures must be committed also if the change fails, so
	 * end the transaction here.
	 */
	if (audit_suspend(req) == -1 || try_password(req, resp, &l) == -1 ||
	    audit_resume(req) == -1)
		return -1;
	if (!is_accepted(&l))
		return refuse_login(req, &l, PASSWORD_WRONG);
	params_init(&p, req->arena);
	params_text(&p, l.email);
	params_text(&p, rows_text(&l.rows, 0, "password"));
	params_text(&p, l.hash);
	if (db_run(req->db, req->arena, STMT_OPERATOR_PASSWORD, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.n == 0) /* another request has just changed it */
		return fail_set(
		    &req->fail, FAIL_DENIED, PASSWORD_WRONG, NULL, "%s", "");
	return answer_login(req, resp, 200, l.email, &rows, false);
}

/*
 * POST /v1/auth/confirm.  Enter the password of the session again.  200: a new
 * token, whose password was entered now; the token of the request is refused
 * from now on; 400: a field is wrong or unknown; 401: the session was logged
 * out meanwhile; 403: the password is wrong, or the code is missing or wrong,
 * which counts as a failed login; 429, 503: as for a login.
 */
int
auth_confirm(struct req *req, struct resp *resp)
{
	struct login l = { .email = req->operator.email };
	struct token t = { .email = req->operator.email,
		.role = req->operator.role,
		.session = req->operator.session,
		.web = req->operator.web };

	/* The count of failures must be committed whatever follows. */
	if (body_check(req->json, confirmation, nitems(confirmation),
		&req->fail) == -1 ||
	    audit_suspend(req) == -1 || try_password(req, resp, &l) == -1)
		return -1;
	if (is_accepted(&l) && l.stale)
		rehash_password(req, &l);
	if (audit_resume(req) == -1)
		return -1;
	if (!is_accepted(&l))
		return refuse_login(req, &l, PASSWORD_WRONG);
	if (auth_revoke(req) == -1)
		return -1;
	t.given_at = clock_now();
	return answer_token(req, resp, 200, &t, req->operator.temporary);
}

/*
 * POST /v1/auth/refresh.  200: a new token of the same session; the old token
 * stays valid.  In a browser both are one session, so that a logout ends both.
 * Both expire at the latest SESSION_MAX_HOURS after the password was entered.
 */
int
auth_refresh(struct req *req, struct resp *resp)
{
	const struct token t = { .email = req->operator.email,
		.role = req->operator.role,
		.session = req->operator.session,
		.id = req->operator.token_id,
		.given_at = req->operator.given_at,
		.web = req->operator.web };

	return answer_token(req, resp, 200, &t, req->operator.temporary);
}

/*
 * POST /v1/auth/logout.  200: the token of the request is invalid from now on,
 * on every host.
 */
int
auth_logout(struct req *req, struct resp *resp)
{
	return auth_revoke(req) == -1 ? -1 : answer_logout(req, resp);
}

/*
 * POST /v1/auth/logout-all.  200: all tokens of this operator are invalid from
 * now on, also the one of the request.
 */
int
auth_logout_all(struct req *req, struct resp *resp)
{
	return auth_revoke_all(req) == -1 ? -1 : answer_logout(req, resp);
}

/* Set *ret to whether the first operator has to register. */
static int
needs_bootstrap(struct req *req, bool *ret)
{
	struct rows rows;

	if (worker_db(req->worker, &req->fail) == -1 ||
	    db_one(req->db, req->arena, STMT_AUTH_STATUS, NULL, &rows,
		&req->fail) == -1)
		return -1;
	*ret = rows_bool(&rows, 0, "needs_bootstrap");
	return 0;
}

static int
refuse_registration(struct req *req)
{
	return fail_set(
	    &req->fail, FAIL_DENIED, REGISTRATION_CLOSED, NULL, "%s", "");
}

/* Hash the password of the first operator. */
static int
hash_first_password(struct req *req, char ret[CRYPT_PASSWORD_SIZE])
{
	bool open;

	if (password_hash(req, ret) == 0)
		return 0;

	/*
	 * The request that held the slot may have registered the first
	 * operator.
	 */
	if (req->fail.code == UNAVAILABLE && needs_bootstrap(req, &open) == 0 &&
	    !open)
		return refuse_registration(req);
	return -1;
}

/*
 * Check the password, unless its account is delayed.  Count the attempt as a
 * failure; a correct password clears the failures of the pair.
 */
static int
try_password(struct req *req, struct resp *resp, struct login *l)
{
	login_backoff_pair(req, l->email, &l->pair);
	if (login_backoff_check(req, resp, &l->pair) == -1 ||
	    check_password(req, resp, l) == -1)
		return -1;
	if (l->match &&
	    second_factor_check(
		req, l->email, body_string(req->json, "code"), &l->code) == -1)
		return -1;
	if (is_accepted(l))
		login_backoff_clear(req, &l->pair);
	else if (l->match && l->code == CODE_REQUIRED)
		login_backoff_undo(req, &l->pair);
	return 0;
}

/*
 * Check the password if a hash slot is free.  If none is free, do not count a
 * failed login, because other requests occupy the slots.
 */
static int
check_password(struct req *req, struct resp *resp, struct login *l)
{
	const int slot = password_slot(req);
	int got;

	if (slot == -1)
		return -1;
	got = login_backoff_begin(req, resp, &l->pair, l->email, &l->rows);
	if (got == 0)
		got = match_password(req, l);
	host_semaphore_release(req->worker->shm->hashing, slot);
	return got;
}

/*
 * Compare the password with its hash and, with the same slot, hash the new
 * password or rehash an old one.
 */
static int
match_password(struct req *req, struct login *l)
{
	const char *password = body_string(req->json, "password");

	if (crypt_password_check(password, rows_text(&l->rows, 0, "password"),
		&l->match, &l->stale, &req->fail) == -1)
		return -1;
	if (!l->match || (l->new_password == NULL && !l->stale))
		return 0;
	return crypt_password_hash(
	    l->new_password == NULL ? password : l->new_password, l->hash,
	    &req->fail);
}

static bool
is_accepted(const struct login *l)
{
	return l->match && l->code == CODE__NONE;
}

/* Fail with what is wrong: first the password, then the code. */
static int
refuse_login(struct req *req, const struct login *l, enum code wrong_password)
{
	return fail_set(&req->fail, FAIL_DENIED,
	    l->match ? l->code : wrong_password, NULL, "%s", "");
}

/*
 * Store the password hashed with the current parameters.  Only log a failure,
 * because the login has succeeded.
 */
static void
rehash_password(struct req *req, const struct login *l)
{
	struct fail f = { 0 };
	struct params p;

	params_init(&p, req->arena);
	params_text(&p, l->email);
	params_text(&p, rows_text(&l->rows, 0, "password"));
	params_text(&p, l->hash);
	if (db_run(req->db, req->arena, STMT_OPERATOR_REHASH, &p, NULL, &f) ==
	    -1)
		log_warn("event=password_rehash_failed why=%s", f.why);
}

/* Answer that the session has ended, and delete the cookie of a browser. */
static int
answer_logout(struct req *req, struct resp *resp)
{
	if (req->operator.web)
		session_cookie_set(req, resp, NULL);
	return resp_json(req, resp, 200, "{\"ok\":true}");
}

/* Answer with a token for an operator who has just entered the password. */
static int
answer_login(struct req *req, struct resp *resp, int status, const char *email,
    const struct rows *rows, bool temporary)
{
	const struct token t = { .email = email,
		.role = token_role(rows_text(rows, 0, "role")),
		.session = rows_int(rows, 0, "session_number"),
		.given_at = clock_now(),
		.web = session_cookie_wanted(req) };

	return answer_token(req, resp, status, &t, temporary);
}

/* Answer with a new token for t; temporary: its password is temporary. */
static int
answer_token(struct req *req, struct resp *resp, int status,
    const struct token *t, bool temporary)
{
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	if (auth_issue(req, resp, t, &s) == -1)
		return -1;
	if (temporary)
		writer_bool(&s, "passwordTemporary", true);
	writer_end(&s);
	return resp_json(req, resp, status, str_text(&s));
}
