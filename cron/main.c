/* SPDX-License-Identifier: ISC */
/* assay-cron, the companion: read options and settings, then run jobs. */
#include "config.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "core/base/fail.h"
#include "cron/job.h"
#include "lib/conf/conf.h"
#include "lib/sys/clock.h"
#include "lib/sys/core_dump.h"
#include "lib/sys/log.h"

#define WORK "work" /* runs several jobs */
#define LIST_MAX 16 /* jobs of one "work" */
#define FOR_MAX (366LL * 24 * 3600) /* seconds */
#define OPTIONS 256 /* getopt_long() returns this + enum job_option */

/* What the command line asks for. */
struct cron_options {
	const char *path; /* of the file with settings, or NULL */
	int64_t seconds; /* 0: run once */
	bool check; /* only check the settings */
	bool print; /* only print the settings */
	unsigned options; /* 1 << enum job_option */
	const struct job *list[LIST_MAX];
	size_t n;
};

static void parse_cron_options(
    int argc, char *argv[], struct cron_options *ret);
static void choose_job(int argc, char *argv[], struct cron_options *ret);
static void check_options(const struct cron_options *opt);
static int64_t parse_duration(const char *text);
static void need_settings(const struct cron_options *opt);
static void print_cron_usage(FILE *out);

static const struct option options[] = {
	{ "check-config", no_argument, NULL, 'n' },
	{ "config", required_argument, NULL, 'c' },
	{ "for", required_argument, NULL, 'f' },
	{ "help", no_argument, NULL, 'h' },
	{ "once", no_argument, NULL, 'o' },
	{ "print-config", no_argument, NULL, 'p' },
	{ "version", no_argument, NULL, 'V' },
#define OPTION(name, job, help)                                                \
	{ #name, no_argument, NULL, OPTIONS + JOB_OPTION_##name },
#include "cron/options.tbl"
#undef OPTION
	{ NULL, 0, NULL, 0 },
};

/* Options of single jobs. */
static const struct {
	const char *name;
	const char *job;
	const char *help;
} job_options[JOB_OPTION__MAX] = {
#define OPTION(name, job, help) { #name, #job, help },
#include "cron/options.tbl"
#undef OPTION
};

int
main(int argc, char *argv[])
{
	struct cron_options opt = { 0 };
	int64_t until = 0;

	parse_cron_options(argc, argv, &opt);
	if (opt.check || opt.print)
		conf_use_credstore();
	conf_start("assay-cron", opt.path, false);
	if (opt.print)
		conf_print(stdout);
	need_settings(&opt);
	if (opt.check || opt.print)
		return EX_OK;
	if (opt.seconds > 0)
		until = clock_ticks() + opt.seconds * CLOCK_SECOND;
	core_dump_forbid(conf.CORE_DUMPS);

	/* The companion has no log files to open again. */
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	return opt.n == 1
	    ? job_run(opt.list[0], until, opt.options)
	    : supervisor_work(opt.list, opt.n, until, opt.options);
}

/* Read options and jobs; exit if they are wrong. */
static void
parse_cron_options(int argc, char *argv[], struct cron_options *ret)
{
	bool once = false;
	int c;

	while ((c = getopt_long(argc, argv, "c:n", options, NULL)) != -1) {
		switch (c) {
		case 'c':
			ret->path = optarg;
			break;
		case 'f':
			if ((ret->seconds = parse_duration(optarg)) == -1)
				log_exit(EX_USAGE,
				    "--for takes a time such as 55s, 10m or "
				    "2h, up to a year");
			break;
		case 'n':
			ret->check = true;
			break;
		case 'o':
			once = true;
			break;
		case 'p':
			ret->print = true;
			break;
		case 'h':
			print_cron_usage(stdout);
			exit(EX_OK);
		case 'V':
			printf("assay-cron %s\n", PACKAGE_VERSION);
			exit(EX_OK);
		default:
			if (c < OPTIONS) {
				print_cron_usage(stderr);
				exit(EX_USAGE);
			}
			ret->options |= 1U << (c - OPTIONS);
		}
	}
	if (once && ret->seconds > 0)
		log_exit(EX_USAGE, "--once and --for exclude each other");
	choose_job(argc - optind, argv + optind, ret);
	check_options(ret);
}

/* Find the jobs that the operands name; exit if they are wrong. */
static void
choose_job(int argc, char *argv[], struct cron_options *ret)
{
	const bool work = argc > 0 && strcmp(argv[0], WORK) == 0;
	size_t i;

	if (argc == 0 && (ret->check || ret->print))
		return;
	for (i = 0; work && argc == 1 && i < jobs_n; i++)
		if (jobs[i].works)
			ret->list[ret->n++] = &jobs[i];
	for (i = work ? 1 : 0; i < (size_t)argc && ret->n < LIST_MAX; i++) {
		ret->list[ret->n] = job_find(argv[i]);
		if (ret->list[ret->n++] == NULL)
			log_exit(EX_USAGE,
			    "unknown job '%s'; --help lists the jobs", argv[i]);
	}
	if (ret->n == 0 || (!work && ret->n > 1) ||
	    (work && (size_t)argc - 1 > LIST_MAX)) {
		print_cron_usage(stderr);
		exit(EX_USAGE);
	}
}

/* Exit if an option belongs to a job that does not run. */
static void
check_options(const struct cron_options *opt)
{
	size_t i, j;

	for (i = 0; i < JOB_OPTION__MAX; i++) {
		for (j = 0; j < opt->n &&
		     strcmp(opt->list[j]->name, job_options[i].job) != 0;
		     j++)
			continue;
		if ((opt->options & 1U << i) != 0 && j == opt->n)
			log_exit(EX_USAGE, "only the job '%s' takes --%s",
			    job_options[i].job, job_options[i].name);
	}
}

/* Parse a time such as 10m; return seconds, or -1. */
static int64_t
parse_duration(const char *text)
{
	long long n;
	char *end;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	n = strtoll(text, &end, 10);
	if (errno != 0 || n < 1 || n > FOR_MAX)
		return -1;
	if (strcmp(end, "m") == 0)
		n *= 60;
	else if (strcmp(end, "h") == 0)
		n *= 3600;
	else if (*end != '\0' && strcmp(end, "s") != 0)
		return -1;
	return n > FOR_MAX ? -1 : n;
}

/* Check that the settings of each job are complete; do not connect. */
static void
need_settings(const struct cron_options *opt)
{
	const struct job *job;
	struct fail f = { 0 };
	size_t i;

	for (i = 0; i < opt->n; i++) {
		job = opt->list[i];
		if (*job->url == NULL)
			log_exit(
			    EX_CONFIG, "DATABASE_URL is not set; see assay(5)");
		if (job->check != NULL && job->check(&f) == -1)
			log_exit(EX_CONFIG, "%s: %s", f.where, f.why);
	}
}

static void
print_cron_usage(FILE *out)
{
	size_t i;

	fprintf(out,
	    "usage: assay-cron [-c FILE] [--once | --for TIME] [--OPTION] JOB\n"
	    "       assay-cron [-c FILE] [--once | --for TIME] work [JOB]...\n"
	    "       assay-cron [-n] [--print-config] [-c FILE] [JOB]\n"
	    "       assay-cron --help | --version\n\n");
	for (i = 0; i < jobs_n; i++)
		fprintf(out, "  %-8s  %s\n", jobs[i].name, jobs[i].help);
	fprintf(out,
	    "  %-8s  several jobs at once: the named, or all but "
	    "geoip, retain and train\n\n"
	    "--once, the default, does the work that is due and exits; --for "
	    "TIME (55s, 10m,\n2h) polls for work until then.\n\n",
	    WORK);
	for (i = 0; i < JOB_OPTION__MAX; i++)
		fprintf(out, "  --%s, of %s: %s\n", job_options[i].name,
		    job_options[i].job, job_options[i].help);
	fputs("\nSee assay-cron(8).\n", out);
}
