/* SPDX-License-Identifier: ISC */
/* Authentication: API keys of services and tokens of operators. */
#ifndef FCGI_ACCESS_AUTH_H
#define FCGI_ACCESS_AUTH_H

struct req;
struct resp;
struct str;
struct token;
struct token_limits;

/*
 * Check that X-API-Key has the form of a key, and hash it into req->key_hash.
 * Do not check that the key exists.  Return 0, or -1 with req->fail set to
 * INVALID_API_KEY.
 */
int auth_key_form(struct req *req) __attribute__((warn_unused_result));

/*
 * Verify the key of a request in the database, or in the cache of recently
 * verified keys if the database is unavailable: the key exists, has not
 * expired, is not revoked, and has the scope of the route.  Set
 * req->key_verified; do nothing if it is already set.  Return 0, or -1 with
 * req->fail set: INVALID_API_KEY, INSUFFICIENT_SCOPE, UNAVAILABLE.
 */
int auth_apikey(struct req *req) __attribute__((warn_unused_result));

/*
 * Verify the bearer token of a request: its signature and its session; that the
 * operator now has the role that the route requires; unless the route allows
 * it, that no temporary password has to be changed and no second factor enabled
 * first; and that a browser's session has entered its password lately, if the
 * route requires that.  Without a bearer token, verify the session cookie.
 * Fill req->operator and req->change.  Return 0, or -1 with req->fail set:
 * UNAUTHENTICATED, CROSS_SITE, PASSWORD_CHANGE_REQUIRED,
 * SECOND_FACTOR_REQUIRED, FORBIDDEN, REAUTH_REQUIRED, UNAVAILABLE.
 */
int auth_operator(struct req *req) __attribute__((warn_unused_result));

/* Return how long tokens are valid: SESSION_MAX_HOURS, SESSION_IDLE_MINUTES. */
struct token_limits auth_token_limits(void);

/*
 * Issue a token for t, and forbid caching of the answer.  Append members of a
 * JSON object: the token and its operator.  If t->web, set the token as the
 * session cookie instead and append when it expires.  Return 0, or -1 with
 * req->fail set if the arena is full.
 */
int auth_issue(struct req *req, struct resp *resp, const struct token *t,
    struct str *s) __attribute__((warn_unused_result));

/*
 * Revoke the token of the request.  Return 0, or -1 with req->fail set:
 * UNAUTHENTICATED if another request has revoked it meanwhile.
 */
int auth_revoke(struct req *req) __attribute__((warn_unused_result));

/* Revoke all tokens of the sender.  Return 0, or -1 with req->fail set. */
int auth_revoke_all(struct req *req) __attribute__((warn_unused_result));

#endif
