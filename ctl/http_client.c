/* SPDX-License-Identifier: ISC */
/* Send requests to the service: its address, the credentials, its answers. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/request/answer_progress.h"
#include "ctl/request/request_spec.h"
#include "ctl/session.h"
#include "ctl/term_text.h"
#include "lib/json/strict_json.h"
#include "lib/sys/clock.h"

#define REPLY_MAX ((size_t)64 << 20)
#define TRIES_MAX 5 /* repetitions of a patient request */
#define PATIENCE 60 /* longest pause between them, seconds */
#define URL_DEFAULT "http://127.0.0.1:4000"
#define TYPE_JSON "Content-Type: application/json"
#define TIMEOUT_MS 30000
#define TIMEOUT_WATCH_MS 2000
#define TIMEOUT_SLOW_MS 620000 /* above the 600 s of the service */

static struct json_object *parse_reply(const struct http_call *call);
static int choose_token(struct http_client *sv, const char *url);
static int read_api_key(struct http_client *sv);
static int send_http_request(
    struct http_client *sv, const struct client_request *req);
static int wait_for_answer(
    struct http_client *sv, const struct client_request *req);
static int make_call(const struct http_client *sv,
    const struct client_request *req, int timeout_ms, struct http_call *call);
static void watch_begin(struct answer_progress *watch,
    const struct http_client *sv, const struct client_request *req);
static void draw_waiting(int64_t *drawn, const struct answer_progress *watch);
static int report_refused(struct http_client *sv,
    const struct client_request *req, struct json_object *reply);
static bool asks_for_code(struct arena *a, struct json_object *reply);
static bool is_not_found(const char *code);
static const char *reply_text(
    struct arena *a, struct json_object *reply, const char *name);
static const char *hint_for(const struct http_client *sv, const char *code);
static int status_exit(int status);
static void release_answer(void *json);

/* Advice for errors whose message contains none. */
static const struct {
	const char *code;
	const char *hint;
} hints[] = {
	{ "APPROVAL_REQUIRED",
	    "repeat the command with --propose REASON, which proposes the "
	    "change "
	    "to another admin" },
	{ "CASE_NOT_FOUND", "'assayctl cases list' shows the ids" },
	{ "CASE_NOT_YOURS", "an admin, or that analyst, can release it" },
	{ "CASE_RESOLVED", "'assayctl cases show ID' shows who resolved it" },
	{ "CODE_WRONG",
	    "wait for the next code; a recovery code works once; an admin can "
	    "remove the second factor: 'assayctl users reset-factor EMAIL'" },
	{ "FORBIDDEN", "ask an admin, or log in as one: 'assayctl login'" },
	{ "INSUFFICIENT_SCOPE",
	    "an admin can create a key with that scope: 'assayctl keys create "
	    "--scope labels NAME'" },
	{ "INTERNAL", "the log of the service has the cause" },
	{ "INVALID_API_KEY",
	    "set API_KEY to a valid key; 'assayctl keys list' shows which keys "
	    "are revoked or have ended" },
	{ "INVALID_CREDENTIALS",
	    "check email and password; an admin can set a temporary password: "
	    "'assayctl users password EMAIL'" },
	{ "LAST_ADMIN",
	    "make another operator an admin first: 'assayctl users role EMAIL "
	    "admin'" },
	{ "PASSWORD_CHANGE_REQUIRED", "change it with 'assayctl password'" },
	{ "POLICY_MISSING", "'assayctl policies list' shows the ids" },
	{ "POLICY_VERSION_UNKNOWN",
	    "'assayctl policies history ID' and 'assayctl rules history TYPE' "
	    "show the versions" },
	{ "SECOND_FACTOR_EXISTS",
	    "'assayctl factor disable' removes the present one" },
	{ "SECOND_FACTOR_REQUIRED",
	    "enable one with 'assayctl factor enable'" },
	{ "USER_EXISTS", "'assayctl users list' shows all operators" },
	{ "USER_MISSING", "'assayctl users list' shows all operators" },
	{ "VERSION_EXISTS",
	    "a version cannot be changed; choose another label" },
};

/* Exit statuses by HTTP status, first match. */
static const struct {
	int from;
	int to;
	int exit;
} exits[] = {
	{ 401, 401, EX_NOPERM },
	{ 403, 403, EX_NOPERM },
	{ 405, 405, EX_PROTOCOL },
	{ 429, 429, EX_TEMPFAIL },
	{ 400, 499, EX_DATAERR },
	{ 503, 503, EX_TEMPFAIL },
	{ 500, 599, EX_SOFTWARE },
};

int
http_client_open(struct http_client *sv, const char *url,
    enum http_client_access access, struct arena *a)
{
	struct fail f = { 0 };
	int status = EX_OK;

	memset(sv, 0, sizeof(*sv));
	sv->arena = a;
	if (access == ACCESS_TOKEN)
		status = choose_token(sv, url);
	else
		status = http_client_url(a, url, &sv->url);
	if (access == ACCESS_KEY && status == EX_OK)
		status = read_api_key(sv);

	/* A login may fail to read the old session, which it replaces. */
	if (status != EX_OK && access != ACCESS_NONE)
		return status;
	if (http_client_address(sv->url, a, &sv->base, &sv->socket) == -1) {
		ctl_say("%s: not an address; use one like "
			"https://assay.example or unix:/path/of/socket",
		    sv->url);
		return EX_USAGE;
	}
	if ((sv->http = http_new(2, &f)) == NULL)
		return ctl_failed("http", &f);
	return EX_OK;
}

void
http_client_close(struct http_client *sv)
{
	if (sv->call.handle != NULL)
		http_done(sv->http, &sv->call);
	http_free(sv->http);
	sv->http = NULL;
}

int
http_client_call(struct http_client *sv, const struct client_request *req,
    struct json_object **ret)
{
	struct http_call *call = &sv->call;
	int tries = 0, status;

	do {
		if (tries > 0)
			sleep((unsigned)call->retry_after);
		if ((status = send_http_request(sv, req)) != EX_OK)
			return status;
	} while (req->patient && tries++ < TRIES_MAX &&
	    (call->status == 429 || call->status == 503) &&
	    call->retry_after > 0 && call->retry_after <= PATIENCE);
	*ret = parse_reply(call);
	if (*ret != NULL && arena_defer(sv->arena, release_answer, *ret) == -1)
		*ret = NULL;
	if (call->status >= 200 && call->status < 300 && *ret != NULL)
		return EX_OK;
	if (call->status == 404 && req->missed != NULL) {
		*req->missed = true;
		*ret = NULL;
		return EX_OK;
	}
	if (req->code_needed != NULL && asks_for_code(sv->arena, *ret)) {
		*req->code_needed = true;
		*ret = NULL;
		return EX_OK;
	}
	return report_refused(sv, req, *ret);
}

/* Parse an answer; return NULL if it is no JSON. */
static struct json_object *
parse_reply(const struct http_call *call)
{
	struct json_object *json = NULL;
	struct fail none = { 0 };
	char *scratch;

	if (call->reply == NULL ||
	    (scratch = malloc(call->reply_size + 1)) == NULL)
		return NULL;

	/* json-c's own parser changes numbers beyond 64 bits; it takes more. */
	if (strict_json_read(
		call->reply, call->reply_size, scratch, &json, &none) == -1)
		json = json_tokener_parse(call->reply);
	free(scratch);
	return json;
}

int
http_client_address(const char *url, struct arena *a, const char **ret_base,
    const char **ret_socket)
{
	const size_t len = strlen(url);

	*ret_socket = NULL;
	if (strncmp(url, "unix:", 5) == 0 && url[5] == '/') {
		*ret_base = "http://localhost";
		*ret_socket = arena_strdup(a, url + 5);
		return *ret_socket == NULL ? -1 : 0;
	}
	if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
		return -1;
	if (strchr(url, '?') != NULL || strchr(url, '#') != NULL)
		return -1;
	*ret_base = arena_strndup(
	    a, url, len > 0 && url[len - 1] == '/' ? len - 1 : len);
	return *ret_base == NULL ? -1 : 0;
}

void
http_client_escape(struct str *s, const char *text)
{
	for (; *text != '\0'; text++)
		if ((*text >= 'a' && *text <= 'z') ||
		    (*text >= 'A' && *text <= 'Z') ||
		    (*text >= '0' && *text <= '9') ||
		    strchr("-._~:@", *text) != NULL)
			str_addc(s, *text);
		else
			str_addf(s, "%%%02X", (unsigned char)*text);
}

int
http_client_url(struct arena *a, const char *url, const char **ret)
{
	struct session ss = { 0 };
	int status = EX_OK;

	if (url == NULL || *url == '\0')
		url = getenv("ASSAY_URL");
	if (url == NULL || *url == '\0')
		url = getenv("BASE_URL");
	if (url == NULL || *url == '\0') {
		status = session_read(a, &ss);
		url = status == EX_OK ? ss.url : NULL;
	}
	*ret = url == NULL || *url == '\0' ? URL_DEFAULT : url;
	return status;
}

const char *
http_client_ca_file(void)
{
	const char *path = getenv("ASSAY_CA_FILE");

	return path == NULL || *path == '\0' ? NULL : path;
}

/* Choose the token and the service that issued it. */
static int
choose_token(struct http_client *sv, const char *url)
{
	const char *token = getenv("ASSAY_TOKEN");
	struct session ss = { 0 };
	struct str s;
	int status;

	if (url == NULL || *url == '\0')
		url = getenv("ASSAY_URL");
	if (url != NULL && *url == '\0')
		url = NULL;
	sv->own_token = token != NULL && *token != '\0';
	if ((!sv->own_token || url == NULL) &&
	    (status = session_read(sv->arena, &ss)) != EX_OK)
		return status;
	if (!sv->own_token) {
		token = ss.token;
		if (token == NULL || ss.url == NULL) {
			ctl_say("not logged in; run 'assayctl login'");
			return EX_NOPERM;
		}
		if (url != NULL && strcmp(url, ss.url) != 0) {
			ctl_say("the session belongs to %s; run "
				"'assayctl login --url %s'",
			    ss.url, url);
			return EX_NOPERM;
		}
	}
	sv->url = url != NULL ? url : ss.url;
	if (sv->url == NULL &&
	    (status = http_client_url(sv->arena, NULL, &sv->url)) != EX_OK)
		return status;
	str_init(&s, sv->arena);
	str_addf(&s, "Authorization: Bearer %s", token);
	sv->header = str_text(&s);
	return EX_OK;
}

static int
read_api_key(struct http_client *sv)
{
	const char *key = getenv("API_KEY");
	struct str s;

	if (key == NULL || *key == '\0') {
		ctl_say("API_KEY is not set; 'assayctl keys create NAME' "
			"creates a key");
		return EX_CONFIG;
	}
	str_init(&s, sv->arena);
	str_addf(&s, "X-API-Key: %s", key);
	sv->header = str_text(&s);
	return EX_OK;
}

/* Send one request and wait for an answer with any status. */
static int
send_http_request(struct http_client *sv, const struct client_request *req)
{
	struct http_call *call = &sv->call;
	struct fail f = { 0 };

	if (call->handle != NULL)
		http_done(sv->http, call);
	if (make_call(
		sv, req, req->slow ? TIMEOUT_SLOW_MS : TIMEOUT_MS, call) == -1)
		fail_memory(&f);
	if (call->url == NULL || http_start(sv->http, call, &f) == -1)
		return ctl_failed(sv->url, &f);
	return wait_for_answer(sv, req);
}

static int
make_call(const struct http_client *sv, const struct client_request *req,
    int timeout_ms, struct http_call *call)
{
	struct str url;
	size_t n = 0;

	str_init(&url, sv->arena);
	str_addf(&url, "%s%s", sv->base, req->path);
	*call = (struct http_call) {
		.method = req->method,
		.url = str_text(&url),
		.socket = sv->socket,
		.ca_file = http_client_ca_file(),
		.body = req->body,
		.body_size = req->body == NULL ? 0 : strlen(req->body),
		.timeout_ms = timeout_ms,
		.reply_max = REPLY_MAX,
	};
	if (req->body != NULL)
		call->headers[n++] = req->type != NULL ? req->type : TYPE_JSON;
	call->headers[n] = sv->header;
	return call->url == NULL ? -1 : 0;
}

/* Wait for the answer; poll and draw the progress meanwhile. */
static int
wait_for_answer(struct http_client *sv, const struct client_request *req)
{
	const struct http_call *call = &sv->call;
	const struct http_call *done;
	struct answer_progress watch;
	int64_t drawn = 0;

	watch_begin(&watch, sv, req);
	while ((done = http_wait(sv->http, 100)) != call) {
		if (done != NULL)
			answer_progress_take(&watch, sv->http, clock_ticks());
		answer_progress_ask(&watch, sv->http, clock_ticks());
		draw_waiting(&drawn, &watch);
	}
	answer_progress_end(&watch, sv->http);
	if (drawn != 0)
		fputs("\r\033[K", stderr);
	if (call->status != 0)
		return EX_OK;
	ctl_say("%s: no answer from %s: %s; check the address, and that the "
		"service is running",
	    req->what, sv->url, call->error);
	return EX_UNAVAILABLE;
}

/* Prepare to poll the progress, if there is a route for it and a terminal. */
static void
watch_begin(struct answer_progress *watch, const struct http_client *sv,
    const struct client_request *req)
{
	const struct client_request poll = {
		.method = "GET",
		.path = req->watch,
	};

	*watch = (struct answer_progress) { .began = clock_ticks() };
	watch->next = watch->began + CLOCK_SECOND / 4;
	if (req->watch != NULL && isatty(STDERR_FILENO) == 1 &&
	    make_call(sv, &poll, TIMEOUT_WATCH_MS, &watch->call) == 0)
		watch->about = req->about;
}

/* Draw the progress, or the seconds if it is unknown, on a terminal. */
static void
draw_waiting(int64_t *drawn, const struct answer_progress *watch)
{
	const int64_t now = clock_ticks();

	if (isatty(STDERR_FILENO) != 1 || now - *drawn < CLOCK_SECOND / 4)
		return;
	if (!answer_progress_draw(watch, now)) {
		if (now - watch->began < CLOCK_SECOND)
			return;
		fprintf(stderr, "\r%c waiting, %" PRId64 " s\033[K",
		    "|/-\\"[now / (CLOCK_SECOND / 4) % 4],
		    (now - watch->began) / CLOCK_SECOND);
	}
	*drawn = now;
}

/* Print the error in an answer, with advice; return the exit status for it. */
static int
report_refused(struct http_client *sv, const struct client_request *req,
    struct json_object *reply)
{
	const int status = sv->call.status;
	const char *code = reply_text(sv->arena, reply, "code");
	const char *message = reply_text(sv->arena, reply, "message");
	const char *hint;

	if (req->quiet)
		return status_exit(status);
	if (code == NULL || message == NULL) {
		ctl_say("%s: %s answers %d, but not like an Assay service; "
			"check the address",
		    req->what, sv->url, status);
		return EX_PROTOCOL;
	}
	if (req->missing != NULL && is_not_found(code))
		message = req->missing;
	ctl_say("%s: %s (%d %s)", req->what, message, status, code);
	if (sv->call.retry_after > 0)
		ctl_say("try again in %" PRId64 " s", sv->call.retry_after);
	else if ((hint = hint_for(sv, code)) != NULL)
		ctl_say("%s", hint);
	return status_exit(status);
}

/* Whether the error says that the code of a second factor is missing. */
static bool
asks_for_code(struct arena *a, struct json_object *reply)
{
	const char *code = reply_text(a, reply, "code");

	return code != NULL && strcmp(code, "CODE_REQUIRED") == 0;
}

/* Whether the error says that the object of the request does not exist. */
static bool
is_not_found(const char *code)
{
	static const char *const codes[] = { "CASE_NOT_FOUND", "NOT_FOUND",
		"POLICY_MISSING" };
	size_t i;

	for (i = 0; i < nitems(codes); i++)
		if (strcmp(codes[i], code) == 0)
			return true;
	return false;
}

/* Return a text of the error answer, cleaned for a terminal; NULL if none. */
static const char *
reply_text(struct arena *a, struct json_object *reply, const char *name)
{
	struct json_object *text = request_spec_at(reply, name);
	struct str s;

	if (!json_object_is_type(text, json_type_string))
		return NULL;
	str_init(&s, a);
	term_text_clean(&s, json_object_get_string(text));
	return str_text(&s);
}

static const char *
hint_for(const struct http_client *sv, const char *code)
{
	size_t i;

	if (strcmp(code, "UNAUTHENTICATED") == 0)
		return sv->own_token
		    ? "the token in ASSAY_TOKEN has expired or was revoked; "
		      "set another, or unset it and run 'assayctl login'"
		    : "your session has expired or was ended; "
		      "run 'assayctl login'";
	for (i = 0; i < nitems(hints); i++)
		if (strcmp(hints[i].code, code) == 0)
			return hints[i].hint;
	return NULL;
}

static int
status_exit(int status)
{
	size_t i;

	for (i = 0; i < nitems(exits); i++)
		if (status >= exits[i].from && status <= exits[i].to)
			return exits[i].exit;
	return EX_PROTOCOL;
}

static void
release_answer(void *json)
{
	json_object_put(json);
}
