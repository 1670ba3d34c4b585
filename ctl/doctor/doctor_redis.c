/* SPDX-License-Identifier: ISC */
/* assayctl doctor: whether the Redis of REDIS_URL counts for the pool. */
#include "config.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/fail.h"
#include "ctl/doctor/doctor.h"
#include "lib/conf/conf.h"
#include "lib/conf/redis_url.h"
#include "lib/net/redis.h"
#include "lib/sys/clock.h"

#define REDIS_WAIT (2 * CLOCK_SECOND)

static void ask_servers(const struct redis_url *url, struct redis *redis,
    struct redis_shared *shared, struct finding *ret);

/*
 * A script that changes nothing: the key does not exist.  A replica refuses it,
 * because the command is one that writes.
 */
static const char writing[] = "redis.call('PEXPIREAT', KEYS[1], 0)\n"
			      "return { 1 }\n";

void
doctor_redis(struct doctor *d, struct finding *ret)
{
	struct redis_shared shared = { 0 };
	struct fail f = { 0 };
	const char *why = "is not set";
	struct redis_url url;
	struct redis *redis;
	void (*before)(int);

	(void)d;
	if (conf.REDIS_URL == NULL ||
	    redis_url_parse(conf.REDIS_URL, &url, &why) == -1) {
		finding_text(ret, "REDIS_URL %s", why);
		return;
	}
	/* A write over TLS to a server that is gone would end the program. */
	before = signal(SIGPIPE, SIG_IGN);
	redis = redis_open(
	    conf.REDIS_URL, conf.REDIS_CA_FILE, REDIS_WAIT, &shared, &f);
	if (redis == NULL)
		finding_raise(ret, DOCTOR_WARN, "%s", f.why);
	else
		ask_servers(&url, redis, &shared, ret);
	redis_close(redis);
	signal(SIGPIPE, before);
}

/* Run a script on each server, as the pool runs its own. */
static void
ask_servers(const struct redis_url *url, struct redis *redis,
    struct redis_shared *shared, struct finding *ret)
{
	struct redis_integer one = { .min = 1, .max = 1 };
	size_t primaries = 0, replicas = 0, i;
	char lost[FINDING_SIZE] = "";
	struct fail f;

	for (i = 0; i < url->servers; i++) {
		memset(&f, 0, sizeof(f));
		atomic_store(&shared->retry_at, 0);
		atomic_store(&shared->server, (int64_t)i);
		if (redis_eval(redis, writing, "assay:limit:doctor", 0, &one, 1,
			&f) == REDIS_ANSWERED)
			primaries++;
		else if (strstr(f.why, "READONLY") != NULL)
			replicas++;
		else if (url->servers == 1)
			snprintf(lost, sizeof(lost), "%s", f.why);
		else
			snprintf(lost, sizeof(lost), "%s:%s: %s",
			    url->server[i].host, url->server[i].port, f.why);
	}
	if (primaries > 1)
		finding_raise(ret, DOCTOR_WARN,
		    "%zu servers take writes and count apart", primaries);
	if (lost[0] != '\0')
		finding_raise(ret, DOCTOR_WARN, "%s", lost);
	if (primaries == 0)
		finding_raise(ret, DOCTOR_WARN, "only replicas answer");
	if (ret->state == DOCTOR_OK && url->servers == 1)
		finding_text(ret, "it answers");
	else if (ret->state == DOCTOR_OK)
		finding_text(
		    ret, "the primary answers, and %zu replicas", replicas);
}
