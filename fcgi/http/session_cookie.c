/* SPDX-License-Identifier: ISC */
/* The session of an operator in a browser: its token in a cookie. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/session_cookie.h"

/* Browsers accept the prefix only with Secure, Path=/ and no Domain. */
#define SECURE_NAME "__Host-assay"
#define PLAIN_NAME "assay"

const char *
session_cookie_token(const struct req *req)
{
	return req_cookie(req, req->https ? SECURE_NAME : PLAIN_NAME);
}

int
session_cookie_check(struct req *req)
{
	if (req->cookie_session &&
	    (req->fetch_site == NULL ||
		strcmp(req->fetch_site, "same-origin") == 0))
		return 0;
	return fail_set(&req->fail, FAIL_DENIED, CROSS_SITE, NULL, "%s", "");
}

void
session_cookie_set(struct req *req, struct resp *resp, const char *token)
{
	struct str s;

	str_init(&s, req->arena);
	str_addf(&s, "%s=%s; Path=/; HttpOnly; SameSite=Strict%s%s",
	    req->https ? SECURE_NAME : PLAIN_NAME, token == NULL ? "" : token,
	    req->https ? "; Secure" : "", token == NULL ? "; Max-Age=0" : "");
	resp->set_cookie = str_text(&s);
}
