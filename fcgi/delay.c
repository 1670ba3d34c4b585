/* SPDX-License-Identifier: ISC */
/* Logins that failed make an account wait, for the address they came from. */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "core/fail.h"
#include "fcgi/delay.h"
#include "fcgi/limit.h"
#include "fcgi/password.h"
#include "fcgi/req.h"
#include "fcgi/resp.h"
#include "fcgi/worker.h"
#include "lib/conf.h"
#include "lib/log.h"
#include "lib/metric.h"
#include "lib/shm.h"

#define LABEL "assay login pair\n"

static int wait_for(struct req *req, struct resp *resp, int64_t seconds);

void
delay_pair(const struct req *req, const char *email, struct delay_pair *p)
{
	uint8_t key[CRYPT_SHA256_SIZE];
	uint8_t both[CRYPT_SHA256_SIZE + PASSWORD_EMAIL_MAX];
	const size_t n = strlen(email);

	assert(n <= PASSWORD_EMAIL_MAX);
	limit_address(conf.AUTH_SECRET, req->client_ip, both);
	memcpy(both + CRYPT_SHA256_SIZE, email, n);
	crypt_hmac(conf.AUTH_SECRET, strlen(conf.AUTH_SECRET), LABEL,
	    sizeof(LABEL) - 1, key);
	crypt_hmac(key, sizeof(key), both, CRYPT_SHA256_SIZE + n, p->hash);
}

int
delay_check(struct req *req, struct resp *resp, const struct delay_pair *p)
{
	struct params params;
	struct rows rows;

	params_init(&params, req->arena);
	params_bytes(&params, p->hash, sizeof(p->hash));
	if (worker_db(req->worker, &req->fail) == -1 ||
	    db_one(req->worker->db, req->arena, STMT_LOGIN_WAIT, &params, &rows,
		&req->fail) == -1)
		return -1;
	return wait_for(req, resp, rows_get_int(&rows, "wait"));
}

int
delay_begin(struct req *req, struct resp *resp, const struct delay_pair *p,
    const char *email, struct rows *ret)
{
	struct params params;

	params_init(&params, req->arena);
	params_text(&params, email);
	params_bytes(&params, p->hash, sizeof(p->hash));
	if (db_one(req->worker->db, req->arena, STMT_LOGIN_TRY, &params, ret,
		&req->fail) == -1)
		return -1;
	return wait_for(req, resp, rows_get_int(ret, "wait"));
}

void
delay_clear(struct req *req, const struct delay_pair *p)
{
	struct fail f = { 0 };
	struct params params;

	params_init(&params, req->arena);
	params_bytes(&params, p->hash, sizeof(p->hash));
	if (db_run(req->worker->db, req->arena, STMT_LOGIN_CLEAR, &params, NULL,
		&f) == -1)
		log_warn("delay=stays why=%s", f.why);
}

static int
wait_for(struct req *req, struct resp *resp, int64_t seconds)
{
	if (seconds == 0)
		return 0;
	metric_add(req->worker->slot, METRIC_ID_LIMITED, 1, 0, 1);
	resp_header(req, resp, "Retry-After: %lld", (long long)seconds);
	return fail_set(&req->fail, FAIL_DENIED, RATE_LIMITED, NULL,
	    "too many logins have failed; try again later");
}
