/* SPDX-License-Identifier: ISC */
/*
 * The second factor of operators: one-time passwords of an authenticator app,
 * and recovery codes.
 *
 * The database has the key of an operator only encrypted, under a key that is
 * derived from AUTH_SECRET and bound to the operator's email.  Recovery codes
 * are hashed with a key that is derived from the operator's key, so a new
 * AUTH_SECRET does not invalidate them.
 */
#ifndef FCGI_ACCESS_SECOND_FACTOR_H
#define FCGI_ACCESS_SECOND_FACTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/fail.h"
#include "lib/auth/token.h"
#include "lib/auth/totp.h"
#include "lib/sys/crypt.h"

struct req;

#define SECOND_FACTOR_CODE_MAX 32 /* bytes of a code in a request */
#define SECOND_FACTOR_SEALED_SIZE CRYPT_SEALED_SIZE(TOTP_KEY_SIZE)

/* The key of an operator, as it is stored. */
struct second_factor {
	bool found; /* else the rest is not set */
	bool enabled; /* else it was offered within the last minutes */
	const uint8_t *sealed; /* SECOND_FACTOR_SEALED_SIZE bytes */
};

/*
 * Return whether operators with this role must enable a second factor, which
 * SECOND_FACTOR says.
 */
bool second_factor_needed(enum role role);

/*
 * Read the key of an operator.  Return 0, or -1 with req->fail set.
 */
int second_factor_find(struct req *req, const char *email,
    struct second_factor *ret) __attribute__((warn_unused_result));

/*
 * Check the code that accompanies the right password of an operator, or the
 * session of one, and use it up.  code may be NULL.  Set *ret to CODE__NONE if
 * the code is right or the operator has no second factor, else to
 * CODE_REQUIRED or CODE_WRONG.  The caller limits guesses.  Return 0, or -1
 * with req->fail set.
 */
int second_factor_check(struct req *req, const char *email, const char *code,
    enum code *ret) __attribute__((warn_unused_result));

/* Encrypt the key of an operator.  Return 0, or -1 with req->fail set. */
int second_factor_seal(struct req *req, const char *email,
    const uint8_t key[TOTP_KEY_SIZE], uint8_t ret[SECOND_FACTOR_SEALED_SIZE])
    __attribute__((warn_unused_result));

/*
 * Decrypt the key of an operator; the caller wipes it.  *ret_stale is true if
 * it is encrypted under a secret of AUTH_SECRET_PREVIOUS.  Return 0, or -1 with
 * req->fail set: INTERNAL if no secret opens it.
 */
int second_factor_open(struct req *req, const char *email,
    const uint8_t *sealed, uint8_t ret[TOTP_KEY_SIZE], bool *ret_stale)
    __attribute__((warn_unused_result));

/* Hash a recovery code, as recovery_code_make() writes it, for a key. */
void second_factor_hash(const uint8_t key[TOTP_KEY_SIZE], const char *code,
    uint8_t ret[CRYPT_SHA256_SIZE]);

#endif
