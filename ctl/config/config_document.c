/* SPDX-License-Identifier: ISC */
/* The configuration as files of a directory. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/event/event.h"
#include "ctl/cmd/rules.h"
#include "ctl/config/config_document.h"
#include "ctl/ctl.h"
#include "ctl/request/request_spec.h"
#include "lib/json/body.h"

#define FILE_MAX ((size_t)1 << 20)
#define PRETTY                                                                 \
	(JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED |                   \
	    JSON_C_TO_STRING_NOSLASHESCAPE)

/* What is read: its parts go to json. */
struct document_reader {
	struct arena *a;
	const char *doing;
	const char *dir;
	struct json_object *json;
	int status; /* EX_OK until a file is wrong */
};

static struct json_object *read_rules_file(
    struct document_reader *rd, const char *path);
static struct json_object *read_bands_file(
    struct document_reader *rd, const char *path);
static void read_types(struct document_reader *rd, const char *part,
    const char *suffix,
    struct json_object *(*fn)(struct document_reader *, const char *));
static void read_values(
    struct document_reader *rd, const char *part, json_type type);
static const char *type_of_file(const char *name, const char *suffix);
static struct json_object *read_json(
    struct document_reader *rd, const char *path);
static void refuse_file(struct document_reader *rd, const struct fail *f);
static int write_types(struct arena *a, const char *doing, const char *dir,
    struct json_object *answer, const char *part);
static const char *policy_text(struct arena *a, struct json_object *policy);
static const char *webhooks_text(struct arena *a, struct json_object *webhooks);
static const char *lines_of(struct arena *a, struct json_object *json);
static int make_dir(const char *doing, const char *path);
static int write_file(const char *doing, const char *path, const char *text);
static const char *path_of(
    struct arena *a, const char *dir, const char *part, const char *name);

int
config_document_read(struct arena *a, const char *doing, const char *dir,
    struct json_object **ret)
{
	struct document_reader rd = {
		.a = a,
		.doing = doing,
		.dir = dir,
		.json = json_object_new_object(),
		.status = EX_OK,
	};

	read_types(&rd, "rules", ".rule", read_rules_file);
	read_types(&rd, "policies", ".json", read_bands_file);
	read_values(&rd, "settings", json_type_object);
	read_values(&rd, "queues", json_type_object);
	read_values(&rd, "webhooks", json_type_array);
	read_values(&rd, "lists", json_type_object);
	if (rd.status == EX_OK && json_object_object_length(rd.json) == 0) {
		ctl_say("%s: %s has no configuration; 'assayctl config export "
			"%s' writes the one that is active",
		    doing, dir, dir);
		rd.status = EX_NOINPUT;
	}
	*ret = rd.json;
	if (rd.status != EX_OK)
		json_object_put(rd.json);
	return rd.status;
}

int
config_document_write(struct arena *a, const char *doing, const char *dir,
    struct json_object *answer)
{
	const struct {
		const char *file;
		const char *text;
	} parts[] = {
		{ "settings.json",
		    lines_of(a, request_spec_at(answer, "settings")) },
		{ "queues.json",
		    lines_of(a, request_spec_at(answer, "queues")) },
		{ "webhooks.json",
		    webhooks_text(a, request_spec_at(answer, "webhooks")) },
		{ "lists.json", lines_of(a, request_spec_at(answer, "lists")) },
	};
	int status;
	size_t i;

	if ((status = make_dir(doing, dir)) != EX_OK ||
	    (status = write_types(a, doing, dir, answer, "rules")) != EX_OK ||
	    (status = write_types(a, doing, dir, answer, "policies")) != EX_OK)
		return status;
	for (i = 0; i < nitems(parts); i++)
		if ((status = write_file(doing,
			 path_of(a, dir, parts[i].file, ""), parts[i].text)) !=
		    EX_OK)
			return status;
	return EX_OK;
}

/*
 * Read the files DIR/part/TYPE + suffix into an object.  Name other files on
 * standard error: a file with a wrong name would have no effect.
 */
static void
read_types(struct document_reader *rd, const char *part, const char *suffix,
    struct json_object *(*fn)(struct document_reader *, const char *))
{
	const char *const dir = path_of(rd->a, rd->dir, part, ""), *type, *path;
	struct json_object *types = json_object_new_object(), *one;
	struct dirent **list;
	int i, n = dir == NULL ? -1 : scandir(dir, &list, NULL, alphasort);

	for (i = 0; i < n; i++) {
		type = type_of_file(list[i]->d_name, suffix);
		path = path_of(rd->a, dir, list[i]->d_name, "");
		if (type == NULL && list[i]->d_name[0] != '.')
			ctl_say("%s: %s/%s is not read: its name is not an "
				"event type and %s",
			    rd->doing, dir, list[i]->d_name, suffix);
		else if (type != NULL && path != NULL &&
		    (one = fn(rd, path)) != NULL)
			json_object_object_add(types, type, one);
		free(list[i]);
	}
	if (n >= 0)
		free(list);
	else if (errno != ENOENT) {
		ctl_say(
		    "%s: %s/%s: %s", rd->doing, rd->dir, part, strerror(errno));
		rd->status = EX_NOINPUT;
	}
	if (json_object_object_length(types) > 0)
		json_object_object_add(rd->json, part, types);
	else
		json_object_put(types);
}

/* The event type in the name of a file, or NULL. */
static const char *
type_of_file(const char *name, const char *suffix)
{
	const size_t size = strlen(name), end = strlen(suffix);
	enum event_type type;
	const char *known;

	for (type = EVENT_TYPE__NONE + 1; type < EVENT_TYPE__MAX; type++) {
		known = event_type_name(type);
		if (size == strlen(known) + end &&
		    strncmp(name, known, size - end) == 0 &&
		    strcmp(name + size - end, suffix) == 0)
			return known;
	}
	return NULL;
}

static struct json_object *
read_rules_file(struct document_reader *rd, const char *path)
{
	const struct arena_mark mark = arena_mark(rd->a);
	struct json_object *ret = NULL;
	const char *text;
	int status;

	if (rules_compile_file(rd->a, path, rd->doing, &text, &status) == NULL)
		rd->status = status;
	else
		ret = json_object_new_string(text);
	arena_rewind(rd->a, mark);
	return ret;
}

static struct json_object *
read_bands_file(struct document_reader *rd, const char *path)
{
	struct json_object *json = read_json(rd, path), *ret, *value;
	static const char *const names[] = { "onError", "bands" };
	struct fail f = { 0 };
	size_t i;

	if (json == NULL)
		return NULL;
	ret = json_object_new_object();
	for (i = 0; i < nitems(names); i++) {
		if (!json_object_object_get_ex(json, names[i], &value)) {
			fail_set(&f, FAIL_INPUT, POLICY_INVALID, path,
			    "has no %s", names[i]);
			refuse_file(rd, &f);
		}
		json_object_object_add(ret, names[i], json_object_get(value));
	}
	return ret;
}

/* Read DIR/part.json, which holds a value of this type. */
static void
read_values(struct document_reader *rd, const char *part, json_type type)
{
	const char *path = path_of(rd->a, rd->dir, part, ".json");
	struct json_object *json;
	struct fail f = { 0 };

	if (path == NULL || access(path, F_OK) == -1 ||
	    (json = read_json(rd, path)) == NULL)
		return;
	if (json_object_is_type(json, type)) {
		json_object_object_add(rd->json, part, json_object_get(json));
		return;
	}
	fail_set(&f, FAIL_INPUT, INVALID_REQUEST, path, "must be %s",
	    type == json_type_array ? "an array" : "an object");
	refuse_file(rd, &f);
}

/* Read a file of JSON; the value lives as long as the arena.  NULL: refused. */
static struct json_object *
read_json(struct document_reader *rd, const char *path)
{
	struct json_object *json;
	struct fail f = { 0 };
	size_t size;
	char *text;

	text = ctl_read_file(rd->a, path, FILE_MAX, &size, &f);
	if (text != NULL && (json = body_parse(rd->a, text, size, &f)) != NULL)
		return json;
	if (text != NULL && f.where[0] == '\0')
		snprintf(f.where, sizeof(f.where), "%s", path);
	refuse_file(rd, &f);
	return NULL;
}

static void
refuse_file(struct document_reader *rd, const struct fail *f)
{
	rd->status = ctl_failed(rd->doing, f);
}

/* Write a file for each event type of a part. */
static int
write_types(struct arena *a, const char *doing, const char *dir,
    struct json_object *answer, const char *part)
{
	const bool rules = strcmp(part, "rules") == 0;
	struct json_object *types = request_spec_at(answer, part), *one;
	const char *type, *text;
	struct str name;
	size_t i, n = types == NULL ? 0 : json_object_array_length(types);
	int status = make_dir(doing, path_of(a, dir, part, ""));

	for (i = 0; status == EX_OK && i < n; i++) {
		one = json_object_array_get_idx(types, i);
		type =
		    json_object_get_string(request_spec_at(one, "eventType"));
		/* A name from the service must not leave the directory. */
		if (type == NULL ||
		    event_type_parse(type) == EVENT_TYPE__NONE) {
			ctl_say("%s: the service has an event type that this "
				"assayctl does not know; use one of the same "
				"version",
			    doing);
			return EX_DATAERR;
		}
		str_init(&name, a);
		str_addf(&name, "%s%s", type, rules ? ".rule" : ".json");
		text = rules
		    ? json_object_get_string(request_spec_at(one, "dsl"))
		    : policy_text(a, one);
		status = write_file(
		    doing, path_of(a, dir, part, str_text(&name)), text);
	}
	return status;
}

/* A policy as a file has it: one band a line. */
static const char *
policy_text(struct arena *a, struct json_object *policy)
{
	struct json_object *bands = request_spec_at(policy, "bands");
	const size_t n = bands == NULL ? 0 : json_object_array_length(bands);
	struct str s;
	size_t i;

	str_init(&s, a);
	str_add(&s, "{\n\t\"onError\": ");
	str_json(
	    &s, json_object_get_string(request_spec_at(policy, "onError")));
	str_add(&s, ",\n\t\"bands\": [\n");
	for (i = 0; i < n; i++)
		str_addf(&s, "\t\t%s%s\n",
		    json_object_to_json_string_ext(
			json_object_array_get_idx(bands, i),
			JSON_C_TO_STRING_SPACED |
			    JSON_C_TO_STRING_NOSLASHESCAPE),
		    i + 1 < n ? "," : "");
	str_add(&s, "\t]\n}\n");
	return str_text(&s);
}

/* The webhooks without their ids, which differ from service to service. */
static const char *
webhooks_text(struct arena *a, struct json_object *webhooks)
{
	const size_t n =
	    webhooks == NULL ? 0 : json_object_array_length(webhooks);
	struct json_object *one;
	struct str s;
	size_t i;

	str_init(&s, a);
	str_add(&s, "[");
	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(webhooks, i);
		str_add(&s, i == 0 ? "\n\t{ \"url\": " : ",\n\t{ \"url\": ");
		str_json(
		    &s, json_object_get_string(request_spec_at(one, "url")));
		str_addf(&s, ", \"events\": %s }",
		    json_object_to_json_string_ext(
			request_spec_at(one, "events"),
			JSON_C_TO_STRING_SPACED));
	}
	str_add(&s, n == 0 ? "]\n" : "\n]\n");
	return str_text(&s);
}

/* An object as text with one member a line; an empty one without json. */
static const char *
lines_of(struct arena *a, struct json_object *json)
{
	struct str s;

	str_init(&s, a);
	str_add(&s,
	    json == NULL ? "{}" : json_object_to_json_string_ext(json, PRETTY));
	str_addc(&s, '\n');
	return str_text(&s);
}

static int
make_dir(const char *doing, const char *path)
{
	if (path == NULL) {
		ctl_say("%s: the path is too long", doing);
		return EX_USAGE;
	}
	if (mkdir(path, 0777) == 0 || errno == EEXIST)
		return EX_OK;
	ctl_say("%s: %s: %s", doing, path, strerror(errno));
	return EX_CANTCREAT;
}

static int
write_file(const char *doing, const char *path, const char *text)
{
	struct fail f = { 0 };

	if (path == NULL || text == NULL) {
		fail_memory(&f);
		return ctl_failed(doing, &f);
	}
	return ctl_replace_file(path, text, &f) == -1 ? ctl_failed(doing, &f)
						      : EX_OK;
}

/* DIR/part/name, or DIR/part + name if it is only a suffix or empty. */
static const char *
path_of(struct arena *a, const char *dir, const char *part, const char *name)
{
	struct str s;

	if (name == NULL)
		return NULL;
	str_init(&s, a);
	str_addf(&s, "%s/%s", dir, part);
	if (*name != '\0' && *name != '.')
		str_addc(&s, '/');
	str_add(&s, name);
	return str_text(&s);
}
