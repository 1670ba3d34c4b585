/* SPDX-License-Identifier: ISC */
/* Training: the card of a model, for those who decide whether to use it. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/analyse/wilson.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/str.h"
#include "core/signal/features.h"
#include "core/train/feature_range.h"
#include "lib/sys/clock.h"
#include "lib/sys/crypt.h"
#include "lib/train/train_card.h"

/* The picture: a square of DECADES tens, from 10^-DECADES to 1. */
#define DECADES 4
#define TEN_SIZE 70
#define SIDE (DECADES * TEN_SIZE)
#define MARGIN 50

static void card_data(struct str *s, const struct train_table *tb,
    const struct plan *pl, const struct trained *tr);
static void card_types(struct str *s, const struct trained *tr);
static void card_figures(struct str *s, const struct trained *tr);
static void card_champion(
    struct str *s, const struct plan *pl, const struct trained *tr);
static void card_bounds(struct str *s, const struct eval_bounds *in);
static void card_bins(struct str *s, const struct trained *tr);
static void card_picture(struct str *s, const struct trained *tr);
static void card_bin_mark(struct str *s, const struct eval_bin *bin);
static double picture_place(double p);
static void card_terms(struct str *s, const struct trained *tr);
static void card_limits(
    struct str *s, const struct plan *pl, const struct trained *tr);

static const char *const measures[EVAL_MEASURE__MAX] = {
	[EVAL_AUC] = "area under the ROC curve",
	[EVAL_AVERAGE_PRECISION] = "average precision",
	[EVAL_CARDS] = "card precision@100",
};

void
train_card(struct str *s, const struct train_table *tb, const struct plan *pl,
    const struct trained *tr, const char *hash)
{
	char until[CLOCK_TEXT_SIZE];

	clock_text(pl->until, until);
	str_addf(s,
	    "# Model %.16s\n\nThis model estimates how probable it is that an "
	    "event is fraud. It is a logistic\nregression over %d features "
	    "(version %d of the vector), trained by Assay with\nthe labels "
	    "that were known at %s.\n\nSHA-256 of its file: `%s`\n",
	    hash, FEATURE__MAX, FEATURES_VERSION, until, hash);
	card_data(s, tb, pl, tr);
	card_types(s, tr);
	card_figures(s, tr);
	if (pl->champion != NULL)
		card_champion(s, pl, tr);
	card_bins(s, tr);
	card_picture(s, tr);
	card_terms(s, tr);
	card_limits(s, pl, tr);
}

static void
card_data(struct str *s, const struct train_table *tb, const struct plan *pl,
    const struct trained *tr)
{
	static const char *const names[] = { "fitted to",
		"and for the choice of the penalty", "calibrated with",
		"tested on" };
	char from[CLOCK_TEXT_SIZE], to[CLOCK_TEXT_SIZE];
	const struct row_range *part;
	size_t i;

	str_add(s,
	    "\n## Data\n\n| events | from (UTC) | to | legit | fraud |\n"
	    "|---|---|---|---|---|\n");
	for (i = 0; i < nitems(names); i++) {
		part = &tr->tr_part[i];
		if (part->from == part->to)
			continue;
		clock_text(tb->at[part->from], from);
		clock_text(tb->at[part->to - 1], to);
		str_addf(s,
		    "| %s | %.16s | %.16s | %" PRId64 " | %" PRId64 " |\n",
		    names[i], from, to, part->legit, part->fraud);
	}
	str_addf(s,
	    "\n- Labels may take %" PRId64 " days. An event that is older and "
	    "has no label %s.\n",
	    pl->delay / TRAIN_DAY,
	    pl->skip ? "is left out" : "counts as legit");
	if (tr->tr_left_out > 0)
		str_addf(s,
		    "- Not tested: %" PRId64
		    " events of users whose fraud was known before.\n",
		    tr->tr_left_out);
	if (tr->tr_unlabeled > 0)
		str_addf(s,
		    "- Not tested: %" PRId64
		    " events whose labels may still arrive.\n",
		    tr->tr_unlabeled);
}

static void
card_types(struct str *s, const struct trained *tr)
{
	int64_t legit, fraud;
	int type, score;

	str_add(
	    s, "\n| tested events of type | legit | fraud |\n|---|---|---|\n");
	for (type = 0; type < EVENT_TYPE__MAX; type++) {
		legit = fraud = 0;
		for (score = 0; score <= SCORE_MAX; score++) {
			legit += tr->tr_scores[type][score][0];
			fraud += tr->tr_scores[type][score][1];
		}
		if (legit + fraud > 0)
			str_addf(s, "| %s | %" PRId64 " | %" PRId64 " |\n",
			    type == EVENT_TYPE__NONE
				? "unknown"
				: event_type_name((enum event_type)type),
			    legit, fraud);
	}
}

static void
card_figures(struct str *s, const struct trained *tr)
{
	const struct eval_losses *const q = &tr->tr_losses;
	size_t i;

	str_addf(s,
	    "\n## Figures\n\nThese are of the test, whose events are later "
	    "than all that the model knows. The\nbounds are at 95 %% "
	    "confidence: the users of the test were drawn %d times. They\nare "
	    "unknown if fewer than %d users have a fraud, or a legit "
	    "event.\n\n"
	    "| measure | value | low | high |\n|---|---|---|---|\n",
	    MODEL_BOOTSTRAP_ROUNDS, MODEL_BOOTSTRAP_USERS);
	for (i = 0; i < nitems(measures); i++) {
		str_addf(s, "| %s | %.4f |", measures[i], tr->tr_measured[i]);
		card_bounds(s, &tr->tr_bounds[i]);
	}
	str_addf(s,
	    "| Brier score | %.6f | | |\n| log loss | %.6f | | |\n"
	    "| accuracy | %.6f | | |\n",
	    q->brier, q->log_loss, q->accuracy);
}

static void
card_champion(struct str *s, const struct plan *pl, const struct trained *tr)
{
	static const char *const texts[] = {
		[TRAIN_GAIN_UNSURE] = "The difference may be chance.",
		[TRAIN_GAIN_BETTER] = "This model is better.",
		[TRAIN_GAIN_WORSE] = "This model is worse.",
	};
	size_t i;

	str_addf(s,
	    "\n## Compared with the champion\n\nThe model %s, trained until "
	    "%.16s, scored the same events. %s\n\n"
	    "| measure | champion | this model | gain | low | high |\n"
	    "|---|---|---|---|---|---|\n",
	    pl->champion->version, pl->champion->trained_at,
	    texts[train_compare(tr)]);
	for (i = 0; i < nitems(measures); i++) {
		str_addf(s, "| %s | %.4f | %.4f | %.4f |", measures[i],
		    tr->tr_champion[i], tr->tr_measured[i],
		    tr->tr_measured[i] - tr->tr_champion[i]);
		card_bounds(s, &tr->tr_gain[i]);
	}
	if (train_champion_is_newer(pl))
		str_add(s,
		    "\nThe champion was trained later than this model: it may "
		    "know events of the test.\n");
}

/* Append two cells of a table with the bounds, "-" if they are unknown. */
static void
card_bounds(struct str *s, const struct eval_bounds *in)
{
	if (isnan(in->low))
		str_add(s, " - | - |\n");
	else
		str_addf(s, " %.4f | %.4f |\n", in->low, in->high);
}

static void
card_bins(struct str *s, const struct trained *tr)
{
	const struct eval_bin *bin;

	str_add(s,
	    "\n## Calibration\n\n| probability from | to | events | fraud | "
	    "expected | observed |\n|---|---|---|---|---|---|\n");
	for (bin = tr->tr_bins; bin < tr->tr_bins + MODEL_EVAL_BINS; bin++)
		if (bin->events > 0)
			str_addf(s,
			    "| %.3f | %.3f | %" PRId64 " | %" PRId64
			    " | %.4f | %.4f |\n",
			    bin->from, bin->to, bin->events, bin->fraud,
			    bin->mean_p,
			    (double)bin->fraud / (double)bin->events);
}

/* Append the picture as an address that contains it. */
static void
card_picture(struct str *s, const struct trained *tr)
{
	const char *text;
	struct str svg;
	size_t size;
	char *coded;

	str_init(&svg, s->arena);
	train_card_picture(&svg, tr->tr_bins);
	if ((text = str_text(&svg)) == NULL)
		return;
	size = strlen(text);
	coded = arena_alloc(s->arena, CRYPT_BASE64_SIZE(size));
	if (coded == NULL)
		return;
	crypt_base64(text, size, coded);
	str_add(s,
	    "\n![expected and observed shares of fraud]"
	    "(data:image/svg+xml;base64,");
	str_add(s, coded);
	str_add(s, ")\n");
}

void
train_card_picture(struct str *s, const struct eval_bin bins[MODEL_EVAL_BINS])
{
	int i;

	str_addf(s,
	    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
	    "height=\"%d\" font-family=\"sans-serif\" font-size=\"11\">\n"
	    "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n"
	    "<g transform=\"translate(%d %d)\">\n"
	    "<path d=\"M0 %d L%d 0\" stroke=\"#888\"/>\n",
	    SIDE + 2 * MARGIN, SIDE + 2 * MARGIN, MARGIN, MARGIN, SIDE, SIDE);
	for (i = 0; i <= DECADES; i++)
		str_addf(s,
		    "<path d=\"M0 %d H%d M%d 0 V%d\" stroke=\"#ddd\"/>\n"
		    "<text x=\"-6\" y=\"%d\" text-anchor=\"end\">%g</text>\n"
		    "<text x=\"%d\" y=\"%d\" "
		    "text-anchor=\"middle\">%g</text>\n",
		    i * TEN_SIZE, SIDE, i * TEN_SIZE, SIDE, i * TEN_SIZE + 4,
		    pow(10, -i), i * TEN_SIZE, SIDE + 16, pow(10, i - DECADES));
	str_addf(s,
	    "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">expected share of "
	    "fraud</text>\n"
	    "<text x=\"%d\" y=\"-10\" text-anchor=\"middle\">observed share, "
	    "with 95 %% confidence</text>\n",
	    SIDE / 2, SIDE + 34, SIDE / 2);
	for (i = 0; i < MODEL_EVAL_BINS; i++)
		if (bins[i].events > 0)
			card_bin_mark(s, &bins[i]);
	str_add(s, "</g>\n</svg>\n");
}

/* Draw a bin: a point, unless it has no fraud, and a line over its interval. */
static void
card_bin_mark(struct str *s, const struct eval_bin *bin)
{
	const struct wilson_bounds in =
	    wilson_interval(bin->fraud, bin->events);
	const double x = picture_place(bin->mean_p);
	const double share = (double)bin->fraud / (double)bin->events;

	str_addf(s, "<path d=\"M%.1f %.1f V%.1f\" stroke=\"#06c\"/>\n", x,
	    SIDE - picture_place(in.low), SIDE - picture_place(in.high));
	if (bin->fraud > 0)
		str_addf(s,
		    "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#06c\"/>\n",
		    x, SIDE - picture_place(share));
}

/* Where a probability is on a scale of tens, within the picture. */
static double
picture_place(double p)
{
	return fmin(fmax(SIDE + TEN_SIZE * log10(fmax(p, 1e-300)), 0), SIDE);
}

static void
card_terms(struct str *s, const struct trained *tr)
{
	const char *separator = "\nLeft out, because nearly all events have "
				"the same value:\n";
	const double a = tr->tr_model.calibration.a;
	const struct model_range *range;
	int i;

	str_add(s,
	    "\n## Contributions\n\nWhat each feature adds to the log odds "
	    "after calibration, on average of the test,\nand the range of "
	    "values that the training relies on.\n\n"
	    "| feature | weight | on legit | on fraud | least | most | beyond "
	    "|\n|---|---|---|---|---|---|---|\n");
	for (i = 0; i < FEATURE__MAX; i++) {
		range = &tr->tr_model.range[i];
		if (!train_left_out(tr, i))
			str_addf(s,
			    "| %s | %.4f | %.4f | %.4f | %.4f | %.4f | "
			    "%" PRId64 " |\n",
			    feature_name((enum feature)i),
			    a * tr->tr_model.weight[i],
			    a * tr->tr_term[i].legit, a * tr->tr_term[i].fraud,
			    range->min, range->max, tr->tr_clamped[i]);
	}
	str_addf(s,
	    "\nThe largest difference that one feature makes between two "
	    "events is %.1f: %s.\n",
	    tr->tr_swing, feature_name(tr->tr_swing_of));
	for (i = 0; i < FEATURE__MAX; i++) {
		if (!train_left_out(tr, i))
			continue;
		str_addf(s, "%s%s", separator, feature_name((enum feature)i));
		separator = ",\n";
	}
	if (separator[0] == ',')
		str_add(s, ".\n");
}

static void
card_limits(struct str *s, const struct plan *pl, const struct trained *tr)
{
	str_addf(s,
	    "\n## Limits\n\n"
	    "- It knows the traffic and the fraud of its training, and nothing "
	    "newer. Train\n  again when fraud changes; the alert on drift says "
	    "when scores do.\n"
	    "- %s\n"
	    "- Its probabilities fit a share of fraud of %.4f, and labels that "
	    "take %" PRId64 " days.\n"
	    "- A value beyond the range of a feature counts as the nearest "
	    "end.\n"
	    "- The bounds say what other users of the same traffic would give, "
	    "not what another\n  month would.\n",
	    pl->skip ? "Events without a label are left out; it is not known "
		       "what the figures are on\n  all traffic."
		     : "Fraud that no label names counts as legit, in the "
		       "training and in the test.",
	    tr->tr_model.base_rate, pl->delay / TRAIN_DAY);
	str_add(s,
	    "- Its score is one part of a decision: rules, lists and the bands "
	    "of the policy\n  decide with it.\n");
}
