/* SPDX-License-Identifier: ISC */
/* What a directory changes of the configuration that is active. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "ctl/config/config_plan.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/request/request_spec.h"
#include "ctl/request/text_diff.h"
#include "ctl/term_text.h"

/* The changes so far. */
struct config_changes {
	struct arena *a;
	struct json_object *answer;
	struct json_object *wanted;
	const char *label;
	struct json_object *changes;
};

static void plan_rules(struct config_changes *p);
static void plan_policies(struct config_changes *p);
static const char *unknown_setting(struct json_object *wanted);
static void plan_settings(struct config_changes *p);
static void plan_queues(struct config_changes *p);
static void plan_queue(struct config_changes *p, const char *name,
    struct json_object *before, struct json_object *after);
static void plan_webhooks(struct config_changes *p);
static void show_lists(struct config_changes *p);
static void plan_webhook(
    struct config_changes *p, const char *what, struct json_object *one);
static bool is_matched(
    struct json_object *other, struct json_object *array, size_t i);
static bool same_webhook(struct json_object *b, struct json_object *c);
static bool has_texts(struct json_object *array, struct json_object *texts);
static struct json_object *find_by(
    struct json_object *array, const char *name, const char *value);
static bool same_text(const char *b, const char *c);
static const char *bands_text(
    struct config_changes *p, struct json_object *policy);
static bool same_number(struct json_object *b, struct json_object *c);
static void plan_number(struct config_changes *p, const char *what,
    const char *name, struct json_object *before, struct json_object *after);
static void print_place(const struct config_changes *p);
static void add_request(struct config_changes *p, const char *method,
    const char *path, struct json_object *body);

/* The pages of /v1/config that have the runtime settings. */
static const struct {
	const char *name;
	const char *field;
	const char *page;
} settings[] = {
#define RATE_LIMITS "/v1/config/rate-limits"
#define ALERTS "/v1/config/alerts"
#define RETENTION "/v1/config/retention"
#define SETTING(id, group, field, name, type, min, max, fallback)              \
	{ name, field, group },
#include "lib/shared/runtime_setting.tbl"
#undef SETTING
};

int
config_plan(struct arena *a, const char *doing, struct json_object *answer,
    struct json_object *wanted, const char *label, struct json_object **ret)
{
	struct config_changes p = {
		.a = a,
		.answer = answer,
		.wanted = wanted,
		.label = label,
		.changes = json_object_new_array(),
	};
	const char *unknown = unknown_setting(wanted);

	if (unknown != NULL) {
		ctl_say("%s: settings.json: there is no setting %s; 'assayctl "
			"settings show' lists them",
		    doing, unknown);
		json_object_put(p.changes);
		return EX_DATAERR;
	}
	plan_rules(&p);
	plan_policies(&p);
	plan_settings(&p);
	plan_queues(&p);
	plan_webhooks(&p);
	show_lists(&p);
	*ret = p.changes;
	return EX_OK;
}

static void
plan_rules(struct config_changes *p)
{
	struct json_object *active = request_spec_at(p->answer, "rules"), *body;
	struct json_object *types = request_spec_at(p->wanted, "rules");
	const char *before, *after;

	if (types == NULL)
		return;
	json_object_object_foreach(types, type, text)
	{
		body = find_by(active, "eventType", type);
		before = json_object_get_string(request_spec_at(body, "dsl"));
		after = json_object_get_string(text);
		if (before != NULL && same_text(before, after))
			continue;
		print_place(p);
		printf("rules %s\n", type);
		if (text_diff_print(NULL, before, after, p->a) == -1)
			puts("the change is too large to show");
		body = json_object_new_object();
		json_object_object_add(
		    body, "eventType", json_object_new_string(type));
		json_object_object_add(
		    body, "version", json_object_new_string(p->label));
		json_object_object_add(body, "dsl", json_object_get(text));
		add_request(p, "POST", "/v1/rules", body);
	}
}

static void
plan_policies(struct config_changes *p)
{
	struct json_object *types = request_spec_at(p->wanted, "policies");
	struct json_object *active, *body;
	const char *before, *after;

	if (types == NULL)
		return;
	json_object_object_foreach(types, type, policy)
	{
		active = find_by(
		    request_spec_at(p->answer, "policies"), "eventType", type);
		before = bands_text(p, active);
		after = bands_text(p, policy);
		if (strcmp(before, after) == 0)
			continue;
		print_place(p);
		printf("policy %s\n", type);
		if (text_diff_print(NULL, before, after, p->a) == -1)
			puts("the change is too large to show");
		body = json_object_new_object();
		json_object_object_add(
		    body, "id", json_object_get(request_spec_at(active, "id")));
		json_object_object_add(
		    body, "version", json_object_new_string(p->label));
		json_object_object_add(body, "onError",
		    json_object_get(request_spec_at(policy, "onError")));
		json_object_object_add(body, "bands",
		    json_object_get(request_spec_at(policy, "bands")));
		add_request(p, "POST", "/v1/policies", body);
	}
}

/* The first override in the document that is no runtime setting, or NULL. */
static const char *
unknown_setting(struct json_object *wanted)
{
	struct json_object *all = request_spec_at(wanted, "settings");
	bool known;
	size_t i;

	if (all == NULL)
		return NULL;
	json_object_object_foreach(all, name, value)
	{
		(void)value;
		known = false;
		for (i = 0; i < nitems(settings); i++)
			known = known || strcmp(settings[i].name, name) == 0;
		if (!known)
			return name;
	}
	return NULL;
}

/* An override that the document lacks ends. */
static void
plan_settings(struct config_changes *p)
{
	struct json_object *active = request_spec_at(p->answer, "settings");
	struct json_object *all = request_spec_at(p->wanted, "settings");
	struct json_object *before, *after, *body;
	size_t i;

	for (i = 0; all != NULL && i < nitems(settings); i++) {
		before = json_object_object_get(active, settings[i].name);
		after = json_object_object_get(all, settings[i].name);
		if (same_number(before, after))
			continue;
		plan_number(p, "setting", settings[i].name, before, after);
		body = json_object_new_object();
		json_object_object_add(
		    body, settings[i].field, json_object_get(after));
		add_request(p, "PUT", settings[i].page, body);
	}
}

/* A target that the document lacks ends. */
static void
plan_queues(struct config_changes *p)
{
	struct json_object *active = request_spec_at(p->answer, "queues");
	struct json_object *all = request_spec_at(p->wanted, "queues");

	if (all == NULL)
		return;
	json_object_object_foreach(all, name, target)
	    plan_queue(p, name, json_object_object_get(active, name), target);
	json_object_object_foreach(
	    active, old, before) if (!json_object_object_get_ex(all, old, NULL))
	    plan_queue(p, old, before, NULL);
}

static void
plan_queue(struct config_changes *p, const char *name,
    struct json_object *before, struct json_object *after)
{
	struct json_object *body;
	struct str path;

	if (same_number(before, after))
		return;
	plan_number(p, "target of queue", name, before, after);
	str_init(&path, p->a);
	str_add(&path, "/v1/queues/");
	http_client_escape(&path, name);
	body = json_object_new_object();
	json_object_object_add(body, "targetMinutes", json_object_get(after));
	add_request(p, "PUT", str_text(&path), body);
}

/* Webhooks are equal if they have the same URL and events.  New ones first. */
static void
plan_webhooks(struct config_changes *p)
{
	struct json_object *active = request_spec_at(p->answer, "webhooks");
	struct json_object *all = request_spec_at(p->wanted, "webhooks");
	struct json_object *one, *body;
	struct str path;
	size_t i;

	if (all == NULL)
		return;
	for (i = 0; i < json_object_array_length(all); i++) {
		one = json_object_array_get_idx(all, i);
		if (is_matched(active, all, i))
			continue;
		plan_webhook(p, "new webhook", one);
		body = json_object_new_object();
		json_object_object_add(
		    body, "url", json_object_get(request_spec_at(one, "url")));
		json_object_object_add(body, "events",
		    json_object_get(request_spec_at(one, "events")));
		add_request(p, "POST", "/v1/webhooks", body);
	}
	for (i = 0; i < json_object_array_length(active); i++) {
		one = json_object_array_get_idx(active, i);
		if (is_matched(all, active, i))
			continue;
		plan_webhook(p, "revoke webhook", one);
		str_init(&path, p->a);
		str_add(&path, "/v1/webhooks/");
		http_client_escape(
		    &path, json_object_get_string(request_spec_at(one, "id")));
		str_add(&path, "/revoke");
		add_request(p, "POST", str_text(&path), NULL);
	}
}

/* Entries of lists are data: say only that their number differs. */
static void
show_lists(struct config_changes *p)
{
	struct json_object *active = request_spec_at(p->answer, "lists");
	struct json_object *all = request_spec_at(p->wanted, "lists"), *now;

	if (all == NULL || active == NULL)
		return;
	json_object_object_foreach(all, kind, before)
	{
		now = json_object_object_get(active, kind);
		if (same_number(before, now))
			continue;
		printf("(the list ");
		term_text_put(kind);
		printf(
		    " had %s entries when it was exported, and has %s now)\n",
		    json_object_get_string(before),
		    now == NULL ? "none" : json_object_get_string(now));
	}
}

static void
plan_webhook(
    struct config_changes *p, const char *what, struct json_object *one)
{
	print_place(p);
	printf("%s ", what);
	term_text_put(json_object_get_string(request_spec_at(one, "url")));
	putchar(' ');
	term_text_put(
	    json_object_to_json_string(request_spec_at(one, "events")));
	putchar('\n');
}

/* Whether element i of an array has its own equal element in the other one. */
static bool
is_matched(struct json_object *other, struct json_object *array, size_t i)
{
	struct json_object *one = json_object_array_get_idx(array, i);
	size_t j, before = 0, found = 0;

	for (j = 0; j < i; j++)
		before +=
		    same_webhook(json_object_array_get_idx(array, j), one);
	for (j = 0; j < json_object_array_length(other); j++)
		found += same_webhook(json_object_array_get_idx(other, j), one);
	return found > before;
}

static bool
same_webhook(struct json_object *b, struct json_object *c)
{
	struct json_object *some = request_spec_at(b, "events");
	struct json_object *others = request_spec_at(c, "events");
	const char *url = json_object_get_string(request_spec_at(b, "url"));
	const char *other = json_object_get_string(request_spec_at(c, "url"));

	return url != NULL && other != NULL && strcmp(url, other) == 0 &&
	    has_texts(some, others) && has_texts(others, some);
}

/* Whether an array has all the texts of another one. */
static bool
has_texts(struct json_object *array, struct json_object *texts)
{
	const char *text, *other;
	size_t i, j;
	bool found;

	if (!json_object_is_type(array, json_type_array) ||
	    !json_object_is_type(texts, json_type_array))
		return false;
	for (i = 0; i < json_object_array_length(texts); i++) {
		text =
		    json_object_get_string(json_object_array_get_idx(texts, i));
		found = false;
		for (j = 0; j < json_object_array_length(array); j++) {
			other = json_object_get_string(
			    json_object_array_get_idx(array, j));
			found = found ||
			    (text != NULL && other != NULL &&
				strcmp(text, other) == 0);
		}
		if (!found)
			return false;
	}
	return true;
}

/* The element of an array whose member has this value, or NULL. */
static struct json_object *
find_by(struct json_object *array, const char *name, const char *value)
{
	const size_t n = array == NULL ? 0 : json_object_array_length(array);
	struct json_object *one;
	const char *text;
	size_t i;

	for (i = 0; i < n; i++) {
		one = json_object_array_get_idx(array, i);
		text = json_object_get_string(request_spec_at(one, name));
		if (text != NULL && strcmp(text, value) == 0)
			return one;
	}
	return NULL;
}

/* Whether texts are equal but for the ends of their last lines, which editors
 * add. */
static bool
same_text(const char *b, const char *c)
{
	size_t nb = strlen(b), nc = strlen(c);

	while (nb > 0 && (b[nb - 1] == '\n' || b[nb - 1] == ' '))
		nb--;
	while (nc > 0 && (c[nc - 1] == '\n' || c[nc - 1] == ' '))
		nc--;
	return nb == nc && memcmp(b, c, nb) == 0;
}

/* A policy as text, one band a line. */
static const char *
bands_text(struct config_changes *p, struct json_object *policy)
{
	static const char *const names[] = { "verdict", "min", "max",
		"reviewQueue" };
	struct json_object *bands = request_spec_at(policy, "bands"), *value;
	struct str s;
	size_t i, j;

	str_init(&s, p->a);
	str_addf(&s, "onError %s\n",
	    json_object_get_string(request_spec_at(policy, "onError")));
	for (i = 0; json_object_is_type(bands, json_type_array) &&
	     i < json_object_array_length(bands);
	     i++)
		for (j = 0; j < nitems(names); j++) {
			value = request_spec_at(
			    json_object_array_get_idx(bands, i), names[j]);
			str_addf(&s, "%s%s%s",
			    j == 0 || value == NULL ? "" : " ",
			    value == NULL ? "" : json_object_get_string(value),
			    j + 1 == nitems(names) ? "\n" : "");
		}
	return str_text(&s) == NULL ? "" : str_text(&s);
}

static bool
same_number(struct json_object *b, struct json_object *c)
{
	return b == NULL || c == NULL
	    ? b == c
	    : json_object_get_double(b) == json_object_get_double(c);
}

static void
plan_number(struct config_changes *p, const char *what, const char *name,
    struct json_object *before, struct json_object *after)
{
	print_place(p);
	printf("%s ", what);
	term_text_put(name);
	printf(": %s -> %s\n",
	    before == NULL ? "none" : json_object_get_string(before),
	    after == NULL ? "none" : json_object_get_string(after));
}

/* Print the number that the service gives the next change in its errors. */
static void
print_place(const struct config_changes *p)
{
	const bool colour = ctl_colour(STDOUT_FILENO);

	printf("%s[%zu]%s ", colour ? TERM_TEXT_BOLD : "",
	    json_object_array_length(p->changes),
	    colour ? TERM_TEXT_PLAIN : "");
}

/* Add a request to the changes; body may be NULL, and belongs to them. */
static void
add_request(struct config_changes *p, const char *method, const char *path,
    struct json_object *body)
{
	struct json_object *change = json_object_new_object();
	struct str action;

	str_init(&action, p->a);
	str_addf(&action, "%s %s", method, path);
	json_object_object_add(change, "action",
	    json_object_new_string(
		str_text(&action) == NULL ? "" : str_text(&action)));
	if (body != NULL)
		json_object_object_add(change, "body", body);
	json_object_array_add(p->changes, change);
}
