/* SPDX-License-Identifier: ISC */
/* How well each rule finds fraud, counted over samples. */
#include "config.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/analyse/rule_quality.h"
#include "core/analyse/wilson.h"
#include "core/base/arena.h"
#include "core/base/fail.h"
#include "core/base/writer.h"
#include "core/decide/decide.h"
#include "core/rule/rule.h"

#define DAY INT64_C(86400000000) /* microseconds */

/* Two rules that fired on the same samples. */
struct pair {
	size_t a, b;
	int64_t both;
};

static size_t day_index(const struct rule_quality *q, int64_t at);
static void add_hits(struct rule_quality *q, const struct signals *sigs,
    const struct rule_hits *hits, enum backtest_label label, int64_t at);
static int add_decisive(struct rule_quality *q, const struct signals *sigs,
    struct decision *d, enum backtest_label label, struct arena *a,
    struct fail *f);
static int points_of(const struct ruleset *rs, const struct rule_hits *hits);
static enum verdict verdict_at(const struct rulebook *book, int points);
static int decide_without(const struct rulebook *book,
    const struct signals *sigs, size_t i, struct decision *d, struct arena *a,
    struct fail *f);
static void remove_hit(struct rule_hits *hits, size_t i);
static void restore_hit(struct rule_hits *hits, size_t i, uint16_t index);
static void add_count(
    struct rule_quality_count *count, enum backtest_label label);
static void add_money(struct rule_quality_money *money,
    const struct signals *sigs, enum backtest_label label);
static void print_rule(struct str *s, const struct rule_quality *q, size_t i);
static void print_label_counts(
    struct str *s, const struct rule_quality_count *count);
static void print_amounts(
    struct str *s, const struct rule_quality_money *money);
static void print_always(struct str *s, const struct rule_quality *q, size_t i);
static int64_t fired_both(const struct rule_quality *q, size_t a, size_t b);
static void print_days(
    struct str *s, const struct rule_quality *q, const uint16_t *by_day);
static void print_precision(
    struct str *s, const struct rule_quality_count *count);
static void print_overlap(struct str *s, const struct rule_quality *q);
static size_t find_pairs(
    const struct rule_quality *q, struct pair ret[RULE_QUALITY_PAIRS_MAX]);
static int64_t less_of(int64_t a, int64_t b);

int
rule_quality_init(struct rule_quality *ret, const struct rulebook *book,
    int64_t since, int64_t until, int64_t mature_until, struct arena *a,
    struct fail *f)
{
	const int64_t last = until / DAY, most = last - RULE_QUALITY_DAYS_MAX;
	const int64_t first = since / DAY > most ? since / DAY : most + 1;
	const size_t n = book->ruleset->n_rules;

	*ret = (struct rule_quality) {
		.book = book,
		.mature_until = mature_until,
		.first_day = first,
		.n_days = first > last ? 1 : (size_t)(last - first + 1),
		.rule = arena_array(a, n + 1, sizeof(*ret->rule)),
		.both = arena_array(a, n * n + 1, sizeof(*ret->both)),
	};
	return ret->rule == NULL || ret->both == NULL ? fail_memory(f) : 0;
}

int
rule_quality_add(struct rule_quality *q, const struct signals *sigs,
    enum backtest_label label, int64_t at, struct arena *a, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	struct decision d;
	int r;

	r = decide(q->book, sigs, a, &d, f);
	if (r == 0)
		r = add_decisive(q, sigs, &d, label, a, f);
	arena_rewind(a, mark);
	if (r == 0)
		add_hits(q, sigs, &d.hits, label, at);
	return r;
}

void
rule_quality_json(struct str *s, const struct rule_quality *q)
{
	size_t i;

	writer_int(s, "decisions", q->all.samples);
	print_label_counts(s, &q->all);
	writer_object(s, "mature");
	writer_int(s, "decisions", q->mature.samples);
	print_label_counts(s, &q->mature);
	writer_end(s);
	print_days(s, q, q->by_day);
	writer_array(s, "rules");
	for (i = 0; i < q->book->ruleset->n_rules; i++)
		print_rule(s, q, i);
	writer_end(s);
	print_overlap(s, q);
}

static size_t
day_index(const struct rule_quality *q, int64_t at)
{
	const int64_t day = at / DAY - q->first_day;

	if (day < 0)
		return 0;
	return (size_t)day < q->n_days ? (size_t)day : q->n_days - 1;
}

/* Count a sample, and the rules that fired on it. */
static void
add_hits(struct rule_quality *q, const struct signals *sigs,
    const struct rule_hits *hits, enum backtest_label label, int64_t at)
{
	const size_t day = day_index(q, at), n = q->book->ruleset->n_rules;
	const bool mature = at <= q->mature_until;
	struct rule_quality_rule *r;
	size_t i, j;

	add_count(&q->all, label);
	if (mature)
		add_count(&q->mature, label);
	q->by_day[day]++;
	for (i = 0; i < hits->n; i++) {
		r = &q->rule[hits->index[i]];
		add_money(&r->fired, sigs, label);
		if (mature)
			add_count(&r->mature, label);
		r->by_day[day]++;
		/* The hits are in the order of the rules. */
		for (j = i + 1; j < hits->n; j++)
			q->both[hits->index[i] * n + hits->index[j]]++;
	}
}

/*
 * Find the rules without which the verdict of d is milder.  d keeps its hits
 * and loses the rest.
 */
static int
add_decisive(struct rule_quality *q, const struct signals *sigs,
    struct decision *d, enum backtest_label label, struct arena *a,
    struct fail *f)
{
	const enum verdict verdict = d->verdict;
	const int points = points_of(q->book->ruleset, &d->hits);
	uint16_t index;
	size_t i;
	int r = 0;

	if (verdict == VERDICT_ALLOW)
		return 0;
	for (i = 0; i < d->hits.n && r == 0; i++) {
		index = d->hits.index[i];
		if (d->scorer == SCORER_WEIGHTED)
			d->verdict = verdict_at(q->book,
			    points - q->book->ruleset->rules[index].points);
		else
			r = decide_without(q->book, sigs, i, d, a, f);
		if (r == 0 && d->verdict < verdict)
			add_money(&q->rule[index].decisive, sigs, label);
	}
	return r;
}

static int
points_of(const struct ruleset *rs, const struct rule_hits *hits)
{
	size_t i;
	int points = 0;

	for (i = 0; i < hits->n; i++)
		points += rs->rules[hits->index[i]].points;
	return points;
}

/* The verdict for the points of the weighted scorer, see score_weighted(). */
static enum verdict
verdict_at(const struct rulebook *book, int points)
{
	return policy_band(
	    book->policy, points < SCORE_MAX ? points : SCORE_MAX)
	    ->verdict;
}

/* Decide without the hit i. */
static int
decide_without(const struct rulebook *book, const struct signals *sigs,
    size_t i, struct decision *d, struct arena *a, struct fail *f)
{
	const struct arena_mark mark = arena_mark(a);
	const uint16_t index = d->hits.index[i];
	int r;

	remove_hit(&d->hits, i);
	r = decide_hits(book, sigs, a, d, f);
	restore_hit(&d->hits, i, index);
	arena_rewind(a, mark);
	return r;
}

static void
remove_hit(struct rule_hits *hits, size_t i)
{
	hits->n--;
	memmove(&hits->index[i], &hits->index[i + 1],
	    (hits->n - i) * sizeof(*hits->index));
}

static void
restore_hit(struct rule_hits *hits, size_t i, uint16_t index)
{
	memmove(&hits->index[i + 1], &hits->index[i],
	    (hits->n - i) * sizeof(*hits->index));
	hits->index[i] = index;
	hits->n++;
}

static void
add_count(struct rule_quality_count *count, enum backtest_label label)
{
	count->samples++;
	count->fraud += label == LABEL_FRAUD;
	count->legit += label == LABEL_LEGIT;
}

static void
add_money(struct rule_quality_money *money, const struct signals *sigs,
    enum backtest_label label)
{
	add_count(&money->count, label);
	if (label != LABEL_NONE)
		amounts_add(
		    label == LABEL_FRAUD ? &money->fraud : &money->legit, sigs);
}

static void
print_rule(struct str *s, const struct rule_quality *q, size_t i)
{
	const struct rule *rule = &q->book->ruleset->rules[i];
	const struct rule_quality_rule *r = &q->rule[i];
	const int64_t fired = r->fired.count.samples, all = q->all.samples;

	writer_object(s, NULL);
	writer_text(s, "id", rule->id);
	writer_text(s, "tag", rule->tag);
	writer_int(s, "points", rule->points);
	writer_int(s, "fired", fired);
	writer_number(s, "share", all == 0 ? 0 : (double)fired / (double)all);
	print_label_counts(s, &r->fired.count);
	print_precision(s, &r->fired.count);
	writer_number(s, "recall",
	    q->all.fraud == 0
		? NAN
		: (double)r->fired.count.fraud / (double)q->all.fraud);
	print_amounts(s, &r->fired);
	writer_object(s, "mature");
	writer_int(s, "fired", r->mature.samples);
	print_label_counts(s, &r->mature);
	print_precision(s, &r->mature);
	writer_end(s);
	writer_object(s, "decisive");
	writer_int(s, "samples", r->decisive.count.samples);
	print_label_counts(s, &r->decisive.count);
	print_amounts(s, &r->decisive);
	writer_end(s);
	print_always(s, q, i);
	writer_bool(s, "neverFired", fired == 0);
	print_days(s, q, r->by_day);
	writer_end(s);
}

static void
print_label_counts(struct str *s, const struct rule_quality_count *count)
{
	writer_object(s, "labels");
	writer_int(s, "fraud", count->fraud);
	writer_int(s, "legit", count->legit);
	writer_end(s);
}

static void
print_amounts(struct str *s, const struct rule_quality_money *money)
{
	amounts_json(s, "amountFraud", &money->fraud);
	amounts_json(s, "amountLegit", &money->legit);
}

/* Print the rules that fired on each sample on which rule i fired. */
static void
print_always(struct str *s, const struct rule_quality *q, size_t i)
{
	const struct ruleset *rs = q->book->ruleset;
	const int64_t fired = q->rule[i].fired.count.samples;
	size_t j, n = 0;

	writer_array(s, "alwaysWith");
	for (j = 0; j < rs->n_rules && fired > 0; j++) {
		if (j == i || fired_both(q, i, j) < fired)
			continue;
		writer_text(s, NULL, rs->rules[j].id);
		if (++n == RULE_QUALITY_ALWAYS_MAX)
			break;
	}
	writer_end(s);
}

/* Return the number of samples on which two rules fired. */
static int64_t
fired_both(const struct rule_quality *q, size_t a, size_t b)
{
	const size_t n = q->book->ruleset->n_rules;

	return a < b ? q->both[a * n + b] : q->both[b * n + a];
}

static void
print_days(struct str *s, const struct rule_quality *q, const uint16_t *by_day)
{
	size_t i;

	writer_array(s, "byDay");
	for (i = 0; i < q->n_days; i++)
		writer_int(s, NULL, by_day[i]);
	writer_end(s);
}

/* Print the share of fraud among the labels and its interval. */
static void
print_precision(struct str *s, const struct rule_quality_count *count)
{
	const int64_t n = count->fraud + count->legit;
	const struct wilson_bounds in = wilson_interval(count->fraud, n);

	writer_number(
	    s, "precision", n == 0 ? NAN : (double)count->fraud / (double)n);
	writer_number(s, "low", n == 0 ? NAN : in.low);
	writer_number(s, "high", n == 0 ? NAN : in.high);
}

/* Print the pairs of rules that fired together most often. */
static void
print_overlap(struct str *s, const struct rule_quality *q)
{
	struct pair pairs[RULE_QUALITY_PAIRS_MAX];
	const size_t n = find_pairs(q, pairs);
	size_t i;

	writer_array(s, "overlap");
	for (i = 0; i < n; i++) {
		writer_object(s, NULL);
		writer_text(s, "a", q->book->ruleset->rules[pairs[i].a].id);
		writer_text(s, "b", q->book->ruleset->rules[pairs[i].b].id);
		writer_int(s, "both", pairs[i].both);
		writer_number(s, "share",
		    (double)pairs[i].both /
			(double)less_of(q->rule[pairs[i].a].fired.count.samples,
			    q->rule[pairs[i].b].fired.count.samples));
		writer_end(s);
	}
	writer_end(s);
}

/* Find the most frequent pairs, the first of equal ones first. */
static size_t
find_pairs(
    const struct rule_quality *q, struct pair ret[RULE_QUALITY_PAIRS_MAX])
{
	const size_t rules = q->book->ruleset->n_rules;
	size_t a, b, i, n = 0;
	int64_t both;

	for (a = 0; a < rules; a++)
		for (b = a + 1; b < rules; b++) {
			both = q->both[a * rules + b];
			if (both == 0 ||
			    (n == RULE_QUALITY_PAIRS_MAX &&
				both <= ret[n - 1].both))
				continue;
			if (n < RULE_QUALITY_PAIRS_MAX)
				n++;
			for (i = n - 1; i > 0 && ret[i - 1].both < both; i--)
				ret[i] = ret[i - 1];
			ret[i] = (struct pair) { a, b, both };
		}
	return n;
}

static int64_t
less_of(int64_t a, int64_t b)
{
	return a < b ? a : b;
}
