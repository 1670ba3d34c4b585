/* SPDX-License-Identifier: ISC */
/* How well each rule finds fraud, counted over samples. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/analyse/rule_quality.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/fail.h"
#include "core/base/str.h"
#include "core/rule/rule.h"
#include "core/signal/signals.h"

#define Z 1.959963984540054 /* 97.5 % of the normal distribution are below */

/* Two rules that fired on the same samples. */
struct pair {
	size_t a, b;
	int64_t both;
};

static void add_amount(struct rule_quality_rule *r, const struct signals *sigs);
static void print_rule(
    struct str *s, const struct rule_quality *q, size_t i, const char *comma);
static void print_precision(struct str *s, const struct rule_quality_rule *r);
static void print_overlap(struct str *s, const struct rule_quality *q);
static size_t find_pairs(
    const struct rule_quality *q, struct pair ret[RULE_QUALITY_PAIRS_MAX]);
static int64_t less_of(int64_t a, int64_t b);

int
rule_quality_init(struct rule_quality *ret, const struct ruleset *rs,
    struct arena *a, struct fail *f)
{
	const size_t n = rs->n_rules;

	*ret = (struct rule_quality) {
		.ruleset = rs,
		.rule = arena_array(a, n + 1, sizeof(*ret->rule)),
		.both = arena_array(a, n * n + 1, sizeof(*ret->both)),
	};
	return ret->rule == NULL || ret->both == NULL ? fail_memory(f) : 0;
}

void
rule_quality_add(struct rule_quality *q, const struct signals *sigs,
    const struct rule_hits *hits, enum backtest_label label)
{
	struct rule_quality_rule *r;
	size_t i, j;

	q->samples++;
	for (i = 0; i < hits->n; i++) {
		r = &q->rule[hits->index[i]];
		r->fired++;
		r->fraud += label == LABEL_FRAUD;
		r->legit += label == LABEL_LEGIT;
		if (label == LABEL_FRAUD)
			add_amount(r, sigs);
		/* The hits are in the order of the rules. */
		for (j = i + 1; j < hits->n; j++)
			q->both[hits->index[i] * q->ruleset->n_rules +
			    hits->index[j]]++;
	}
}

struct rule_quality_interval
rule_quality_wilson(int64_t good, int64_t n)
{
	const double p = n == 0 ? 0 : (double)good / (double)n;
	const double share = n == 0 ? 1 : Z * Z / (double)n;
	double middle, reach;

	if (n == 0)
		return (struct rule_quality_interval) { .low = 0, .high = 1 };
	middle = (p + share / 2) / (1 + share);
	reach = Z * sqrt(p * (1 - p) / (double)n + share / (4 * (double)n)) /
	    (1 + share);
	return (struct rule_quality_interval) {
		.low = good == 0 ? 0 : middle - reach,
		.high = good == n ? 1 : middle + reach,
	};
}

void
rule_quality_json(struct str *s, const struct rule_quality *q)
{
	size_t i;

	str_addf(s, "\"decisions\":%" PRId64 ",\"rules\":[", q->samples);
	for (i = 0; i < q->ruleset->n_rules; i++)
		print_rule(s, q, i, i == 0 ? "" : ",");
	str_add(s, "],\"overlap\":[");
	print_overlap(s, q);
	str_addc(s, ']');
}

/* Add the amount of a fraud to the sum of its currency. */
static void
add_amount(struct rule_quality_rule *r, const struct signals *sigs)
{
	const struct value *amount = &sigs->value[SIGNAL_EVENT_AMOUNT];
	const struct value *currency = &sigs->value[SIGNAL_EVENT_CURRENCY];
	struct rule_quality_amount *am;

	if (amount->type != VALUE_NUMBER || currency->type != VALUE_STRING ||
	    strlen(currency->string) >= sizeof(am->currency))
		return;
	for (am = r->amount; am < r->amount + nitems(r->amount); am++) {
		if (am->currency[0] == '\0')
			memcpy(am->currency, currency->string,
			    strlen(currency->string) + 1);
		if (strcmp(am->currency, currency->string) == 0) {
			am->sum += amount->number;
			return;
		}
	}
}

static void
print_rule(
    struct str *s, const struct rule_quality *q, size_t i, const char *comma)
{
	const struct rule *rule = &q->ruleset->rules[i];
	const struct rule_quality_rule *r = &q->rule[i];
	size_t j;

	str_addf(s, "%s{\"id\":", comma);
	str_json(s, rule->id);
	str_add(s, ",\"tag\":");
	str_json(s, rule->tag);
	str_addf(s,
	    ",\"points\":%d,\"fired\":%" PRId64 ",\"share\":", rule->points,
	    r->fired);
	str_number(
	    s, q->samples == 0 ? 0 : (double)r->fired / (double)q->samples);
	str_addf(s, ",\"labels\":{\"fraud\":%" PRId64 ",\"legit\":%" PRId64 "}",
	    r->fraud, r->legit);
	print_precision(s, r);
	str_add(s, ",\"amountFraud\":{");
	for (j = 0; j < nitems(r->amount) && r->amount[j].currency[0] != '\0';
	     j++) {
		str_add(s, j == 0 ? "" : ",");
		str_json(s, r->amount[j].currency);
		str_addc(s, ':');
		str_number(s, r->amount[j].sum);
	}
	str_addf(s, "},\"neverFired\":%s}", r->fired == 0 ? "true" : "false");
}

/* Print the share of fraud among the labels and its interval. */
static void
print_precision(struct str *s, const struct rule_quality_rule *r)
{
	const int64_t n = r->fraud + r->legit;
	const struct rule_quality_interval in =
	    rule_quality_wilson(r->fraud, n);

	if (n == 0) {
		str_add(s, ",\"precision\":null,\"low\":null,\"high\":null");
		return;
	}
	str_add(s, ",\"precision\":");
	str_number(s, (double)r->fraud / (double)n);
	str_add(s, ",\"low\":");
	str_number(s, in.low);
	str_add(s, ",\"high\":");
	str_number(s, in.high);
}

/* Print the pairs of rules that fired together most often. */
static void
print_overlap(struct str *s, const struct rule_quality *q)
{
	struct pair pairs[RULE_QUALITY_PAIRS_MAX];
	const size_t n = find_pairs(q, pairs);
	size_t i;

	for (i = 0; i < n; i++) {
		str_add(s, i == 0 ? "{\"a\":" : ",{\"a\":");
		str_json(s, q->ruleset->rules[pairs[i].a].id);
		str_add(s, ",\"b\":");
		str_json(s, q->ruleset->rules[pairs[i].b].id);
		str_addf(s, ",\"both\":%" PRId64 ",\"share\":", pairs[i].both);
		str_number(s,
		    (double)pairs[i].both /
			(double)less_of(q->rule[pairs[i].a].fired,
			    q->rule[pairs[i].b].fired));
		str_addc(s, '}');
	}
}

/* Find the most frequent pairs, the first of equal ones first. */
static size_t
find_pairs(
    const struct rule_quality *q, struct pair ret[RULE_QUALITY_PAIRS_MAX])
{
	const size_t rules = q->ruleset->n_rules;
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
