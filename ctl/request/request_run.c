/* SPDX-License-Identifier: ISC */
/* Run a CALL of commands.tbl: read its arguments, and build its request. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/fail.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/prompt_secret.h"
#include "ctl/propose.h"
#include "ctl/request/body_file.h"
#include "ctl/request/request_run.h"
#include "ctl/request/request_spec.h"
#include "lib/json/body.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"

#define ARENA_SIZE ((size_t)128 << 20) /* the largest ruleset, compiled */
#define OPERANDS_MAX 64
#define ABSENT INT64_MIN /* the number of an option that was not given */

static void read_parts(struct request_run *rm);
static void read_part(struct request_run *rm, const struct request_part *p);
static void add_args(struct request_run *rm, const struct request_part *p);
static void add_part_opt(struct request_run *rm, const struct request_part *p);
static void add_opt(struct request_run *rm, const struct opt *opt);
static void own_opts(struct request_run *rm);
static void limit_opt(struct request_run *rm, const struct request_part *p);
static void check_operands(struct request_run *rm);
static void check_opts(struct request_run *rm);
static bool is_given(const struct request_value *v);
static int confirm_request(const struct request_run *rm);
static int build_request(struct request_run *rm);
static int build_operands(struct request_run *rm);
static int build_opts(struct request_run *rm);
static int build_secret(struct request_run *rm);
static void build_sets(struct request_run *rm);
static void put_query(
    struct request_run *rm, const char *name, const char *text);
static void put_count(struct request_run *rm, const char *name, int64_t n);
static int put_json(
    struct request_run *rm, const struct request_part *p, const char *text);
static void put_body_name(struct request_run *rm, const char *name);
static void put_texts(
    struct request_run *rm, const char *name, char *const *text, size_t n);
static int put_argument(
    struct request_run *rm, const struct request_part *p, const char *text);
static int put_number(
    struct request_run *rm, const struct request_part *p, const char *text);
static int put_file(
    struct request_run *rm, const struct request_part *p, const char *path);

int
request_run(const struct command *cmd, int argc, char **argv)
{
	static struct request_run rm;
	int status;

	rm.cmd = cmd;
	rm.call = request_spec_find(cmd->name);
	rm.access = ACCESS_TOKEN;
	read_parts(&rm);
	rm.n_operands =
	    opt_parse(&rm.named, rm.opts, rm.n_opts, rm.want, argc, argv);
	rm.operand = argv;
	check_operands(&rm);
	check_opts(&rm);
	if ((status = confirm_request(&rm)) != EX_OK)
		return status;
	ctl_arena(&rm.arena, ARENA_SIZE);
	if ((status = build_request(&rm)) == EX_OK)
		status = request_send(&rm);
	crypt_wipe(rm.secret, sizeof(rm.secret));
	ctl_arena_free(&rm.arena);
	return status;
}

/* Read the parts of a command; make its options and its line of usage. */
static void
read_parts(struct request_run *rm)
{
	const struct request_part *p;

	snprintf(rm->args, sizeof(rm->args), "[OPTION]...");
	for (p = request_spec_next(rm->call); p != NULL;
	     p = request_spec_next(p))
		read_part(rm, p);
	own_opts(rm);
	rm->named = *rm->cmd;
	rm->named.args = rm->args;
}

static void
read_part(struct request_run *rm, const struct request_part *p)
{
	switch (p->kind) {
	case PART_ARG:
		add_args(rm, p);
		break;
	case PART_OPT:
		add_part_opt(rm, p);
		break;
	case PART_PAGE:
		rm->page = p;
		break;
	case PART_OLDER:
		rm->older = p;
		break;
	case PART_FIND:
		rm->find = p;
		rm->found = rm->want.min - 1;
		break;
	case PART_MISSING:
		rm->missing = p;
		break;
	case PART_SEEN:
		rm->seen = p;
		break;
	case PART_KEYED:
		rm->access = ACCESS_KEY;
		break;
	case PART_SLOW:
		rm->slow = true;
		break;
	case PART_WATCH:
		rm->watch = p;
		break;
	case PART_PROPOSE:
		add_opt(rm, &(struct opt)PROPOSE_OPT(&rm->propose));
		break;
	case PART_CONFIRM:
		add_opt(rm,
		    &(struct opt) { "yes", NULL, "do not ask for confirmation",
			OPT_FLAG, &rm->yes, 0, 0 });
		break;
	default:
		break;
	}
}

/* Add the operand p to the line of usage; a list is the last operand. */
static void
add_args(struct request_run *rm, const struct request_part *p)
{
	const bool list = p->take == TAKE_LIST;
	const size_t n = strlen(rm->args);

	snprintf(rm->args + n, sizeof(rm->args) - n, " %s%s", p->name,
	    list ? "..." : "");
	rm->want.min++;
	rm->want.max += list ? OPERANDS_MAX : 1;
}

/* Add the option p; its value goes to the next element of rm->value. */
static void
add_part_opt(struct request_run *rm, const struct request_part *p)
{
	struct request_value *v = &rm->value[rm->n_values++];
	struct opt opt = {
		.name = p->name,
		.arg = p->arg,
		.help = p->help,
		.min = p->min,
		.max = p->max,
	};

	v->number = ABSENT;
	if (p->take == TAKE_LIST) {
		opt.type = OPT_LIST;
		opt.ret = &v->list;
	} else if (p->take == TAKE_CHOICE) {
		opt.type = OPT_CHOICE;
		opt.ret = &v->text;
	} else if (p->max > 0) {
		opt.type = OPT_NUMBER;
		opt.ret = &v->number;
	} else {
		opt.type = OPT_TEXT;
		opt.ret = &v->text;
	}
	add_opt(rm, &opt);
}

static void
add_opt(struct request_run *rm, const struct opt *opt)
{
	rm->opts[rm->n_opts++] = *opt;
}

/* Add the options of pages, and those of every command. */
static void
own_opts(struct request_run *rm)
{
	if (rm->page != NULL || rm->older != NULL)
		limit_opt(rm, rm->page != NULL ? rm->page : rm->older);
	if (rm->page != NULL)
		add_opt(rm,
		    &(struct opt) { "offset", "N", "skip the first N",
			OPT_NUMBER, &rm->offset, 0, INT32_MAX });
	if (rm->older != NULL)
		add_opt(rm,
		    &(struct opt) { "before", "ID",
			"only entries older than the entry with this id",
			OPT_TEXT, &rm->before, 0, 0 });
	add_opt(rm,
	    &(struct opt) { "json", NULL, "print the unchanged JSON", OPT_FLAG,
		&rm->json, 0, 0 });
	add_opt(rm,
	    &(struct opt) { "url", "URL",
		rm->access == ACCESS_KEY
		    ? "the service; default ASSAY_URL, BASE_URL or the "
		      "session's"
		    : "the service; default ASSAY_URL, else the session's",
		OPT_TEXT, &rm->url, 0, 0 });
}

static void
limit_opt(struct request_run *rm, const struct request_part *p)
{
	static char limit[64];

	snprintf(limit, sizeof(limit), "at most N entries; default %" PRId64,
	    p->min);
	rm->limit = p->min;
	add_opt(rm,
	    &(struct opt) {
		"limit", "N", limit, OPT_NUMBER, &rm->limit, 1, p->max });
}

static void
check_operands(struct request_run *rm)
{
	const struct request_part *p;
	int i = 0;

	for (p = request_spec_next(rm->call); p != NULL;
	     p = request_spec_next(p)) {
		if (p->kind != PART_ARG)
			continue;
		if (p->take == TAKE_CHOICE &&
		    !opt_is_choice(p->name, rm->operand[i]))
			opt_usage(&rm->named, "'%s' is not one of %s",
			    rm->operand[i], p->name);
		if (rm->operand[i][0] == '\0')
			opt_usage(&rm->named, "%s is empty", p->name);
		i++;
	}
}

/* Refuse two options for the same field. */
static void
check_opts(struct request_run *rm)
{
	const struct request_part *p, *q;
	const struct request_value *v = rm->value, *w;

	for (p = request_spec_next(rm->call); p != NULL;
	     p = request_spec_next(p)) {
		if (p->kind != PART_OPT)
			continue;
		w = rm->value;
		for (q = request_spec_next(rm->call); q != p;
		     q = request_spec_next(q)) {
			if (q->kind != PART_OPT)
				continue;
			if (strcmp(p->path, q->path) == 0 && is_given(v) &&
			    is_given(w))
				opt_usage(&rm->named,
				    "--%s and --%s cannot be used "
				    "together",
				    q->name, p->name);
			w++;
		}
		v++;
	}
}

static bool
is_given(const struct request_value *v)
{
	return v->text != NULL || v->number != ABSENT || v->list.n > 0;
}

/* Ask the question of PART_CONFIRM.  Return EX_OK if the answer is yes. */
static int
confirm_request(const struct request_run *rm)
{
	const struct request_part *p = request_spec_next(rm->call);
	const char *question;

	while (p != NULL && p->kind != PART_CONFIRM)
		p = request_spec_next(p);
	if (p == NULL || rm->yes || rm->propose != NULL)
		return EX_OK;
	if (isatty(STDIN_FILENO) != 1)
		opt_usage(&rm->named, "not a terminal; use --yes to confirm");
	question = strstr(p->name, "{0}");
	fprintf(stderr, "%.*s", (int)(question - p->name), p->name);
	fprintf(stderr, "%s%s\n", rm->operand[0], question + 3);
	return prompt_secret_confirm();
}

/* Build the query and the body.  Return an exit status. */
static int
build_request(struct request_run *rm)
{
	int status;

	str_init(&rm->query, &rm->arena);
	str_init(&rm->body, &rm->arena);
	if ((status = build_operands(rm)) != EX_OK ||
	    (status = build_opts(rm)) != EX_OK ||
	    (status = build_secret(rm)) != EX_OK)
		return status;
	build_sets(rm);
	if (rm->page != NULL || rm->older != NULL)
		put_count(rm, "limit", rm->limit);
	if (rm->page != NULL)
		put_count(rm, "offset", rm->offset);
	if (rm->before != NULL)
		put_query(rm, "before", rm->before);
	if (rm->body.len > 0)
		str_addc(&rm->body, '}');
	return EX_OK;
}

static int
build_operands(struct request_run *rm)
{
	const struct request_part *p;
	int i = 0, status = EX_OK;

	for (p = request_spec_next(rm->call); p != NULL && status == EX_OK;
	     p = request_spec_next(p)) {
		if (p->kind != PART_ARG)
			continue;
		if (p->take == TAKE_LIST)
			put_texts(rm, p->path, rm->operand + i,
			    (size_t)(rm->n_operands - i));
		else if (p->in != IN_PATH)
			status = put_argument(rm, p, rm->operand[i]);
		i++;
	}
	return status;
}

static int
build_opts(struct request_run *rm)
{
	const struct request_part *p;
	const struct request_value *v = rm->value;
	int status = EX_OK;

	for (p = request_spec_next(rm->call); p != NULL && status == EX_OK;
	     p = request_spec_next(p)) {
		char text[CLOCK_TEXT_SIZE];

		if (p->kind != PART_OPT)
			continue;
		if (v->list.n > 0)
			put_texts(rm, p->path, v->list.text, v->list.n);
		else if (v->text != NULL)
			status = put_argument(rm, p, v->text);
		if (v->number != ABSENT && p->take == TAKE_DAYS) {
			clock_text(
			    clock_now() + v->number * 86400 * CLOCK_SECOND,
			    text);
			status = put_argument(rm, p, text);
		} else if (v->number != ABSENT) {
			snprintf(text, sizeof(text), "%" PRId64, v->number);
			status = put_argument(rm, p, text);
		}
		v++;
	}
	return status;
}

/* Read the secret of PART_ASK into the body.  Return an exit status. */
static int
build_secret(struct request_run *rm)
{
	const struct request_part *p = request_spec_next(rm->call);

	while (p != NULL && p->kind != PART_ASK)
		p = request_spec_next(p);
	if (p == NULL)
		return EX_OK;
	if (prompt_secret_read(p->name, rm->secret, sizeof(rm->secret)) == -1) {
		ctl_say("%s: enter the %s as one line on standard input",
		    rm->cmd->name, p->path);
		return EX_DATAERR;
	}
	put_body_name(rm, p->path);
	str_json(&rm->body, rm->secret);
	return EX_OK;
}

/*
 * Add the members of PART_SET.  If the command may send a body, begin at least
 * an empty object.
 */
static void
build_sets(struct request_run *rm)
{
	const struct request_part *p;
	bool body = false;

	for (p = request_spec_next(rm->call); p != NULL;
	     p = request_spec_next(p)) {
		body = body || p->in == IN_BODY;
		if (p->kind != PART_SET)
			continue;
		put_body_name(rm, p->path);
		str_add(&rm->body, p->arg);
	}
	if (body && rm->body.len == 0)
		str_addc(&rm->body, '{');
}

/* Add one argument to the query or the body.  Return an exit status. */
static int
put_argument(
    struct request_run *rm, const struct request_part *p, const char *text)
{
	if (p->in == IN_QUERY) {
		put_query(rm, p->path, text);
		return EX_OK;
	}
	switch (p->take) {
	case TAKE_RULESET:
	case TAKE_POLICY:
	case TAKE_BANDS:
	case TAKE_MODEL:
		return put_file(rm, p, text);
	case TAKE_NUMBER:
		return put_number(rm, p, text);
	case TAKE_JSON:
		return put_json(rm, p, text);
	default:
		put_body_name(rm, p->path);
		str_json(&rm->body, text);
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
		    &rm->named, "%s must be a number, not '%s'", p->path, text);
	put_body_name(rm, p->path);
	str_number(&rm->body, number);
	return EX_OK;
}

/* Add a file to the body, as one or several members. */
static int
put_file(struct request_run *rm, const struct request_part *p, const char *path)
{
	struct fail f = { 0 };
	struct str s;

	str_init(&s, &rm->arena);
	if (body_file_member(&rm->arena, p->take, path, &s, &f) == -1) {
		ctl_failed(rm->cmd->name, &f);
		return f.kind == FAIL_DENIED ? EX_NOINPUT : EX_DATAERR;
	}
	if (p->path[0] != '\0')
		put_body_name(rm, p->path);
	else
		str_addc(&rm->body, rm->body.len == 0 ? '{' : ',');
	str_add(&rm->body, str_text(&s) == NULL ? "" : str_text(&s));
	return EX_OK;
}

static void
put_query(struct request_run *rm, const char *name, const char *text)
{
	str_addf(&rm->query, "%c%s=", rm->query.len == 0 ? '?' : '&', name);
	http_client_escape(&rm->query, text);
}

static void
put_count(struct request_run *rm, const char *name, int64_t n)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, n);
	put_query(rm, name, text);
}

/* Put a JSON text into the body.  Return an exit status. */
static int
put_json(struct request_run *rm, const struct request_part *p, const char *text)
{
	struct fail f = { 0 };

	if (body_parse(&rm->arena, text, strlen(text), &f) == NULL) {
		ctl_say("%s: %s must be a JSON object", rm->cmd->name, p->name);
		return EX_USAGE;
	}
	put_body_name(rm, p->path);
	str_add(&rm->body, text);
	return EX_OK;
}

/* Add the name of a member to the body. */
static void
put_body_name(struct request_run *rm, const char *name)
{
	str_addc(&rm->body, rm->body.len == 0 ? '{' : ',');
	str_json(&rm->body, name);
	str_addc(&rm->body, ':');
}

static void
put_texts(struct request_run *rm, const char *name, char *const *text, size_t n)
{
	size_t i;

	put_body_name(rm, name);
	for (i = 0; i < n; i++) {
		str_addc(&rm->body, i == 0 ? '[' : ',');
		str_json(&rm->body, text[i]);
	}
	str_addc(&rm->body, ']');
}
