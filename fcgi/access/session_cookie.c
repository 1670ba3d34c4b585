/* SPDX-License-Identifier: ISC */
/* The session of an operator in a browser: its token in a cookie. */
#include "config.h"

#include <fcgiapp.h>
#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "fcgi/access/session_cookie.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"

/* Browsers accept the prefix only with Secure, Path=/ and no Domain. */
#define SECURE_NAME "__Host-assay"
#define PLAIN_NAME "assay"

static bool over_tls(const struct req *req);
static bool param_is(
    const struct req *req, const char *name, const char *value);

bool
session_cookie_wanted(const struct req *req)
{
	return param_is(req, "HTTP_ASSAY_SESSION", "cookie");
}

const char *
session_cookie_token(const struct req *req)
{
	return req_cookie(req, over_tls(req) ? SECURE_NAME : PLAIN_NAME);
}

int
session_cookie_check(struct req *req)
{
	static const char site[] = "HTTP_SEC_FETCH_SITE";

	if (session_cookie_wanted(req) &&
	    (FCGX_GetParam(site, req->fcgi_params) == NULL ||
		param_is(req, site, "same-origin")))
		return 0;
	return fail_set(&req->fail, FAIL_DENIED, CROSS_SITE, NULL, "%s", "");
}

void
session_cookie_set(struct req *req, struct resp *resp, const char *token)
{
	const bool tls = over_tls(req);
	struct str s;

	str_init(&s, req->arena);
	str_addf(&s, "%s=%s; Path=/; HttpOnly; SameSite=Strict%s%s",
	    tls ? SECURE_NAME : PLAIN_NAME, token == NULL ? "" : token,
	    tls ? "; Secure" : "", token == NULL ? "; Max-Age=0" : "");
	resp->set_cookie = str_text(&s);
}

/* Return whether the client's connection to nginx uses TLS. */
static bool
over_tls(const struct req *req)
{
	return param_is(req, "HTTPS", "on");
}

/* Return whether a FastCGI parameter was sent with this value. */
static bool
param_is(const struct req *req, const char *name, const char *value)
{
	const char *sent = FCGX_GetParam(name, req->fcgi_params);

	return sent != NULL && strcmp(sent, value) == 0;
}
