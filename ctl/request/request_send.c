/* SPDX-License-Identifier: ISC */
/* Run a CALL of commands.tbl: send its request, and print the answer. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/propose.h"
#include "ctl/request/id_lookup.h"
#include "ctl/request/request_run.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"

static int send_request(struct request_run *rm);
static bool looks_up_after_404(const struct request_run *rm);
static int complete_id(struct request_run *rm);
static int send_once(
    struct request_run *rm, bool *missed, struct json_object **ret);
static void warn_unseen(struct request_run *rm);
static int show_answer(
    struct request_run *rm, struct json_object *json, const char *text);
static void print_next_page(
    const struct request_run *rm, struct json_object *json, size_t rows);
static struct json_object *pick_element(struct request_run *rm,
    const struct request_part *p, struct json_object *array);
static void put_url_path(struct str *s, const struct request_part *call,
    const char *text, char *const *operand);

int
request_send(struct request_run *rm)
{
	int status;

	status =
	    http_client_open(&rm->service, rm->url, rm->access, &rm->arena);
	if (status == EX_OK)
		status = send_request(rm);
	http_client_close(&rm->service);
	return status;
}

/* Send the request to the open service, and print the answer. */
static int
send_request(struct request_run *rm)
{
	struct http_client *sv = &rm->service;
	struct json_object *json = NULL;
	bool missed = false;
	int status;

	if (!looks_up_after_404(rm) && (status = complete_id(rm)) != EX_OK)
		return status;
	status = send_once(rm, looks_up_after_404(rm) ? &missed : NULL, &json);
	if (status == EX_OK && missed && (status = complete_id(rm)) == EX_OK)
		status = send_once(rm, NULL, &json);
	if (status == EX_OK && rm->propose == NULL)
		status = show_answer(rm, json, sv->call.reply);
	if (status == EX_OK && rm->seen != NULL && !rm->json)
		warn_unseen(rm);
	return status;
}

/*
 * Whether to complete a partial id only after a 404: ids without a prefix have
 * any form, so what was typed may be complete.
 */
static bool
looks_up_after_404(const struct request_run *rm)
{
	return rm->find != NULL && rm->find->name[0] == '\0';
}

/* Replace a partial id by the complete one, if the list contains it. */
static int
complete_id(struct request_run *rm)
{
	const struct request_part *p = rm->find;
	const char *found;
	int status;

	if (p == NULL)
		return EX_OK;
	status = id_lookup(&rm->service,
	    &(struct id_lookup_list) { p->name, p->path, p->arg, p->method },
	    rm->cmd->name, rm->operand[rm->found], &found);
	if (status == EX_OK)
		rm->operand[rm->found] = arena_strdup(&rm->arena, found);
	return status;
}

/*
 * Send the request, or propose it.  With missed, a 404 sets it and is not a
 * failure.
 */
static int
send_once(struct request_run *rm, bool *missed, struct json_object **ret)
{
	struct client_request req = {
		.what = rm->cmd->name,
		.method = rm->call->method,
		.body = rm->body.len == 0 ? NULL : str_text(&rm->body),
		.slow = rm->slow,
		.missed = missed,
	};
	struct str path;

	str_init(&path, &rm->arena);
	put_url_path(&path, rm->call, rm->call->path, rm->operand);
	str_add(&path, str_text(&rm->query));
	req.path = str_text(&path);
	if (req.path == NULL || rm->body.failed) {
		ctl_say("%s: the request is too large", rm->cmd->name);
		return EX_DATAERR;
	}
	if (rm->missing != NULL)
		req.missing = request_spec_sentence(
		    &rm->arena, rm->missing->name, NULL, rm->operand);
	if (rm->watch != NULL && !rm->json) {
		req.watch = rm->watch->path;
		req.about = rm->operand[rm->watch->min];
	}
	if (rm->propose != NULL)
		return propose_request(
		    &rm->service, &req, rm->propose, rm->json);
	return http_client_call(&rm->service, &req, ret);
}

/* Print the sentence of PART_SEEN if GET of its path answers 404. */
static void
warn_unseen(struct request_run *rm)
{
	bool missed = false;
	struct client_request req = { .what = rm->cmd->name,
		.method = "GET",
		.quiet = true,
		.missed = &missed };
	struct json_object *json;
	struct str path;

	str_init(&path, &rm->arena);
	str_add(&path, rm->seen->path);
	http_client_escape(&path, rm->operand[0]);
	req.path = str_text(&path);
	if (req.path != NULL &&
	    http_client_call(&rm->service, &req, &json) == EX_OK && missed)
		ctl_say("%s",
		    request_spec_sentence(
			&rm->arena, rm->seen->name, NULL, rm->operand));
}

/* Print an answer; text is its unparsed JSON. */
static int
show_answer(struct request_run *rm, struct json_object *json, const char *text)
{
	const struct request_part *p = request_spec_next(rm->call);
	size_t rows;

	while (p != NULL && p->kind != PART_PICK)
		p = request_spec_next(p);
	if (p != NULL) {
		if ((json = pick_element(rm, p, json)) == NULL)
			return EX_DATAERR;
		text = json_object_to_json_string_ext(
		    json, JSON_C_TO_STRING_PLAIN);
	}
	if (rm->json && isatty(STDOUT_FILENO) == 1)
		term_text_put_json(json_object_to_json_string_ext(json,
		    JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	else if (rm->json)
		fputs(text, stdout);
	if (rm->json) {
		putchar('\n');
		return EX_OK;
	}
	rows = request_spec_show(rm->call, json, rm->operand, &rm->arena);
	if (rows == (size_t)rm->limit)
		print_next_page(rm, json, rows);
	return EX_OK;
}

/* Print the option that requests the next page. */
static void
print_next_page(
    const struct request_run *rm, struct json_object *json, size_t rows)
{
	const struct request_part *p = rm->older;
	struct json_object *array;
	const char *last;

	if (p == NULL) {
		if (rm->page != NULL)
			ctl_say(
			    "there may be more entries; use --offset %" PRId64,
			    rm->offset + rm->limit);
		return;
	}
	array = request_spec_at(json, p->arg);
	if (!json_object_is_type(array, json_type_array))
		return;
	last = json_object_get_string(request_spec_at(
	    json_object_array_get_idx(array, rows - 1), p->path));
	if (last != NULL)
		ctl_say("there may be more entries; use --before %s", last);
}

/* Return the element that PART_PICK selects; NULL after an error message. */
static struct json_object *
pick_element(struct request_run *rm, const struct request_part *p,
    struct json_object *array)
{
	const char *name = rm->operand[p->min], *path, *text;
	struct json_object *one;
	char *paths = arena_strdup(&rm->arena, p->path), *rest;
	size_t i, n = 0;

	if (json_object_is_type(array, json_type_array))
		n = json_object_array_length(array);
	for (rest = paths; (path = strsep(&rest, " ")) != NULL;)
		for (i = 0; i < n; i++) {
			one = json_object_array_get_idx(array, i);
			text =
			    json_object_get_string(request_spec_at(one, path));
			if (text != NULL && strcmp(text, name) == 0)
				return one;
		}
	ctl_say("there is no %s; %s", name, p->help);
	return NULL;
}

/* Append the path in text, each {name} replaced by the next PATH operand. */
static void
put_url_path(struct str *s, const struct request_part *call, const char *text,
    char *const *operand)
{
	const struct request_part *p = call;
	int i = -1;

	for (; *text != '\0'; text++) {
		if (*text != '{') {
			str_addc(s, *text);
			continue;
		}
		do {
			p = request_spec_next(p);
			i += p->kind == PART_ARG;
		} while (p->kind != PART_ARG || p->in != IN_PATH);
		http_client_escape(s, operand[i]);
		text += strcspn(text, "}");
	}
}
