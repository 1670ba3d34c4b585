/* SPDX-License-Identifier: ISC */
/* Training: fit a model to a table, and test it. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/signal/features.h"
#include "core/train/feature_range.h"
#include "core/train/platt_calibrate.h"
#include "lib/train/train_int.h"

/* Ends of the parts, in percent of the rows to train on. */
#define FIT_PERCENT 60
#define VALIDATE_PERCENT 80

/*
 * The weight of a fraud event; a legit event has 1.  Rare fraud needs no higher
 * weight, because the bias contains its rate.  On weeks of 2018-05 and 2018-06,
 * before those of docs/EVALUATION.md, higher weights gave a lower average
 * precision: 0.690, 0.690, 0.684 with 1; 0.684, 0.677, 0.674 with 10; 0.668,
 * 0.571, 0.655 with 100.
 */
#define FRAUD_WEIGHT 1

/*
 * The least deviation of a feature, as a share of its range: that of a flag in
 * every 24th event.  The penalty then holds back a feature that only few events
 * differ in.  docs/EVALUATION.md has the weeks on which it was chosen.
 */
#define DEVIATION_FLOOR 0.2

/*
 * L2 penalties from strong to weak; of equal ones the first is chosen.  Weaker
 * ones let single features outweigh all others.
 */
static const double penalties[TRAIN_PENALTIES] = { 1e-2, 3e-3, 1e-3, 3e-4, 1e-4,
	3e-5, 1e-5, 3e-6, 1e-6 };

static int allocate_training(struct training *tn, struct fail *f);
static int allocate_marks(struct train_marks *marks, size_t n);
static void free_marks(struct train_marks *marks);
static int fit_model(struct training *tn, struct trained *tr, struct fail *f);
static void divide_parts(const struct training *tn, struct trained *tr);
static void clamp_features(const struct training *tn, struct trained *tr);
static void clamp_feature(
    const struct training *tn, struct trained *tr, int feature);
static uint8_t label_at_training_end(const struct training *tn, size_t i);
static int choose_penalty(
    const struct training *tn, struct trained *tr, struct fail *f);
static int fit_part(const struct training *tn, const struct trained *tr,
    size_t to, double l2, struct logistic_fit *ret, struct fail *f);
static int calibrate_model(
    struct training *tn, struct trained *tr, struct fail *f);
static struct logistic_fit_rows fit_rows_of(
    const struct training *tn, size_t from, size_t to);
static void count_part(const struct training *tn, struct row_range *part);

int64_t
train_known_until(const struct train_table *tb, const struct plan *pl)
{
	const int64_t young = tb->last - pl->delay;
	size_t i;

	for (i = train_table_at(tb, young + 1); i < tb->n && !pl->skip; i++)
		if (tb->label[i] == LABEL_NONE)
			return young;
	return tb->last;
}

bool
train_left_out(const struct trained *tr, int feature)
{
	const struct model_range *range = &tr->tr_model.range[feature];

	return range->min == range->max;
}

int
train_model(struct train_table *tb, const struct plan *pl, struct arena *a,
    void (*say)(const char *, ...), struct trained *ret, struct fail *f)
{
	static struct training tn;
	int r;

	memset(ret, 0, sizeof(*ret));
	tn = (struct training) { .tb = tb, .pl = pl, .arena = a, .say = say };
	r = allocate_training(&tn, f) == -1 ? -1 : fit_model(&tn, ret, f);
	free(tn.label);
	free(tn.z);
	free(tn.champion_z);
	free_marks(&tn.marks);
	free_marks(&tn.champion);
	free(tn.space.who);
	free(tn.space.times);
	free(tn.space.found);
	free(tn.known);
	return r;
}

static int
allocate_training(struct training *tn, struct fail *f)
{
	const size_t n = tn->tb->n + 1, users = tn->tb->users + 1;
	size_t i;

	tn->label = calloc(n, sizeof(*tn->label));
	tn->z = calloc(n, sizeof(*tn->z));
	tn->space.users = tn->tb->users;
	tn->space.who = calloc(users, sizeof(*tn->space.who));
	tn->space.times = calloc(users, sizeof(*tn->space.times));
	tn->space.found = calloc(users, sizeof(*tn->space.found));
	tn->known = calloc(users, sizeof(*tn->known));
	if (tn->label == NULL || tn->z == NULL || tn->space.who == NULL ||
	    tn->space.times == NULL || tn->space.found == NULL ||
	    tn->known == NULL || allocate_marks(&tn->marks, n) == -1)
		return fail_memory(f);
	if (tn->pl->champion != NULL &&
	    ((tn->champion_z = calloc(n, sizeof(*tn->champion_z))) == NULL ||
		allocate_marks(&tn->champion, n) == -1))
		return fail_memory(f);
	for (i = 0; i < users; i++)
		tn->known[i] = TRAIN_NEVER;
	return 0;
}

static int
allocate_marks(struct train_marks *marks, size_t n)
{
	marks->as_tested = calloc(n, sizeof(*marks->as_tested));
	marks->ranked = calloc(n, sizeof(*marks->ranked));
	marks->daily = calloc(n, sizeof(*marks->daily));
	return marks->as_tested == NULL || marks->ranked == NULL ||
		marks->daily == NULL
	    ? -1
	    : 0;
}

static void
free_marks(struct train_marks *marks)
{
	free(marks->as_tested);
	free(marks->ranked);
	free(marks->daily);
}

static int
fit_model(struct training *tn, struct trained *tr, struct fail *f)
{
	struct row_range *const first = &tr->tr_part[TRAIN_FIT - 1];
	struct row_range *const last = &tr->tr_part[TRAIN_CALIBRATE - 1];
	struct model *const m = &tr->tr_model;
	double fraud, legit;

	divide_parts(tn, tr);
	if (first->from == last->to)
		return train_refuse("train",
		    "no event is older than --label-delay at --train-until", f);
	train_score_champion(tn, tr);
	clamp_features(tn, tr);
	if (choose_penalty(tn, tr, f) == -1 ||
	    fit_part(tn, tr, tr->tr_part[TRAIN_VALIDATE - 1].to, tr->tr_l2,
		&tr->tr_fit, f) == -1 ||
	    calibrate_model(tn, tr, f) == -1)
		return -1;
	fraud = (double)(tr->tr_fit.fraud + last->fraud);
	legit = (double)(tr->tr_fit.legit + last->legit);
	m->features_version = FEATURES_VERSION;
	memcpy(m->weight, tr->tr_fit.weight, sizeof(m->weight));
	m->bias = tr->tr_fit.bias;
	m->base_rate = fraud / (fraud + legit);
	m->metrics.samples = tr->tr_fit.fraud + tr->tr_fit.legit;
	return train_test(tn, tr, f);
}

/* Set the label of each row, and divide the rows into parts by time. */
static void
divide_parts(const struct training *tn, struct trained *tr)
{
	const struct train_table *tb = tn->tb;
	const struct plan *pl = tn->pl;
	const int64_t end = pl->until - pl->delay;
	const size_t from =
	    pl->days == TRAIN_NEVER ? 0 : train_table_at(tb, end - pl->days);
	const size_t n = train_table_at(tb, end) - from;
	struct row_range *const part = tr->tr_part;
	size_t i, known;

	for (i = 0; i < tb->n; i++)
		tn->label[i] = label_at_training_end(tn, i);
	part[TRAIN_FIT - 1].from = from;
	part[TRAIN_FIT - 1].to = from + n * FIT_PERCENT / 100;
	part[TRAIN_VALIDATE - 1].from = part[TRAIN_FIT - 1].to;
	part[TRAIN_VALIDATE - 1].to = from + n * VALIDATE_PERCENT / 100;
	part[TRAIN_CALIBRATE - 1].from = part[TRAIN_VALIDATE - 1].to;
	part[TRAIN_CALIBRATE - 1].to = from + n;
	part[TRAIN_TEST - 1].from = train_table_at(tb, pl->until);
	part[TRAIN_TEST - 1].to = pl->test == TRAIN_NEVER
	    ? tb->n
	    : train_table_at(tb, pl->until + pl->test);
	known = train_table_at(tb, train_known_until(tb, pl) + 1);
	if (known < part[TRAIN_TEST - 1].from)
		known = part[TRAIN_TEST - 1].from;
	if (part[TRAIN_TEST - 1].to > known) {
		tr->tr_unlabeled = (int64_t)(part[TRAIN_TEST - 1].to - known);
		part[TRAIN_TEST - 1].to = known;
	}
	for (i = 0; i < TRAIN_TEST - 1; i++)
		count_part(tn, &part[i]);
}

/*
 * Return the label of row i to use: for a training row the one that was known
 * at the end of training, for a later row the one in the table.  A row without
 * a label is legit, unless such rows are skipped.
 */
static uint8_t
label_at_training_end(const struct training *tn, size_t i)
{
	const struct train_table *tb = tn->tb;
	const struct plan *pl = tn->pl;

	if (tb->label[i] != LABEL_NONE &&
	    (tb->known[i] <= pl->until || tb->at[i] >= pl->until))
		return tb->label[i];
	return pl->skip ? LABEL_NONE : LABEL_LEGIT;
}

/*
 * Find the range of each feature in the rows that the model will be fitted to,
 * and clamp all rows to it, as the model will clamp each event that it scores.
 */
static void
clamp_features(const struct training *tn, struct trained *tr)
{
	const size_t from = tr->tr_part[TRAIN_FIT - 1].from;
	const size_t to = tr->tr_part[TRAIN_VALIDATE - 1].to;
	const struct logistic_fit_rows rows = fit_rows_of(tn, from, to);
	int i, left_out = 0;

	for (i = 0; i < FEATURE__MAX; i++) {
		tr->tr_model.range[i] = feature_range(&rows, (size_t)i);
		left_out += train_left_out(tr, i);
		clamp_feature(tn, tr, i);
	}
	tn->say("left out %d features in which fewer than %d events differ",
	    left_out, FEATURE_RANGE_ROWS);
}

/* Clamp a column of the table; count what that changes in the test. */
static void
clamp_feature(const struct training *tn, struct trained *tr, int feature)
{
	const struct row_range *const test = &tr->tr_part[TRAIN_TEST - 1];
	const struct model_range *range = &tr->tr_model.range[feature];
	double *x, was;
	size_t i;

	for (i = 0; i < tn->tb->n; i++) {
		x = &tn->tb->x[i * FEATURE__MAX + (size_t)feature];
		was = *x;
		*x = model_input(range, was);
		if (*x != was && i >= test->from && i < test->to)
			tr->tr_clamped[feature]++;
	}
}

/* Choose the penalty with the smallest loss on the validation rows. */
static int
choose_penalty(const struct training *tn, struct trained *tr, struct fail *f)
{
	const struct row_range *const part = &tr->tr_part[TRAIN_VALIDATE - 1];
	const struct logistic_fit_rows rows =
	    fit_rows_of(tn, part->from, part->to);
	double best = INFINITY;
	struct logistic_fit fit;
	size_t i;

	if (part->fraud == 0 || part->legit == 0)
		return train_refuse("validate",
		    "all events of that time are fraud, or all are legit", f);
	for (i = 0; i < TRAIN_PENALTIES; i++) {
		if (fit_part(tn, tr, part->from, penalties[i], &fit, f) == -1)
			return -1;
		tr->tr_tried[i].l2 = penalties[i];
		tr->tr_tried[i].loss =
		    logistic_fit_loss(&fit, &rows, FRAUD_WEIGHT);
		tn->say("L2 %g: %d rounds, loss %.8f on later events",
		    penalties[i], fit.rounds, tr->tr_tried[i].loss);
		if (tr->tr_tried[i].loss < best) {
			best = tr->tr_tried[i].loss;
			tr->tr_l2 = penalties[i];
		}
	}
	return 0;
}

/* Fit to the rows from the first training row up to row to, excluded. */
static int
fit_part(const struct training *tn, const struct trained *tr, size_t to,
    double l2, struct logistic_fit *ret, struct fail *f)
{
	const struct logistic_fit_options options = {
		.l2 = l2,
		.fraud_weight = FRAUD_WEIGHT,
		.floor = DEVIATION_FLOOR,
		.stop = tn->pl->stop,
	};
	const struct logistic_fit_rows rows =
	    fit_rows_of(tn, tr->tr_part[TRAIN_FIT - 1].from, to);
	const struct arena_mark mark = arena_mark(tn->arena);
	const int r = logistic_fit(tn->arena, &rows, &options, ret, f);

	arena_rewind(tn->arena, mark);
	return r;
}

/* Calibrate the fit with rows that it does not contain. */
static int
calibrate_model(struct training *tn, struct trained *tr, struct fail *f)
{
	const struct row_range *const part = &tr->tr_part[TRAIN_CALIBRATE - 1];
	const size_t n = part->to - part->from;
	struct fail inner = { 0 };
	size_t i;

	for (i = 0; i < n; i++)
		tn->z[i] = logistic_fit_logit(&tr->tr_fit,
		    tn->tb->x + (part->from + i) * FEATURE__MAX, FEATURE__MAX);
	if (platt_calibrate(tn->z, tn->label + part->from, n,
		&tr->tr_model.calibration, &inner) == -1)
		return train_refuse("calibrate", inner.why, f);
	if (tr->tr_model.calibration.a <= 0)
		return train_refuse("calibrate",
		    "the fit is no better than chance on later events", f);
	return 0;
}

static struct logistic_fit_rows
fit_rows_of(const struct training *tn, size_t from, size_t to)
{
	return (struct logistic_fit_rows) {
		.x = tn->tb->x + from * FEATURE__MAX,
		.label = tn->label + from,
		.n = to - from,
		.k = FEATURE__MAX,
	};
}

/* Count the labels of a part. */
static void
count_part(const struct training *tn, struct row_range *part)
{
	size_t i;

	for (i = part->from; i < part->to; i++) {
		part->fraud += tn->label[i] == LABEL_FRAUD;
		part->legit += tn->label[i] == LABEL_LEGIT;
	}
}

int
train_refuse(const char *what, const char *why, struct fail *f)
{
	return fail_set(
	    f, FAIL_INPUT, INVALID_REQUEST, NULL, "cannot %s: %s", what, why);
}
