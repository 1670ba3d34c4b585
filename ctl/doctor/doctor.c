/* SPDX-License-Identifier: ISC */
/* assayctl doctor: check a host and its database. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/base/str.h"
#include "ctl/ctl.h"
#include "ctl/doctor/doctor.h"
#include "ctl/term_text.h"
#include "lib/conf/conf.h"

#define DOCTOR_ARENA ((size_t)8 << 20)
#define CONFIG SYSCONFDIR "/assay/assay.conf"
#define SITE "/etc/nginx/conf.d/assay.conf"

static void read_host(struct doctor *d);
static const char *choose_database(const struct doctor *d);
static size_t run_checks(struct doctor *d, struct finding *list);
static void print_findings(
    struct doctor *d, const struct finding *list, size_t n, bool json);

/* A check of one of the two kinds. */
static const struct doctor_check {
	const char *name;
	const char *advice;
	void (*host)(struct doctor *, struct finding *);
	void (*server)(const struct server_facts *, struct finding *);
	int64_t warn;
	int64_t critical;
	bool settings;
} checks[] = {
#define NEVER FINDING_NEVER
#define HOST_CHECK(id, words, needs, from, worse, todo)                        \
	{ .name = words,                                                       \
		.advice = todo,                                                \
		.host = doctor_##id,                                           \
		.warn = from,                                                  \
		.critical = worse,                                             \
		.settings = needs },
#define SERVER_CHECK(id, words, from, worse, todo)                             \
	{ .name = words,                                                       \
		.advice = todo,                                                \
		.server = server_judge_##id,                                   \
		.warn = from,                                                  \
		.critical = worse },
#include "ctl/doctor/doctor_checks.tbl"
#undef NEVER
#undef HOST_CHECK
#undef SERVER_CHECK
};

int
doctor(const struct command *cmd, int argc, char **argv)
{
	struct finding list[nitems(checks)];
	struct doctor d = { .site = SITE };
	char *config = NULL, *site = NULL;
	bool json = false;
	const struct opt opts[] = {
		{ .name = "config",
		    .arg = "FILE",
		    .help = "file of settings; default " CONFIG,
		    .type = OPT_TEXT,
		    .ret = &config },
		{ .name = "json",
		    .help = "print JSON",
		    .type = OPT_FLAG,
		    .ret = &json },
		{ .name = "site",
		    .arg = "FILE",
		    .help = "site of nginx; default " SITE,
		    .type = OPT_TEXT,
		    .ret = &site },
	};
	size_t n;

	opt_parse(
	    cmd, opts, nitems(opts), (struct operands) { 0, 0 }, argc, argv);
	if (config != NULL || access(CONFIG, F_OK) == 0)
		d.config = config == NULL ? CONFIG : config;
	if (site != NULL)
		d.site = site;
	ctl_arena(&d.arena, DOCTOR_ARENA);
	read_host(&d);
	doctor_read_server(&d, choose_database(&d));
	n = run_checks(&d, list);
	print_findings(&d, list, n, json);
	ctl_arena_free(&d.arena);
	return finding_exit(list, n);
}

/* Read the settings; without them the defaults judge the rest. */
static void
read_host(struct doctor *d)
{
	struct fail ignored = { 0 };

	conf_use_credstore();
	d->has_settings = conf_load(d->config, true, &d->refusal) == 0;
	if (!d->has_settings && conf_load(NULL, false, &ignored) == -1)
		return;
}

/* The owner's connection string of the environment, else the operator's. */
static const char *
choose_database(const struct doctor *d)
{
	const char *url = getenv("ADMIN_DATABASE_URL");

	if (url != NULL && *url != '\0')
		return url;
	return d->has_settings ? conf.OPERATOR_DATABASE_URL : NULL;
}

/* Run the checks whose needs are met.  Returns the number of findings. */
static size_t
run_checks(struct doctor *d, struct finding *list)
{
	const struct doctor_check *c;
	size_t n = 0;

	for (c = checks; c < checks + nitems(checks); c++) {
		if (c->host != NULL ? c->settings && !d->has_settings
				    : !d->has_database)
			continue;
		list[n] = (struct finding) { .name = c->name,
			.advice = c->advice,
			.warn = c->warn,
			.critical = c->critical,
			.state = DOCTOR_OK };
		if (c->host != NULL)
			c->host(d, &list[n]);
		else
			c->server(&d->server, &list[n]);
		n++;
	}
	return n;
}

static void
print_findings(
    struct doctor *d, const struct finding *list, size_t n, bool json)
{
	struct str s;

	str_init(&s, &d->arena);
	if (json) {
		finding_json(&s, list, n);
		term_text_put_json(str_text(&s));
		return;
	}
	finding_summary(&s, list, n);
	finding_table(&s, list, n, ctl_colour(STDOUT_FILENO));
	fputs(str_text(&s), stdout);
}
