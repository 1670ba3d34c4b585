/* SPDX-License-Identifier: ISC */
/* Find the complete id for a partial one in a list. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/request/id_lookup.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"

#define RANDOM_SIZE 26 /* characters of an id after its prefix */
#define SHOWN_MAX 10 /* matching ids that are printed */

static bool is_whole(const struct id_lookup_list *il, const char *typed);
static bool is_part(
    const struct id_lookup_list *il, const char *id, const char *typed);
static const char *id_at(
    const struct id_lookup_list *il, struct json_object *array, size_t i);
static void say_candidates(const struct id_lookup_list *il,
    struct json_object *array, const char *what, const char *typed);

int
id_lookup_match(const struct id_lookup_list *il, struct json_object *list,
    const char *what, const char *typed, const char **ret)
{
	struct json_object *array = request_spec_at(list, il->array);
	const char *id, *found = NULL;
	size_t i, n = 0, matches = 0;

	*ret = typed;
	if (is_whole(il, typed) || !json_object_is_type(array, json_type_array))
		return EX_OK;
	n = json_object_array_length(array);
	for (i = 0; i < n; i++) {
		id = id_at(il, array, i);
		if (id == NULL || !is_part(il, id, typed))
			continue;
		if (strcmp(id, typed) == 0)
			return EX_OK;
		if (found != NULL && strcmp(found, id) == 0)
			continue;
		found = id;
		matches++;
	}
	if (matches > 1) {
		say_candidates(il, array, what, typed);
		return EX_DATAERR;
	}
	if (found != NULL)
		*ret = found;
	return EX_OK;
}

int
id_lookup(struct http_client *sv, const struct id_lookup_list *il,
    const char *what, const char *typed, const char **ret)
{
	const struct client_request req = {
		.what = what, .method = "GET", .path = il->path
	};
	struct json_object *list;
	int status;

	*ret = typed;
	if (is_whole(il, typed))
		return EX_OK;
	if ((status = http_client_call(sv, &req, &list)) != EX_OK)
		return status;
	return id_lookup_match(il, list, what, typed, ret);
}

/* Whether to send typed unchanged: it is too short, or a complete id. */
static bool
is_whole(const struct id_lookup_list *il, const char *typed)
{
	const size_t prefix = strlen(il->prefix);
	const bool prefixed = strncmp(typed, il->prefix, prefix) == 0;

	if (strlen(typed) < (prefixed ? prefix : 0) + ID_PART_MIN)
		return true;
	return prefix > 0 && prefixed && strlen(typed) == prefix + RANDOM_SIZE;
}

/* Whether id begins with typed, with or without its prefix, or ends with it. */
static bool
is_part(const struct id_lookup_list *il, const char *id, const char *typed)
{
	const size_t len = strlen(typed), size = strlen(id);
	const size_t prefix = strlen(il->prefix);

	if (strncmp(id, typed, len) == 0)
		return true;
	if (size > prefix && strncmp(id + prefix, typed, len) == 0)
		return true;
	return size >= len && strcmp(id + size - len, typed) == 0;
}

/* Return the id of an element, NULL if it has none. */
static const char *
id_at(const struct id_lookup_list *il, struct json_object *array, size_t i)
{
	return json_object_get_string(
	    request_spec_at(json_object_array_get_idx(array, i), il->member));
}

static void
say_candidates(const struct id_lookup_list *il, struct json_object *array,
    const char *what, const char *typed)
{
	const size_t n = json_object_array_length(array);
	const char *id;
	size_t i, shown = 0;

	ctl_say("%s: '%s' matches several ids:", what, typed);
	for (i = 0; i < n && shown < SHOWN_MAX; i++) {
		id = id_at(il, array, i);
		if (id == NULL || !is_part(il, id, typed))
			continue;
		fputs("  ", stdout);
		term_text_put(id);
		putchar('\n');
		shown++;
	}
	if (shown == SHOWN_MAX)
		ctl_say("and perhaps more; type more of the id");
}
