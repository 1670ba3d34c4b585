/* SPDX-License-Identifier: ISC */
/* assayctl train: propose the bands of policies. */
#include "config.h"

#include <sys/stat.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/decide/policy.h"
#include "core/train/band_choice.h"
#include "ctl/ctl.h"
#include "ctl/train/train_report.h"
#include "lib/json/body_rules.h"

static double read_share(
    const struct command *cmd, const char *option, const char *text);
static double read_cost(
    const struct command *cmd, const char *option, const char *text);
static int write_policy(const char *dir, enum event_type type,
    const struct policy *policy, struct arena *a, struct fail *f);

bool
train_bands_read(const struct command *cmd,
    const struct train_bands_options *options, struct band_goal *ret)
{
	const bool costs =
	    options->cost_fraud != NULL || options->cost_challenge != NULL;

	*ret = (struct band_goal) {
		.deny_precision =
		    read_share(cmd, "deny-precision", options->deny_precision),
		.review_precision = read_share(
		    cmd, "review-precision", options->review_precision),
		.challenge_share = read_share(
		    cmd, "challenge-budget", options->challenge_budget),
		.cost_fraud = read_cost(cmd, "cost-fraud", options->cost_fraud),
		.cost_challenge =
		    read_cost(cmd, "cost-challenge", options->cost_challenge),
	};
	if (costs && (ret->cost_fraud == 0 || ret->cost_challenge == 0))
		opt_usage(
		    cmd, "--cost-fraud and --cost-challenge need each other");
	if (costs && ret->challenge_share > 0)
		opt_usage(
		    cmd, "--challenge-budget cannot be used with the costs");
	if (ret->deny_precision > 0 || ret->review_precision > 0 ||
	    ret->challenge_share > 0 || costs)
		return true;
	if (options->policies != NULL)
		opt_usage(cmd,
		    "--policies needs what the bands are to achieve: "
		    "--deny-precision for example");
	return false;
}

int
train_bands_choose(const struct trained *tr, const struct band_goal *goal,
    const struct policy policies[EVENT_TYPE__MAX], struct arena *a,
    struct policy ret[EVENT_TYPE__MAX], struct fail *f)
{
	struct band *bands;
	size_t i;
	int type;

	for (type = 0; type < EVENT_TYPE__MAX; type++) {
		bands = arena_array(a, BAND_CHOICE_MAX, sizeof(*bands));
		if (bands == NULL)
			return fail_memory(f);
		ret[type] = policies[type];
		ret[type].version = "the proposed bands";
		ret[type].bands = bands;
		ret[type].n_bands =
		    band_choice(tr->tr_scores[type], goal, bands);
		for (i = 0; i < ret[type].n_bands; i++)
			if (bands[i].verdict == VERDICT_REVIEW)
				bands[i].queue =
				    policy_review_queue(&policies[type]);
	}
	return 0;
}

int
train_bands_make_dir(const char *dir, struct fail *f)
{
	if (mkdir(dir, 0755) == -1 && errno != EEXIST)
		return fail_set(f, FAIL_US, INTERNAL, dir, "cannot be made: %s",
		    strerror(errno));
	return 0;
}

int
train_bands_write(const char *dir, const struct trained *tr,
    const struct policy proposed[EVENT_TYPE__MAX], struct arena *a,
    struct fail *f)
{
	int type;

	for (type = 0; type < EVENT_TYPE__MAX; type++)
		if (train_tested(tr, (enum event_type)type) > 0 &&
		    write_policy(dir, (enum event_type)type, &proposed[type], a,
			f) == -1)
			return -1;
	return 0;
}

/* Read a share, as 0.9 or 90%; 0 if it is not given. */
static double
read_share(const struct command *cmd, const char *option, const char *text)
{
	double share;
	char *end;

	if (text == NULL)
		return 0;
	share = strtod(text, &end);
	if (strcmp(end, "%") == 0)
		share /= 100;
	if (end == text || (*end != '\0' && strcmp(end, "%") != 0) ||
	    !(share > 0 && share <= 1))
		opt_usage(cmd, "--%s must be a share above 0, as 0.9 or 90%%",
		    option);
	return share;
}

/* Read a cost; 0 if it is not given. */
static double
read_cost(const struct command *cmd, const char *option, const char *text)
{
	double cost;
	char *end;

	if (text == NULL)
		return 0;
	cost = strtod(text, &end);
	if (end == text || *end != '\0' || !(cost > 0 && isfinite(cost)))
		opt_usage(cmd, "--%s must be a number above 0", option);
	return cost;
}

/* Write a policy as "policies publish" and "config plan" read it. */
static int
write_policy(const char *dir, enum event_type type, const struct policy *policy,
    struct arena *a, struct fail *f)
{
	struct str path, s;

	str_init(&path, a);
	str_addf(&path, "%s/%s.json", dir,
	    type == EVENT_TYPE__NONE ? "all" : event_type_name(type));
	str_init(&s, a);
	str_addf(&s, "{ \"onError\": \"%s\", \"bands\": ",
	    policy_on_error_name(policy->on_error));
	body_bands(&s, policy);
	str_add(&s, " }\n");
	if (str_text(&path) == NULL || str_text(&s) == NULL)
		return fail_memory(f);
	return ctl_replace_file(str_text(&path), str_text(&s), f);
}
