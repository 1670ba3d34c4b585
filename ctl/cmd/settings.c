/* SPDX-License-Identifier: ISC */
/* assayctl settings: the settings of three resources, as one list. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/propose.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"

#define ARENA_SIZE ((size_t)4 << 20)
#define PATH_SIZE 64

enum resource { RATE_LIMITS, ALERTS, RETENTION, RESOURCE__MAX };

static const char *const resources[RESOURCE__MAX] = {
	[RATE_LIMITS] = "rate-limits",
	[ALERTS] = "alerts",
	[RETENTION] = "retention",
};

/* One setting: its name, its field in a resource, the path of its value. */
static const struct settings_command_row {
	const char *name;
	enum resource resource;
	const char *field;
	const char *value;
	const char *unit;
} settings[] = {
	{ "decisionsPerMin", RATE_LIMITS, "decisionsPerMin", "decisionsPerMin",
	    "per minute and API key" },
	{ "loginPerMin", RATE_LIMITS, "loginPerMin", "loginPerMin",
	    "per minute and address" },
	{ "anomalyZScore", ALERTS, "anomalyZScore", "anomalyZScore",
	    "standard deviations" },
	{ "retention.verdicts", RETENTION, "verdicts", "days.verdicts",
	    "days" },
	{ "retention.activity", RETENTION, "activity", "days.activity",
	    "days" },
	{ "retention.replay", RETENTION, "replay", "days.replay", "days" },
	{ "retention.idempotency", RETENTION, "idempotency", "days.idempotency",
	    "days" },
	{ "retention.deadLetter", RETENTION, "deadLetter", "days.deadLetter",
	    "days" },
};

static int settings_run(
    const struct command *cmd, struct operands want, int argc, char **argv);
static int run_settings(struct http_client *sv, const char *what, bool json,
    struct str *body, bool change);
static int get_all(
    struct http_client *sv, const char *what, struct json_object **got);
static int set_all(struct http_client *sv, const char *what, struct str *body,
    struct json_object **got);
static int propose_all(struct http_client *sv, const char *what,
    struct str *body, const char *reason, bool json);
static bool put_request(const char *what, enum resource resource,
    struct str *body, char path[PATH_SIZE], struct client_request *ret);
static void build_bodies(const struct command *cmd, struct arena *a,
    char **changes, int n, struct str *body);
static const struct settings_command_row *find_setting_row(
    const struct command *cmd, const char *change);
static void show_settings(struct json_object *const *got);
static void show_json(struct json_object *const *got);

int
settings_set(const struct command *cmd, int argc, char **argv)
{
	return settings_run(
	    cmd, (struct operands) { 1, nitems(settings) }, argc, argv);
}

int
settings_show(const struct command *cmd, int argc, char **argv)
{
	return settings_run(cmd, (struct operands) { 0, 0 }, argc, argv);
}

/*
 * Read the options, make or propose the changes in the operands, and print the
 * settings.
 */
static int
settings_run(
    const struct command *cmd, struct operands want, int argc, char **argv)
{
	char *url = NULL, *reason = NULL;
	bool json = false;
	const struct opt opts[] = {
		PROPOSE_OPT(&reason), /* only of settings set */
		{ "json", NULL, "print the unchanged JSON", OPT_FLAG, &json, 0,
		    0 },
		{ "url", "URL",
		    "the service; default ASSAY_URL, else the session's",
		    OPT_TEXT, &url, 0, 0 },
	};
	const size_t skip = want.max == 0 ? 1 : 0;
	struct str body[RESOURCE__MAX];
	struct http_client sv;
	struct arena a;
	int n, status;

	n = opt_parse(cmd, opts + skip, nitems(opts) - skip, want, argc, argv);
	ctl_arena(&a, ARENA_SIZE);
	build_bodies(cmd, &a, argv, n, body);
	status = http_client_open(&sv, url, ACCESS_TOKEN, &a);
	if (status == EX_OK && reason != NULL)
		status = propose_all(&sv, cmd->name, body, reason, json);
	else if (status == EX_OK)
		status = run_settings(&sv, cmd->name, json, body, n > 0);
	http_client_close(&sv);
	ctl_arena_free(&a);
	return status;
}

/* Make the changes, if any, and print the settings. */
static int
run_settings(struct http_client *sv, const char *what, bool json,
    struct str *body, bool change)
{
	struct json_object *got[RESOURCE__MAX] = { NULL };
	int status;

	status = change ? set_all(sv, what, body, got) : get_all(sv, what, got);
	if (status == EX_OK && json)
		show_json(got);
	else if (status == EX_OK)
		show_settings(got);
	return status;
}

static int
get_all(struct http_client *sv, const char *what, struct json_object **got)
{
	char path[PATH_SIZE];
	const struct client_request req = {
		.what = what, .method = "GET", .path = path
	};
	int i, status = EX_OK;

	for (i = 0; i < RESOURCE__MAX && status == EX_OK; i++) {
		snprintf(path, sizeof(path), "/v1/config/%s", resources[i]);
		status = http_client_call(sv, &req, &got[i]);
	}
	return status;
}

/* PUT the body of each changed resource; the answers have its settings. */
static int
set_all(struct http_client *sv, const char *what, struct str *body,
    struct json_object **got)
{
	char path[PATH_SIZE];
	struct client_request req;
	int i, status = EX_OK;

	for (i = 0; i < RESOURCE__MAX && status == EX_OK; i++)
		if (put_request(what, i, &body[i], path, &req))
			status = http_client_call(sv, &req, &got[i]);
	return status;
}

/* The same as proposals. */
static int
propose_all(struct http_client *sv, const char *what, struct str *body,
    const char *reason, bool json)
{
	char path[PATH_SIZE];
	struct client_request req;
	int i, status = EX_OK;

	for (i = 0; i < RESOURCE__MAX && status == EX_OK; i++)
		if (put_request(what, i, &body[i], path, &req))
			status = propose_request(sv, &req, reason, json);
	return status;
}

/*
 * Make the request that changes a resource, with its path.  Return false if the
 * resource does not change.
 */
static bool
put_request(const char *what, enum resource resource, struct str *body,
    char path[PATH_SIZE], struct client_request *ret)
{
	if (body->len == 0)
		return false;
	str_addc(body, '}');
	snprintf(path, PATH_SIZE, "/v1/config/%s", resources[resource]);
	*ret = (struct client_request) { .what = what,
		.method = "PUT",
		.path = path,
		.body = str_text(body) };
	return true;
}

/* Add each "name=value" to the body of its resource. */
static void
build_bodies(const struct command *cmd, struct arena *a, char **changes, int n,
    struct str *body)
{
	const struct settings_command_row *st;
	const char *value;
	double number;
	char *end;
	int i;

	for (i = 0; i < RESOURCE__MAX; i++)
		str_init(&body[i], a);
	for (i = 0; i < n; i++) {
		st = find_setting_row(cmd, changes[i]);
		value = strchr(changes[i], '=') + 1;
		number = strtod(value, &end);
		str_addc(&body[st->resource],
		    body[st->resource].len == 0 ? '{' : ',');
		str_json(&body[st->resource], st->field);
		str_addc(&body[st->resource], ':');
		if (strcmp(value, "default") == 0)
			str_add(&body[st->resource], "null");
		else if (end != value && *end == '\0' && isfinite(number))
			str_number(&body[st->resource], number);
		else
			opt_usage(
			    cmd, "%s must be a number or 'default'", st->name);
	}
}

/* Return the setting that "name=value" names. */
static const struct settings_command_row *
find_setting_row(const struct command *cmd, const char *change)
{
	const size_t len = strcspn(change, "=");
	size_t i;

	if (change[len] == '\0')
		opt_usage(cmd, "'%s' is not of the form NAME=VALUE", change);
	for (i = 0; i < nitems(settings); i++)
		if (strlen(settings[i].name) == len &&
		    strncmp(settings[i].name, change, len) == 0)
			return &settings[i];
	opt_usage(cmd,
	    "there is no setting %.*s; 'assayctl settings show' "
	    "shows all settings",
	    (int)len, change);
}

/* Print the settings of the resources that were requested. */
static void
show_settings(struct json_object *const *got)
{
	const struct settings_command_row *st;
	struct json_object *value, *over;
	char path[PATH_SIZE];

	printf("%-22s  %10s  %-8s  %s\n", "NAME", "VALUE", "FROM", "UNIT");
	for (st = settings; st < settings + nitems(settings); st++) {
		if (got[st->resource] == NULL)
			continue;
		snprintf(path, sizeof(path), "overridden.%s", st->field);
		value = request_spec_at(got[st->resource], st->value);
		over = request_spec_at(got[st->resource], path);
		printf("%-22s  %10s  %-8s  %s\n", st->name,
		    json_object_get_string(value),
		    json_object_get_boolean(over) ? "override" : "default",
		    st->resource == RETENTION &&
			    json_object_get_double(value) == 0
			? "days (0: forever)"
			: st->unit);
	}
}

/* Print one object with the answers, named by their resources. */
static void
show_json(struct json_object *const *got)
{
	const char *between = "{";
	int i;

	for (i = 0; i < RESOURCE__MAX; i++) {
		if (got[i] == NULL)
			continue;
		printf("%s\"%s\":", between, resources[i]);
		term_text_put_json(json_object_to_json_string_ext(
		    got[i], JSON_C_TO_STRING_PLAIN));
		between = ",";
	}
	puts("}");
}
