/* SPDX-License-Identifier: ISC */
/*
 * Delay logins after failures: of one account from one client address, and
 * after many failures of one account from all addresses from which it has not
 * logged in.
 */
#ifndef FCGI_ACCESS_LOGIN_BACKOFF_H
#define FCGI_ACCESS_LOGIN_BACKOFF_H

#include <stdint.h>

#include "lib/db/db.h"
#include "lib/sys/crypt.h"

struct req;
struct resp;

/* An account and a client address as hashes that need AUTH_SECRET. */
struct login_backoff_pair {
	uint8_t hash[CRYPT_SHA256_SIZE]; /* of both */
	uint8_t account[CRYPT_SHA256_SIZE]; /* of the account alone */
};

/*
 * Hash the account and the client address of a login.  After failed logins an
 * account is delayed for one address, and after many also for all addresses
 * from which it has not logged in within 90 days.  So no attacker can lock the
 * owner out of an address that the owner uses.  Unknown accounts are delayed
 * too.
 */
void login_backoff_pair(
    const struct req *req, const char *email, struct login_backoff_pair *p);

/*
 * Check that a login of this pair is not delayed now.  Return 0, or -1 with
 * req->fail set: RATE_LIMITED with Retry-After, or UNAVAILABLE.
 */
int login_backoff_check(struct req *req, struct resp *resp,
    const struct login_backoff_pair *p) __attribute__((warn_unused_result));

/*
 * Before a password for email is checked, count the login as failed in the
 * database, so that concurrent guesses on all hosts count.  Read the operator
 * into the one row of *ret; its password is null if there is no such operator.
 * Count (engine_login_guessing_total) and log, once, that the account is now
 * delayed at unknown addresses.  Return 0, or -1 with req->fail set as by
 * login_backoff_check(), because a concurrent login may have failed meanwhile.
 */
int login_backoff_begin(struct req *req, struct resp *resp,
    const struct login_backoff_pair *p, const char *email, struct rows *ret)
    __attribute__((warn_unused_result));

/*
 * Forget the failures of the pair after a correct password.  Only log an error,
 * because the login has succeeded.
 */
void login_backoff_clear(struct req *req, const struct login_backoff_pair *p);

/*
 * Do not count an attempt that login_backoff_begin() counted, because it was no
 * guess; earlier failures stay.  Only log an error, because the attempt then
 * counts as a failure.
 */
void login_backoff_undo(struct req *req, const struct login_backoff_pair *p);

#endif
