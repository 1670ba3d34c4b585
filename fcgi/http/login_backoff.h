/* SPDX-License-Identifier: ISC */
/*
 * Logins that failed make an account wait, for the address they came from;
 * many, for every address from which it has not logged in.
 */
#ifndef FCGI_HTTP_LOGIN_BACKOFF_H
#define FCGI_HTTP_LOGIN_BACKOFF_H

#include <stdint.h>

#include "lib/db/db.h"
#include "lib/sys/crypt.h"

struct req;
struct resp;

/* An account and a client address, known to nobody without the secret. */
struct login_backoff_pair {
	uint8_t hash[CRYPT_SHA256_SIZE]; /* of both */
	uint8_t account[CRYPT_SHA256_SIZE]; /* of the account alone */
};

/*
 * The pair of a login for email by the client of req.  An account that waits
 * does so for one address, or after many failures for all from which it has
 * not logged in within 90 days: so nobody can keep its owner out of an address
 * that the owner uses.  What is no account waits as well.
 */
void login_backoff_pair(
    const struct req *req, const char *email, struct login_backoff_pair *p);

/*
 * See that a pair need not wait, at the cost of a look.  Returns 0, or -1
 * with req->fail set: RATE_LIMITED and its header, UNAVAILABLE.
 */
int login_backoff_check(struct req *req, struct resp *resp,
    const struct login_backoff_pair *p) __attribute__((warn_unused_result));

/*
 * Begin to check a password for email: count it as failed, in advance and on
 * every host, and read the operator into the one row of *ret, whose password
 * is null if there is none.  The failure from which on an account waits at
 * unknown addresses is counted (engine_login_guessing_total) and logged, once.
 * Returns 0, or -1 with req->fail set as by
 * login_backoff_check(): somebody may have been faster.
 */
int login_backoff_begin(struct req *req, struct resp *resp,
    const struct login_backoff_pair *p, const char *email, struct rows *ret)
    __attribute__((warn_unused_result));

/*
 * The password was right: forget the failures of the pair.  The login has
 * succeeded whatever becomes of this, so a failure is only logged.
 */
void login_backoff_clear(struct req *req, const struct login_backoff_pair *p);

#endif
