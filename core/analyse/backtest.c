/* SPDX-License-Identifier: ISC */
/* The counts of a backtest, and the result that is computed from them. */
#include "config.h"

#include <stdbool.h>

#include "core/analyse/backtest.h"
#include "core/base/writer.h"

static void count_pair(
    struct backtest_pair *pair, const struct backtest_label_result *result);
static void count_verdict(
    struct confusion *c, enum verdict verdict, enum backtest_label label);
static void add_delta(struct str *s, const struct confusion *before,
    const struct confusion *after, int64_t flips);
static void add_confusion(struct str *s, const struct confusion *c);
static void add_rate_member(
    struct str *s, const char *name, int64_t part, int64_t whole);
static void add_mix(struct str *s, const struct backtest *bt);
static void add_flips(struct str *s, const struct backtest *bt);
static int64_t count_active_flips(const struct backtest *bt);
static void add_verdicts(struct str *s, const struct backtest *bt);
static void add_active_flips(struct str *s, const struct backtest *bt);

void
backtest_add(struct backtest *bt, const struct backtest_label_result *result)
{
	bt->pairs[result->answered][result->candidate]++;
	count_pair(
	    &bt->active_pairs[result->active][result->candidate], result);
	bt->amounts = bt->amounts || result->signals != NULL;
	if (result->label == LABEL_NONE)
		return;
	bt->labeled++;
	bt->flips += result->candidate != result->answered;
	bt->active_flips += result->candidate != result->active;
	count_verdict(&bt->candidate, result->candidate, result->label);
	count_verdict(&bt->baseline, result->baseline, result->label);
	count_verdict(&bt->active, result->active, result->label);
}

int64_t
backtest_samples(const struct backtest *bt)
{
	int64_t n = 0;
	unsigned int i, k;

	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++)
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++)
			n += bt->pairs[i][k];
	return n;
}

void
backtest_json(struct str *s, const struct backtest *bt)
{
	const struct confusion *c = &bt->candidate;

	writer_int(s, "sampleSize", backtest_samples(bt));
	writer_int(s, "labeled", bt->labeled);
	writer_object(s, "candidate");
	add_confusion(s, c);
	add_rate_member(s, "precision", c->true_positives,
	    c->true_positives + c->false_positives);
	add_rate_member(s, "recall", c->true_positives,
	    c->true_positives + c->false_negatives);
	add_rate_member(s, "falsePositiveRate", c->false_positives,
	    c->false_positives + c->true_negatives);
	writer_end(s);
	writer_object(s, "baseline");
	add_confusion(s, &bt->baseline);
	writer_end(s);
	add_delta(s, &bt->baseline, c, bt->flips);
	add_mix(s, bt);
	add_flips(s, bt);
}

void
backtest_active_json(struct str *s, const struct backtest *bt)
{
	writer_int(s, "flips", count_active_flips(bt));
	writer_object(s, "counts");
	add_confusion(s, &bt->active);
	writer_end(s);
	add_delta(s, &bt->active, &bt->candidate, bt->active_flips);
	add_verdicts(s, bt);
	add_active_flips(s, bt);
}

static void
count_pair(
    struct backtest_pair *pair, const struct backtest_label_result *result)
{
	pair->samples++;
	pair->fraud += result->label == LABEL_FRAUD;
	pair->legit += result->label == LABEL_LEGIT;
	if (result->signals != NULL)
		amounts_add(&pair->amounts, result->signals);
}

static void
count_verdict(
    struct confusion *c, enum verdict verdict, enum backtest_label label)
{
	const bool flagged = verdict != VERDICT_ALLOW;

	if (label == LABEL_FRAUD) {
		c->true_positives += flagged;
		c->false_negatives += !flagged;
	} else {
		c->false_positives += flagged;
		c->true_negatives += !flagged;
	}
}

static void
add_confusion(struct str *s, const struct confusion *c)
{
	writer_int(s, "truePositives", c->true_positives);
	writer_int(s, "falsePositives", c->false_positives);
	writer_int(s, "falseNegatives", c->false_negatives);
	writer_int(s, "trueNegatives", c->true_negatives);
}

static void
add_rate_member(struct str *s, const char *name, int64_t part, int64_t whole)
{
	writer_number(s, name, whole == 0 ? 0 : (double)part / (double)whole);
}

/* The candidate minus what it is compared with, on labelled samples. */
static void
add_delta(struct str *s, const struct confusion *before,
    const struct confusion *after, int64_t flips)
{
	writer_object(s, "delta");
	writer_int(
	    s, "fraudCaught", after->true_positives - before->true_positives);
	writer_int(s, "falsePositives",
	    after->false_positives - before->false_positives);
	writer_int(s, "flips", flips);
	writer_end(s);
}

/* The number of samples by verdict: as answered, and by the candidate. */
static void
add_mix(struct str *s, const struct backtest *bt)
{
	int64_t before[VERDICT__MAX] = { 0 }, after[VERDICT__MAX] = { 0 };
	const int64_t *mixes[] = { before, after };
	unsigned int i, k;

	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++) {
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++) {
			before[i] += bt->pairs[i][k];
			after[k] += bt->pairs[i][k];
		}
	}
	writer_object(s, "mix");
	for (i = 0; i < 2; i++) {
		writer_object(s, i == 0 ? "before" : "after");
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++)
			writer_int(
			    s, verdict_name((enum verdict)k), mixes[i][k]);
		writer_end(s);
	}
	writer_end(s);
}

/* The pairs of different verdicts that occurred. */
static void
add_flips(struct str *s, const struct backtest *bt)
{
	unsigned int i, k;

	writer_array(s, "flipsByPair");
	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++) {
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++) {
			if (i == k || bt->pairs[i][k] == 0)
				continue;
			writer_object(s, NULL);
			writer_text(s, "from", verdict_name((enum verdict)i));
			writer_text(s, "to", verdict_name((enum verdict)k));
			writer_int(s, "samples", bt->pairs[i][k]);
			writer_end(s);
		}
	}
	writer_end(s);
}

static int64_t
count_active_flips(const struct backtest *bt)
{
	int64_t n = 0;
	unsigned int i, k;

	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++)
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++)
			if (i != k)
				n += bt->active_pairs[i][k].samples;
	return n;
}

/* All samples by the active verdict, and within each by the candidate's. */
static void
add_verdicts(struct str *s, const struct backtest *bt)
{
	unsigned int i, k;

	writer_object(s, "verdicts");
	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++) {
		writer_object(s, verdict_name((enum verdict)i));
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++)
			writer_int(s, verdict_name((enum verdict)k),
			    bt->active_pairs[i][k].samples);
		writer_end(s);
	}
	writer_end(s);
}

/* The pairs that differ, with their labels and amounts. */
static void
add_active_flips(struct str *s, const struct backtest *bt)
{
	const struct backtest_pair *pair;
	unsigned int i, k;

	writer_array(s, "flipsByPair");
	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++) {
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++) {
			pair = &bt->active_pairs[i][k];
			if (i == k || pair->samples == 0)
				continue;
			writer_object(s, NULL);
			writer_text(s, "from", verdict_name((enum verdict)i));
			writer_text(s, "to", verdict_name((enum verdict)k));
			writer_int(s, "samples", pair->samples);
			writer_int(s, "fraud", pair->fraud);
			writer_int(s, "legit", pair->legit);
			if (bt->amounts)
				amounts_json(s, "amounts", &pair->amounts);
			writer_end(s);
		}
	}
	writer_end(s);
}
