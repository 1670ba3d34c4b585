/* SPDX-License-Identifier: ISC */
/* The counts of a backtest, and the result that is computed from them. */
#include "config.h"

#include <inttypes.h>
#include <stdbool.h>

#include "core/base/str.h"
#include "core/analyse/backtest.h"

static void count_verdict(
    struct confusion *c, enum verdict verdict, enum backtest_label label);
static void add_confusion(
    struct str *s, const char *before, const struct confusion *c);
static void add_rate_member(
    struct str *s, const char *before, int64_t part, int64_t whole);
static void add_mix(struct str *s, const struct backtest *bt);
static void add_flips(struct str *s, const struct backtest *bt);

void
backtest_add(struct backtest *bt, const struct backtest_label_result *result)
{
	bt->pairs[result->answered][result->candidate]++;
	if (result->label == LABEL_NONE)
		return;
	bt->labeled++;
	bt->flips += result->candidate != result->answered;
	count_verdict(&bt->candidate, result->candidate, result->label);
	count_verdict(&bt->baseline, result->baseline, result->label);
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
	const struct confusion *c = &bt->candidate, *b = &bt->baseline;

	str_addf(s, "\"sampleSize\":%" PRId64 ",\"labeled\":%" PRId64,
	    backtest_samples(bt), bt->labeled);
	add_confusion(s, ",\"candidate\":{", c);
	add_rate_member(s, ",\"precision\":", c->true_positives,
	    c->true_positives + c->false_positives);
	add_rate_member(s, ",\"recall\":", c->true_positives,
	    c->true_positives + c->false_negatives);
	add_rate_member(s, ",\"falsePositiveRate\":", c->false_positives,
	    c->false_positives + c->true_negatives);
	add_confusion(s, "},\"baseline\":{", b);
	str_addf(s,
	    "},\"delta\":{\"fraudCaught\":%" PRId64
	    ",\"falsePositives\":%" PRId64 ",\"flips\":%" PRId64 "}",
	    c->true_positives - b->true_positives,
	    c->false_positives - b->false_positives, bt->flips);
	add_mix(s, bt);
	add_flips(s, bt);
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
add_confusion(struct str *s, const char *before, const struct confusion *c)
{
	str_addf(s,
	    "%s\"truePositives\":%" PRId64 ",\"falsePositives\":%" PRId64
	    ",\"falseNegatives\":%" PRId64 ",\"trueNegatives\":%" PRId64,
	    before, c->true_positives, c->false_positives, c->false_negatives,
	    c->true_negatives);
}

static void
add_rate_member(struct str *s, const char *before, int64_t part, int64_t whole)
{
	str_add(s, before);
	str_number(s, whole == 0 ? 0 : (double)part / (double)whole);
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
	for (i = 0; i < 2; i++) {
		str_add(s, i == 0 ? ",\"mix\":{\"before\":{" : "},\"after\":{");
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++)
			str_addf(s, "%s\"%s\":%" PRId64,
			    k == VERDICT_ALLOW ? "" : ",",
			    verdict_name((enum verdict)k), mixes[i][k]);
	}
	str_add(s, "}}");
}

/* The pairs of different verdicts that occurred. */
static void
add_flips(struct str *s, const struct backtest *bt)
{
	const char *before = "";
	unsigned int i, k;

	str_add(s, ",\"flipsByPair\":[");
	for (i = VERDICT_ALLOW; i < VERDICT__MAX; i++) {
		for (k = VERDICT_ALLOW; k < VERDICT__MAX; k++) {
			if (i == k || bt->pairs[i][k] == 0)
				continue;
			str_addf(s,
			    "%s{\"from\":\"%s\",\"to\":\"%s\","
			    "\"samples\":%" PRId64 "}",
			    before, verdict_name((enum verdict)i),
			    verdict_name((enum verdict)k), bt->pairs[i][k]);
			before = ",";
		}
	}
	str_addc(s, ']');
}
