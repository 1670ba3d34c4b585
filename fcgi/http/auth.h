/* SPDX-License-Identifier: ISC */
/* Who calls: service keys and operators' tokens. */
#ifndef FCGI_HTTP_AUTH_H
#define FCGI_HTTP_AUTH_H

#include <stdint.h>

struct req;
struct token_keys;

/*
 * See that X-API-Key has the form of a key, and hash it into req->key_hash.
 * Whether there is such a key is another question.  Returns 0, or -1 with
 * req->fail set to INVALID_API_KEY.
 */
int auth_key_form(struct req *req) __attribute__((warn_unused_result));

/*
 * Verify the key of a request against the database, in a statement of its
 * own, or while that is away against what it said lately: it exists, has not
 * expired, was not revoked, and has the scope of the route.  Sets
 * req->key_verified, and does nothing if it is.  Returns 0, or -1 with
 * req->fail set: INVALID_API_KEY, INSUFFICIENT_SCOPE, UNAVAILABLE.
 */
int auth_apikey(struct req *req) __attribute__((warn_unused_result));

/*
 * Verify the bearer token of a request: the token itself, then its session,
 * and that the operator has the role that the route asks for today, and no
 * password to change before, where the route asks for that.  Fills
 * req->operator.  Returns 0, or -1 with req->fail set: UNAUTHENTICATED,
 * PASSWORD_CHANGE_REQUIRED, FORBIDDEN, UNAVAILABLE.
 */
int auth_operator(struct req *req) __attribute__((warn_unused_result));

/* Microseconds after its password that a session ends (SESSION_MAX_HOURS). */
int64_t auth_session_max(void);

/*
 * The keys of the configured secrets, which the master has made sure of.
 * Returns 0, or -1 with req->fail set when the arena is full.
 */
int auth_keys(struct req *req, struct token_keys *ret)
    __attribute__((warn_unused_result));

#endif
