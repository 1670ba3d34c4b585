/* SPDX-License-Identifier: ISC */
/* Training: test a model, and compare it with the champion. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "core/base/fail.h"
#include "lib/sys/clock.h"
#include "lib/train/train_int.h"

static void measure_test(struct training *tn, struct trained *tr);
static struct eval_order order_marks(
    const struct training *tn, const struct train_marks *marks);
static bool is_tested(const struct training *tn, size_t i, struct trained *tr);
static void test_row(struct training *tn, size_t i, struct trained *tr);
static void find_swing(const struct training *tn, struct trained *tr);
static int64_t day_of(int64_t at);

void
train_score_champion(struct training *tn, const struct trained *tr)
{
	const struct row_range *const part = &tr->tr_part[TRAIN_TEST - 1];
	struct model_risk risk;
	size_t i;

	if (tn->pl->champion == NULL)
		return;
	for (i = part->from; i < part->to; i++) {
		model_risk(
		    tn->pl->champion, tn->tb->x + i * FEATURE__MAX, &risk);
		tn->champion_z[i] = risk.z;
	}
}

int
train_test(struct training *tn, struct trained *tr, struct fail *f)
{
	struct row_range *const part = &tr->tr_part[TRAIN_TEST - 1];
	struct model_metrics *const metrics = &tr->tr_model.metrics;
	const struct train_table *tb = tn->tb;
	int64_t day;
	size_t i;

	for (i = tr->tr_part[TRAIN_FIT - 1].from; i < tb->n; i++) {
		day = day_of(tb->at[i]);
		if (tb->label[i] == LABEL_FRAUD && tn->known[tb->user[i]] > day)
			tn->known[tb->user[i]] = day;
	}
	for (i = 0; i < FEATURE__MAX; i++)
		tn->term[i] = (struct model_range) { INFINITY, -INFINITY };
	for (i = part->from; i < part->to; i++)
		if (is_tested(tn, i, tr))
			test_row(tn, i, tr);
	model_eval_bins(tn->marks.as_tested, tn->n_marks, tr->tr_bins);
	model_eval_losses(tn->marks.as_tested, tn->n_marks, &tr->tr_losses);
	part->fraud = tr->tr_losses.fraud;
	part->legit = tr->tr_losses.legit;
	if (part->fraud == 0 || part->legit == 0)
		return train_refuse("test",
		    tn->n_marks > 0
			? "all events after --train-until are fraud, or all "
			  "are legit"
			: tr->tr_unlabeled > 0
			? "all events after --train-until are younger than "
			  "--label-delay"
			: "there is no event after --train-until",
		    f);
	find_swing(tn, tr);
	measure_test(tn, tr);
	if (tn->pl->stop())
		return fail_set(
		    f, FAIL_DENIED, UNAVAILABLE, NULL, "interrupted");
	for (i = 0; i < FEATURE__MAX; i++) {
		tr->tr_term[i].fraud /= (double)part->fraud;
		tr->tr_term[i].legit /= (double)part->legit;
	}
	metrics->auc = tr->tr_measured[EVAL_AUC];
	metrics->accuracy = tr->tr_losses.accuracy;
	metrics->average_precision = tr->tr_measured[EVAL_AVERAGE_PRECISION];
	metrics->card_precision = tr->tr_measured[EVAL_CARDS];
	metrics->brier = tr->tr_losses.brier;
	metrics->log_loss = tr->tr_losses.log_loss;
	return 0;
}

enum train_gain
train_compare(const struct trained *tr)
{
	const struct eval_bounds *const gain = tr->tr_gain;
	bool worse = false;
	int i;

	for (i = 0; i < EVAL_MEASURE__MAX; i++) {
		if (isnan(gain[i].low))
			return TRAIN_GAIN_UNSURE;
		worse = worse || gain[i].high < 0;
	}
	if (gain[EVAL_AVERAGE_PRECISION].high < 0)
		return TRAIN_GAIN_WORSE;
	return !worse && gain[EVAL_AVERAGE_PRECISION].low > 0
	    ? TRAIN_GAIN_BETTER
	    : TRAIN_GAIN_UNSURE;
}

bool
train_champion_is_newer(const struct plan *pl)
{
	const struct model *const m = pl->champion;
	int64_t until;

	return m != NULL && !model_demonstrates(m) &&
	    train_parse_time(m->trained_at, &until) == 0 && until > pl->until;
}

int
train_parse_time(const char *text, int64_t *ret)
{
	char whole[64];

	if (clock_parse(text, ret) == 0)
		return 0;
	snprintf(whole, sizeof(whole), "%.40sT00:00:00Z", text);
	return clock_parse(whole, ret);
}

int64_t
train_tested(const struct trained *tr, enum event_type type)
{
	int64_t n = 0;
	int score;

	for (score = 0; score <= SCORE_MAX; score++)
		n += tr->tr_scores[type][score][0] +
		    tr->tr_scores[type][score][1];
	return n;
}

/* Measure how well the model ranks the test, beside the champion. */
static void
measure_test(struct training *tn, struct trained *tr)
{
	const struct eval_order own = order_marks(tn, &tn->marks);
	struct bootstrap_space *const space = &tn->space;
	struct eval_order other;

	model_eval_measure(&own, TRAIN_CARDS, NULL, space->found, space->users,
	    tr->tr_measured);
	tn->say(
	    "drawing the users of the test %d times", MODEL_BOOTSTRAP_ROUNDS);
	model_bootstrap(
	    &own, NULL, TRAIN_CARDS, space, tn->pl->stop, tr->tr_bounds);
	if (tn->pl->champion == NULL)
		return;
	other = order_marks(tn, &tn->champion);
	model_eval_measure(&other, TRAIN_CARDS, NULL, space->found,
	    space->users, tr->tr_champion);
	model_bootstrap(
	    &own, &other, TRAIN_CARDS, space, tn->pl->stop, tr->tr_gain);
}

static struct eval_order
order_marks(const struct training *tn, const struct train_marks *marks)
{
	return model_eval_order(
	    marks->as_tested, tn->n_marks, marks->ranked, marks->daily);
}

/* Whether to test row i; count the rows that are not tested. */
static bool
is_tested(const struct training *tn, size_t i, struct trained *tr)
{
	const struct train_table *tb = tn->tb;
	const int64_t since = day_of(tb->at[i]) - tn->pl->delay / TRAIN_DAY;

	if (tn->pl->leave_known && tn->known[tb->user[i]] < since) {
		tr->tr_left_out++;
		return false;
	}
	return tn->label[i] != LABEL_NONE;
}

static void
test_row(struct training *tn, size_t i, struct trained *tr)
{
	const struct train_table *tb = tn->tb;
	const struct model *const m = &tr->tr_model;
	const double *const x = tb->x + i * FEATURE__MAX;
	const bool fraud = tn->label[i] == LABEL_FRAUD;
	struct model_risk risk;
	struct eval_mark mark;
	int j;

	model_risk(m, x, &risk);
	for (j = 0; j < FEATURE__MAX; j++) {
		*(fraud ? &tr->tr_term[j].fraud : &tr->tr_term[j].legit) +=
		    risk.term[j];
		tn->term[j].min = fmin(tn->term[j].min, risk.term[j]);
		tn->term[j].max = fmax(tn->term[j].max, risk.term[j]);
	}
	tr->tr_scores[tb->type[i]][lround(SCORE_MAX * risk.p_even)][fraud]++;
	mark = (struct eval_mark) {
		.z = risk.z,
		.day = day_of(tb->at[i]),
		.user = tb->user[i],
		.fraud = fraud,
	};
	tn->marks.as_tested[tn->n_marks] = mark;
	if (tn->champion_z != NULL) {
		mark.z = tn->champion_z[i];
		tn->champion.as_tested[tn->n_marks] = mark;
	}
	tn->n_marks++;
}

/* Find the feature whose term differs most between two tested events. */
static void
find_swing(const struct training *tn, struct trained *tr)
{
	double swing;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		swing = tr->tr_model.calibration.a *
		    (tn->term[i].max - tn->term[i].min);
		if (swing >= tr->tr_swing) {
			tr->tr_swing = swing;
			tr->tr_swing_of = (enum feature)i;
		}
	}
}

/* Return the number of the UTC day of a time. */
static int64_t
day_of(int64_t at)
{
	return at / TRAIN_DAY - (at % TRAIN_DAY < 0);
}
