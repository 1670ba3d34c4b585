/* SPDX-License-Identifier: ISC */
/* assayctl config: the configuration as files, compared and applied. */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "ctl/config/config_document.h"
#include "ctl/config/config_plan.h"
#include "ctl/ctl.h"
#include "ctl/http_client.h"
#include "ctl/prompt_secret.h"
#include "ctl/propose.h"
#include "ctl/request/request_spec.h"
#include "ctl/term_text.h"
#include "lib/sys/clock.h"

/* Room for all rulesets, here and there, and their differences. */
#define ARENA_SIZE ((size_t)256 << 20)
#define LABEL_SIZE sizeof("config-20261231T235959Z")

/* One run of a command. */
struct config_run {
	const char *what; /* the command, for messages */
	const char *dir;
	const char *etag; /* of --etag, or NULL */
	const char *label; /* of --label, or the time */
	const char *reason; /* of --propose, or NULL */
	bool yes;
	struct http_client sv;
	struct arena a;
	struct json_object *answer; /* of GET /v1/config */
	struct json_object *changes;
};

typedef int run_fn(struct config_run *run);

static run_fn export_config, plan_config, check_config, apply_config;
static int run_command(struct config_run *run, const char *url, run_fn *fn);
static int fetch_active(struct config_run *run);
static int check_base(const struct config_run *run);
static int compare_files(struct config_run *run);
static int confirm_changes(const struct config_run *run, size_t n);
static int send_changes(
    struct config_run *run, bool rehearse, struct json_object **ret);
static void print_results(
    const struct config_run *run, struct json_object *answer);

#define URL_OPT(url)                                                           \
	{                                                                      \
		"url", "URL",                                                  \
		    "the service; default ASSAY_URL, else the session's",      \
		    OPT_TEXT, url, 0, 0                                        \
	}
#define ETAG_OPT(etag)                                                         \
	{                                                                      \
		"etag", "ETAG", "fail unless the service has this etag",       \
		    OPT_TEXT, etag, 0, 0                                       \
	}

int
config_export(const struct command *cmd, int argc, char **argv)
{
	struct config_run run = { .what = cmd->name };
	char *url = NULL;
	const struct opt opts[] = { URL_OPT(&url) };

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1 }, argc, argv);
	run.dir = argv[0];
	return run_command(&run, url, export_config);
}

int
config_compare(const struct command *cmd, int argc, char **argv)
{
	struct config_run run = { .what = cmd->name };
	char *url = NULL, *etag = NULL;
	bool check = false;
	const struct opt opts[] = {
		{ "check", NULL, "exit 65 if there are changes", OPT_FLAG,
		    &check, 0, 0 },
		ETAG_OPT(&etag),
		URL_OPT(&url),
	};

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1 }, argc, argv);
	run.dir = argv[0];
	run.etag = etag;
	return run_command(&run, url, check ? check_config : plan_config);
}

int
config_apply(const struct command *cmd, int argc, char **argv)
{
	struct config_run run = { .what = cmd->name };
	char *url = NULL, *etag = NULL, *label = NULL, *reason = NULL;
	const struct opt opts[] = {
		ETAG_OPT(&etag),
		{ "label", "VERSION",
		    "label of new versions; default config- and the time",
		    OPT_TEXT, &label, 0, 0 },
		PROPOSE_OPT(&reason),
		{ "yes", NULL, "do not ask for confirmation", OPT_FLAG,
		    &run.yes, 0, 0 },
		URL_OPT(&url),
	};

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 1, 1 }, argc, argv);
	run.dir = argv[0];
	run.etag = etag;
	run.label = label;
	run.reason = reason;
	if (!run.yes && reason == NULL && isatty(STDIN_FILENO) != 1)
		opt_usage(cmd, "not a terminal; use --yes to confirm");
	return run_command(&run, url, apply_config);
}

/* Connect, run the command, and release what it has left. */
static int
run_command(struct config_run *run, const char *url, run_fn *fn)
{
	const time_t now = (time_t)(clock_now() / CLOCK_SECOND);
	char label[LABEL_SIZE];
	struct tm tm;
	int status;

	if (run->label == NULL) {
		strftime(label, sizeof(label), "config-%Y%m%dT%H%M%SZ",
		    gmtime_r(&now, &tm));
		run->label = label;
	}
	ctl_arena(&run->a, ARENA_SIZE);
	status = http_client_open(&run->sv, url, ACCESS_TOKEN, &run->a);
	if (status == EX_OK && (status = fetch_active(run)) == EX_OK)
		status = fn(run);
	if (run->changes != NULL)
		json_object_put(run->changes);
	http_client_close(&run->sv);
	ctl_arena_free(&run->a);
	return status;
}

static int
fetch_active(struct config_run *run)
{
	const struct client_request req = {
		.what = run->what, .method = "GET", .path = "/v1/config"
	};

	return http_client_call(&run->sv, &req, &run->answer);
}

static int
export_config(struct config_run *run)
{
	int status =
	    config_document_write(&run->a, run->what, run->dir, run->answer);

	if (status == EX_OK)
		printf("exported to %s, etag %s\n", run->dir,
		    json_object_get_string(
			request_spec_at(run->answer, "etag")));
	return status;
}

static int
plan_config(struct config_run *run)
{
	struct json_object *answer;
	int status;
	size_t n;

	if ((status = check_base(run)) != EX_OK ||
	    (status = compare_files(run)) != EX_OK)
		return status;
	n = json_object_array_length(run->changes);
	if (n > 0 && (status = send_changes(run, true, &answer)) != EX_OK)
		return status;
	printf("%zu %s, etag %s\n", n, n == 1 ? "change" : "changes",
	    json_object_get_string(request_spec_at(run->answer, "etag")));
	return EX_OK;
}

static int
check_config(struct config_run *run)
{
	int status = plan_config(run);

	return status == EX_OK && json_object_array_length(run->changes) > 0
	    ? EX_DATAERR
	    : status;
}

static int
apply_config(struct config_run *run)
{
	struct json_object *answer;
	int status;
	size_t n;

	if ((status = check_base(run)) != EX_OK ||
	    (status = compare_files(run)) != EX_OK)
		return status;
	if ((n = json_object_array_length(run->changes)) == 0) {
		puts("no changes");
		return EX_OK;
	}
	if ((status = confirm_changes(run, n)) == EX_OK)
		status = send_changes(run, false, &answer);
	if (status == EX_OK && run->reason == NULL)
		print_results(run, answer);
	return status;
}

/* Fail if the service has another etag than the option. */
static int
check_base(const struct config_run *run)
{
	const char *etag =
	    json_object_get_string(request_spec_at(run->answer, "etag"));

	if (run->etag == NULL || (etag != NULL && strcmp(etag, run->etag) == 0))
		return EX_OK;
	ctl_say("%s: the configuration has changed since %s; run 'assayctl "
		"config plan %s' and read what would be undone",
	    run->what, run->etag, run->dir);
	return EX_DATAERR;
}

/* Read the files and print what they change. */
static int
compare_files(struct config_run *run)
{
	struct json_object *wanted;
	int status =
	    config_document_read(&run->a, run->what, run->dir, &wanted);

	if (status != EX_OK)
		return status;
	status = config_plan(
	    &run->a, run->what, run->answer, wanted, run->label, &run->changes);
	json_object_put(wanted);
	return status;
}

/* Ask, unless --yes or --propose is given. */
static int
confirm_changes(const struct config_run *run, size_t n)
{
	if (run->yes || run->reason != NULL)
		return EX_OK;
	fflush(stdout);
	fprintf(stderr, "This makes %zu %s in the service.\n", n,
	    n == 1 ? "change" : "changes");
	return prompt_secret_confirm();
}

/* Send the changes: to check them, to make them, or as a proposal. */
static int
send_changes(struct config_run *run, bool rehearse, struct json_object **ret)
{
	struct client_request req = {
		.what = run->what, .method = "POST", .path = "/v1/config"
	};
	struct str s;

	str_init(&s, &run->a);
	writer_object(&s, NULL);
	writer_text(&s, "etag",
	    json_object_get_string(request_spec_at(run->answer, "etag")));
	if (rehearse)
		writer_bool(&s, "rehearse", true);
	writer_json(&s, "changes",
	    json_object_to_json_string_ext(
		run->changes, JSON_C_TO_STRING_PLAIN));
	writer_end(&s);
	if ((req.body = str_text(&s)) == NULL) {
		ctl_say("%s: the changes are too large", run->what);
		return EX_DATAERR;
	}
	fflush(stdout);
	if (run->reason != NULL)
		return propose_request(&run->sv, &req, run->reason, false);
	return http_client_call(&run->sv, &req, ret);
}

/* Print the secrets of new webhooks, which cannot be read again. */
static void
print_results(const struct config_run *run, struct json_object *answer)
{
	struct json_object *results = request_spec_at(answer, "results"), *one;
	const size_t n = json_object_array_length(run->changes);
	const char *secret;
	size_t i;

	for (i = 0; results != NULL && i < json_object_array_length(results);
	     i++) {
		one = json_object_array_get_idx(results, i);
		secret = json_object_get_string(request_spec_at(one, "secret"));
		if (secret == NULL)
			continue;
		printf("[%zu] secret of the webhook, shown only now: ", i);
		term_text_put(secret);
		putchar('\n');
	}
	printf("%zu %s made, etag %s\n", n, n == 1 ? "change" : "changes",
	    json_object_get_string(request_spec_at(answer, "etag")));
}
