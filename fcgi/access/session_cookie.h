/* SPDX-License-Identifier: ISC */
/* The session of an operator in a browser: its token in a cookie. */
#ifndef FCGI_ACCESS_SESSION_COOKIE_H
#define FCGI_ACCESS_SESSION_COOKIE_H

#include <stdbool.h>

struct req;
struct resp;

/*
 * Return whether the request has Assay-Session: cookie.  A script of the
 * console sends it with every request, so that its session stays in a cookie.
 */
bool session_cookie_wanted(const struct req *req);

/*
 * Find the token in the session cookie of a request.  The cookie is
 * __Host-assay if the client's connection to nginx uses TLS, else assay. Return
 * NULL if the request has no such cookie, or has it twice.
 */
const char *session_cookie_token(const struct req *req);

/*
 * Check that a script of the console's own origin sent the request.  Such a
 * script sends Assay-Session: cookie.  A page of another origin cannot: for a
 * header of its own the browser asks first, with OPTIONS, which no route
 * serves.  Sec-Fetch-Site, if sent, must be same-origin.  Return 0, or -1 with
 * req->fail set to CROSS_SITE.
 */
int session_cookie_check(struct req *req) __attribute__((warn_unused_result));

/*
 * Set the session cookie with the answer, unless the request fails.  No script
 * can read it, and a browser sends it only with requests from its own site.
 * NULL deletes the cookie.
 */
void session_cookie_set(struct req *req, struct resp *resp, const char *token);

#endif
