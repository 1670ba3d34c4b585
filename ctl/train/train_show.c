/* SPDX-License-Identifier: ISC */
/* assayctl train: print the report. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "core/analyse/wilson.h"
#include "core/decide/policy.h"
#include "core/signal/features.h"
#include "ctl/ctl.h"
#include "ctl/train/train_report.h"
#include "lib/sys/clock.h"

#define BOUNDS_SIZE 64

static const char *const measures[EVAL_MEASURE__MAX] = { "AUC ROC",
	"average precision", "card precision@100" };

static void show_parts(const struct train_table *tb, const struct plan *pl,
    const struct trained *tr);
static void show_part(const struct train_table *tb, const char *name,
    const struct row_range *part);
static void show_quality(const struct trained *tr);
static void show_gain(const struct trained *tr, const struct plan *pl);
static const char *bounds_text(
    const struct eval_bounds *in, int width, char ret[BOUNDS_SIZE]);
static void show_bins(const struct eval_bin *bins);
static void show_terms(const struct trained *tr);
static void show_term(const struct trained *tr, int i);
static void show_bands(const int64_t scores[SCORE_MAX + 1][2],
    enum event_type type, const struct policy *policy);
static double share_of_rows(int64_t part, int64_t of);

void
train_show(const struct train_table *tb, const struct plan *pl,
    const struct trained *tr, const struct policy policies[EVENT_TYPE__MAX],
    const struct policy *proposed)
{
	int type;

	show_parts(tb, pl, tr);
	show_quality(tr);
	if (pl->champion != NULL)
		show_gain(tr, pl);
	show_bins(tr->tr_bins);
	for (type = 0; type < EVENT_TYPE__MAX; type++) {
		if (train_tested(tr, (enum event_type)type) == 0)
			continue;
		show_bands(tr->tr_scores[type], (enum event_type)type,
		    &policies[type]);
		if (proposed != NULL)
			show_bands(tr->tr_scores[type], (enum event_type)type,
			    &proposed[type]);
	}
	show_terms(tr);
}

static void
show_parts(const struct train_table *tb, const struct plan *pl,
    const struct trained *tr)
{
	static const char *const names[] = { "fit", "validation", "calibration",
		"test" };
	char until[CLOCK_TEXT_SIZE];
	size_t i;

	clock_text(pl->until, until);
	printf("%-12s  %-16s  %-16s  %9s  %7s\n", "EVENTS", "FROM (UTC)", "TO",
	    "LEGIT", "FRAUD");
	for (i = 0; i < nitems(names); i++)
		show_part(tb, names[i], &tr->tr_part[i]);
	printf("\n%-24s  %.16s\n", "labels known until", until);
	printf(
	    "%-24s  %" PRId64 "\n", "label delay, days", pl->delay / TRAIN_DAY);
	if (tr->tr_left_out > 0)
		printf("%-24s  %" PRId64 "\n", "not tested: known users",
		    tr->tr_left_out);
	if (tr->tr_unlabeled > 0)
		printf("%-24s  %" PRId64 "\n", "not tested: no label yet",
		    tr->tr_unlabeled);
	printf("%-24s  %g\n", "L2", tr->tr_l2);
	printf("%-24s  %.6f\n", "base rate", tr->tr_model.base_rate);
}

static void
show_part(const struct train_table *tb, const char *name,
    const struct row_range *part)
{
	char from[CLOCK_TEXT_SIZE] = "-", to[CLOCK_TEXT_SIZE] = "-";

	if (part->to > part->from) {
		clock_text(tb->at[part->from], from);
		clock_text(tb->at[part->to - 1], to);
	}
	printf("%-12s  %-16.16s  %-16.16s  %9" PRId64 "  %7" PRId64 "\n", name,
	    from, to, part->legit, part->fraud);
}

/* Print the figures of the test, with bounds for those of the ranking. */
static void
show_quality(const struct trained *tr)
{
	const struct eval_losses *const q = &tr->tr_losses;
	const struct {
		const char *name;
		double value;
	} lines[] = {
		{ "Brier", q->brier },
		{ "log loss", q->log_loss },
		{ "accuracy", q->accuracy },
		{ "fraud, expected", q->mean_p },
		{ "fraud, observed",
		    share_of_rows(q->fraud, q->fraud + q->legit) },
	};
	char text[BOUNDS_SIZE];
	size_t i;

	printf(
	    "\n%-24s  %8s  %8s  %8s\n", "on the test", "VALUE", "LOW", "HIGH");
	for (i = 0; i < nitems(measures); i++)
		printf("%-24s  %.6f%s\n", measures[i], tr->tr_measured[i],
		    bounds_text(&tr->tr_bounds[i], 8, text));
	for (i = 0; i < nitems(lines); i++)
		printf("%-24s  %.6f\n", lines[i].name, lines[i].value);
}

/* Print how the model compares with the champion on the same events. */
static void
show_gain(const struct trained *tr, const struct plan *pl)
{
	static const char *const texts[] = {
		[TRAIN_GAIN_UNSURE] = "the difference may be chance",
		[TRAIN_GAIN_BETTER] = "the new model is better",
		[TRAIN_GAIN_WORSE] = "the new model is worse",
	};
	const struct model *const champion = pl->champion;
	char text[BOUNDS_SIZE];
	size_t i;

	printf("\n%-24s  %8s  %8s  %9s  %9s  %9s\n", "compared with",
	    "CHAMPION", "NEW", "GAIN", "LOW", "HIGH");
	for (i = 0; i < nitems(measures); i++)
		printf("%-24s  %.6f  %.6f  %9.6f%s\n", measures[i],
		    tr->tr_champion[i], tr->tr_measured[i],
		    tr->tr_measured[i] - tr->tr_champion[i],
		    bounds_text(&tr->tr_gain[i], 9, text));
	printf("%s; the champion is %s, trained until %.16s\n%s",
	    texts[train_compare(tr)], champion->version, champion->trained_at,
	    train_champion_is_newer(pl)
		? "it was trained later: it may know events of the test\n"
		: "");
}

/* Write two columns with the bounds, "-" if they are unknown. */
static const char *
bounds_text(const struct eval_bounds *in, int width, char ret[BOUNDS_SIZE])
{
	if (isnan(in->low))
		snprintf(
		    ret, BOUNDS_SIZE, "  %*s  %*s", width, "-", width, "-");
	else
		snprintf(ret, BOUNDS_SIZE, "  %*.6f  %*.6f", width, in->low,
		    width, in->high);
	return ret;
}

static void
show_bins(const struct eval_bin *bins)
{
	int i;

	printf("\ncalibration\n%6s  %6s  %9s  %7s  %8s  %8s\n", "P FROM", "TO",
	    "EVENTS", "FRAUD", "EXPECTED", "OBSERVED");
	for (i = 0; i < MODEL_EVAL_BINS; i++)
		printf("%6.3f  %6.3f  %9" PRId64 "  %7" PRId64
		       "  %8.4f  %8.4f\n",
		    bins[i].from, bins[i].to, bins[i].events, bins[i].fraud,
		    bins[i].mean_p,
		    share_of_rows(bins[i].fraud, bins[i].events));
}

/*
 * Print the verdicts that the policy has for the tested events of a type, and
 * where the precision is with 95 % confidence.
 */
static void
show_bands(const int64_t scores[SCORE_MAX + 1][2], enum event_type type,
    const struct policy *policy)
{
	struct wilson_bounds in;
	const struct band *b;
	int64_t legit, fraud;
	int score;

	printf("\nverdicts by %s%s%s\n"
	       "%-9s  %5s  %5s  %9s  %7s  %9s  %6s  %6s\n",
	    policy->version, type == EVENT_TYPE__NONE ? "" : " on ",
	    type == EVENT_TYPE__NONE ? "" : event_type_name(type), "VERDICT",
	    "FROM", "TO", "LEGIT", "FRAUD", "PRECISION", "LOW", "HIGH");
	for (b = policy->bands; b < policy->bands + policy->n_bands; b++) {
		legit = fraud = 0;
		for (score = 0; score <= SCORE_MAX; score++) {
			if (policy_band(policy, score) != b)
				continue;
			legit += scores[score][0];
			fraud += scores[score][1];
		}
		in = wilson_interval(fraud, legit + fraud);
		printf("%-9s  %5g  %5g  %9" PRId64 "  %7" PRId64
		       "  %9.4f  %6.4f  %6.4f\n",
		    verdict_name(b->verdict), b->min, b->max, legit, fraud,
		    share_of_rows(fraud, legit + fraud), in.low, in.high);
	}
}

/*
 * Print for each feature its weight, the change of the log odds per standard
 * deviation of the feature, what the feature added on average to the log odds
 * of the tested events, its range, and how many events of the test are beyond.
 */
static void
show_terms(const struct trained *tr)
{
	int i;

	printf("\nterms, and their means on the test\n"
	       "%-34s  %9s  %9s  %9s  %9s  %7s  %7s  %8s\n",
	    "FEATURE", "WEIGHT", "PER SD", "ON LEGIT", "ON FRAUD", "LEAST",
	    "MOST", "CLAMPED");
	for (i = 0; i < FEATURE__MAX; i++)
		show_term(tr, i);
	printf("%-34s  %9.4f\n", "bias", tr->tr_fit.bias);
	printf("\nlargest difference that a feature makes: %.1f, %s\n",
	    tr->tr_swing, feature_name(tr->tr_swing_of));
}

static void
show_term(const struct trained *tr, int i)
{
	const struct model_range *range = &tr->tr_model.range[i];
	const char *name = feature_name((enum feature)i);

	if (train_left_out(tr, i))
		printf("%-34s  left out: nearly always %g\n", name, range->min);
	else
		printf("%-34s  %9.4f  %9.4f  %9.4f  %9.4f  %7.4f  %7.4f"
		       "  %8" PRId64 "\n",
		    name, tr->tr_fit.weight[i],
		    tr->tr_fit.weight[i] * tr->tr_fit.spread[i],
		    tr->tr_term[i].legit, tr->tr_term[i].fraud, range->min,
		    range->max, tr->tr_clamped[i]);
}

static double
share_of_rows(int64_t part, int64_t of)
{
	return of == 0 ? 0 : (double)part / (double)of;
}
