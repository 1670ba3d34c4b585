/* SPDX-License-Identifier: ISC */
/* /v1/auth/second-factor: operators enable and disable their second factor. */
#include "config.h"

#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "fcgi/access/auth.h"
#include "fcgi/access/login_backoff.h"
#include "fcgi/access/qr_code.h"
#include "fcgi/access/second_factor.h"
#include "fcgi/ep/routes.h"
#include "fcgi/gate/audit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/worker/worker.h"
#include "lib/auth/recovery_code.h"
#include "lib/auth/token.h"
#include "lib/db/db.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"

#define N_RECOVERY_CODES 10
#define URI_LABEL "otpauth://totp/Assay:"

static int answer_offer(
    struct req *req, struct resp *resp, const uint8_t key[TOTP_KEY_SIZE]);
static void put_escaped(struct str *s, const char *text);
static int count_guess(
    struct req *req, struct resp *resp, struct login_backoff_pair *ret);
static int match_offer(struct req *req, const struct second_factor *factor,
    uint8_t ret_key[TOTP_KEY_SIZE], int64_t *ret_step);
static int enable_key(struct req *req, struct resp *resp,
    const struct second_factor *factor, const uint8_t key[TOTP_KEY_SIZE],
    int64_t step);
static int renew_session(struct req *req, struct resp *resp, struct str *s);

static const struct body_field fields[] = {
	{ "code", BODY_OPAQUE, BODY_REQUIRED, 1, SECOND_FACTOR_CODE_MAX },
};

/*
 * POST /v1/auth/second-factor.  200: a new key for an authenticator app, which
 * has no effect until it is enabled with its code; 409: one is enabled already.
 */
int
second_factor_offer(struct req *req, struct resp *resp)
{
	uint8_t key[TOTP_KEY_SIZE], sealed[SECOND_FACTOR_SEALED_SIZE];
	struct params p;
	struct rows rows;
	int got;

	crypt_random(key, sizeof(key));
	got = second_factor_seal(req, req->operator.email, key, sealed);
	params_init(&p, req->arena);
	params_text(&p, req->operator.email);
	params_bytes(&p, sealed, sizeof(sealed));
	if (got == 0)
		got = db_one(req->db, req->arena, STMT_SECOND_FACTOR_OFFER, &p,
		    &rows, &req->fail);
	if (got == 0)
		got = sql_reply_refused(req, &rows);
	if (got == 0)
		got = answer_offer(req, resp, key);
	crypt_wipe(key, sizeof(key));
	return got;
}

/*
 * POST /v1/auth/second-factor/enable.  200: all sessions have ended; a token of
 * a new session, and the recovery codes, which are never shown again; 403: the
 * code is not of the key that was offered; 404: none was offered within 10
 * minutes; 409: one is enabled already; 429: too many codes were wrong.
 */
int
second_factor_enable(struct req *req, struct resp *resp)
{
	struct second_factor factor;
	struct login_backoff_pair pair;
	uint8_t key[TOTP_KEY_SIZE];
	int64_t step;
	int got;

	/* The count of guesses must be committed whatever follows. */
	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    audit_suspend(req) == -1 ||
	    second_factor_find(req, req->operator.email, &factor) == -1)
		return -1;
	if (!factor.found || factor.enabled)
		return fail_set(&req->fail, FAIL_INPUT,
		    factor.found ? SECOND_FACTOR_EXISTS : SECOND_FACTOR_MISSING,
		    NULL, "%s", "");
	if (count_guess(req, resp, &pair) == -1 ||
	    match_offer(req, &factor, key, &step) == -1)
		return -1;
	login_backoff_undo(req, &pair);
	got = audit_resume(req);
	if (got == 0)
		got = enable_key(req, resp, &factor, key, step);
	crypt_wipe(key, sizeof(key));
	return got;
}

/*
 * POST /v1/auth/second-factor/disable.  200: the sender has none any more; 403:
 * the code is wrong; 404: there was none; 429: too many codes were wrong.
 */
int
second_factor_disable(struct req *req, struct resp *resp)
{
	const char *email = req->operator.email;
	struct login_backoff_pair pair;
	struct second_factor factor;
	struct params p;
	enum code wrong;

	if (body_check(req->json, fields, nitems(fields), &req->fail) == -1 ||
	    audit_suspend(req) == -1 ||
	    second_factor_find(req, email, &factor) == -1)
		return -1;

	/* Or else, one that is enabled meanwhile would be removed unasked. */
	if (!factor.found || !factor.enabled)
		return fail_set(&req->fail, FAIL_INPUT, SECOND_FACTOR_MISSING,
		    NULL, "%s", "");
	if (count_guess(req, resp, &pair) == -1 ||
	    second_factor_check(
		req, email, body_string(req->json, "code"), &wrong) == -1)
		return -1;
	if (wrong != CODE__NONE)
		return fail_set(&req->fail, FAIL_DENIED, wrong, NULL, "%s", "");
	login_backoff_undo(req, &pair);
	if (audit_resume(req) == -1)
		return -1;
	params_init(&p, req->arena);
	params_text(&p, email);
	return sql_reply_write(req, resp, 200, STMT_SECOND_FACTOR_REMOVE, &p);
}

/* Answer with a key as text, as URI and as QR code. */
static int
answer_offer(
    struct req *req, struct resp *resp, const uint8_t key[TOTP_KEY_SIZE])
{
	char text[TOTP_KEY_TEXT_SIZE];
	struct str uri, path, s;
	int size;

	totp_key_text(key, text);
	str_init(&uri, req->arena);
	str_add(&uri, URI_LABEL);
	put_escaped(&uri, req->operator.email);
	str_addf(&uri, "?secret=%s&issuer=Assay", text);
	str_init(&path, req->arena);
	if (str_text(&uri) == NULL ||
	    qr_code_path(&path, str_text(&uri), &size) == -1 ||
	    str_text(&path) == NULL)
		return fail_memory(&req->fail);

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_text(&s, "secret", text);
	writer_text(&s, "uri", str_text(&uri));
	writer_object(&s, "qr");
	writer_int(&s, "size", size);
	writer_text(&s, "path", str_text(&path));
	writer_end(&s);
	writer_end(&s);
	resp_header(req, resp, "Cache-Control: no-store");
	return resp_json(req, resp, 200, str_text(&s));
}

/* Append a text percent-encoded, but for unreserved characters (RFC 3986). */
static void
put_escaped(struct str *s, const char *text)
{
	for (; *text != '\0'; text++)
		if ((*text >= 'a' && *text <= 'z') ||
		    (*text >= 'A' && *text <= 'Z') ||
		    (*text >= '0' && *text <= '9') ||
		    strchr("-._~", *text) != NULL)
			str_addc(s, *text);
		else
			str_addf(s, "%%%02X", (unsigned char)*text);
}

/*
 * Count a code of the session's operator as a failed login, until it turns out
 * to be right.  Only a login clears earlier failures.
 */
static int
count_guess(struct req *req, struct resp *resp, struct login_backoff_pair *ret)
{
	struct rows rows;

	login_backoff_pair(req, req->operator.email, ret);
	return login_backoff_begin(req, resp, ret, req->operator.email, &rows);
}

/* Decrypt the offered key and find the step of the body's code. */
static int
match_offer(struct req *req, const struct second_factor *factor,
    uint8_t ret_key[TOTP_KEY_SIZE], int64_t *ret_step)
{
	bool stale;

	if (second_factor_open(req, req->operator.email, factor->sealed,
		ret_key, &stale) == -1)
		return -1;
	*ret_step =
	    totp_match(ret_key, body_string(req->json, "code"), clock_now());
	return *ret_step != -1
	    ? 0
	    : fail_set(&req->fail, FAIL_DENIED, CODE_WRONG, NULL, "%s", "");
}

/*
 * Enable the offered key, and answer with a new token and recovery codes.  The
 * other sessions gave no code, so they end.
 */
static int
enable_key(struct req *req, struct resp *resp,
    const struct second_factor *factor, const uint8_t key[TOTP_KEY_SIZE],
    int64_t step)
{
	uint8_t hash[N_RECOVERY_CODES][CRYPT_SHA256_SIZE];
	const void *hashes[N_RECOVERY_CODES];
	size_t i, sizes[N_RECOVERY_CODES];
	char code[RECOVERY_CODE_SIZE];
	struct params p;
	struct rows rows;
	struct str s;

	str_init(&s, req->arena);
	writer_object(&s, NULL);
	writer_array(&s, "recoveryCodes");
	for (i = 0; i < N_RECOVERY_CODES; i++) {
		recovery_code_make(code);
		writer_text(&s, NULL, code);
		second_factor_hash(key, code, hash[i]);
		hashes[i] = hash[i];
		sizes[i] = CRYPT_SHA256_SIZE;
	}
	writer_end(&s);

	params_init(&p, req->arena);
	params_text(&p, req->operator.email);
	params_bytes(&p, factor->sealed, SECOND_FACTOR_SEALED_SIZE);
	params_int(&p, step);
	params_blobs(&p, hashes, sizes, N_RECOVERY_CODES);
	if (db_one(req->db, req->arena, STMT_SECOND_FACTOR_ENABLE, &p, &rows,
		&req->fail) == -1 ||
	    sql_reply_refused(req, &rows) == -1 ||
	    renew_session(req, resp, &s) == -1)
		return -1;
	writer_end(&s);
	return resp_json(req, resp, 200, str_text(&s));
}

/*
 * End all sessions of the sender, and append a token that continues this one.
 * A logout that another request commits meanwhile counts: that of this session
 * makes the request fail, and that of all sessions makes the token invalid.
 */
static int
renew_session(struct req *req, struct resp *resp, struct str *s)
{
	const struct token t = { .email = req->operator.email,
		.role = req->operator.role,
		.session = req->operator.session + 1,
		.given_at = req->operator.given_at,
		.web = req->operator.web };

	if (auth_revoke(req) == -1 || auth_revoke_all(req) == -1)
		return -1;
	return auth_issue(req, resp, &t, s);
}
