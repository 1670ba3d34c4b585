/* SPDX-License-Identifier: ISC */
/* Operator tokens: JSON Web Tokens (RFC 7519), only with HS256. */
#ifndef LIB_AUTH_TOKEN_H
#define LIB_AUTH_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;
struct fail;

#define TOKEN_LIFETIME (INT64_C(12) * 3600 * 1000000) /* microseconds */
#define TOKEN_SKEW (INT64_C(60) * 1000000) /* difference of clocks */
#define TOKEN_SIZE_MAX 2048 /* bytes; longer texts are refused */

/* Each role may do all that the roles before it may do. */
enum role { ROLE_ANALYST = 1, ROLE_AUTHOR, ROLE_ADMIN, ROLE__MAX };

/* The claims of a token. */
struct token {
	const char *email; /* sub */
	enum role role;
	int64_t session; /* sn: logout-all raises the operator's number */
	const char *id; /* what a logout ends: jti; if web, sid */
	int64_t given_at; /* at: when the password was given */
	bool web; /* use: a browser's session, whose token is in a cookie */
	int64_t issued_at; /* microseconds UTC, whole seconds, as all times */
	int64_t expires_at;
};

/* How long tokens are valid, in microseconds. */
struct token_limits {
	int64_t session; /* of any token, after its password was given */
	int64_t idle; /* of a browser's session, after a refresh */
};

#define TOKEN_KEYS_MAX 8
#define TOKEN_KID_SIZE 17

/* The secrets that verify tokens; the first one signs them. */
struct token_keys {
	size_t n;
	struct token_key {
		const char *secret; /* points into the setting, without a NUL */
		size_t size;
		char kid[TOKEN_KID_SIZE];
	} key[TOKEN_KEYS_MAX];
};

/*
 * Make the keys from AUTH_SECRET and AUTH_SECRET_PREVIOUS (comma-separated; may
 * be NULL; the first TOKEN_KEYS_MAX - 1 are used).  Both strings must outlive
 * keys; arena a is scratch space.  It costs one hash per secret, so it may run
 * for each request.  token_keys_load() takes both from the settings.  All
 * workers need the same secret: if none is configured, the master makes one
 * before it forks.  Returns 0, or -1 with f set if the arena is full.
 */
int token_keys_init(struct token_keys *keys, struct arena *a,
    const char *secret, const char *previous, struct fail *f)
    __attribute__((warn_unused_result));
int token_keys_load(struct token_keys *keys, struct arena *a, struct fail *f)
    __attribute__((warn_unused_result));

/*
 * Make a token for the email, role and session of t, signed with the first key.
 * It is valid from now for TOKEN_LIFETIME, or for limits->idle if t->web, but
 * never longer than limits->session after t->given_at.  Its jti is new.  If
 * t->web, its sid is t->id, or the jti if that is NULL.  Return the token in
 * arena a, or NULL when the arena is full.
 */
const char *token_issue(const struct token_keys *keys, struct arena *a,
    const struct token *t, const struct token_limits *limits, int64_t now);

/*
 * Check a token as far as that needs no database, and read it: its exact
 * header, its signature, each claim, and its times against now and limits.  A
 * claim that token_issue() does not write, or writes otherwise, refuses the
 * token.  Earlier versions issued tokens without "at" and "sid": the password
 * was given when the token was issued, and sid is the jti.  Return 0 with *ret
 * filled from arena a, or -1 with f set to UNAUTHENTICATED.
 */
int token_verify(const struct token_keys *keys, struct arena *a,
    const char *text, const struct token_limits *limits, int64_t now,
    struct token *ret, struct fail *f) __attribute__((warn_unused_result));

/*
 * Read the expiry of a token without verifying it, as a client does.  Returns
 * microseconds UTC, or -1 if text is not a token of Assay; arena a is scratch
 * space.
 */
int64_t token_expiry(struct arena *a, const char *text);

/* "analyst", "author" or "admin", and back; 0 for any other name. */
const char *token_role_name(enum role role);
enum role token_role(const char *name);

#endif
