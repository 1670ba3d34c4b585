/* SPDX-License-Identifier: ISC */
/* assayctl doctor: whether the Redis of REDIS_URL counts for the pool. */
#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/fail.h"
#include "ctl/doctor/doctor.h"
#include "lib/conf/conf.h"
#include "lib/net/redis.h"
#include "lib/sys/clock.h"

#define REDIS_WAIT (2 * CLOCK_SECOND)

/* Run a script that changes nothing, as the pool runs its own. */
void
doctor_redis(struct doctor *d, struct finding *ret)
{
	struct redis_integer one = { .min = 1, .max = 1 };
	_Atomic int64_t breaker = 0;
	struct fail f = { 0 };
	struct redis *redis;
	void (*before)(int);

	(void)d;
	if (conf.REDIS_URL == NULL) {
		finding_text(ret, "REDIS_URL is not set");
		return;
	}
	/* A write over TLS to a server that is gone would end the program. */
	before = signal(SIGPIPE, SIG_IGN);
	redis = redis_open(
	    conf.REDIS_URL, conf.REDIS_CA_FILE, REDIS_WAIT, &breaker, &f);
	if (redis != NULL &&
	    redis_eval(redis, "return {1}", "assay:doctor", 0, &one, 1, &f) ==
		REDIS_ANSWERED)
		finding_text(ret, "it answers");
	else
		finding_raise(ret, DOCTOR_WARN, "%s", f.why);
	redis_close(redis);
	signal(SIGPIPE, before);
}
