/* SPDX-License-Identifier: ISC */
/* assayctl train: train a model on labelled events. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include <json-c/json.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/policy.h"
#include "core/train/band_choice.h"
#include "ctl/cmd/models.h"
#include "ctl/ctl.h"
#include "ctl/interrupt.h"
#include "ctl/term_text.h"
#include "ctl/train/train_report.h"
#include "lib/db/db.h"
#include "lib/engine/active_model.h"
#include "lib/json/body.h"
#include "lib/json/body_rules.h"
#include "lib/json/model_file.h"
#include "lib/sys/clock.h"
#include "lib/train/train_card.h"

#define ARENA_SIZE ((size_t)4 << 20)
#define POLICY_MAX ((size_t)1 << 16) /* bytes of a file */
#define DAYS_MAX 36500
#define TEST_PERCENT 20 /* of the time up to train_known_until() */

/* The values of the options. */
struct train_options {
	char *table; /* NULL: the samples of the database */
	char *type; /* of samples, NULL: all */
	char *since; /* of samples, NULL: all */
	struct train_wanted wanted; /* type and since */
	char *until; /* NULL: test on the last TEST_PERCENT of the time */
	char *output; /* or NULL */
	char *card; /* file for the card, or NULL */
	char *policy; /* file; NULL: see read_policies() */
	char *champion; /* file; NULL: see read_champion() */
	char *unlabelled; /* "legit", "skip" or NULL */
	int64_t delay; /* days */
	int64_t train; /* days, 0: all */
	int64_t test; /* days, 0: all */
	int64_t term_max; /* largest tr_swing to accept */
	struct train_bands_options bands;
	struct band_goal goal; /* of bands, if propose */
	bool propose;
	bool leave_known;
	bool publish;
};

static void check_samples(
    const struct command *cmd, struct train_options *options);
static void check_card(
    const struct command *cmd, const struct train_options *options);
static int run_training(
    const struct train_options *options, struct plan *plan, struct arena *a);
static int fail_status(const struct fail *f);
static int read_table(const struct train_options *options, struct db *db,
    struct plan *plan, struct arena *a, struct train_table *tb, struct fail *f);
static int read_samples(const struct train_options *options, struct db *db,
    struct arena *a, struct train_table *tb, struct fail *f);
static int read_policies(const struct train_options *options, struct db *db,
    struct arena *a, struct policy *ret, struct fail *f);
static int read_champion(const struct train_options *options, struct db *db,
    struct arena *a, struct plan *plan, struct fail *f);
static int load_policy_json(
    const char *path, struct arena *a, struct policy *ret, struct fail *f);
static bool refuse_extreme(
    const struct train_options *options, const struct trained *tr);
static int deliver_model(const struct train_options *options,
    const struct train_table *tb, const struct plan *plan,
    const struct trained *tr, struct arena *a);
static bool publish_model(
    const char *text, const char *card, struct arena *a, int *ret_status);
static bool show_train_progress(int64_t done, int64_t of);

/* The bands of the first policy for card payments. */
static const struct band first_bands[] = {
	{ VERDICT_ALLOW, 0, 24, NULL },
	{ VERDICT_CHALLENGE, 25, 44, NULL },
	{ VERDICT_REVIEW, 45, 69, NULL },
	{ VERDICT_DENY, 70, 100, NULL },
};

/* The options of the command line. */
static struct train_options given = {
	.delay = 7,
	.term_max = MODEL_REACH_MAX,
	.wanted.since = INT64_MIN,
};

static const struct opt opts[] = {
	{ "label-delay", "DAYS", "time until labels arrive; default 7",
	    OPT_NUMBER, &given.delay, 0, 365 },
	{ "train-until", "TIME",
	    "the end of training; later events are the test", OPT_TEXT,
	    &given.until, 0, 0 },
	{ "train-days", "N", "train only on the last N days before that",
	    OPT_NUMBER, &given.train, 1, DAYS_MAX },
	{ "test-days", "N", "test only on the first N days", OPT_NUMBER,
	    &given.test, 1, DAYS_MAX },
	{ "unlabelled", "legit|skip",
	    "how to treat events without a label; default legit", OPT_CHOICE,
	    &given.unlabelled, 0, 0 },
	{ "leave-known", NULL, "leave users with known fraud out of the test",
	    OPT_FLAG, &given.leave_known, 0, 0 },
	{ "event-type", "TYPE", "from the database: only events of TYPE",
	    OPT_TEXT, &given.type, 0, 0 },
	{ "since", "TIME", "from the database: only events since TIME",
	    OPT_TEXT, &given.since, 0, 0 },
	{ "policy", "FILE", "bands for the report, from 'policies show --json'",
	    OPT_TEXT, &given.policy, 0, 0 },
	{ "champion", "FILE",
	    "compare with this model, not with the active one", OPT_TEXT,
	    &given.champion, 0, 0 },
	{ "deny-precision", "SHARE",
	    "propose bands: this share of denied events is fraud", OPT_TEXT,
	    &given.bands.deny_precision, 0, 0 },
	{ "review-precision", "SHARE", "and this share of reviewed ones",
	    OPT_TEXT, &given.bands.review_precision, 0, 0 },
	{ "card", "FILE", "write the card of the model to FILE, Markdown",
	    OPT_TEXT, &given.card, 0, 0 },
	{ "challenge-budget", "SHARE",
	    "and at most this share of legit events is challenged", OPT_TEXT,
	    &given.bands.challenge_budget, 0, 0 },
	{ "cost-fraud", "N", "instead: what a fraud costs that is allowed",
	    OPT_TEXT, &given.bands.cost_fraud, 0, 0 },
	{ "cost-challenge", "N", "and what a challenge costs", OPT_TEXT,
	    &given.bands.cost_challenge, 0, 0 },
	{ "policies", "DIR", "write the proposed policies to DIR", OPT_TEXT,
	    &given.bands.policies, 0, 0 },
	{ "term-max", "N",
	    "refuse a feature that makes a larger difference; default 50",
	    OPT_NUMBER, &given.term_max, 1, MODEL_WEIGHT_MAX },
	{ "output", "FILE", "write the model to FILE", OPT_TEXT, &given.output,
	    0, 0 },
	{ "publish", NULL, "make the model active, in the database", OPT_FLAG,
	    &given.publish, 0, 0 },
};

int
train(const struct command *cmd, int argc, char **argv)
{
	struct train_options *const options = &given;
	struct plan plan = { .stop = interrupt_wanted };
	const int64_t began = clock_ticks();
	struct arena a;
	int status;

	if (opt_parse(cmd, opts, nitems(opts), (struct operands) { 0, 1 }, argc,
		argv) == 1)
		options->table = argv[0];
	check_samples(cmd, options);
	check_card(cmd, options);
	options->propose =
	    train_bands_read(cmd, &options->bands, &options->goal);
	if (options->until != NULL &&
	    train_parse_time(options->until, &plan.until) == -1)
		opt_usage(cmd, "--train-until must be a date or a time");
	if ((options->publish || options->table == NULL) &&
	    ctl_database_url() == NULL)
		return EX_CONFIG;
	plan.delay = options->delay * TRAIN_DAY;
	plan.days =
	    options->train == 0 ? TRAIN_NEVER : options->train * TRAIN_DAY;
	plan.test =
	    options->test == 0 ? TRAIN_NEVER : options->test * TRAIN_DAY;
	plan.skip = options->unlabelled != NULL &&
	    strcmp(options->unlabelled, "skip") == 0;
	plan.leave_known = options->leave_known;
	interrupt_listen();
	ctl_arena(&a, ARENA_SIZE);
	status = run_training(options, &plan, &a);
	ctl_arena_free(&a);
	if (status == EX_OK)
		ctl_say_cost(began);
	return status;
}

/* Check the options for samples of the database. */
static void
check_samples(const struct command *cmd, struct train_options *options)
{
	if (options->table != NULL &&
	    (options->type != NULL || options->since != NULL))
		opt_usage(cmd,
		    "--event-type and --since cannot be used with a table");
	if (options->type != NULL &&
	    event_type_parse(options->type) == EVENT_TYPE__NONE)
		opt_usage(cmd, "'%s' is not an event type", options->type);
	if (options->since != NULL &&
	    train_parse_time(options->since, &options->wanted.since) == -1)
		opt_usage(cmd, "--since must be a date or a time");
	options->wanted.type = options->type;
}

/* Refuse to write the card over another file of the command. */
static void
check_card(const struct command *cmd, const struct train_options *options)
{
	const char *const others[] = { options->output, options->table,
		options->champion, options->policy };
	size_t i;

	for (i = 0; i < nitems(others) && options->card != NULL; i++)
		if (others[i] != NULL && strcmp(options->card, others[i]) == 0)
			opt_usage(
			    cmd, "--card would replace '%s'", options->card);
}

static int
run_training(
    const struct train_options *options, struct plan *plan, struct arena *a)
{
	static struct trained tr;
	struct policy policies[EVENT_TYPE__MAX] = { 0 };
	struct policy proposed[EVENT_TYPE__MAX];
	char until[CLOCK_TEXT_SIZE];
	struct train_table tb = { 0 };
	struct fail f = { 0 };
	struct db *db = NULL;
	int r, status = EX_OK;

	if ((options->output != NULL &&
		ctl_check_output(options->output, &f) == -1) ||
	    (options->card != NULL &&
		ctl_check_output(options->card, &f) == -1) ||
	    (options->bands.policies != NULL &&
		train_bands_make_dir(options->bands.policies, &f) == -1))
		return fail_status(&f);
	if (options->table == NULL && (db = ctl_database(&status)) == NULL)
		return status;
	r = read_policies(options, db, a, policies, &f);
	if (r == 0)
		r = read_champion(options, db, a, plan, &f);
	if (r == 0)
		r = read_table(options, db, plan, a, &tb, &f);
	db_close(db);
	if (r == 0)
		r = train_model(&tb, plan, a, ctl_say, &tr, &f);
	if (r == 0 && options->propose)
		r = train_bands_choose(
		    &tr, &options->goal, policies, a, proposed, &f);
	if (r == -1) {
		status = fail_status(&f);
	} else {
		clock_text(plan->until, until);
		tr.tr_model.trained_at = until;
		train_show(&tb, plan, &tr, policies,
		    options->propose ? proposed : NULL);
		status = refuse_extreme(options, &tr)
		    ? EX_DATAERR
		    : deliver_model(options, &tb, plan, &tr, a);
		if (status == EX_OK && options->bands.policies != NULL &&
		    train_bands_write(
			options->bands.policies, &tr, proposed, a, &f) == -1)
			status = fail_status(&f);
	}
	train_table_clear(&tb);
	return status;
}

/* Print the error and return the exit status: EX_NOINPUT for FAIL_DENIED. */
static int
fail_status(const struct fail *f)
{
	int status;

	if (interrupt_wanted()) {
		ctl_say("train: interrupted; nothing was written");
		return EX_TEMPFAIL;
	}
	status = ctl_failed("train", f);
	return f->kind == FAIL_DENIED ? EX_NOINPUT : status;
}

/* Read the rows that are needed, and set plan->until if not given. */
static int
read_table(const struct train_options *options, struct db *db,
    struct plan *plan, struct arena *a, struct train_table *tb, struct fail *f)
{
	const int64_t began = clock_ticks();
	int64_t known_until;

	tb->keep = (struct span) { INT64_MIN, INT64_MAX };
	if (options->until != NULL && options->train != 0)
		tb->keep.from = plan->until - plan->delay - plan->days;
	if (options->until != NULL && options->test != 0)
		tb->keep.to = plan->until + plan->test;
	if ((options->table != NULL
		    ? train_table_read(
			  tb, options->table, show_train_progress, f)
		    : read_samples(options, db, a, tb, f)) == -1)
		return -1;
	if (isatty(STDERR_FILENO) == 1)
		fputs("\r\033[K", stderr);
	if (options->until == NULL) {
		known_until = train_known_until(tb, plan);
		plan->until = known_until -
		    (known_until - tb->first) / 100 * TEST_PERCENT;
	}
	ctl_say("read %zu rows of %zu users in %.1f s", tb->n, tb->users,
	    (double)(clock_ticks() - began) / CLOCK_SECOND);
	return 0;
}

static int
read_samples(const struct train_options *options, struct db *db,
    struct arena *a, struct train_table *tb, struct fail *f)
{
	uint64_t unread;
	int r;

	r = train_samples_read(
	    tb, db, &options->wanted, a, show_train_progress, &unread, f);
	if (unread > 0)
		ctl_say(
		    "left out %" PRIu64 " samples of another version", unread);
	return r;
}

/*
 * Read the policies for the report, by event type: the one of --policy, if it
 * is given; the active ones, if the samples come from a database; otherwise the
 * bands of first_bands.
 */
static int
read_policies(const struct train_options *options, struct db *db,
    struct arena *a, struct policy *ret, struct fail *f)
{
	int type;

	if (options->policy == NULL && db != NULL)
		return train_samples_policies(db, a, ret, f);
	if (load_policy_json(options->policy, a, &ret[0], f) == -1)
		return -1;
	for (type = 1; type < EVENT_TYPE__MAX; type++)
		ret[type] = ret[0];
	return 0;
}

/*
 * Read the model to compare with: that of --champion; or the active one, if the
 * samples come from a database; otherwise none.
 */
static int
read_champion(const struct train_options *options, struct db *db,
    struct arena *a, struct plan *plan, struct fail *f)
{
	static struct active_model active;

	if (options->champion == NULL && db == NULL)
		return 0;
	plan->champion = &active.model;
	if (options->champion != NULL && access(options->champion, R_OK) == -1)
		return fail_set(f, FAIL_DENIED, UNAVAILABLE, options->champion,
		    "%s", strerror(errno));
	if (options->champion != NULL)
		return models_read(a, options->champion, &active.model, f);
	active_model_init(&active);
	return active_model_refresh(&active, db, a, 1, f);
}

/* Read a policy file as 'policies show --json' prints it; NULL: first_bands. */
static int
load_policy_json(
    const char *path, struct arena *a, struct policy *ret, struct fail *f)
{
	struct json_object *json, *inner;
	char *text;
	size_t size;

	*ret = (struct policy) {
		.on_error = ON_ERROR_FAIL_OPEN,
		.version =
		    path == NULL ? "the bands of the first card policy" : path,
		.bands = first_bands,
		.n_bands = nitems(first_bands),
	};
	if (path == NULL)
		return 0;
	if ((text = ctl_read_file(a, path, POLICY_MAX, &size, f)) == NULL) {
		f->kind = FAIL_DENIED;
		return -1;
	}
	if ((json = body_parse(a, text, size, f)) == NULL)
		return fail_set(
		    f, f->kind, f->code, path, "is not JSON: %s", f->why);
	if (json_object_object_get_ex(json, "policy", &inner))
		json = inner;
	return body_policy(a, json, path, ret, f);
}

/*
 * Refuse a model in which one feature makes a larger difference on the test
 * than --term-max.  Return whether it is refused.
 */
static bool
refuse_extreme(const struct train_options *options, const struct trained *tr)
{
	if (tr->tr_swing <= (double)options->term_max ||
	    (options->output == NULL && options->card == NULL &&
		!options->publish && options->bands.policies == NULL))
		return false;
	ctl_say("train: refused: on the test %s moves the log odds by %.1f, "
		"more than --term-max %" PRId64 "; nothing was written",
	    feature_name(tr->tr_swing_of), tr->tr_swing, options->term_max);
	return true;
}

/* Write or publish the model and its card, after a check that it reads back. */
static int
deliver_model(const struct train_options *options, const struct train_table *tb,
    const struct plan *plan, const struct trained *tr, struct arena *a)
{
	char hash[MODELS_HASH_SIZE];
	struct model read = { 0 };
	struct fail f = { 0 };
	struct str s, card;
	const char *text;
	int status = EX_OK;

	if (interrupt_wanted())
		return fail_status(&f);
	str_init(&s, a);
	model_file_json(&s, &tr->tr_model);
	if ((text = str_text(&s)) == NULL) {
		fail_memory(&f);
		return fail_status(&f);
	}
	models_hash(text, strlen(text), hash);
	str_init(&card, a);
	train_card(&card, tb, plan, tr, hash);
	if (str_text(&card) == NULL)
		fail_memory(&f);
	else if (model_file_read(a, text, strlen(text), &read, &f) == 0 &&
	    (options->card == NULL ||
		ctl_replace_file(options->card, str_text(&card), &f) == 0) &&
	    (!options->publish ||
		publish_model(text, str_text(&card), a, &status)) &&
	    (options->output == NULL ||
		ctl_replace_file(options->output, text, &f) == 0))
		return EX_OK;
	return status != EX_OK ? status : ctl_failed("train", &f);
}

/* Return whether it is active; if not, print why, and set the exit status. */
static bool
publish_model(
    const char *text, const char *card, struct arena *a, int *ret_status)
{
	struct fail f = { 0 };
	struct db *db;
	bool activated;

	if ((db = ctl_database(ret_status)) == NULL)
		return false;
	if (models_put(
		db, a, "train", text, strlen(text), card, &activated, &f) == -1)
		*ret_status = ctl_failed("publish", &f);
	else
		ctl_say("the model is %sactive", activated ? "" : "already ");
	db_close(db);
	return f.kind == 0;
}

/* Draw the progress of reading on a terminal.  Return true to stop. */
static bool
show_train_progress(int64_t done, int64_t of)
{
	static int64_t drawn;
	const int64_t now = clock_ticks();

	if (isatty(STDERR_FILENO) == 1 && now - drawn > CLOCK_SECOND / 4) {
		term_text_bar(done, of);
		drawn = now;
	}
	return interrupt_wanted();
}
