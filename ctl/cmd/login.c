/* SPDX-License-Identifier: ISC */
/* assayctl login, logout, refresh, whoami, password: sessions over HTTP. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/cmd/login.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/prompt_secret.h"
#include "ctl/request/request_spec.h"
#include "ctl/session.h"
#include "ctl/term_text.h"
#include "lib/auth/token.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ARENA_SIZE ((size_t)1 << 20)
#define EMAIL_SIZE 256
#define PASSWORD_SIZE 1100 /* 256 characters, a line end, a NUL */
#define CODE_SIZE 34 /* of a second factor, a line end, a NUL */

static int begin_login(
    const struct command *cmd, struct http_client *sv, const char *email);
static int ask_passwords(char old[PASSWORD_SIZE], char next[PASSWORD_SIZE],
    char again[PASSWORD_SIZE]);
static int change_password(struct http_client *sv, const char *what,
    const char *old, const char *next);
static int send_password(struct http_client *sv, struct client_request *req,
    struct str *body, struct json_object **ret);
static int add_code(const char *what, struct str *body);
static int refuse_answer(const struct http_client *sv);
static void warn_unencrypted(const struct http_client *sv);
static int show_token_operator(
    struct http_client *sv, struct json_object *json);
static void print_session(const struct session *ss);
static int say_logged_out(struct http_client *sv, struct json_object *json);

int
login(const struct command *cmd, int argc, char **argv)
{
	char *email = NULL, *url = NULL;
	const struct opt opts[] = {
		{ "email", "EMAIL", "the operator; default: ask for it",
		    OPT_TEXT, &email, 0, 0 },
		{ "url", "URL",
		    "the service; default ASSAY_URL, else BASE_URL, else the "
		    "last session's",
		    OPT_TEXT, &url, 0, 0 },
	};
	struct http_client sv;
	struct arena a;
	int status;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	ctl_arena(&a, ARENA_SIZE);
	if ((status = http_client_open(&sv, url, ACCESS_NONE, &a)) == EX_OK) {
		warn_unencrypted(&sv);
		status = begin_login(cmd, &sv, email);
	}
	http_client_close(&sv);
	ctl_arena_free(&a);
	return status;
}

int
login_end(const struct command *cmd, int argc, char **argv)
{
	bool all = false;
	const struct opt opts[] = {
		{ "all", NULL, "end every session that the operator has",
		    OPT_FLAG, &all, 0, 0 },
	};
	int status, removed;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	status = login_ask(cmd, "POST",
	    all ? "/v1/auth/logout-all" : "/v1/auth/logout", say_logged_out);

	/* Remove the file even if the service does not answer. */
	removed = session_remove();
	return status != EX_OK ? status : removed;
}

int
login_refresh(const struct command *cmd, int argc, char **argv)
{
	opt_parse(cmd, NULL, 0, (struct operands) { 0, 0 }, argc, argv);
	if (getenv("ASSAY_TOKEN") != NULL) {
		ctl_say("cannot refresh the token in ASSAY_TOKEN; unset it and "
			"run 'assayctl login'");
		return EX_USAGE;
	}
	return login_ask(cmd, "POST", "/v1/auth/refresh", login_store);
}

int
login_whoami(const struct command *cmd, int argc, char **argv)
{
	const char *own = getenv("ASSAY_TOKEN");
	struct session ss;
	struct arena a;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 0, 0 }, argc, argv);
	if (own != NULL && *own != '\0')
		return login_ask(
		    cmd, "GET", "/v1/auth/me", show_token_operator);
	ctl_arena(&a, ARENA_SIZE);
	if ((status = session_read(&a, &ss)) == EX_OK && ss.token == NULL) {
		ctl_say("not logged in; run 'assayctl login'");
		status = EX_NOPERM;
	} else if (status == EX_OK) {
		print_session(&ss);
	}
	ctl_arena_free(&a);
	return status;
}

int
login_ask(const struct command *cmd, const char *method, const char *path,
    int (*next)(struct http_client *, struct json_object *))
{
	const struct client_request req = {
		.what = cmd->name, .method = method, .path = path
	};
	struct json_object *json;
	struct http_client sv;
	struct arena a;
	int status;

	ctl_arena(&a, ARENA_SIZE);
	status = http_client_open(&sv, NULL, ACCESS_TOKEN, &a);
	if (status == EX_OK)
		status = http_client_call(&sv, &req, &json);
	if (status == EX_OK)
		status = next(&sv, json);
	http_client_close(&sv);
	ctl_arena_free(&a);
	return status;
}

int
login_password(const struct command *cmd, int argc, char **argv)
{
	char old[PASSWORD_SIZE], next[PASSWORD_SIZE], again[PASSWORD_SIZE];
	struct http_client sv = { 0 };
	struct arena a;
	int status;

	opt_parse(cmd, NULL, 0, (struct operands) { 0, 0 }, argc, argv);
	if (getenv("ASSAY_TOKEN") != NULL) {
		ctl_say(
		    "a new password ends the token in ASSAY_TOKEN; unset it "
		    "and run 'assayctl login'");
		return EX_USAGE;
	}
	ctl_arena(&a, ARENA_SIZE);
	status = http_client_open(&sv, NULL, ACCESS_TOKEN, &a);
	if (status == EX_OK)
		status = ask_passwords(old, next, again);
	if (status == EX_OK)
		status = change_password(&sv, cmd->name, old, next);
	crypt_wipe(old, sizeof(old));
	crypt_wipe(next, sizeof(next));
	crypt_wipe(again, sizeof(again));
	http_client_close(&sv);
	ctl_arena_free(&a);
	return status;
}

int
login_store(struct http_client *sv, struct json_object *json)
{
	char until[CLOCK_TEXT_SIZE];
	const struct session ss = {
		.url = sv->url,
		.token = json_object_get_string(request_spec_at(json, "token")),
		.email =
		    json_object_get_string(request_spec_at(json, "user.email")),
		.role =
		    json_object_get_string(request_spec_at(json, "user.role")),
		.until = until,
	};
	const int64_t expiry =
	    ss.token == NULL ? -1 : token_expiry(sv->arena, ss.token);
	int status;

	if (expiry == -1 || ss.email == NULL || ss.role == NULL ||
	    strpbrk(ss.token, "\r\n") != NULL ||
	    strpbrk(ss.email, "\r\n") != NULL ||
	    strpbrk(ss.role, "\r\n") != NULL)
		return refuse_answer(sv);
	clock_text(expiry, until);
	if ((status = session_write(&ss)) == EX_OK)
		print_session(&ss);
	if (json_object_get_boolean(request_spec_at(json, "passwordTemporary")))
		ctl_say("the password is temporary; change it with "
			"'assayctl password'");
	return status;
}

/* Read the current password and the new one; on a terminal, that one twice. */
static int
ask_passwords(char old[PASSWORD_SIZE], char next[PASSWORD_SIZE],
    char again[PASSWORD_SIZE])
{
	if (prompt_secret_read("Current password", old, PASSWORD_SIZE) == -1 ||
	    prompt_secret_read("New password", next, PASSWORD_SIZE) == -1) {
		ctl_say("password: enter the current password and the new one, "
			"each on one line");
		return EX_DATAERR;
	}
	if (isatty(STDIN_FILENO) == 1 &&
	    (prompt_secret_read("New password again", again, PASSWORD_SIZE) ==
		    -1 ||
		strcmp(next, again) != 0)) {
		ctl_say("password: the two new passwords differ; nothing was "
			"changed");
		return EX_DATAERR;
	}
	return EX_OK;
}

/* Change the password, and store the new session that this starts. */
static int
change_password(
    struct http_client *sv, const char *what, const char *old, const char *next)
{
	struct client_request req = {
		.what = what, .method = "POST", .path = "/v1/auth/password"
	};
	struct json_object *json;
	struct str s;
	int status;

	str_init(&s, sv->arena);
	writer_object(&s, NULL);
	writer_text(&s, "password", old);
	writer_text(&s, "newPassword", next);
	status = send_password(sv, &req, &s, &json);
	return status == EX_OK ? login_store(sv, json) : status;
}

/* Ask for email and password, log in, and store the session. */
static int
begin_login(
    const struct command *cmd, struct http_client *sv, const char *email)
{
	char typed[EMAIL_SIZE], password[PASSWORD_SIZE];
	struct client_request req = {
		.what = cmd->name, .method = "POST", .path = "/v1/auth/login"
	};
	struct json_object *json;
	struct str s;
	int status;

	if (email == NULL && isatty(STDIN_FILENO) != 1)
		opt_usage(
		    cmd, "not a terminal; use --email to name the operator");
	if ((email == NULL &&
		prompt_secret_ask("Email", typed, sizeof(typed)) == -1) ||
	    prompt_secret_read("Password", password, sizeof(password)) == -1) {
		ctl_say("login: enter an email and a password, each on one "
			"line");
		return EX_DATAERR;
	}
	str_init(&s, sv->arena);
	writer_object(&s, NULL);
	writer_text(&s, "email", email == NULL ? typed : email);
	writer_text(&s, "password", password);
	crypt_wipe(password, sizeof(password));
	status = send_password(sv, &req, &s, &json);
	return status == EX_OK ? login_store(sv, json) : status;
}

/*
 * Send a request whose body has a password and lacks only its brace.  If the
 * service asks for the code of the second factor, read it and send both.
 */
static int
send_password(struct http_client *sv, struct client_request *req,
    struct str *body, struct json_object **ret)
{
	const size_t open = body->len;
	bool needed = false;
	int status;

	str_addc(body, '}');
	req->body = str_text(body);
	req->code_needed = &needed;
	status = http_client_call(sv, req, ret);
	if (status == EX_OK && needed) {
		body->len = open;
		req->code_needed = NULL;
		status = add_code(req->what, body);
		req->body = str_text(body);
		if (status == EX_OK)
			status = http_client_call(sv, req, ret);
	}
	if (body->text != NULL)
		crypt_wipe(body->text, body->len);
	return status;
}

/* Read a code, and add it to a body, which it ends. */
static int
add_code(const char *what, struct str *body)
{
	char code[CODE_SIZE];

	if (prompt_secret_ask("Code", code, sizeof(code)) == -1) {
		ctl_say("%s: enter a code of the authenticator app, or a "
			"recovery code, on the line after the password",
		    what);
		return EX_DATAERR;
	}
	writer_text(body, "code", code);
	writer_end(body);
	crypt_wipe(code, sizeof(code));
	return EX_OK;
}

static int
refuse_answer(const struct http_client *sv)
{
	ctl_say("%s did not return a session; check that it is an Assay "
		"service",
	    sv->url);
	return EX_PROTOCOL;
}

/* Print the operator of the token in ASSAY_TOKEN, as the service says. */
static int
show_token_operator(struct http_client *sv, struct json_object *json)
{
	const struct session ss = {
		.url = sv->url,
		.email = json_object_get_string(request_spec_at(json, "email")),
		.role = json_object_get_string(request_spec_at(json, "role")),
		.until =
		    json_object_get_string(request_spec_at(json, "expiresAt")),
	};

	if (ss.email == NULL || ss.role == NULL || ss.until == NULL)
		return refuse_answer(sv);
	print_session(&ss);
	return EX_OK;
}

/* Warn if the password will be sent to another machine without TLS. */
static void
warn_unencrypted(const struct http_client *sv)
{
	static const char *const near[] = { "http://127.", "http://localhost",
		"http://[::1]" };
	size_t i;

	if (strncmp(sv->base, "http://", 7) != 0)
		return;
	for (i = 0; i < nitems(near); i++)
		if (strncmp(sv->base, near[i], strlen(near[i])) == 0)
			return;
	ctl_say("warning: the connection to %s is not encrypted", sv->url);
}

static int
say_logged_out(struct http_client *sv, struct json_object *json)
{
	(void)sv;
	(void)json;
	puts("logged out");
	return EX_OK;
}

/* Print operator, service and end; email and role come from the service. */
static void
print_session(const struct session *ss)
{
	term_text_put(ss->email);
	printf(" (");
	term_text_put(ss->role);
	printf(") at %s until ", ss->url);
	term_text_put(ss->until);
	putchar('\n');
}
