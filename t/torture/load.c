/* SPDX-License-Identifier: ISC */
/*
 * The clients of a torture.  Each sends a request, waits for the answer and
 * sends the next.  As callers do, it sends a request again if there is no
 * answer or if the answer does not say what the service did.  Every request and
 * every answer becomes a line of the history, which t/torture/check.sql
 * compares with the database.
 *
 *	load SOCKET HISTORY CLIENTS SEED FIRST EVENTS
 *
 * sends EVENTS events from number FIRST, or, if EVENTS is 0, events until TERM
 * and then the closing event of every user.  API_KEY is in the environment.
 */
#include "config.h"

#include <err.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "lib/net/http.h"
#include "lib/sys/clock.h"
#include "t/torture/event.h"

#define CLIENTS_MAX 256
#define BATCH_MAX 40
#define BODY_SIZE ((size_t)1 << 17)
#define REPLY_MAX ((size_t)1 << 20)
#define TIMEOUT_MS 15000
#define THINK 30000 /* microseconds that a client pauses at most */
#define TRIES 7 /* of a request without a clear answer */
#define PAUSE (CLOCK_SECOND / 50) /* before a retry; doubles with each */
#define REPEAT_BACK 150 /* how many events back a repeated one may be */

#define URL "http://assay/v1/decisions"

/* One client with its request. */
struct client {
	enum { CLIENT_FREE = 1, CLIENT_READY, CLIENT_SENT } state;
	struct arena arena; /* the request's texts */
	struct http_call call;
	const char *events; /* JSON, comma-separated */
	uint64_t number; /* of the request, new at every try */
	bool batch;
	char key[64]; /* header, or empty */
	int tries;
	int64_t due; /* time to send it, in ticks */
};

static void open_run(char **argv);
static bool step(struct client *cl);
static bool fill(struct client *cl);
static void request(struct client *cl);
static uint64_t pick(bool batch);
static void send_call(struct client *cl);
static void answered(struct client *cl);
static bool settled(struct json_object *json, int status);
static void history_call(const struct client *cl);
static void history_answer(const struct client *cl, bool is_json);
static uint64_t number(const char *text);
static void ended(int signo);

/* The run. */
static struct client clients[CLIENTS_MAX];
static size_t n_clients;
static FILE *history;
static struct http *http;
static const char *socket_path;
static char key_header[256];
static uint64_t seed, first, next, end; /* numbers of events */
static uint64_t calls; /* number of the last request */
static uint64_t closing; /* closing events so far */
static struct dice dice;

/* Set by TERM: only closing events from now on. */
static volatile sig_atomic_t stopping;

int
main(int argc, char **argv)
{
	struct http_call *call;
	bool busy = true;
	size_t i;

	if (argc != 7)
		errx(EXIT_FAILURE,
		    "usage: load SOCKET HISTORY CLIENTS SEED FIRST EVENTS");
	open_run(argv + 1);
	while (busy) {
		busy = false;
		for (i = 0; i < n_clients; i++)
			busy |= step(&clients[i]);
		if ((call = http_wait(http, 5)) != NULL)
			answered(call->owner);
		else
			usleep(1000);
	}
	if (fclose(history) != 0)
		err(EXIT_FAILURE, "%s", argv[2]);
	http_free(http);
	for (i = 0; i < n_clients; i++)
		free(clients[i].arena.base);
	return EXIT_SUCCESS;
}

/* Read the arguments and make the clients. */
static void
open_run(char **argv)
{
	struct sigaction sa = { .sa_handler = ended };
	struct fail f = { 0 };
	const char *key = getenv("API_KEY");
	size_t i;
	char *block;

	socket_path = argv[0];
	n_clients = number(argv[2]);
	seed = number(argv[3]);
	first = next = number(argv[4]);
	end = number(argv[5]) == 0 ? UINT64_MAX : first + number(argv[5]);
	if (n_clients > CLIENTS_MAX || key == NULL)
		errx(EXIT_FAILURE, "too many clients, or no API_KEY");
	snprintf(key_header, sizeof(key_header), "X-API-Key: %s", key);
	dice.di_state = seed;
	calls = first;
	if ((history = fopen(argv[1], "a")) == NULL)
		err(EXIT_FAILURE, "%s", argv[1]);
	setlinebuf(history);
	if ((http = http_new((int)n_clients, &f)) == NULL)
		errx(EXIT_FAILURE, "%s", f.why);
	for (i = 0; i < n_clients; i++) {
		if ((block = malloc(BODY_SIZE)) == NULL)
			err(EXIT_FAILURE, NULL);
		arena_init(&clients[i].arena, block, BODY_SIZE);
		clients[i].state = CLIENT_FREE;
	}
	sigaction(SIGTERM, &sa, NULL);
}

/* Take the next step of a client.  Return whether it has more to do. */
static bool
step(struct client *cl)
{
	if (cl->state == CLIENT_FREE && !fill(cl))
		return false;
	if (cl->state == CLIENT_READY && clock_ticks() >= cl->due)
		send_call(cl);
	return true;
}

/* Make the next request.  Return false if there are no more events. */
static bool
fill(struct client *cl)
{
	struct str list;
	uint64_t n = pick(false), want = 1, i;

	if (n == 0)
		return false;
	if (!event_keyed(n) && dice_roll(&dice, 8) == 0)
		want = 2 + dice_roll(&dice, BATCH_MAX - 1);

	arena_reset(&cl->arena);
	str_init(&list, &cl->arena);
	event_text(&list, seed, n);
	for (i = 1; i < want && (n = pick(true)) != 0; i++) {
		str_addc(&list, ',');
		event_text(&list, seed, n);
	}
	cl->batch = want > 1;
	cl->events = str_text(&list);
	cl->key[0] = '\0';
	if (!cl->batch && event_keyed(n))
		snprintf(cl->key, sizeof(cl->key),
		    "Idempotency-Key: key-%" PRIu64, event_key(n));
	cl->tries = 0;
	cl->due = clock_ticks() + (int64_t)dice_roll(&dice, THINK);
	cl->state = CLIENT_READY;
	request(cl);
	return true;
}

/* Make a client's request from its events and its key. */
static void
request(struct client *cl)
{
	struct str body;

	str_init(&body, &cl->arena);
	str_add(&body, cl->batch ? "{\"events\":[" : "");
	str_add(&body, cl->events);
	str_add(&body, cl->batch ? "]}" : "");
	if (str_text(&body) == NULL)
		errx(EXIT_FAILURE, "a request is too big");
	cl->call = (struct http_call) {
		.method = "POST",
		.url = cl->batch ? URL "/batch" : URL,
		.socket = socket_path,
		.headers = { key_header, "Content-Type: application/json",
		    cl->key[0] == '\0' ? NULL : cl->key },
		.body = str_text(&body),
		.body_size = strlen(str_text(&body)),
		.timeout_ms = TIMEOUT_MS,
		.reply_max = REPLY_MAX,
		.owner = cl,
	};
}

/*
 * The number of the next event, sometimes of an earlier one, or 0 at the end.
 * An event with a key ends a batch.
 */
static uint64_t
pick(bool batch)
{
	uint64_t n;

	if (stopping)
		return event_closing(first, next, closing++);
	if (next >= end || (batch && event_keyed(next)))
		return 0;
	if (next > first + REPEAT_BACK && dice_roll(&dice, 10) == 0) {
		n = next - 1 - dice_roll(&dice, REPEAT_BACK);
		if (!batch || !event_keyed(n))
			return n;
	}
	return next++;
}

/* Send a request, for the first time or again. */
static void
send_call(struct client *cl)
{
	struct fail f = { 0 };

	cl->number = ++calls;
	history_call(cl);
	if (http_start(http, &cl->call, &f) == -1)
		errx(EXIT_FAILURE, "%s", f.why);
	cl->state = CLIENT_SENT;
}

/* Process an answer or its absence. */
static void
answered(struct client *cl)
{
	struct http_call *call = &cl->call;
	struct json_object *json = NULL;

	if (call->status != 0 && call->reply != NULL)
		json = json_tokener_parse(call->reply);
	history_answer(cl, json != NULL);
	if (settled(json, call->status) || ++cl->tries == TRIES) {
		cl->state = CLIENT_FREE;
	} else {
		cl->due = clock_ticks() + (PAUSE << cl->tries);
		cl->state = CLIENT_READY;
	}
	json_object_put(json);
	http_done(http, call);
}

/* Return whether an answer says for each event what the service did. */
static bool
settled(struct json_object *json, int status)
{
	struct json_object *results, *error;
	const char *code;
	size_t i;

	if (status != 200)
		return status >= 400 && status < 500;
	if (!json_object_object_get_ex(json, "results", &results))
		return json != NULL;
	for (i = 0; i < json_object_array_length(results); i++) {
		if (!json_object_object_get_ex(
			json_object_array_get_idx(results, i), "error", &error))
			continue;
		code = json_object_get_string(
		    json_object_object_get(error, "code"));
		if (code == NULL || strncmp(code, "INGEST_", 7) != 0)
			return false;
	}
	return true;
}

/* A line for a request: at, op, call, key, batch, events. */
static void
history_call(const struct client *cl)
{
	const char *key = strrchr(cl->key, ' ');

	fprintf(history,
	    "{\"at\":%" PRId64 ",\"op\":\"call\",\"call\":%" PRIu64
	    ",\"batch\":%s,\"key\":",
	    clock_ticks(), cl->number, cl->batch ? "true" : "false");
	if (key == NULL)
		fputs("null", history);
	else
		fprintf(history, "\"%s\"", key + 1);
	fprintf(history, ",\"events\":[%s]}\n", cl->events);
}

/*
 * A line for an answer: at, op, call, status (0 without an answer), replay,
 * and the body, or null if it is not JSON.
 */
static void
history_answer(const struct client *cl, bool is_json)
{
	const struct http_call *call = &cl->call;

	fprintf(history,
	    "{\"at\":%" PRId64 ",\"op\":\"answer\",\"call\":%" PRIu64
	    ",\"status\":%d,\"replay\":%s,\"body\":%s}\n",
	    clock_ticks(), cl->number, call->status,
	    http_header(call, "X-Engine-Idempotent-Replay") != NULL ? "true"
								    : "false",
	    is_json ? call->reply : "null");
}

/* Return an argument as a number, or exit. */
static uint64_t
number(const char *text)
{
	char *rest;
	const unsigned long long n = strtoull(text, &rest, 10);

	if (*text == '\0' || *rest != '\0')
		errx(EXIT_FAILURE, "%s is not a number", text);
	return n;
}

static void
ended(int signo)
{
	(void)signo;
	stopping = 1;
}
