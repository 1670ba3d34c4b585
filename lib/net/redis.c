/* SPDX-License-Identifier: ISC */
/* A client of Redis with a time limit: one connection per worker. */
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <hiredis/hiredis.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/fail.h"
#include "lib/net/redis.h"
#include "lib/net/redis_net.h"
#include "lib/conf/redis_url.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define PAUSE CLOCK_SECOND /* without calls after a failure */
#define NUMBER_SIZE 21
#define ERROR_SIZE 32 /* of the first word of an error */

struct redis {
	struct redis_url url;
	int64_t timeout;
	_Atomic int64_t *breaker; /* shared by the host */
	struct redis_net net;
	redisReader *reader; /* of this connection; or NULL */
};

static bool may_try(struct redis *r, bool *ret_probe);
static int redis_call(struct redis *r, const char *script, const char *key,
    int64_t argument, int64_t *ret, size_t n, struct fail *f);
static int redis_greet(struct redis *r, int64_t deadline, struct fail *f);
static int read_greeting(struct redis *r, int64_t deadline, struct fail *f);
static int send_command(struct redis *r, int argc, const char **argv,
    int64_t deadline, struct fail *f);
static int receive_answer(struct redis *r, const char *command,
    int64_t deadline, redisReply **ret, struct fail *f);
static int parse_answer(
    struct redis *r, const char *command, redisReply **ret, struct fail *f);
static int keep_error_word(
    const char *command, const char *text, struct fail *f);
static int read_integers(
    const redisReply *reply, int64_t *ret, size_t n, struct fail *f);

struct redis *
redis_open(const char *url, const char *ca_file, int64_t timeout,
    _Atomic int64_t *breaker, struct fail *f)
{
	struct redis *r;
	const char *why;

	if ((r = calloc(1, sizeof(*r))) == NULL) {
		fail_set(f, FAIL_US, INTERNAL, "redis", "out of memory");
		return NULL;
	}
	if (redis_url_parse(url, &r->url, &why) == -1) {
		fail_set(
		    f, FAIL_INPUT, INVALID_REQUEST, "REDIS_URL", "%s", why);
		free(r);
		return NULL;
	}
	r->timeout = timeout;
	r->breaker = breaker;
	redis_net_init(&r->net, &r->url, ca_file);
	return r;
}

void
redis_close(struct redis *r)
{
	if (r == NULL)
		return;
	if (r->reader != NULL)
		redisReaderFree(r->reader);
	r->reader = NULL;
	crypt_wipe(r->url.password, sizeof(r->url.password));
	if (redis_net_clear(&r->net) == 0)
		free(r);
}

enum redis_got
redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, int64_t *ret, size_t n, struct fail *f)
{
	int64_t closed = 0;
	bool probe;

	if (!may_try(r, &probe))
		return REDIS_AWAY;
	if (redis_call(r, script, key, argument, ret, n, f) == 0) {
		if (!probe)
			return REDIS_ANSWERED;
		atomic_store(r->breaker, 0);
		return REDIS_BACK;
	}

	/*
	 * Drop the connection: a later call could read a late answer of this
	 * one.
	 */
	redis_net_close(&r->net);
	return atomic_compare_exchange_strong(
		   r->breaker, &closed, clock_ticks() + PAUSE)
	    ? REDIS_LOST
	    : REDIS_FAILED;
}

/*
 * Return whether this caller may try.  All may while Redis answers.  After a
 * failure only one caller per PAUSE may, a probe: the one that moves the end of
 * the pause.  So another caller follows if the probing process dies.
 */
static bool
may_try(struct redis *r, bool *ret_probe)
{
	const int64_t now = clock_ticks();
	int64_t until = atomic_load(r->breaker);

	*ret_probe = until != 0;
	return until == 0 ||
	    (now >= until &&
		atomic_compare_exchange_strong(
		    r->breaker, &until, now + PAUSE));
}

/* Call the script in one round trip; connect first if necessary. */
static int
redis_call(struct redis *r, const char *script, const char *key,
    int64_t argument, int64_t *ret, size_t n, struct fail *f)
{
	const int64_t deadline = clock_ticks() + r->timeout;
	const bool fresh = !redis_net_idle(&r->net);
	char number[NUMBER_SIZE];
	const char *argv[] = { "EVAL", script, "1", key, number };
	redisReply *reply;
	int result;

	snprintf(number, sizeof(number), "%lld", (long long)argument);
	if ((fresh && redis_greet(r, deadline, f) == -1) ||
	    send_command(r, 5, argv, deadline, f) == -1 ||
	    (fresh && read_greeting(r, deadline, f) == -1) ||
	    receive_answer(r, "EVAL", deadline, &reply, f) == -1)
		return -1;
	result = read_integers(reply, ret, n, f);
	freeReplyObject(reply);
	return result;
}

/* Connect, and send AUTH and SELECT if the URL has them. */
static int
redis_greet(struct redis *r, int64_t deadline, struct fail *f)
{
	const struct redis_url *url = &r->url;
	const char *auth[] = { "AUTH", url->user, url->password };
	const char *password[] = { "AUTH", url->password };
	const char *db[] = { "SELECT", url->db };

	if (r->reader != NULL)
		redisReaderFree(r->reader);
	if ((r->reader = redisReaderCreate()) == NULL)
		return fail_set(
		    f, FAIL_US, UNAVAILABLE, "redis", "out of memory");
	if (redis_net_open(&r->net, deadline, f) == -1)
		return -1;
	if (url->password[0] != '\0' &&
	    send_command(r, url->user[0] != '\0' ? 3 : 2,
		url->user[0] != '\0' ? auth : password, deadline, f) == -1)
		return -1;
	return url->db[0] == '\0' ? 0 : send_command(r, 2, db, deadline, f);
}

/* Read the answers to AUTH and SELECT. */
static int
read_greeting(struct redis *r, int64_t deadline, struct fail *f)
{
	redisReply *reply;

	if (r->url.password[0] != '\0') {
		if (receive_answer(r, "AUTH", deadline, &reply, f) == -1)
			return -1;
		freeReplyObject(reply);
	}
	if (r->url.db[0] != '\0') {
		if (receive_answer(r, "SELECT", deadline, &reply, f) == -1)
			return -1;
		freeReplyObject(reply);
	}
	return 0;
}

static int
send_command(struct redis *r, int argc, const char **argv, int64_t deadline,
    struct fail *f)
{
	char *text;
	int size, result;

	size = redisFormatCommandArgv(&text, argc, argv, NULL);
	if (size < 0)
		return fail_set(
		    f, FAIL_US, UNAVAILABLE, "redis", "out of memory");
	result = redis_net_send(&r->net, text, (size_t)size, deadline, f);
	crypt_wipe(text, (size_t)size);
	redisFreeCommand(text);
	return result;
}

/* Read the next answer; fail if it is an error. */
static int
receive_answer(struct redis *r, const char *command, int64_t deadline,
    redisReply **ret, struct fail *f)
{
	char buffer[1024];
	ssize_t size;

	for (;;) {
		*ret = NULL;
		if (parse_answer(r, command, ret, f) == -1)
			return -1;
		if (*ret != NULL)
			return 0;
		size = redis_net_recv(
		    &r->net, buffer, sizeof(buffer), deadline, f);
		if (size == -1)
			return -1;
		redisReaderFeed(r->reader, buffer, (size_t)size);
	}
}

/* Parse an answer from the received bytes; *ret is NULL if it is incomplete. */
static int
parse_answer(
    struct redis *r, const char *command, redisReply **ret, struct fail *f)
{
	void *reply = NULL;

	if (redisReaderGetReply(r->reader, &reply) != REDIS_OK)
		return fail_set(f, FAIL_US, UNAVAILABLE, "redis",
		    "%s got an answer that is not from Redis", command);
	*ret = reply;
	if (*ret == NULL || (*ret)->type != REDIS_REPLY_ERROR)
		return 0;
	keep_error_word(command, (*ret)->str, f);
	freeReplyObject(*ret);
	return -1;
}

/*
 * Keep only the first word of an error (NOAUTH, OOM, LOADING...), because the
 * rest may quote what was sent.
 */
static int
keep_error_word(const char *command, const char *text, struct fail *f)
{
	int n = 0;

	while (n < ERROR_SIZE && isupper((unsigned char)text[n]))
		n++;
	return fail_set(f, FAIL_US, UNAVAILABLE, "redis", "%s failed with %.*s",
	    command, n, text);
}

/* Read an answer of n integers. */
static int
read_integers(const redisReply *reply, int64_t *ret, size_t n, struct fail *f)
{
	size_t i;

	if (reply->type != REDIS_REPLY_ARRAY || reply->elements != n)
		goto err;
	for (i = 0; i < n; i++) {
		if (reply->element[i]->type != REDIS_REPLY_INTEGER)
			goto err;
		ret[i] = reply->element[i]->integer;
	}
	return 0;

err:
	return fail_set(f, FAIL_US, UNAVAILABLE, "redis",
	    "EVAL got an answer of another form");
}
