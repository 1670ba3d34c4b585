/* SPDX-License-Identifier: ISC */
/* /v1/auth/users: the operators, for admins. */
#include "config.h"

#include "core/fail.h"
#include "fcgi/act.h"
#include "fcgi/password.h"
#include "fcgi/req.h"
#include "fcgi/route.h"
#include "lib/body.h"
#include "lib/db.h"
#include "lib/token.h"

#define nitems(a) (sizeof(a) / sizeof((a)[0]))

#define ROLE_NAME_MAX 16

static const struct body_field fields[] = {
	{ "email", BODY_STRING, true, false, 1, PASSWORD_EMAIL_MAX },
	{ "password", BODY_OPAQUE, true, false, 1, PASSWORD_BYTES_MAX },
	{ "role", BODY_STRING, false, false, 1, ROLE_NAME_MAX },
};

/*
 * GET /v1/auth/users.  200: every operator, by email.
 */
int
user_list(struct req *req, struct resp *resp)
{
	return act_read(req, resp, STMT_OPERATOR_LIST, NULL);
}

/*
 * POST /v1/auth/users.  201: an operator more, an analyst unless it says
 * otherwise; 409: the email is taken; 400: a field is wrong or unknown; 503:
 * too many passwords are being hashed.
 */
int
user_create(struct req *req, struct resp *resp)
{
	char hash[CRYPT_PASSWORD_SIZE];
	const char *email, *role;
	struct params p;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    (email = password_email(req)) == NULL)
		return -1;
	role = body_has(req->json, "role") ? body_string(req->json, "role")
					   : token_role_name(ROLE_ANALYST);
	if (token_role(role) == 0)
		return fail_set(&req->fail, FAIL_INPUT, INVALID_REQUEST, "role",
		    "must be \"analyst\" or \"admin\"");
	if (password_check(req, email) == -1 || password_hash(req, hash) == -1)
		return -1;

	/* Only now does the transaction hold anything. */
	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, role);
	params_text(&p, hash);
	return act_write(req, resp, 201, STMT_OPERATOR_CREATE, &p);
}
