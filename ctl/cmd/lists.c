/* SPDX-License-Identifier: ISC */
/* assayctl lists remove: remove an entry by id, or by kind and value. */
#include "config.h"

#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/event/list.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/propose.h"
#include "ctl/request/id_lookup.h"
#include "ctl/request/request_spec.h"

#define ARENA_SIZE ((size_t)4 << 20)

static int drop_entry(
    struct http_client *sv, const char *what, const char *reason, char **argv);
static const char *entry_with_value(struct json_object *found, char **argv);
static int remove_one_entry(struct http_client *sv, const char *what,
    const char *reason, const char *id);

int
lists_remove(const struct command *cmd, int argc, char **argv)
{
	char *url = NULL, *reason = NULL;
	const struct opt opts[] = {
		PROPOSE_OPT(&reason),
		{ "url", "URL",
		    "the service; default ASSAY_URL, else the session's",
		    OPT_TEXT, &url, 0, 0 },
	};
	struct http_client sv;
	struct arena a;
	int n, status;

	n = opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 3 }, argc, argv);
	if (n == 2)
		opt_usage(cmd, "give an ID, or KIND, SUBJECT and VALUE");
	if (n == 3 && list_kind_parse(argv[0]) == LIST_KIND__NONE)
		opt_usage(cmd, "KIND must be block, allow or watch");
	ctl_arena(&a, ARENA_SIZE);
	status = http_client_open(&sv, url, ACCESS_TOKEN, &a);
	if (status == EX_OK)
		status = n == 3
		    ? drop_entry(&sv, cmd->name, reason, argv)
		    : remove_one_entry(&sv, cmd->name, reason, argv[0]);
	http_client_close(&sv);
	ctl_arena_free(&a);
	return status;
}

/*
 * Find the entry with the kind, subject and value in argv, and remove it, or
 * with a reason propose this.
 */
static int
drop_entry(
    struct http_client *sv, const char *what, const char *reason, char **argv)
{
	static const char *const names[] = { "kind", "subject", "value" };
	struct client_request req = {
		.what = what, .method = "POST", .path = "/v1/lists/search"
	};
	struct json_object *found;
	const char *id;
	struct str s;
	size_t i;
	int status;

	str_init(&s, sv->arena);
	writer_object(&s, NULL);
	for (i = 0; i < nitems(names); i++)
		writer_text(&s, names[i], argv[i]);
	writer_end(&s);
	req.body = str_text(&s);
	if ((status = http_client_call(sv, &req, &found)) != EX_OK)
		return status;
	if ((id = entry_with_value(found, argv)) == NULL) {
		ctl_say("there is no such entry; 'assayctl lists find %s "
			"VALUE' shows the entries for a value",
		    argv[1]);
		return EX_DATAERR;
	}
	return remove_one_entry(sv, what, reason, id);
}

/*
 * Return the id of the entry of found that has the value of argv, and not only
 * a network with it; NULL if there is no such entry.
 */
static const char *
entry_with_value(struct json_object *found, char **argv)
{
	const enum list_subject subject = list_subject_parse(argv[1]);
	char value[LIST_VALUE_SIZE];
	struct json_object *one;
	const char *has;
	size_t i, n;

	if (!json_object_is_type(found, json_type_array) ||
	    subject == LIST_SUBJECT__NONE ||
	    list_entry_value(subject, argv[2], value) == -1)
		return NULL;
	n = json_object_array_length(found);
	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(found, i);
		has = json_object_get_string(request_spec_at(one, "value"));
		if (has != NULL && strcmp(has, value) == 0)
			return json_object_get_string(
			    request_spec_at(one, "id"));
	}
	return NULL;
}

static int
remove_one_entry(struct http_client *sv, const char *what, const char *reason,
    const char *id)
{
	static const struct id_lookup_list list = { "lst_",
		"/v1/lists?limit=1000", "", "id" };
	struct client_request req = { .what = what, .method = "DELETE" };
	struct json_object *json;
	struct str missing, s;
	int status;

	if ((status = id_lookup(sv, &list, what, id, &id)) != EX_OK)
		return status;
	str_init(&missing, sv->arena);
	str_addf(&missing, "there is no list entry %s", id);
	req.missing = str_text(&missing);
	str_init(&s, sv->arena);
	str_add(&s, "/v1/lists/");
	http_client_escape(&s, id);
	req.path = str_text(&s);
	if (reason != NULL)
		return propose_request(sv, &req, reason, false);
	if ((status = http_client_call(sv, &req, &json)) == EX_OK)
		printf("removed %s\n", id);
	return status;
}
