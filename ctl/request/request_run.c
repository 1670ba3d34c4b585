/* SPDX-License-Identifier: ISC */
/* The commands of commands.tbl that are one request: what it asks. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "ctl/ctl.h"
#include "ctl/request/body_file.h"
#include "ctl/request/request_spec.h"
#include "ctl/prompt_secret.h"
#include "ctl/request/request_run.h"
#include "ctl/http_client.h"

#define ARENA_SIZE ((size_t)128 << 20) /* the largest ruleset, compiled */
#define OPERANDS_MAX 64
#define ABSENT INT64_MIN /* of a number that was not given */

static void read_parts(struct request_run *);
static void add_opt(struct request_run *, const struct opt *);
static void add_args(struct request_run *, const char *, const char *);
static void own_opts(struct request_run *);
static void limit_opt(struct request_run *, const struct request_part *);
static void check_operands(struct request_run *);
static void check_opts(struct request_run *);
static bool is_given(const struct request_value *);
static int confirm(const struct request_run *);
static int build(struct request_run *);
static int build_operands(struct request_run *);
static int build_opts(struct request_run *);
static int build_secret(struct request_run *);
static void build_sets(struct request_run *);
static void put_query(struct request_run *, const char *, const char *);
static void put_count(struct request_run *, const char *, int64_t);
static void put_name(struct request_run *, const char *);
static void put_texts(
    struct request_run *, const char *, char *const *, size_t);
static int put(struct request_run *, const struct request_part *, const char *);
static int put_number(
    struct request_run *, const struct request_part *, const char *);
static int put_file(
    struct request_run *, const struct request_part *, const char *);

int
remote(const struct command *cmd, int argc, char **argv)
{
	static struct request_run rm;
	int status;

	rm.rm_cmd = cmd;
	rm.rm_call = request_spec_find(cmd->name);
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
		status = request_send(&rm);
	crypt_wipe(rm.rm_secret, sizeof(rm.rm_secret));
	ctl_arena_free(&rm.rm_arena);
	return status;
}

/* Make the options and the line of usage of a command's parts. */
static void
read_parts(struct request_run *rm)
{
	const struct request_part *p;
	struct request_value *v;

	snprintf(rm->rm_args, sizeof(rm->rm_args), "[OPTION]...");
	for (p = request_spec_next(rm->rm_call); p != NULL;
	     p = request_spec_next(p)) {
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
		case PART_OLDER:
			rm->rm_older = p;
			break;
		case PART_FIND:
			rm->rm_find = p;
			rm->rm_found = rm->rm_want.min - 1;
			break;
		case PART_MISSING:
			rm->rm_missing = p;
			break;
		case PART_SEEN:
			rm->rm_seen = p;
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
add_opt(struct request_run *rm, const struct opt *opt)
{
	rm->rm_opts[rm->rm_n_opts++] = *opt;
}

static void
add_args(struct request_run *rm, const char *name, const char *more)
{
	const size_t n = strlen(rm->rm_args);

	snprintf(rm->rm_args + n, sizeof(rm->rm_args) - n, " %s%s", name, more);
}

/* The options that all of them have, and those of pages. */
static void
own_opts(struct request_run *rm)
{
	if (rm->rm_page != NULL || rm->rm_older != NULL)
		limit_opt(rm, rm->rm_page != NULL ? rm->rm_page : rm->rm_older);
	if (rm->rm_page != NULL)
		add_opt(rm,
		    &(struct opt) { "offset", "N", "skip the first N",
			OPT_NUMBER, &rm->rm_offset, 0, INT32_MAX });
	if (rm->rm_older != NULL)
		add_opt(rm,
		    &(struct opt) { "before", "ID",
			"only entries older than the one of this id", OPT_TEXT,
			&rm->rm_before, 0, 0 });
	add_opt(rm,
	    &(struct opt) { "json", NULL, "print the answer as it came",
		OPT_FLAG, &rm->rm_json, 0, 0 });
	add_opt(rm,
	    &(struct opt) { "url", "URL",
		rm->rm_access == ACCESS_KEY
		    ? "the service; default ASSAY_URL, BASE_URL or the "
		      "session's"
		    : "the service; default ASSAY_URL, else the session's",
		OPT_TEXT, &rm->rm_url, 0, 0 });
}

static void
limit_opt(struct request_run *rm, const struct request_part *p)
{
	static char limit[64];

	snprintf(limit, sizeof(limit), "at most N entries; default %" PRId64,
	    p->min);
	rm->rm_limit = p->min;
	add_opt(rm,
	    &(struct opt) {
		"limit", "N", limit, OPT_NUMBER, &rm->rm_limit, 1, p->max });
}

static void
check_operands(struct request_run *rm)
{
	const struct request_part *p;
	int i = 0;

	for (p = request_spec_next(rm->rm_call); p != NULL;
	     p = request_spec_next(p)) {
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
check_opts(struct request_run *rm)
{
	const struct request_part *p, *q;
	const struct request_value *v = rm->rm_value, *w;

	for (p = request_spec_next(rm->rm_call); p != NULL;
	     p = request_spec_next(p)) {
		if (p->kind != PART_OPT)
			continue;
		w = rm->rm_value;
		for (q = request_spec_next(rm->rm_call); q != p;
		     q = request_spec_next(q)) {
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
is_given(const struct request_value *v)
{
	return v->text != NULL || v->number != ABSENT || v->list.li_n > 0;
}

/* Ask before what cannot be undone. */
static int
confirm(const struct request_run *rm)
{
	const struct request_part *p = request_spec_next(rm->rm_call);
	const char *question;
	char typed[16];

	while (p != NULL && p->kind != PART_CONFIRM)
		p = request_spec_next(p);
	if (p == NULL || rm->rm_yes)
		return EX_OK;
	if (isatty(STDIN_FILENO) != 1)
		opt_usage(&rm->rm_named, "there is nobody to ask: say --yes");
	question = strstr(p->name, "{0}");
	fprintf(stderr, "%.*s", (int)(question - p->name), p->name);
	fprintf(stderr, "%s%s\n", rm->rm_operand[0], question + 3);
	if (prompt_secret_ask("Type yes", typed, sizeof(typed)) == 0 &&
	    strcmp(typed, "yes") == 0)
		return EX_OK;
	ctl_say("nothing was done");
	return EX_TEMPFAIL;
}

/* Make the query and the body. */
static int
build(struct request_run *rm)
{
	int status;

	str_init(&rm->rm_query, &rm->rm_arena);
	str_init(&rm->rm_body, &rm->rm_arena);
	if ((status = build_operands(rm)) != EX_OK ||
	    (status = build_opts(rm)) != EX_OK ||
	    (status = build_secret(rm)) != EX_OK)
		return status;
	build_sets(rm);
	if (rm->rm_page != NULL || rm->rm_older != NULL)
		put_count(rm, "limit", rm->rm_limit);
	if (rm->rm_page != NULL)
		put_count(rm, "offset", rm->rm_offset);
	if (rm->rm_before != NULL)
		put_query(rm, "before", rm->rm_before);
	if (rm->rm_body.st_len > 0)
		str_addc(&rm->rm_body, '}');
	return EX_OK;
}

static int
build_operands(struct request_run *rm)
{
	const struct request_part *p;
	int i = 0, status = EX_OK;

	for (p = request_spec_next(rm->rm_call); p != NULL && status == EX_OK;
	     p = request_spec_next(p)) {
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
build_opts(struct request_run *rm)
{
	const struct request_part *p;
	const struct request_value *v = rm->rm_value;
	int status = EX_OK;

	for (p = request_spec_next(rm->rm_call); p != NULL && status == EX_OK;
	     p = request_spec_next(p)) {
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
build_secret(struct request_run *rm)
{
	const struct request_part *p = request_spec_next(rm->rm_call);

	while (p != NULL && p->kind != PART_ASK)
		p = request_spec_next(p);
	if (p == NULL)
		return EX_OK;
	if (prompt_secret_read(p->name, rm->rm_secret, sizeof(rm->rm_secret)) ==
	    -1) {
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
build_sets(struct request_run *rm)
{
	const struct request_part *p;
	bool body = false;

	for (p = request_spec_next(rm->rm_call); p != NULL;
	     p = request_spec_next(p)) {
		body = body || p->in == IN_BODY;
		if (p->kind != PART_SET)
			continue;
		put_name(rm, p->path);
		str_add(&rm->rm_body, p->arg);
	}
	if (body && rm->rm_body.st_len == 0)
		str_addc(&rm->rm_body, '{');
}

/* One argument, to where it belongs. */
static int
put(struct request_run *rm, const struct request_part *p, const char *text)
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
put_number(
    struct request_run *rm, const struct request_part *p, const char *text)
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
put_file(struct request_run *rm, const struct request_part *p, const char *path)
{
	struct fail f = { 0 };
	struct str s;

	str_init(&s, &rm->rm_arena);
	if (body_file_member(&rm->rm_arena, p->take, path, &s, &f) == -1) {
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
put_query(struct request_run *rm, const char *name, const char *text)
{
	str_addf(
	    &rm->rm_query, "%c%s=", rm->rm_query.st_len == 0 ? '?' : '&', name);
	http_client_escape(&rm->rm_query, text);
}

static void
put_count(struct request_run *rm, const char *name, int64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, n);
	put_query(rm, name, text);
}

/* Begin a member of the body. */
static void
put_name(struct request_run *rm, const char *name)
{
	str_addc(&rm->rm_body, rm->rm_body.st_len == 0 ? '{' : ',');
	str_json(&rm->rm_body, name);
	str_addc(&rm->rm_body, ':');
}

static void
put_texts(struct request_run *rm, const char *name, char *const *text, size_t n)
{
	size_t i;

	put_name(rm, name);
	for (i = 0; i < n; i++) {
		str_addc(&rm->rm_body, i == 0 ? '[' : ',');
		str_json(&rm->rm_body, text[i]);
	}
	str_addc(&rm->rm_body, ']');
}
