/* SPDX-License-Identifier: ISC */
/* A client of Redis with a time limit: one connection per worker. */
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/fail.h"
#include "lib/conf/redis_url.h"
#include "lib/net/redis.h"
#include "lib/net/redis_net.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define PAUSE CLOCK_SECOND /* without calls after a failure */
#define NUMBER_SIZE 21
#define COMMAND_SIZE 2048
#define ERROR_SIZE 32 /* of the first word of an error */

/* Above each line that Redis answers with, also an error with its advice. */
#define LINE_SIZE 2048

struct redis {
	struct redis_url url;
	int64_t timeout;
	_Atomic int64_t *breaker; /* shared by the host */
	struct redis_net net;
	char in[LINE_SIZE]; /* received on this connection, not read yet */
	size_t in_size;
};

static bool may_try(struct redis *r, bool *ret_probe);
static int redis_call(struct redis *r, const char *script, const char *key,
    int64_t argument, struct redis_integer *ret, size_t n, struct fail *f);
static int redis_greet(struct redis *r, int64_t deadline, struct fail *f);
static int read_greeting(struct redis *r, int64_t deadline, struct fail *f);
static int send_command(struct redis *r, size_t argc, const char **argv,
    int64_t deadline, struct fail *f);
static int read_integers(struct redis *r, int64_t deadline,
    struct redis_integer *ret, size_t n, struct fail *f);
static int read_line(struct redis *r, const char *command, char type,
    int64_t deadline, char ret[LINE_SIZE], struct fail *f);
static int receive_line(struct redis *r, const char *command, int64_t deadline,
    char ret[LINE_SIZE], struct fail *f);
static int parse_integer(const char *text, struct redis_integer *ret);
static int keep_error_word(
    const char *command, const char *text, struct fail *f);
static int refuse_foreign(const char *command, struct fail *f);

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
	crypt_wipe(r->url.password, sizeof(r->url.password));
	if (redis_net_clear(&r->net) == 0)
		free(r);
}

enum redis_got
redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, struct redis_integer *ret, size_t n, struct fail *f)
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
 * Return whether this caller may try.  While Redis answers, every caller may.
 * After a failure one caller per PAUSE tries: the one that extends the pause.
 * So another caller follows if that process dies.
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
    int64_t argument, struct redis_integer *ret, size_t n, struct fail *f)
{
	const int64_t deadline = clock_ticks() + r->timeout;
	const bool fresh = r->in_size > 0 || !redis_net_idle(&r->net);
	char number[NUMBER_SIZE];
	const char *argv[] = { "EVAL", script, "1", key, number };

	snprintf(number, sizeof(number), "%lld", (long long)argument);
	if ((fresh && redis_greet(r, deadline, f) == -1) ||
	    send_command(r, nitems(argv), argv, deadline, f) == -1 ||
	    (fresh && read_greeting(r, deadline, f) == -1))
		return -1;
	return read_integers(r, deadline, ret, n, f);
}

/* Connect, and send AUTH and SELECT if the URL has them. */
static int
redis_greet(struct redis *r, int64_t deadline, struct fail *f)
{
	const struct redis_url *url = &r->url;
	const char *auth[] = { "AUTH", url->user, url->password };
	const char *password[] = { "AUTH", url->password };
	const char *db[] = { "SELECT", url->db };

	r->in_size = 0;
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
	char line[LINE_SIZE];

	if (r->url.password[0] != '\0' &&
	    read_line(r, "AUTH", '+', deadline, line, f) == -1)
		return -1;
	if (r->url.db[0] != '\0' &&
	    read_line(r, "SELECT", '+', deadline, line, f) == -1)
		return -1;
	return 0;
}

/*
 * Send a command as Redis' protocol (RESP) wants it: the number of its words,
 * and each word behind its length.
 */
static int
send_command(struct redis *r, size_t argc, const char **argv, int64_t deadline,
    struct fail *f)
{
	char text[COMMAND_SIZE];
	size_t size, i;
	int result;

	size = (size_t)snprintf(text, sizeof(text), "*%zu\r\n", argc);
	for (i = 0; i < argc && size < sizeof(text); i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size,
		    "$%zu\r\n%s\r\n", strlen(argv[i]), argv[i]);
	if (size >= sizeof(text))
		result = fail_set(f, FAIL_US, UNAVAILABLE, "redis",
		    "%s is too long", argv[0]);
	else
		result = redis_net_send(&r->net, text, size, deadline, f);
	crypt_wipe(text, sizeof(text));
	return result;
}

/* Read the answer of a script: n integers, each in its range. */
static int
read_integers(struct redis *r, int64_t deadline, struct redis_integer *ret,
    size_t n, struct fail *f)
{
	char line[LINE_SIZE], count[NUMBER_SIZE];
	size_t i;

	snprintf(count, sizeof(count), "%zu", n);
	if (read_line(r, "EVAL", '*', deadline, line, f) == -1)
		return -1;
	if (strcmp(line, count) != 0)
		return refuse_foreign("EVAL", f);
	for (i = 0; i < n; i++) {
		if (read_line(r, "EVAL", ':', deadline, line, f) == -1)
			return -1;
		if (parse_integer(line, &ret[i]) == -1)
			return refuse_foreign("EVAL", f);
	}
	return 0;
}

/* Read a line of this type without its type; fail if it is an error. */
static int
read_line(struct redis *r, const char *command, char type, int64_t deadline,
    char ret[LINE_SIZE], struct fail *f)
{
	if (receive_line(r, command, deadline, ret, f) == -1)
		return -1;
	if (ret[0] == '-')
		return keep_error_word(command, ret + 1, f);
	if (ret[0] != type)
		return refuse_foreign(command, f);
	memmove(ret, ret + 1, strlen(ret));
	return 0;
}

/* Take the next line from the received bytes; receive more if necessary. */
static int
receive_line(struct redis *r, const char *command, int64_t deadline,
    char ret[LINE_SIZE], struct fail *f)
{
	const char *end;
	size_t size;
	ssize_t got;

	while ((end = memmem(r->in, r->in_size, "\r\n", 2)) == NULL) {
		if (r->in_size == sizeof(r->in))
			return refuse_foreign(command, f);
		got = redis_net_recv(&r->net, r->in + r->in_size,
		    sizeof(r->in) - r->in_size, deadline, f);
		if (got == -1)
			return -1;
		r->in_size += (size_t)got;
	}
	size = (size_t)(end - r->in);
	memcpy(ret, r->in, size);
	ret[size] = '\0';
	r->in_size -= size + 2;
	memmove(r->in, end + 2, r->in_size);
	return 0;
}

static int
parse_integer(const char *text, struct redis_integer *ret)
{
	char *end;

	errno = 0;
	ret->value = strtoll(text, &end, 10);
	return errno != 0 || end == text || *end != '\0' ||
		ret->value < ret->min || ret->value > ret->max
	    ? -1
	    : 0;
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

static int
refuse_foreign(const char *command, struct fail *f)
{
	return fail_set(f, FAIL_US, UNAVAILABLE, "redis",
	    "%s got an answer that Redis does not give", command);
}
