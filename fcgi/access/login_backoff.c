/* SPDX-License-Identifier: ISC */
/*
 * Delay logins after failures: of one account from one client address, and
 * after many failures of one account from all addresses from which it has not
 * logged in.
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/base/fail.h"
#include "fcgi/access/login_backoff.h"
#include "fcgi/access/password.h"
#include "fcgi/access/rate_limit.h"
#include "fcgi/http/req.h"
#include "fcgi/http/resp.h"
#include "fcgi/worker/worker.h"
#include "lib/conf/conf.h"
#include "lib/shared/metric.h"
#include "lib/sys/log.h"

#define PAIR_LABEL "assay login pair\n"
#define ACCOUNT_LABEL "assay login account\n"

static void hash_labelled(const char *label, const void *data, size_t size,
    uint8_t ret[CRYPT_SHA256_SIZE]);
static void settle_attempt(
    struct req *req, const struct login_backoff_pair *p, enum stmt stmt);
static void put_hashes(
    struct params *params, const struct login_backoff_pair *p);
static int refuse_waiting(struct req *req, struct resp *resp, int64_t seconds);

void
login_backoff_pair(
    const struct req *req, const char *email, struct login_backoff_pair *p)
{
	uint8_t both[CRYPT_SHA256_SIZE + PASSWORD_EMAIL_MAX];
	const size_t n = strlen(email);

	assert(n <= PASSWORD_EMAIL_MAX);
	rate_limit_address(conf.AUTH_SECRET, req->client_ip, both);
	memcpy(both + CRYPT_SHA256_SIZE, email, n);
	hash_labelled(PAIR_LABEL, both, CRYPT_SHA256_SIZE + n, p->hash);
	hash_labelled(ACCOUNT_LABEL, email, n, p->account);
}

int
login_backoff_check(
    struct req *req, struct resp *resp, const struct login_backoff_pair *p)
{
	struct params params;
	struct rows rows;

	params_init(&params, req->arena);
	put_hashes(&params, p);
	if (worker_db(req->worker, &req->fail) == -1 ||
	    db_one(req->db, req->arena, STMT_LOGIN_WAIT, &params, &rows,
		&req->fail) == -1)
		return -1;
	return refuse_waiting(req, resp, rows_int(&rows, 0, "wait"));
}

int
login_backoff_begin(struct req *req, struct resp *resp,
    const struct login_backoff_pair *p, const char *email, struct rows *ret)
{
	struct params params;

	params_init(&params, req->arena);
	params_text(&params, email);
	put_hashes(&params, p);
	if (db_one(req->db, req->arena, STMT_LOGIN_TRY, &params, ret,
		&req->fail) == -1)
		return -1;
	if (rows_bool(ret, 0, "guessed")) {
		metric_add(req->worker->slot, METRIC_ID_GUESSED, 0, 0, 1);
		log_warn("event=login_guessing why=many logins of one account "
			 "have failed; it is delayed at unknown addresses");
	}
	return refuse_waiting(req, resp, rows_int(ret, 0, "wait"));
}

void
login_backoff_clear(struct req *req, const struct login_backoff_pair *p)
{
	settle_attempt(req, p, STMT_LOGIN_CLEAR);
}

void
login_backoff_undo(struct req *req, const struct login_backoff_pair *p)
{
	settle_attempt(req, p, STMT_LOGIN_UNDO);
}

/* Hash data with a key that is derived from the secret for this label. */
static void
hash_labelled(const char *label, const void *data, size_t size,
    uint8_t ret[CRYPT_SHA256_SIZE])
{
	uint8_t key[CRYPT_SHA256_SIZE];

	crypt_hmac(conf.AUTH_SECRET, strlen(conf.AUTH_SECRET), label,
	    strlen(label), key);
	crypt_hmac(key, sizeof(key), data, size, ret);
}

/* Run the statement after an attempt that was no failure. */
static void
settle_attempt(
    struct req *req, const struct login_backoff_pair *p, enum stmt stmt)
{
	struct fail f = { 0 };
	struct params params;

	params_init(&params, req->arena);
	put_hashes(&params, p);
	if (db_run(req->db, req->arena, stmt, &params, NULL, &f) == -1)
		log_warn("event=login_backoff_clear_failed why=%s", f.why);
}

static void
put_hashes(struct params *params, const struct login_backoff_pair *p)
{
	params_bytes(params, p->hash, sizeof(p->hash));
	params_bytes(params, p->account, sizeof(p->account));
}

static int
refuse_waiting(struct req *req, struct resp *resp, int64_t seconds)
{
	if (seconds == 0)
		return 0;
	metric_add(req->worker->slot, METRIC_ID_LIMITED, 1, 0, 1);
	resp_header(req, resp, "Retry-After: %lld", (long long)seconds);
	return fail_set(&req->fail, FAIL_DENIED, RATE_LIMITED, NULL,
	    "too many logins have failed; try again later");
}
