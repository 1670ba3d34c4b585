/* SPDX-License-Identifier: ISC */
/* The audit trail: each change that an operator makes, and each refused one. */
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/pan.h"
#include "fcgi/access/rate_limit.h"
#include "fcgi/gate/audit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/http/route_type.h"
#include "fcgi/http/sql_reply.h"
#include "fcgi/http/url_decode.h"
#include "fcgi/worker/worker.h"
#include "lib/audit/audit_redact.h"
#include "lib/conf/conf.h"
#include "lib/db/db.h"
#include "lib/sys/crypt.h"
#include "lib/sys/log.h"

#define ACTION_MAX 256 /* bytes of a path */
#define ACCOUNT_LABEL "assay account\n"
#define PSEUDONYM_BYTES 8 /* of a hash that names an account or a client */

static void log_login(struct req *req, const char *event, const char *email,
    char ret[2 * PSEUDONYM_BYTES + 1]);
static void hash_account(const char *email, uint8_t ret[CRYPT_SHA256_SIZE]);
static void put_path(struct str *s, const char *path);
static void put_segment(struct str *s, const char *p, size_t n);
static bool segment_has_pan(const char *p, size_t n);

int
audit_handle(struct req *req, struct resp *resp)
{
	if (sql_reply_none(req, STMT_BEGIN) == -1)
		return -1;
	if (req->route->handler(req, resp) == -1 ||
	    (!req->change->part_committed &&
		audit_add_entry(req, resp->status, &req->fail) == -1)) {
		db_rollback(req->db);
		return -1;
	}
	if (sql_reply_none(req, STMT_COMMIT) == -1)
		return -1;
	if (req->change->committed != NULL)
		req->change->committed(req);
	return 0;
}

int
audit_add_entry(struct req *req, int status, struct fail *f)
{
	struct json_object *audited = req->change->audited;
	struct str action, body;
	struct params p;

	str_init(&action, req->arena);
	str_addf(&action, "%s ", req_method_name(req->method));
	put_path(&action, req->path);
	str_init(&body, req->arena);
	audit_redact_body(&body, audited == NULL ? req->json : audited);
	if (str_text(&action) == NULL || str_text(&body) == NULL)
		return fail_memory(f);

	params_init(&p, req->arena);
	params_text(&p, req->operator.email);
	params_text(&p, str_text(&action));
	params_int(&p, status);
	params_text(&p, str_text(&body));
	return db_run(req->db, req->arena, STMT_AUDIT_ADD, &p, NULL, f);
}

int
audit_checkpoint(struct req *req)
{
	if (!req->change->part_committed &&
	    req->change->rehearsal == REHEARSAL_NONE &&
	    audit_add_entry(req, 200, &req->fail) == -1)
		return -1;
	if (audit_suspend(req) == -1)
		return -1;
	req->change->part_committed = true;
	return audit_resume(req);
}

int
audit_suspend(struct req *req)
{
	if (req->change->rehearsal == REHEARSAL_RUNS) {
		req->change->rehearsal = REHEARSAL_DONE;
		return -1;
	}
	if (sql_reply_none(req, STMT_COMMIT) == -1)
		return -1;
	req->change->suspended = true;
	return 0;
}

int
audit_resume(struct req *req)
{
	return sql_reply_none(req, STMT_BEGIN);
}

void
audit_refused(struct req *req)
{
	const bool known = req->operator.email != NULL;
	struct fail f = { 0 };

	if (!known ||
	    (req->fail.code == UNAVAILABLE && !req->change->part_committed))
		return;
	if (audit_add_entry(req, fail_code_status(req->fail.code), &f) == -1)
		log_warn("event=audit_write_failed why=%s", f.why);
}

int
audit_login(struct req *req, const char *email, enum code refusal)
{
	char account[2 * PSEUDONYM_BYTES + 1];
	struct params p;

	if (refusal != CODE__NONE)
		log_login(req, "login_code_required", email, account);
	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, "POST /v1/auth/login");
	params_int(&p, refusal == CODE__NONE ? 200 : fail_code_status(refusal));
	params_text(&p, "{}");
	return db_run(
	    req->db, req->arena, STMT_AUDIT_ADD, &p, NULL, &req->fail);
}

void
audit_login_failed(struct req *req, const char *email)
{
	char account[2 * PSEUDONYM_BYTES + 1];
	struct fail f = { 0 };
	struct params p;

	log_login(req, "login_refused", email, account);
	params_init(&p, req->arena);
	params_text(&p, email);
	params_text(&p, account);
	if (db_run(req->db, req->arena, STMT_AUDIT_LOGIN_FAILED, &p, NULL,
		&f) == -1)
		log_warn("event=audit_write_failed why=%s", f.why);
}

/* Log a login with the keyed hashes of its account, also in ret, and client. */
static void
log_login(struct req *req, const char *event, const char *email,
    char ret[2 * PSEUDONYM_BYTES + 1])
{
	uint8_t hash[CRYPT_SHA256_SIZE];
	char client[2 * PSEUDONYM_BYTES + 1];

	hash_account(email, hash);
	crypt_hex(hash, PSEUDONYM_BYTES, ret);
	rate_limit_address(conf.AUTH_SECRET, req->client_ip, hash);
	crypt_hex(hash, PSEUDONYM_BYTES, client);
	log_info("event=%s account=%s client=%s", event, ret, client);
}

/* Hash an email with a secret that all hosts have. */
static void
hash_account(const char *email, uint8_t ret[CRYPT_SHA256_SIZE])
{
	uint8_t key[CRYPT_SHA256_SIZE];

	crypt_hmac(conf.AUTH_SECRET, strlen(conf.AUTH_SECRET), ACCOUNT_LABEL,
	    sizeof(ACCOUNT_LABEL) - 1, key);
	crypt_hmac(key, sizeof(key), email, strlen(email), ret);
}

/*
 * Append a path with everything but visible ASCII percent-encoded.  Replace a
 * segment that contains a full card number.
 */
static void
put_path(struct str *s, const char *path)
{
	const size_t size = strnlen(path, ACTION_MAX);
	size_t i, end;

	for (i = 0; i < size; i = end) {
		end = i + 1 + strcspn(path + i + 1, "/");
		if (segment_has_pan(path + i, end - i))
			str_add(s, "/" AUDIT_REDACT_CARD);
		else
			put_segment(s, path + i, (end < size ? end : size) - i);
	}
}

static void
put_segment(struct str *s, const char *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (p[i] > ' ' && p[i] <= '~')
			str_addc(s, p[i]);
		else
			str_addf(s, "%%%02X", (unsigned char)p[i]);
}

/*
 * Return whether a segment, as sent or decoded, contains a card number.  Of a
 * long segment check only the beginning, because no more of it is stored.
 */
static bool
segment_has_pan(const char *p, size_t n)
{
	char decoded[ACTION_MAX + PAN_SIZE_MAX * 3 + 1];
	int got;

	if (n >= sizeof(decoded))
		n = sizeof(decoded) - 1;
	got = url_decode(p, n, false, decoded, sizeof(decoded) - 1);
	return pan_in_text(p, n) ||
	    (got > 0 && pan_in_text(decoded, (size_t)got));
}
