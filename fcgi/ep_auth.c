/* SPDX-License-Identifier: ISC */
/* /v1/auth: registration of the first operator, and login. */
#include "config.h"

#include <ctype.h>
#include <string.h>
#include <unistd.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/str.h"
#include "core/utf8.h"
#include "fcgi/auth.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/route.h"
#include "fcgi/turn.h"
#include "fcgi/worker.h"
#include "lib/body.h"
#include "lib/clock.h"
#include "lib/conf.h"
#include "lib/crypt.h"
#include "lib/db.h"
#include "lib/log.h"
#include "lib/token.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#define EMAIL_MAX 254
#define PASSWORD_MIN 8 /* characters */
#define PASSWORD_MAX 256
#define TURN_WAIT CLOCK_SECOND /* then the worker is needed elsewhere */

static int is_open(struct req *req, bool *ret);
static int closed(struct req *req);
static int take_turn(struct req *req);
static char *read_email(struct req *req);
static bool is_email(const char *email);
static int check_password(const char *password, struct fail *f);
static int hash_password(struct req *req, char ret[CRYPT_PASSWORD_SIZE]);
static void rehash(struct req *req, const char *email, const char *old);
static int answer(struct req *req, struct resp *resp, int status,
    const char *email, const struct rows *rows);

/* What registration and login take; lengths in bytes here. */
static const struct body_field fields[] = {
	{ "email", BODY_STRING, true, false, 1, EMAIL_MAX },
	{ "password", BODY_STRING, true, false, 1, PASSWORD_MAX *UTF8_MAX },
};

/*
 * GET /v1/auth/status.  200: whether the first admin is still to come.
 */
int
auth_status(struct req *req, struct resp *resp)
{
	bool needed;

	if (is_open(req, &needed) == -1)
		return -1;
	return resp_json(req, resp, 200,
	    needed ? "{\"needsBootstrap\":true}"
		   : "{\"needsBootstrap\":false}");
}

/*
 * POST /v1/auth/register.  201: the first operator, an admin, and a token;
 * 403: there is one already, found before or after the costly hash; 400: a
 * field is wrong; 503: too many passwords are being hashed.
 */
int
auth_register(struct req *req, struct resp *resp)
{
	char hash[CRYPT_PASSWORD_SIZE];
	const char *email;
	struct params p;
	struct rows rows;
	bool open;

	if (is_open(req, &open) == -1)
		return -1;
	if (!open)
		return closed(req);
	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    (email = read_email(req)) == NULL)
		return -1;
	if (!is_email(email))
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
		    "email", "is not an email address");
	if (check_password(body_string(req->json, "password"), &req->fail) ==
		-1 ||
	    hash_password(req, hash) == -1)
		return -1;

	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, hash);
	if (db_run(req->worker->db, req->arena, STMT_OPERATOR_REGISTER, &p,
		&rows, &req->fail) == -1)
		return -1;
	if (rows.ro_n == 0)
		return closed(req);
	return answer(req, resp, 201, email, &rows);
}

/*
 * POST /v1/auth/login.  200: a token; 401: wrong email or password, which
 * take the same time and get the same answer; 400: a field is missing or
 * unknown; 503: too many passwords are being hashed.
 */
int
auth_login(struct req *req, struct resp *resp)
{
	const char *email, *hash = NULL;
	bool match = false, stale = false;
	struct params p;
	struct rows rows;
	int turn, got;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    (email = read_email(req)) == NULL ||
	    worker_db(req->worker, &req->fail) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, email);
	if (db_run(req->worker->db, req->arena, STMT_OPERATOR_FIND, &p, &rows,
		&req->fail) == -1)
		return -1;
	if (rows.ro_n > 0)
		hash = rows_get_text(&rows, "password");

	if ((turn = take_turn(req)) == -1)
		return -1;
	got = crypt_password_check(body_string(req->json, "password"), hash,
	    &match, &stale, &req->fail);
	turn_give(req->worker->shm, turn);
	if (got == -1)
		return -1;
	if (!match)
		return fail_set(&req->fail, FAIL_DENIED, INVALID_CREDENTIALS,
		    NULL, "%s", "");
	if (stale)
		rehash(req, email, hash);
	return answer(req, resp, 200, email, &rows);
}

/* Whether there is no operator yet. */
static int
is_open(struct req *req, bool *ret)
{
	struct rows rows;

	if (worker_db(req->worker, &req->fail) == -1 ||
	    db_one(req->worker->db, req->arena, STMT_AUTH_STATUS, NULL, &rows,
		&req->fail) == -1)
		return -1;
	*ret = rows_get_bool(&rows, "needs_bootstrap");
	return 0;
}

static int
closed(struct req *req)
{
	return fail_set(
	    &req->fail, FAIL_DENIED, REGISTRATION_CLOSED, NULL, "%s", "");
}

/* A hash holds a worker for half a second: one is kept free for the rest. */
static int
take_turn(struct req *req)
{
	const int n =
	    conf.OPERATOR_WORKERS > 2 ? (int)conf.OPERATOR_WORKERS - 1 : 1;
	const int turn = turn_take(req->worker->shm, n, getpid(), TURN_WAIT);

	if (turn == -1)
		fail_set(&req->fail, FAIL_DENIED, UNAVAILABLE, NULL,
		    "too many logins at once; try again");
	return turn;
}

/* The email of the body in lower case, or NULL with req->fail set. */
static char *
read_email(struct req *req)
{
	char *email = arena_strdup(req->arena, body_string(req->json, "email")),
	     *p;

	if (email == NULL) {
		fail_set(&req->fail, FAIL_US, INTERNAL, NULL, "%s", "");
		return NULL;
	}
	for (p = email; *p != '\0'; p++)
		if (*p >= 'A' && *p <= 'Z')
			*p = (char)tolower((unsigned char)*p);
	return email;
}

/* One @ with something on both sides, no space, no control character. */
static bool
is_email(const char *email)
{
	const char *at = strchr(email, '@');
	const char *p;

	for (p = email; *p != '\0'; p++)
		if ((unsigned char)*p <= ' ' || *p == 0x7f)
			return false;
	return at != NULL && at != email && at[1] != '\0' &&
	    strchr(at + 1, '@') == NULL;
}

/* Count characters, not bytes; the JSON gate has seen to the UTF-8. */
static int
check_password(const char *password, struct fail *f)
{
	const size_t size = strlen(password);
	size_t i, n = 0;

	for (i = 0; i < size; i += utf8_get(password + i, size - i, NULL))
		n++;
	if (n >= PASSWORD_MIN && n <= PASSWORD_MAX)
		return 0;
	return fail_set(f, FAIL_INPUT, INVALID_REQUEST, "password",
	    "must be %d to %d characters", PASSWORD_MIN, PASSWORD_MAX);
}

/* Hash the body's password, when it is our turn. */
static int
hash_password(struct req *req, char ret[CRYPT_PASSWORD_SIZE])
{
	const int turn = take_turn(req);
	bool open;
	int got;

	/* Whoever held the turn may have been the first operator. */
	if (turn == -1)
		return is_open(req, &open) == 0 && !open ? closed(req) : -1;
	got = crypt_password_hash(
	    body_string(req->json, "password"), ret, &req->fail);
	turn_give(req->worker->shm, turn);
	return got;
}

/*
 * Store the password under today's parameters.  The login has succeeded
 * whatever becomes of this, so a failure is only logged.
 */
static void
rehash(struct req *req, const char *email, const char *old)
{
	char hash[CRYPT_PASSWORD_SIZE];
	struct fail f = { 0 };
	struct params p;

	if (hash_password(req, hash) == -1) {
		memset(&req->fail, 0, sizeof(req->fail));
		log_warn("rehash=later why=no turn");
		return;
	}
	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, old);
	params_text(&p, hash);
	if (db_run(req->worker->db, req->arena, STMT_OPERATOR_REHASH, &p, NULL,
		&f) == -1)
		log_warn("rehash=failed why=%s", f.why);
}

/* A token for the operator of rows. */
static int
answer(struct req *req, struct resp *resp, int status, const char *email,
    const struct rows *rows)
{
	const enum role role = token_role(rows_get_text(rows, "role"));
	const char *token;
	struct token_keys keys;
	struct str s;

	if (auth_keys(req, &keys) == -1)
		return -1;
	token = token_issue(&keys, req->arena, email, role,
	    rows_get_int(rows, "session_number"), clock_now());
	str_init(&s, req->arena);
	str_add(&s, "{\"token\":");
	str_json(&s, token);
	str_add(&s, ",\"user\":{\"email\":");
	str_json(&s, email);
	str_addf(&s, ",\"role\":\"%s\"}}", token_role_name(role));
	resp_header(req, resp, "Cache-Control: no-store");
	return resp_json(
	    req, resp, status, token == NULL ? NULL : str_text(&s));
}
