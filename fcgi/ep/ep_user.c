/* SPDX-License-Identifier: ISC */
/* /v1/auth/users: the operators, for admins. */
#include "config.h"

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "fcgi/access/password.h"
#include "fcgi/ep/routes.h"
#include "fcgi/http/req.h"
#include "fcgi/http/sql_reply.h"
#include "lib/auth/token.h"
#include "lib/db/db.h"
#include "lib/json/body.h"

#define ROLE_NAME_MAX 16

static int check_role(struct req *req, const char *role);
static int check_change(struct req *req);
static int remove_second_factor(struct req *req, const char *email);
static void put_bool(struct params *p, struct req *req, const char *field);

static const struct body_field fields[] = {
	{ "email", BODY_STRING, BODY_REQUIRED, 1, PASSWORD_EMAIL_MAX },
	{ "password", BODY_OPAQUE, BODY_REQUIRED, 1, PASSWORD_BYTES_MAX },
	{ "role", BODY_STRING, BODY_OPTIONAL, 1, ROLE_NAME_MAX },
};

/* Fields of an operator that can be changed. */
static const struct body_field changes[] = {
	{ "role", BODY_STRING, BODY_OPTIONAL, 1, ROLE_NAME_MAX },
	{ "disabled", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
	{ "endSessions", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
	{ "password", BODY_OPAQUE, BODY_OPTIONAL, 1, PASSWORD_BYTES_MAX },
	{ "resetSecondFactor", BODY_BOOL, BODY_OPTIONAL, 0, 0 },
};

/*
 * POST /v1/auth/users.  201: a new operator, an analyst by default; 400: a
 * field is wrong or unknown; 409: the email is used; 503: too many passwords
 * are being hashed.
 */
int
user_create(struct req *req, struct resp *resp)
{
	char hash[CRYPT_PASSWORD_SIZE];
	const char *email, *role;
	struct params p;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    (email = password_email(req, body_string(req->json, "email"))) ==
		NULL)
		return -1;
	role = body_has(req->json, "role") ? body_string(req->json, "role")
					   : token_role_name(ROLE_ANALYST);
	if (check_role(req, role) == -1 ||
	    password_check_email(req, email) == -1 ||
	    password_check(req, "password") == -1 ||
	    password_hash(req, hash) == -1)
		return -1;

	/* Hash before this statement, so that no lock is held meanwhile. */
	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, role);
	params_text(&p, hash);
	return sql_reply_write(req, resp, 201, STMT_OPERATOR_CREATE, &p);
}

/*
 * PATCH /v1/auth/users/{email}.  Change the role, disable or enable, end all
 * sessions, set a temporary password, or remove the second factor.  200: the
 * operator after the change; 400: a field is wrong or unknown, or the body is
 * empty; 403: the second factor to remove is the sender's own, which takes its
 * code; 404: unknown email, or there is no second factor to remove; 409: no
 * active admin would be left; 503: too many passwords are being hashed.
 */
int
user_update(struct req *req, struct resp *resp)
{
	char hash[CRYPT_PASSWORD_SIZE];
	const char *email;
	struct params p;
	bool password, reset;

	if (body_check(req->json, changes, nitems(changes), &req->fail) == -1 ||
	    check_change(req) == -1 ||
	    (email = password_email(req, req->arg[0])) == NULL)
		return -1;
	password = body_has(req->json, "password");
	reset = body_has(req->json, "resetSecondFactor");
	if (password && password_hash(req, hash) == -1)
		return -1;
	if (reset && remove_second_factor(req, email) == -1)
		return -1;

	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, body_string(req->json, "role"));
	put_bool(&p, req, "disabled");
	params_text(&p, password ? hash : NULL);
	params_int(&p, reset || body_int(req->json, "endSessions", 0) != 0);
	return sql_reply_write(req, resp, 200, STMT_OPERATOR_UPDATE, &p);
}

static int
check_role(struct req *req, const char *role)
{
	if (token_role(role) == 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "role",
		    "must be \"analyst\", \"author\" or \"admin\"");
	return 0;
}

/*
 * Check what body_check() cannot: that there is a change, and a possible one.
 */
static int
check_change(struct req *req)
{
	static const char *const acts[] = { "endSessions",
		"resetSecondFactor" };
	size_t i;

	if (json_object_object_length(req->json) == 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, NULL,
		    "the body needs role, disabled, endSessions, password or "
		    "resetSecondFactor");
	for (i = 0; i < nitems(acts); i++)
		if (body_int(req->json, acts[i], 1) == 0)
			return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST,
			    acts[i], "must be true");
	if (body_has(req->json, "role") &&
	    check_role(req, body_string(req->json, "role")) == -1)
		return -1;
	return body_has(req->json, "password") ? password_check(req, "password")
					       : 0;
}

/*
 * Remove the second factor of another operator, in the transaction of the
 * change.  For the sender's own that would need no code.
 */
static int
remove_second_factor(struct req *req, const char *email)
{
	struct params p;
	struct rows rows;

	if (strcmp(email, req->operator.email) == 0)
		return fail_set(&req->fail, FAIL_DENIED, FORBIDDEN, NULL,
		    "disable your own second factor with its code");
	params_init(&p, req->arena);
	params_text(&p, email);
	if (db_one(req->db, req->arena, STMT_SECOND_FACTOR_REMOVE, &p, &rows,
		&req->fail) == -1)
		return -1;
	return sql_reply_refused(req, &rows);
}

/* Append a boolean, or null if it is absent. */
static void
put_bool(struct params *p, struct req *req, const char *field)
{
	if (body_has(req->json, field))
		params_int(p, body_int(req->json, field, 0));
	else
		params_null(p);
}
