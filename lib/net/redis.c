/* SPDX-License-Identifier: ISC */
/*
 * A client of one Redis, or of several servers of which one is the primary,
 * with a time limit: one connection per worker.
 */
#include "config.h"

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
	struct redis_shared *shared;
	struct redis_net net[REDIS_SERVERS_MAX];
	size_t server; /* of the connection or of the last call */
	char in[LINE_SIZE]; /* received on this connection, not read yet */
	size_t in_size;
};

/* A script to run, and its integers. */
struct redis_script {
	const char *text, *key;
	int64_t argument;
	struct redis_integer *ret;
	size_t n;
};

static bool may_try(struct redis *r, bool *ret_probe);
static int redis_call(
    struct redis *r, const struct redis_script *script, struct fail *f);
static size_t shared_server(const struct redis *r);
static bool is_connected(const struct redis *r);
static int search_server(struct redis *r, const struct redis_script *script,
    int64_t deadline, struct fail *f);
static int eval_script(struct redis *r, const struct redis_script *script,
    bool greet, int64_t deadline, struct fail *f);
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
    struct redis_shared *shared, struct fail *f)
{
	struct redis *r;
	const char *why;
	size_t i;

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
	r->shared = shared;
	for (i = 0; i < r->url.servers; i++)
		redis_net_init(&r->net[i], &r->url, i, ca_file);
	return r;
}

void
redis_close(struct redis *r)
{
	bool busy = false;
	size_t i;

	if (r == NULL)
		return;
	crypt_wipe(r->url.password, sizeof(r->url.password));
	for (i = 0; i < r->url.servers; i++)
		if (redis_net_clear(&r->net[i]) == -1)
			busy = true;
	if (!busy)
		free(r);
}

enum redis_got
redis_eval(struct redis *r, const char *script, const char *key,
    int64_t argument, struct redis_integer *ret, size_t n, struct fail *f)
{
	const struct redis_script s = { script, key, argument, ret, n };
	const size_t before = shared_server(r);
	int64_t answers = 0;
	bool probe;

	if (!may_try(r, &probe))
		return REDIS_AWAY;
	if (redis_call(r, &s, f) == 0) {
		if (!probe)
			return r->server == before ? REDIS_ANSWERED
						   : REDIS_MOVED;
		atomic_store(&r->shared->retry_at, 0);
		return REDIS_BACK;
	}

	/*
	 * Drop the connection: a later call could read a late answer of this
	 * one.
	 */
	redis_net_close(&r->net[r->server]);
	return atomic_compare_exchange_strong(
		   &r->shared->retry_at, &answers, clock_ticks() + PAUSE)
	    ? REDIS_LOST
	    : REDIS_FAILED;
}

const struct redis_server *
redis_last_server(const struct redis *r)
{
	return &r->url.server[r->server];
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
	int64_t until = atomic_load(&r->shared->retry_at);

	*ret_probe = until != 0;
	return until == 0 ||
	    (now >= until &&
		atomic_compare_exchange_strong(
		    &r->shared->retry_at, &until, now + PAUSE));
}

/* Run the script on the connection if there is one, else where it can be. */
static int
redis_call(struct redis *r, const struct redis_script *script, struct fail *f)
{
	const int64_t deadline = clock_ticks() + r->timeout;

	return is_connected(r) ? eval_script(r, script, false, deadline, f)
			       : search_server(r, script, deadline, f);
}

/*
 * The server that answered last on this host.  A URL with fewer servers may
 * have been read since.
 */
static size_t
shared_server(const struct redis *r)
{
	return (size_t)atomic_load(&r->shared->server) % r->url.servers;
}

/*
 * Whether the connection can be used.  One to another server than the one that
 * answered last cannot: that server may be a former primary.
 */
static bool
is_connected(const struct redis *r)
{
	return r->in_size == 0 && r->server == shared_server(r) &&
	    redis_net_idle(&r->net[r->server]);
}

static int
search_server(struct redis *r, const struct redis_script *script,
    int64_t deadline, struct fail *f)
{
	const size_t n = r->url.servers, first = shared_server(r);
	int64_t now, share;
	size_t i;

	for (i = 0; i < n; i++) {
		redis_net_close(&r->net[r->server]);
		r->server = (first + i) % n;
		now = clock_ticks();
		share = (deadline - now) / (int64_t)(n - i);
		if (eval_script(
			r, script, true, now + share, i == 0 ? f : NULL) == -1)
			continue;
		if (i > 0)
			atomic_store(&r->shared->server, (int64_t)r->server);
		return 0;
	}
	redis_net_close(&r->net[r->server]);
	r->server = first;
	return -1;
}

/* Run the script in one round trip, on a new connection if it is to greet. */
static int
eval_script(struct redis *r, const struct redis_script *script, bool greet,
    int64_t deadline, struct fail *f)
{
	char number[NUMBER_SIZE];
	const char *argv[] = { "EVAL", script->text, "1", script->key, number };

	snprintf(number, sizeof(number), "%lld", (long long)script->argument);
	if ((greet && redis_greet(r, deadline, f) == -1) ||
	    send_command(r, nitems(argv), argv, deadline, f) == -1 ||
	    (greet && read_greeting(r, deadline, f) == -1))
		return -1;
	return read_integers(r, deadline, script->ret, script->n, f);
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
	if (redis_net_open(&r->net[r->server], deadline, f) == -1)
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
		result =
		    redis_net_send(&r->net[r->server], text, size, deadline, f);
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
		got = redis_net_recv(&r->net[r->server], r->in + r->in_size,
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
 * rest may quote what was sent.  Before Redis 7 a script's error begins with
 * ERR, and what a replica says stands behind.
 */
static int
keep_error_word(const char *command, const char *text, struct fail *f)
{
	int n = 0;

	if (strstr(text, " -READONLY ") != NULL)
		text = "READONLY";
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
