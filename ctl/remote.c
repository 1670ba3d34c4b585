/* SPDX-License-Identifier: ISC */
/* The commands of commands.tbl that are one request. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/arena.h"
#include "core/fail.h"
#include "core/str.h"
#include "lib/clock.h"
#include "lib/crypt.h"
#include "ctl/ctl.h"
#include "ctl/file.h"
#include "ctl/part.h"
#include "ctl/secret.h"
#include "ctl/service.h"
#include "ctl/text.h"

#define ARENA_SIZE ((size_t)128 << 20) /* the largest ruleset, compiled */
#define OPTS_MAX 12
#define OPERANDS_MAX 64
#define SECRET_SIZE 2048
#define ABSENT INT64_MIN /* of a number that was not given */

/* The value of one option. */
struct value {
	char *text;
	int64_t number;
	struct opt_list list;
};

/* A command on its way. */
struct remote {
	const struct command *rm_cmd;
	struct command rm_named; /* the same with its arguments, for --help */
	const struct part *rm_call;
	struct opt rm_opts[OPTS_MAX];
	struct value rm_value[OPTS_MAX];
	size_t rm_n_opts;
	size_t rm_n_values;
	struct operands rm_want;
	char rm_args[256];
	char **rm_operand;
	int rm_n_operands;
	const struct part *rm_page;
	int64_t rm_limit;
	int64_t rm_offset;
	char *rm_url;
	bool rm_json;
	bool rm_yes;
	bool rm_slow;
	const struct part *rm_watch;
	enum access rm_access;
	struct arena rm_arena;
	struct str rm_path;
	struct str rm_query;
	struct str rm_body;
	char rm_secret[SECRET_SIZE];
};

static void read_parts(struct remote *);
static void add_opt(struct remote *, const struct opt *);
static void add_args(struct remote *, const char *, const char *);
static void own_opts(struct remote *);
static void check_operands(struct remote *);
static void check_opts(struct remote *);
static bool is_given(const struct value *);
static int confirm(const struct remote *);
static int build(struct remote *);
static void build_path(struct remote *);
static int build_operands(struct remote *);
static int build_opts(struct remote *);
static int build_secret(struct remote *);
static void build_sets(struct remote *);
static void put_query(struct remote *, const char *, const char *);
static void put_name(struct remote *, const char *);
static void put_texts(struct remote *, const char *, char *const *, size_t);
static int put(struct remote *, const struct part *, const char *);
static int put_number(struct remote *, const struct part *, const char *);
static int put_file(struct remote *, const struct part *, const char *);
static int ask(struct remote *);
static int answer(struct remote *, struct json_object *, const char *);
static struct json_object *pick(
    struct remote *, const struct part *, struct json_object *);

int
remote(const struct command *cmd, int argc, char **argv)
{
	static struct remote rm;
	int status;

	rm.rm_cmd = cmd;
	rm.rm_call = part_find(cmd->name);
	rm.rm_access = ACCESS_TOKEN;
	read_parts(&rm);
	rm.rm_n_operands = opt_parse(
	    &rm.rm_named, rm.rm_opts, rm.rm_n_opts, rm.rm_want, argc, argv);
	rm.rm_operand = argv;
	check_operands(&rm);
	check_opts(&rm);
	if ((status = confirm(&rm)) != EX_OK)
		return status;
	ctl_arena(&rm.rm_arena, ARENA_SIZE);
	if ((status = build(&rm)) == EX_OK)
		status = ask(&rm);
	crypt_wipe(rm.rm_secret, sizeof(rm.rm_secret));
	ctl_arena_free(&rm.rm_arena);
	return status;
}

/* Make the options and the line of usage of a command's parts. */
static void
read_parts(struct remote *rm)
{
	const struct part *p;
	struct value *v;

	snprintf(rm->rm_args, sizeof(rm->rm_args), "[OPTION]...");
	for (p = part_next(rm->rm_call); p != NULL; p = part_next(p)) {
		v = &rm->rm_value[rm->rm_n_values];
		switch (p->kind) {
		case PART_ARG:
			add_args(
			    rm, p->name, p->take == TAKE_LIST ? "..." : "");
			rm->rm_want.min++;
			rm->rm_want.max +=
			    p->take == TAKE_LIST ? OPERANDS_MAX : 1;
			break;
		case PART_OPT:
			rm->rm_n_values++;
			v->number = ABSENT;
			add_opt(rm,
			    &(struct opt) { p->name, p->arg, p->help,
				p->take == TAKE_LIST	     ? OPT_LIST
				    : p->take == TAKE_CHOICE ? OPT_CHOICE
				    : p->max > 0	     ? OPT_NUMBER
							     : OPT_TEXT,
				p->take == TAKE_LIST ? (void *)&v->list
				    : p->max > 0     ? (void *)&v->number
						     : (void *)&v->text,
				p->min, p->max });
			break;
		case PART_PAGE:
			rm->rm_page = p;
			break;
		case PART_KEYED:
			rm->rm_access = ACCESS_KEY;
			break;
		case PART_SLOW:
			rm->rm_slow = true;
			break;
		case PART_WATCH:
			rm->rm_watch = p;
			break;
		case PART_CONFIRM:
			add_opt(rm,
			    &(struct opt) { "yes", NULL, "do not ask first",
				OPT_FLAG, &rm->rm_yes, 0, 0 });
			break;
		default:
			break;
		}
	}
	own_opts(rm);
	rm->rm_named = *rm->rm_cmd;
	rm->rm_named.args = rm->rm_args;
}

static void
add_opt(struct remote *rm, const struct opt *opt)
{
	rm->rm_opts[rm->rm_n_opts++] = *opt;
}

static void
add_args(struct remote *rm, const char *name, const char *more)
{
	const size_t n = strlen(rm->rm_args);

	snprintf(rm->rm_args + n, sizeof(rm->rm_args) - n, " %s%s", name, more);
}

/* The options that all of them have. */
static void
own_opts(struct remote *rm)
{
	static char limit[64];

	if (rm->rm_page != NULL) {
		snprintf(limit, sizeof(limit),
		    "at most N entries; default %" PRId64, rm->rm_page->min);
		rm->rm_limit = rm->rm_page->min;
		add_opt(rm,
		    &(struct opt) { "limit", "N", limit, OPT_NUMBER,
			&rm->rm_limit, 1, rm->rm_page->max });
		add_opt(rm,
		    &(struct opt) { "offset", "N", "skip the first N",
			OPT_NUMBER, &rm->rm_offset, 0, INT32_MAX });
	}
	add_opt(rm,
	    &(struct opt) { "json", NULL, "print the answer as it came",
		OPT_FLAG, &rm->rm_json, 0, 0 });
	add_opt(rm,
	    &(struct opt) { "url", "URL",
		"the service; default ASSAY_URL, else the session's", OPT_TEXT,
		&rm->rm_url, 0, 0 });
}

static void
check_operands(struct remote *rm)
{
	const struct part *p;
	int i = 0;

	for (p = part_next(rm->rm_call); p != NULL; p = part_next(p)) {
		if (p->kind != PART_ARG)
			continue;
		if (p->take == TAKE_CHOICE &&
		    !opt_is_choice(p->name, rm->rm_operand[i]))
			opt_usage(&rm->rm_named, "'%s' is none of %s",
			    rm->rm_operand[i], p->name);
		if (rm->rm_operand[i][0] == '\0')
			opt_usage(&rm->rm_named, "%s is empty", p->name);
		i++;
	}
}

/* Two options that say the same thing exclude each other. */
static void
check_opts(struct remote *rm)
{
	const struct part *p, *q;
	const struct value *v = rm->rm_value, *w;

	for (p = part_next(rm->rm_call); p != NULL; p = part_next(p)) {
		if (p->kind != PART_OPT)
			continue;
		w = rm->rm_value;
		for (q = part_next(rm->rm_call); q != p; q = part_next(q)) {
			if (q->kind != PART_OPT)
				continue;
			if (strcmp(p->path, q->path) == 0 && is_given(v) &&
			    is_given(w))
				opt_usage(&rm->rm_named,
				    "--%s and --%s exclude each other", q->name,
				    p->name);
			w++;
		}
		v++;
	}
}

static bool
is_given(const struct value *v)
{
	return v->text != NULL || v->number != ABSENT || v->list.li_n > 0;
}

/* Ask before what cannot be undone. */
static int
confirm(const struct remote *rm)
{
	const struct part *p = part_next(rm->rm_call);
	const char *question;
	char typed[16];

	while (p != NULL && p->kind != PART_CONFIRM)
		p = part_next(p);
	if (p == NULL || rm->rm_yes)
		return EX_OK;
	if (isatty(STDIN_FILENO) != 1)
		opt_usage(&rm->rm_named, "there is nobody to ask: say --yes");
	question = strstr(p->name, "{0}");
	fprintf(stderr, "%.*s", (int)(question - p->name), p->name);
	fprintf(stderr, "%s%s\n", rm->rm_operand[0], question + 3);
	if (secret_ask("Type yes", typed, sizeof(typed)) == 0 &&
	    strcmp(typed, "yes") == 0)
		return EX_OK;
	ctl_say("nothing was done");
	return EX_TEMPFAIL;
}

/* Make the path, the query and the body. */
static int
build(struct remote *rm)
{
	int status;

	str_init(&rm->rm_path, &rm->rm_arena);
	str_init(&rm->rm_query, &rm->rm_arena);
	str_init(&rm->rm_body, &rm->rm_arena);
	build_path(rm);
	if ((status = build_operands(rm)) != EX_OK ||
	    (status = build_opts(rm)) != EX_OK ||
	    (status = build_secret(rm)) != EX_OK)
		return status;
	build_sets(rm);
	if (rm->rm_page != NULL) {
		char number[32];

		snprintf(number, sizeof(number), "%" PRId64, rm->rm_limit);
		put_query(rm, "limit", number);
		snprintf(number, sizeof(number), "%" PRId64, rm->rm_offset);
		put_query(rm, "offset", number);
	}
	str_add(&rm->rm_path, str_text(&rm->rm_query));
	if (rm->rm_body.st_len > 0)
		str_addc(&rm->rm_body, '}');
	return EX_OK;
}

/* The path with its operands, in the order of their names in it. */
static void
build_path(struct remote *rm)
{
	const struct part *p = rm->rm_call;
	const char *text = rm->rm_call->path;
	int i = -1;

	for (; *text != '\0'; text++) {
		if (*text != '{') {
			str_addc(&rm->rm_path, *text);
			continue;
		}
		do {
			p = part_next(p);
			i += p->kind == PART_ARG;
		} while (p->kind != PART_ARG || p->in != IN_PATH);
		service_escape(&rm->rm_path, rm->rm_operand[i]);
		text += strcspn(text, "}");
	}
}

static int
build_operands(struct remote *rm)
{
	const struct part *p;
	int i = 0, status = EX_OK;

	for (p = part_next(rm->rm_call); p != NULL && status == EX_OK;
	     p = part_next(p)) {
		if (p->kind != PART_ARG)
			continue;
		if (p->take == TAKE_LIST)
			put_texts(rm, p->path, rm->rm_operand + i,
			    (size_t)(rm->rm_n_operands - i));
		else if (p->in == IN_BODY)
			status = put(rm, p, rm->rm_operand[i]);
		i++;
	}
	return status;
}

static int
build_opts(struct remote *rm)
{
	const struct part *p;
	const struct value *v = rm->rm_value;
	int status = EX_OK;

	for (p = part_next(rm->rm_call); p != NULL && status == EX_OK;
	     p = part_next(p)) {
		char text[CLOCK_TEXT_SIZE];

		if (p->kind != PART_OPT)
			continue;
		if (v->list.li_n > 0)
			put_texts(rm, p->path, v->list.li_text, v->list.li_n);
		else if (v->text != NULL)
			status = put(rm, p, v->text);
		if (v->number != ABSENT && p->take == TAKE_DAYS) {
			clock_text(
			    clock_now() + v->number * 86400 * CLOCK_SECOND,
			    text);
			status = put(rm, p, text);
		} else if (v->number != ABSENT) {
			snprintf(text, sizeof(text), "%" PRId64, v->number);
			status = put(rm, p, text);
		}
		v++;
	}
	return status;
}

/* Ask for the secret that the body needs. */
static int
build_secret(struct remote *rm)
{
	const struct part *p = part_next(rm->rm_call);

	while (p != NULL && p->kind != PART_ASK)
		p = part_next(p);
	if (p == NULL)
		return EX_OK;
	if (secret_read(p->name, rm->rm_secret, sizeof(rm->rm_secret)) == -1) {
		ctl_say("%s: the %s is needed, on one line of standard input",
		    rm->rm_cmd->name, p->path);
		return EX_DATAERR;
	}
	put_name(rm, p->path);
	str_json(&rm->rm_body, rm->rm_secret);
	return EX_OK;
}

/* What is always in the body; one that may have members has its braces. */
static void
build_sets(struct remote *rm)
{
	const struct part *p;
	bool body = false;

	for (p = part_next(rm->rm_call); p != NULL; p = part_next(p)) {
		body = body || p->in == IN_BODY;
		if (p->kind != PART_SET)
			continue;
		put_name(rm, p->path);
		str_add(&rm->rm_body, "true");
	}
	if (body && rm->rm_body.st_len == 0)
		str_addc(&rm->rm_body, '{');
}

/* One argument, to where it belongs. */
static int
put(struct remote *rm, const struct part *p, const char *text)
{
	if (p->in == IN_QUERY) {
		put_query(rm, p->path, text);
		return EX_OK;
	}
	switch (p->take) {
	case TAKE_RULESET:
	case TAKE_RULES:
	case TAKE_POLICY:
	case TAKE_BANDS:
	case TAKE_MODEL:
		return put_file(rm, p, text);
	case TAKE_NUMBER:
		return put_number(rm, p, text);
	default:
		put_name(rm, p->path);
		str_json(&rm->rm_body, text);
		return EX_OK;
	}
}

static int
put_number(struct remote *rm, const struct part *p, const char *text)
{
	char *end;
	const double number = strtod(text, &end);

	if (*end != '\0' || !isfinite(number))
		opt_usage(
		    &rm->rm_named, "%s is no number: '%s'", p->path, text);
	put_name(rm, p->path);
	str_number(&rm->rm_body, number);
	return EX_OK;
}

/* A file as a member of the body, or as some of them. */
static int
put_file(struct remote *rm, const struct part *p, const char *path)
{
	struct fail f = { 0 };
	struct str s;

	str_init(&s, &rm->rm_arena);
	if (file_member(&rm->rm_arena, p->take, path, &s, &f) == -1) {
		ctl_failed(rm->rm_cmd->name, &f);
		return f.kind == FAIL_DENIED ? EX_NOINPUT : EX_DATAERR;
	}
	if (p->path[0] != '\0')
		put_name(rm, p->path);
	else
		str_addc(&rm->rm_body, rm->rm_body.st_len == 0 ? '{' : ',');
	str_add(&rm->rm_body, str_text(&s) == NULL ? "" : str_text(&s));
	return EX_OK;
}

static void
put_query(struct remote *rm, const char *name, const char *text)
{
	str_addf(
	    &rm->rm_query, "%c%s=", rm->rm_query.st_len == 0 ? '?' : '&', name);
	service_escape(&rm->rm_query, text);
}

/* Begin a member of the body. */
static void
put_name(struct remote *rm, const char *name)
{
	str_addc(&rm->rm_body, rm->rm_body.st_len == 0 ? '{' : ',');
	str_json(&rm->rm_body, name);
	str_addc(&rm->rm_body, ':');
}

static void
put_texts(struct remote *rm, const char *name, char *const *text, size_t n)
{
	size_t i;

	put_name(rm, name);
	for (i = 0; i < n; i++) {
		str_addc(&rm->rm_body, i == 0 ? '[' : ',');
		str_json(&rm->rm_body, text[i]);
	}
	str_addc(&rm->rm_body, ']');
}

/* Send it and show the answer. */
static int
ask(struct remote *rm)
{
	struct ask ask = {
		.ak_what = rm->rm_cmd->name,
		.ak_method = rm->rm_call->method,
		.ak_path = str_text(&rm->rm_path),
		.ak_body =
		    rm->rm_body.st_len == 0 ? NULL : str_text(&rm->rm_body),
		.ak_slow = rm->rm_slow,
	};
	struct json_object *json;
	struct service sv;
	int status;

	if (ask.ak_path == NULL || rm->rm_body.st_failed) {
		ctl_say("%s: the request is too large", rm->rm_cmd->name);
		return EX_DATAERR;
	}
	if (rm->rm_watch != NULL && !rm->rm_json) {
		ask.ak_watch = rm->rm_watch->path;
		ask.ak_about = rm->rm_operand[rm->rm_watch->min];
	}
	status = service_open(&sv, rm->rm_url, rm->rm_access, &rm->rm_arena);
	if (status == EX_OK)
		status = service_ask(&sv, &ask, &json);
	if (status == EX_OK)
		status = answer(rm, json, sv.sv_call.hc_reply);
	service_close(&sv);
	return status;
}

/* Show an answer; text is what it came as. */
static int
answer(struct remote *rm, struct json_object *json, const char *text)
{
	const struct part *p = part_next(rm->rm_call);
	size_t rows;

	while (p != NULL && p->kind != PART_PICK)
		p = part_next(p);
	if (p != NULL) {
		if ((json = pick(rm, p, json)) == NULL)
			return EX_DATAERR;
		text = json_object_to_json_string_ext(
		    json, JSON_C_TO_STRING_PLAIN);
	}
	if (rm->rm_json && isatty(STDOUT_FILENO) == 1)
		text_put_json(json_object_to_json_string_ext(json,
		    JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	else if (rm->rm_json)
		fputs(text, stdout);
	if (rm->rm_json) {
		putchar('\n');
		return EX_OK;
	}
	rows = part_show(rm->rm_call, json, rm->rm_operand, &rm->rm_arena);
	if (rm->rm_page != NULL && rows == (size_t)rm->rm_limit)
		ctl_say("there may be more: --offset %" PRId64,
		    rm->rm_offset + rm->rm_limit);
	return EX_OK;
}

/* The element that the command names, or NULL after having said so. */
static struct json_object *
pick(struct remote *rm, const struct part *p, struct json_object *array)
{
	const char *name = rm->rm_operand[p->min], *path, *text;
	struct json_object *one;
	char *paths = arena_strdup(&rm->rm_arena, p->path), *rest;
	size_t i, n = 0;

	if (json_object_is_type(array, json_type_array))
		n = json_object_array_length(array);
	for (rest = paths; (path = strsep(&rest, " ")) != NULL;)
		for (i = 0; i < n; i++) {
			one = json_object_array_get_idx(array, i);
			text = json_object_get_string(part_at(one, path));
			if (text != NULL && strcmp(text, name) == 0)
				return one;
		}
	ctl_say("there is no %s; %s", name, p->help);
	return NULL;
}
