/* SPDX-License-Identifier: ISC */
/* assayctl replay: send the rows of a file as events over HTTP. */
#include "config.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/state/entity_risk.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/interrupt.h"
#include "ctl/replay/replay.h"
#include "lib/net/http.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define BATCH_MAX 100
#define JOBS_MAX 64
#define BODY_SIZE ((size_t)8 << 20) /* arena for one request body */
#define REPLY_MAX ((size_t)4 << 20)
#define TIMEOUT_MS 30000 /* of one request */
#define TRIES_MAX 5 /* attempts to send a request without an answer */
#define LABEL_DELAY 7 /* days, the default of --label-delay */
#define RETRY_AFTER_MAX 120 /* longest wait that we accept, seconds */

/* One of the requests that are in progress at once. */
struct replay_slot {
	enum { SLOT_FREE = 1, SLOT_READY, SLOT_SENT } state;
	struct arena arena; /* of its body */
	struct http_call call;
	struct replay_item item[BATCH_MAX];
	size_t n; /* items */
	int tries; /* attempts without an answer */
};

/* The state of the run. */
struct replay_run {
	struct replay_source source;
	struct show show;
	struct arena arena; /* lives until the end of the run */
	struct http *http;
	struct replay_slot *slots;
	int64_t jobs; /* slots */
	int64_t batch; /* events per request, 0: single events */
	bool ended; /* read no more rows */
	int exit; /* exit status if the run ended early, else EX_OK */
	int64_t resume; /* ticks, send nothing before */
	char url[1024];
	const char *socket; /* of a unix: address */
	char key[256]; /* the header with the API key */
};

/* The options of the command line. */
static struct {
	char *url;
	char *key;
	char *map;
	char *type;
	char *currency;
	char *prefix;
	int64_t offset; /* rows */
	int64_t limit; /* rows */
	int64_t jobs; /* 0: not given */
	int64_t batch; /* 0: not given, one event per request */
	bool offline;
	char *export;
	int64_t label_delay; /* days, 0: not given */
	struct opt_list rules;
	struct opt_list policies;
	char *scorer;
	char *model;
	char *sql;
	bool strict;
	bool quiet;
	bool json;
} given = { .limit = INT64_MAX };

static struct replay_run run;

static void replay_check(const struct command *cmd);
static int replay_offline(struct replay_run *rp);
static int replay_http(struct replay_run *rp, const struct command *cmd);
static int choose_target(struct replay_run *rp, const struct command *cmd,
    const char *url, char *key);
static int open_replay(struct replay_run *rp, const char *map, struct fail *f);
static int run_replay(struct replay_run *rp);
static void close_replay(struct replay_run *rp);
static void fill_slot(struct replay_run *rp, struct replay_slot *sl);
static void send_slot(struct replay_run *rp, struct replay_slot *sl);
static void take_reply(struct replay_run *rp, struct replay_slot *sl);
static void answer_none(struct replay_run *rp, struct replay_slot *sl);
static void answer_wait(struct replay_run *rp, struct replay_slot *sl);
static void answer_show(struct replay_run *rp, struct replay_slot *sl);
static struct json_object *result_of(
    const struct replay_run *rp, struct json_object *reply, size_t i);
static void outcome_read(
    struct json_object *json, int status, struct replay_outcome *ret);
static void stop_reading(struct replay_run *rp, int status, const char *fmt,
    ...) __attribute__((format(printf, 3, 4)));
static void show_replay_progress(struct replay_run *rp);

static const struct opt opts[] = {
	{ "url", "URL",
	    "the service; default ASSAY_URL, BASE_URL or the session's",
	    OPT_TEXT, &given.url, 0, 0 },
	{ "key", "KEY", "the API key; better in the environment, as API_KEY",
	    OPT_TEXT, &given.key, 0, 0 },
	{ "map", "FIELD=COLUMN,...",
	    "take fields from columns with other names", OPT_TEXT, &given.map,
	    0, 0 },
	{ "type", "TYPE",
	    "type of all events; default the column type, or card.authorize",
	    OPT_TEXT, &given.type, 0, 0 },
	{ "currency", "CODE", "currency of amounts without one; default EUR",
	    OPT_TEXT, &given.currency, 0, 0 },
	{ "id-prefix", "TEXT",
	    "put TEXT in front of each event id, for new events", OPT_TEXT,
	    &given.prefix, 0, 0 },
	{ "offset", "N", "skip the first N rows", OPT_NUMBER, &given.offset, 0,
	    INT64_MAX / 2 },
	{ "limit", "N", "send at most N rows", OPT_NUMBER, &given.limit, 1,
	    INT64_MAX / 2 },
	{ "jobs", "N", "requests in progress at once; default 1", OPT_NUMBER,
	    &given.jobs, 1, JOBS_MAX },
	{ "batch", "N", "send N events per request; default 1", OPT_NUMBER,
	    &given.batch, 1, BATCH_MAX },
	{ "offline", NULL,
	    "decide in memory, without a service, at the file's times",
	    OPT_FLAG, &given.offline, 0, 0 },
	{ "export", "FILE", "offline: write a table for training", OPT_TEXT,
	    &given.export, 0, 0 },
	{ "label-delay", "DAYS",
	    "offline: labels arrive DAYS after their events; default 7",
	    OPT_NUMBER, &given.label_delay, 1, ENTITY_RISK_DELAY_MAX },
	{ "rules", "[TYPE=]FILE",
	    "offline: rules to use instead of the seed; may be repeated",
	    OPT_LIST, &given.rules, 0, 0 },
	{ "policy", "[TYPE=]FILE",
	    "offline: policy to use instead of the seed; may be repeated",
	    OPT_LIST, &given.policies, 0, 0 },
	{ "scorer", "weighted|ml", "offline: the scorer; default weighted",
	    OPT_CHOICE, &given.scorer, 0, 0 },
	{ "model", "FILE", "offline: model instead of the bundled one",
	    OPT_TEXT, &given.model, 0, 0 },
	{ "sql", "DIR",
	    "offline: take the seed from DIR, not " PKGDATADIR "/sql", OPT_TEXT,
	    &given.sql, 0, 0 },
	{ "strict", NULL,
	    "send nothing if a column is left out, or an attribute has "
	    "several types",
	    OPT_FLAG, &given.strict, 0, 0 },
	{ "quiet", NULL, "print only the totals", OPT_FLAG, &given.quiet, 0,
	    0 },
	{ "json", NULL, "print one line of JSON per event, and the totals",
	    OPT_FLAG, &given.json, 0, 0 },
};

int
replay(const struct command *cmd, int argc, char **argv)
{
	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1 }, argc, argv);
	replay_check(cmd);
	run.source = (struct replay_source) {
		.path = argv[0],
		.first = (uint64_t)given.offset + 1,
		.last = given.limit == INT64_MAX
		    ? UINT64_MAX
		    : (uint64_t)(given.offset + given.limit),
		.layout.type = given.type,
		.layout.currency =
		    given.currency == NULL ? "EUR" : given.currency,
		.layout.prefix = given.prefix == NULL ? "" : given.prefix,
	};
	if (given.strict && !replay_source_is_whole(&run.source, given.map)) {
		ctl_say("nothing was sent; correct the file, or leave out "
			"--strict");
		return EX_DATAERR;
	}
	return given.offline ? replay_offline(&run) : replay_http(&run, cmd);
}

/* Refuse options that do not go together. */
static void
replay_check(const struct command *cmd)
{
	const bool http = given.url != NULL || given.key != NULL ||
	    given.jobs > 0 || given.batch > 0;
	const bool offline = given.export != NULL || given.sql != NULL ||
	    given.label_delay > 0 || given.rules.n > 0 ||
	    given.policies.n > 0 || given.scorer != NULL || given.model != NULL;

	if (given.offline && http)
		opt_usage(cmd,
		    "--batch, --jobs, --key and --url have no effect with "
		    "--offline");
	if (offline && !given.offline)
		opt_usage(cmd,
		    "--export, --label-delay, --model, --policy, --rules, "
		    "--scorer and --sql need --offline");
	if (given.model != NULL &&
	    (given.scorer == NULL || scorer_parse(given.scorer) != SCORER_ML))
		opt_usage(cmd, "--model needs --scorer ml");
}

/* Decide the rows in memory.  Return an exit status. */
static int
replay_offline(struct replay_run *rp)
{
	const struct offline_options options = {
		.export = given.export,
		.sql = given.sql,
		.rules = &given.rules,
		.policies = &given.policies,
		.scorer = given.scorer == NULL ? SCORER_WEIGHTED
					       : scorer_parse(given.scorer),
		.model = given.model,
		.label_delay =
		    given.label_delay == 0 ? LABEL_DELAY : given.label_delay,
	};
	const int64_t began = clock_ticks();
	int status;

	rp->show.as = given.json ? SHOW_JSON : SHOW_NOTHING;
	rp->show.to = stderr;
	status = offline(&rp->source, given.map, &rp->show, &options);
	if (status == EX_OK)
		ctl_say_cost(began);
	return status;
}

/* Send the rows to the service.  Return an exit status. */
static int
replay_http(struct replay_run *rp, const struct command *cmd)
{
	struct fail f = { 0 };
	int status;

	rp->show.as = given.json ? SHOW_JSON
	    : given.quiet	 ? SHOW_NOTHING
				 : SHOW_TABLE;
	rp->show.to = stdout;
	rp->jobs = given.jobs == 0 ? 1 : given.jobs;
	rp->batch = given.batch;
	ctl_arena(&rp->arena, (size_t)1 << 20);
	if ((status = choose_target(rp, cmd, given.url, given.key)) != EX_OK)
		return status;
	if (open_replay(rp, given.map, &f) == -1) {
		status = ctl_failed(rp->source.path, &f);
		if (rp->source.file == NULL)
			status = EX_NOINPUT;
		close_replay(rp);
		return status;
	}
	return run_replay(rp);
}

/*
 * Choose the address and the API key, and wipe the key from the arguments.
 * Return EX_OK, or an exit status after an error message.
 */
static int
choose_target(struct replay_run *rp, const struct command *cmd, const char *url,
    char *key)
{
	const char *from = key != NULL ? key : getenv("API_KEY");
	const char *base;
	int status;

	if (from != NULL && *from != '\0')
		snprintf(rp->key, sizeof(rp->key), "X-API-Key: %s", from);
	if (key != NULL)
		crypt_wipe(key, strlen(key));
	if ((status = http_client_url(&rp->arena, url, &url)) != EX_OK)
		return status;
	if (http_client_address(url, &rp->arena, &base, &rp->socket) == -1)
		opt_usage(cmd, "'%s' is not an address", url);
	snprintf(rp->url, sizeof(rp->url), "%s/v1/decisions%s", base,
	    rp->batch > 0 ? "/batch" : "");
	if (rp->key[0] != '\0')
		return EX_OK;
	ctl_say("API_KEY is not set; 'assayctl key create NAME' creates a key");
	return EX_CONFIG;
}

/* Open the file, read its header, make the slots.  Return 0, or -1 with f set.
 */
static int
open_replay(struct replay_run *rp, const char *map, struct fail *f)
{
	int64_t i;

	if (replay_source_open(&rp->source, map, &rp->arena, f) == -1)
		return -1;
	if ((rp->http = http_new((int)rp->jobs, f)) == NULL)
		return -1;
	rp->slots = calloc((size_t)rp->jobs, sizeof(*rp->slots));
	if (rp->slots == NULL)
		return fail_memory(f);
	for (i = 0; i < rp->jobs; i++) {
		rp->slots[i].state = SLOT_FREE;
		ctl_arena(&rp->slots[i].arena, BODY_SIZE);
	}
	rp->show.truth = rp->source.layout.truth;
	rp->show.colour = ctl_colour(STDOUT_FILENO);
	rp->source.progress = isatty(STDERR_FILENO) == 1 &&
	    (rp->show.as == SHOW_NOTHING || isatty(STDOUT_FILENO) != 1);
	return 0;
}

/* Send all rows, print the answers, then the totals.  Return an exit status. */
static int
run_replay(struct replay_run *rp)
{
	struct http_call *call;
	bool busy = true;
	int64_t i;

	interrupt_listen();
	rp->source.began = clock_ticks();
	while (busy) {
		if (interrupt_wanted() && !rp->ended)
			stop_reading(rp, EX_TEMPFAIL, "interrupted");
		busy = false;
		for (i = 0; i < rp->jobs; i++) {
			if (rp->slots[i].state == SLOT_FREE && !rp->ended)
				fill_slot(rp, &rp->slots[i]);
			if (rp->slots[i].state == SLOT_READY)
				send_slot(rp, &rp->slots[i]);
			busy |= rp->slots[i].state != SLOT_FREE;
		}
		if (busy && (call = http_wait(rp->http, 100)) != NULL)
			take_reply(rp, call->owner);
		else if (busy && clock_ticks() < rp->resume)
			usleep(50000);
		show_replay_progress(rp);
	}
	replay_source_clear(&rp->source);
	if (rp->exit == EX_OK || rp->show.events > 0)
		replay_show_totals(&rp->show,
		    (double)(clock_ticks() - rp->source.began) / CLOCK_SECOND);
	if (rp->exit == EX_OK)
		replay_row_losses(&rp->source.layout);
	if (rp->exit == EX_OK && rp->show.errors > 0)
		rp->exit = EX_DATAERR;
	close_replay(rp);
	return rp->exit;
}

/* Free all memory and close the file. */
static void
close_replay(struct replay_run *rp)
{
	int64_t i;

	for (i = 0; rp->slots != NULL && i < rp->jobs; i++)
		ctl_arena_free(&rp->slots[i].arena);
	free(rp->slots);
	http_free(rp->http);
	replay_source_close(&rp->source);
	ctl_arena_free(&rp->arena);
	crypt_wipe(rp->key, sizeof(rp->key));
}

/* Build a request with the next rows. */
static void
fill_slot(struct replay_run *rp, struct replay_slot *sl)
{
	const size_t max = rp->batch > 0 ? (size_t)rp->batch : 1;
	struct replay_source *so = &rp->source;
	struct fail f = { 0 };
	struct str s;
	int r = 0;

	arena_reset(&sl->arena);
	str_init(&s, &sl->arena);
	sl->n = 0;
	sl->tries = 0;
	if (rp->batch > 0) {
		writer_object(&s, NULL);
		writer_array(&s, "events");
	}
	while (sl->n < max && (r = replay_source_next(so, &f)) == 1) {
		if ((r = replay_row_truth(&so->layout, &so->csv,
			 &sl->item[sl->n].truth, &f)) == -1)
			break;
		sl->item[sl->n].row = so->row;
		replay_row_event(&so->layout, &so->csv, &s, &sl->item[sl->n++]);
	}
	if (rp->batch > 0) {
		writer_end(&s);
		writer_end(&s);
	}
	if (r == -1)
		stop_reading(rp, EX_DATAERR, "%s: %s", so->path, f.why);
	else if (str_text(&s) == NULL)
		stop_reading(rp, EX_DATAERR, "%s: row %" PRIu64 " is too large",
		    so->path, so->row);
	else if (sl->n == 0)
		rp->ended = true;
	if (sl->n == 0 || str_text(&s) == NULL)
		return;
	sl->call = (struct http_call) {
		.method = "POST",
		.url = rp->url,
		.socket = rp->socket,
		.ca_file = http_client_ca_file(),
		.headers = { rp->key, "Content-Type: application/json" },
		.body = str_text(&s),
		.body_size = strlen(str_text(&s)),
		.timeout_ms = TIMEOUT_MS,
		.reply_max = REPLY_MAX,
		.owner = sl,
	};
	sl->state = SLOT_READY;
}

/* Send a request, unless the service has asked to wait. */
static void
send_slot(struct replay_run *rp, struct replay_slot *sl)
{
	struct fail f = { 0 };

	if (clock_ticks() < rp->resume) {
		/* After an interrupt, drop the request instead of waiting. */
		if (rp->exit != EX_OK)
			sl->state = SLOT_FREE;
		return;
	}
	if (http_start(rp->http, &sl->call, &f) == -1) {
		sl->state = SLOT_FREE;
		stop_reading(rp, EX_USAGE, "%s: %s", rp->url, f.why);
		return;
	}
	sl->state = SLOT_SENT;
}

/* Handle the end of a request. */
static void
take_reply(struct replay_run *rp, struct replay_slot *sl)
{
	const int status = sl->call.status;

	if (status == 0)
		answer_none(rp, sl);
	else if (status == 429 || status == 503)
		answer_wait(rp, sl);
	else
		answer_show(rp, sl);
	http_done(rp->http, &sl->call);
}

/*
 * Handle a request without an answer: send it again.  Events that were decided
 * are not decided twice, because the service decides each id once.  Give up
 * after TRIES_MAX attempts, or if the service has never answered.
 */
static void
answer_none(struct replay_run *rp, struct replay_slot *sl)
{
	if (rp->exit != EX_OK || rp->show.n_us == 0 ||
	    ++sl->tries == TRIES_MAX) {
		sl->state = SLOT_FREE;
		stop_reading(rp, EX_UNAVAILABLE,
		    "no answer from %s: %s; check the address, and that the "
		    "service is running",
		    rp->url, sl->call.error);
		return;
	}
	sl->state = SLOT_READY;
	rp->resume = clock_ticks() + (CLOCK_SECOND / 4 << sl->tries);
}

/* Handle 429 and 503: send the request again after the time in the answer. */
static void
answer_wait(struct replay_run *rp, struct replay_slot *sl)
{
	int64_t seconds = sl->call.retry_after;

	if (seconds < 1)
		seconds = 1;
	if (seconds > RETRY_AFTER_MAX)
		seconds = RETRY_AFTER_MAX;
	rp->resume = clock_ticks() + seconds * CLOCK_SECOND;
	sl->state = rp->exit == EX_OK ? SLOT_READY : SLOT_FREE;
	if (!rp->source.progress && rp->exit == EX_OK)
		ctl_say("waiting %" PRId64 " s, as the service asks (%d)",
		    seconds, sl->call.status);
}

/* Print and count the verdicts or errors in an answer. */
static void
answer_show(struct replay_run *rp, struct replay_slot *sl)
{
	const char *text = sl->call.reply;
	const int status = sl->call.status;
	struct json_object *reply;
	struct replay_outcome oc;
	size_t i;

	reply = json_tokener_parse(text == NULL ? "" : text);
	replay_source_clear(&rp->source);
	replay_show_request(&rp->show, sl->call.us);
	for (i = 0; i < sl->n; i++) {
		outcome_read(result_of(rp, reply, i), status, &oc);
		oc.us = sl->call.us;
		oc.again = http_header(
			       &sl->call, "X-Engine-Idempotent-Replay") != NULL;
		replay_show_event(&rp->show, &sl->item[i], &oc);
	}
	json_object_put(reply);
	sl->state = SLOT_FREE;
	if (status == 401 || status == 403)
		stop_reading(rp, EX_NOPERM,
		    "the service refuses the API key (%d); 'assayctl key "
		    "list' shows the keys",
		    status);
}

/* Return result i of a batch, or the whole reply for a single event. */
static struct json_object *
result_of(const struct replay_run *rp, struct json_object *reply, size_t i)
{
	struct json_object *results, *one, *inner;

	if (rp->batch == 0 ||
	    !json_object_object_get_ex(reply, "results", &results) ||
	    !json_object_is_type(results, json_type_array))
		return reply;
	one = json_object_array_get_idx(results, i);
	if (json_object_object_get_ex(one, "decision", &inner) ||
	    json_object_object_get_ex(one, "error", &inner))
		return inner;
	return one;
}

/* Read a decision or an error; any other JSON counts as an error. */
static void
outcome_read(struct json_object *json, int status, struct replay_outcome *ret)
{
	struct json_object *verdict, *score, *code, *message;

	*ret = (struct replay_outcome) { .code = "NO_DECISION",
		.message = "the answer is not a decision" };
	if (status == 200 &&
	    json_object_object_get_ex(json, "verdict", &verdict) &&
	    json_object_object_get_ex(json, "score", &score)) {
		ret->verdict = verdict_parse(json_object_get_string(verdict));
		ret->score = json_object_get_double(score);
		ret->reasons = json_object_object_get(json, "reasons");
		if (!json_object_is_type(ret->reasons, json_type_array))
			ret->reasons = NULL;
	}
	if (json_object_object_get_ex(json, "code", &code) &&
	    json_object_object_get_ex(json, "message", &message)) {
		ret->code = json_object_get_string(code);
		ret->message = json_object_get_string(message);
	}
}

/*
 * Stop reading rows, and print why, but only the first time.  Requests in
 * progress still get their answers.
 */
static void
stop_reading(struct replay_run *rp, int status, const char *fmt, ...)
{
	char why[2048];
	va_list ap;

	rp->ended = true;
	if (rp->exit != EX_OK)
		return;
	rp->exit = status;
	va_start(ap, fmt);
	vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	replay_source_clear(&rp->source);
	ctl_say("%s", why);
}

/* Draw the progress, and the seconds to wait. */
static void
show_replay_progress(struct replay_run *rp)
{
	const int64_t now = clock_ticks();

	if (replay_source_progress(&rp->source, rp->show.events) &&
	    now < rp->resume)
		fprintf(stderr, ", waiting %" PRId64 " s",
		    (rp->resume - now) / CLOCK_SECOND + 1);
}
