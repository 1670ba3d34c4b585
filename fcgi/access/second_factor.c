/* SPDX-License-Identifier: ISC */
/*
 * The second factor of operators: one-time passwords of an authenticator app,
 * and recovery codes.
 */
#include "config.h"

#include <string.h>

#include "core/base/fail.h"
#include "fcgi/access/second_factor.h"
#include "fcgi/http/req.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/recovery_code.h"
#include "lib/auth/token.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/clock.h"
#include "lib/sys/log.h"

#define SEAL_LABEL "assay second factor\n"
#define HASH_LABEL "assay recovery codes\n"

static int use_code(struct req *req, const char *email, const char *code,
    const uint8_t key[TOTP_KEY_SIZE], bool *ret);
static void seal_key(
    const struct token_key *secret, uint8_t ret[CRYPT_KEY_SIZE]);
static bool open_with(const struct token_key *secret, const char *email,
    const uint8_t *sealed, uint8_t ret[TOTP_KEY_SIZE]);
static void renew_seal(struct req *req, const char *email,
    const uint8_t *sealed, const uint8_t key[TOTP_KEY_SIZE]);

bool
second_factor_needed(enum role role)
{
	return strcmp(conf.SECOND_FACTOR, "all") == 0 ||
	    (strcmp(conf.SECOND_FACTOR, "admins") == 0 && role == ROLE_ADMIN);
}

int
second_factor_find(
    struct req *req, const char *email, struct second_factor *ret)
{
	struct params p;
	struct rows rows;
	size_t size;

	params_init(&p, req->arena);
	params_text(&p, email);
	if (db_run(req->db, req->arena, STMT_SECOND_FACTOR_FIND, &p, &rows,
		&req->fail) == -1)
		return -1;
	*ret = (struct second_factor) { .found = rows.n == 1 };
	if (!ret->found)
		return 0;
	ret->enabled = rows_bool(&rows, 0, "enabled");
	ret->sealed = rows_bytes(&rows, 0, "sealed_key", &size);
	return 0;
}

int
second_factor_check(
    struct req *req, const char *email, const char *code, enum code *ret)
{
	struct second_factor factor;
	uint8_t key[TOTP_KEY_SIZE];
	bool right, stale;
	int got;

	*ret = CODE__NONE;
	if (second_factor_find(req, email, &factor) == -1)
		return -1;
	if (!factor.found || !factor.enabled)
		return 0;
	*ret = CODE_REQUIRED;
	if (code == NULL)
		return 0;
	if (second_factor_open(req, email, factor.sealed, key, &stale) == -1)
		return -1;
	got = use_code(req, email, code, key, &right);
	if (got == 0 && right && stale)
		renew_seal(req, email, factor.sealed, key);
	*ret = got == 0 && right ? CODE__NONE : CODE_WRONG;
	crypt_wipe(key, sizeof(key));
	return got;
}

int
second_factor_seal(struct req *req, const char *email,
    const uint8_t key[TOTP_KEY_SIZE], uint8_t ret[SECOND_FACTOR_SEALED_SIZE])
{
	struct token_keys secrets;
	uint8_t seal[CRYPT_KEY_SIZE];

	if (token_keys_load(&secrets, req->arena, &req->fail) == -1)
		return -1;
	seal_key(&secrets.key[0], seal);
	crypt_seal(seal, email, key, TOTP_KEY_SIZE, ret);
	crypt_wipe(seal, sizeof(seal));
	return 0;
}

int
second_factor_open(struct req *req, const char *email, const uint8_t *sealed,
    uint8_t ret[TOTP_KEY_SIZE], bool *ret_stale)
{
	struct token_keys secrets;
	size_t i;

	if (token_keys_load(&secrets, req->arena, &req->fail) == -1)
		return -1;
	for (i = 0; i < secrets.n; i++)
		if (open_with(&secrets.key[i], email, sealed, ret)) {
			*ret_stale = i > 0;
			return 0;
		}
	return fail_set(&req->fail, FAIL_US, INTERNAL, NULL,
	    "AUTH_SECRET does not open the second factor of an operator; add "
	    "the earlier secret to AUTH_SECRET_PREVIOUS, or reset the second "
	    "factor");
}

void
second_factor_hash(const uint8_t key[TOTP_KEY_SIZE], const char *code,
    uint8_t ret[CRYPT_SHA256_SIZE])
{
	uint8_t derived[CRYPT_KEY_SIZE];

	crypt_derive(key, TOTP_KEY_SIZE, HASH_LABEL, derived);
	crypt_hmac(derived, sizeof(derived), code, strlen(code), ret);
	crypt_wipe(derived, sizeof(derived));
}

/* Use a one-time password or a recovery code up; *ret is whether it is right.
 */
static int
use_code(struct req *req, const char *email, const char *code,
    const uint8_t key[TOTP_KEY_SIZE], bool *ret)
{
	const int64_t step = totp_match(key, code, clock_now());
	uint8_t hash[CRYPT_SHA256_SIZE];
	char recovery[RECOVERY_CODE_SIZE];
	enum stmt stmt;
	struct params p;
	struct rows rows;

	*ret = false;
	params_init(&p, req->arena);
	params_text(&p, email);
	if (step != -1) {
		stmt = STMT_SECOND_FACTOR_ACCEPT;
		params_int(&p, step);
	} else if (recovery_code_read(code, recovery)) {
		stmt = STMT_SECOND_FACTOR_RECOVER;
		second_factor_hash(key, recovery, hash);
		params_bytes(&p, hash, sizeof(hash));
	} else {
		return 0;
	}
	if (db_one(req->db, req->arena, stmt, &p, &rows, &req->fail) == -1)
		return -1;
	*ret = rows_bool(&rows, 0, "accepted");
	return 0;
}

/* Derive the key that encrypts the keys of operators. */
static void
seal_key(const struct token_key *secret, uint8_t ret[CRYPT_KEY_SIZE])
{
	crypt_derive(secret->secret, secret->size, SEAL_LABEL, ret);
}

static bool
open_with(const struct token_key *secret, const char *email,
    const uint8_t *sealed, uint8_t ret[TOTP_KEY_SIZE])
{
	uint8_t seal[CRYPT_KEY_SIZE];
	int got;

	seal_key(secret, seal);
	got = crypt_open(seal, email, sealed, TOTP_KEY_SIZE, ret);
	crypt_wipe(seal, sizeof(seal));
	return got == 0;
}

/*
 * Encrypt a key under the present AUTH_SECRET, so that the earlier secret can
 * be removed later.  Only log a failure, because the code was right.
 */
static void
renew_seal(struct req *req, const char *email, const uint8_t *sealed,
    const uint8_t key[TOTP_KEY_SIZE])
{
	uint8_t renewed[SECOND_FACTOR_SEALED_SIZE];
	struct fail f = { 0 };
	struct params p;

	if (second_factor_seal(req, email, key, renewed) == -1)
		return;
	params_init(&p, req->arena);
	params_text(&p, email);
	params_bytes(&p, sealed, SECOND_FACTOR_SEALED_SIZE);
	params_bytes(&p, renewed, sizeof(renewed));
	if (db_run(req->db, req->arena, STMT_SECOND_FACTOR_RESEAL, &p, NULL,
		&f) == -1)
		log_warn("event=second_factor_reseal_failed why=%s", f.why);
}
