/* SPDX-License-Identifier: ISC */
/* A build without Redis: conf.c refuses REDIS_URL, so nothing calls this. */
#include "config.h"

#include "core/base/fail.h"
#include "lib/net/redis.h"

struct redis *
redis_open(const char *url, const char *ca_file, int64_t timeout,
    _Atomic int64_t *breaker, struct fail *f)
{
	(void)url;
	(void)ca_file;
	(void)timeout;
	(void)breaker;
	fail_set(f, FAIL_INPUT, INVALID_REQUEST, "REDIS_URL",
	    "is set, but this build has no Redis");
	return NULL;
}

void
redis_close(struct redis *r)
{
	(void)r;
}

enum redis_got
redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, int64_t *ret, size_t n, struct fail *f)
{
	(void)r;
	(void)script;
	(void)key;
	(void)argument;
	(void)ret;
	(void)n;
	(void)f;
	return REDIS_AWAY;
}
