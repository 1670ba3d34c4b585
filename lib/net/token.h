/* SPDX-License-Identifier: ISC */
/* Operator tokens: JSON Web Tokens (RFC 7519), HS256 and nothing else. */
#ifndef LIB_NET_TOKEN_H
#define LIB_NET_TOKEN_H

#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;

#define TOKEN_LIFETIME (INT64_C(12) * 3600 * 1000000) /* microseconds */
#define TOKEN_SKEW (INT64_C(60) * 1000000) /* clocks of two hosts differ */
#define TOKEN_SIZE_MAX 2048 /* bytes; what is longer is not looked at */

enum role { ROLE_ANALYST = 1, ROLE_ADMIN, ROLE__MAX };

/* What a token says. */
struct token {
	const char *email; /* sub */
	enum role role;
	int64_t session; /* sn: logout-all raises the operator's number */
	const char *id; /* jti */
	int64_t given_at; /* at: when the password was given */
	int64_t issued_at; /* microseconds UTC, whole seconds, as all times */
	int64_t expires_at;
};

#define TOKEN_KEYS_MAX 8
#define TOKEN_KID_SIZE 17

/* The secrets that verify tokens; the first one signs them. */
struct token_keys {
	size_t n;
	struct token_key {
		const char *secret; /* not ours, not NUL-terminated */
		size_t size;
		char kid[TOKEN_KID_SIZE];
	} key[TOKEN_KEYS_MAX];
};

/*
 * Make the keys of AUTH_SECRET and of AUTH_SECRET_PREVIOUS (comma-separated;
 * may be NULL), of which the first TOKEN_KEYS_MAX - 1 count.  Both strings
 * must outlive keys; arena a is scratch space.  It costs a hash a secret, so
 * it may be done for each request.  All workers must hold the same secret:
 * where none is configured the master makes one before it forks.  Returns 0,
 * or -1 with f set when the arena is full.
 */
int token_keys_init(struct token_keys *keys, struct arena *a,
    const char *secret, const char *previous, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * A new token for the email, role and session of t, signed with the first key.
 * It is valid from now for TOKEN_LIFETIME, but no longer than max microseconds
 * after t->given_at, however often it is exchanged for a new one.  It lives in
 * arena a; NULL when that is full.
 */
const char *token_issue(const struct token_keys *keys, struct arena *a,
    const struct token *t, int64_t max, int64_t now);

/*
 * Check everything that a token can be checked for without a database, and
 * read it: its exact header, its signature, each claim, and its times against
 * now and against max, as of token_issue().  A claim that we do not write, or
 * write otherwise, refuses it; a token without the claim "at", which earlier
 * versions issued, was given for a password when it was issued.  Returns 0 with
 * *ret filled from arena a, or -1 with f set to UNAUTHENTICATED.
 */
int token_verify(const struct token_keys *keys, struct arena *a,
    const char *text, int64_t max, int64_t now, struct token *ret,
    struct fail *f) __attribute__((warn_unused_result));

/*
 * When a token expires, as its holder reads it, without a key to verify it.
 * Returns microseconds UTC, or -1 when text is not one of our tokens; arena a
 * is scratch space.
 */
int64_t token_expiry(struct arena *a, const char *text);

/* "analyst" or "admin", and back; 0 for any other name. */
const char *token_role_name(enum role role);
enum role token_role(const char *name);

#endif
