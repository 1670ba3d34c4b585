/* SPDX-License-Identifier: ISC */
/* The parts of an explanation as JSON. */
#include "config.h"

#include <math.h>
#include <stdio.h>

#include "core/analyse/explain.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "core/rule/rule_explain.h"
#include "core/rule/velocity.h"
#include "core/signal/features.h"
#include "core/signal/signals.h"

#define ATTR_NAME_SIZE (sizeof("attr.") + EVENT_ATTR_NAME_MAX)

static void explain_add_rule(struct str *s, const struct rule *rule,
    const struct value *values, const struct ruleset *rs, bool silenced);
static void add_because(struct str *s, const struct rule *rule,
    const struct rule_comparison *by, const struct value *values,
    const struct ruleset *rs);
static const char *attr_name(const char *name, char text[ATTR_NAME_SIZE]);
static void add_change(
    struct str *s, const char *name, const struct counterfactual *c);
static void add_terms(
    struct str *s, const struct model *m, const struct sample *sample);

static const char *const truths[TRUTH__MAX] = {
	[TRUTH_FALSE] = "false",
	[TRUTH_UNKNOWN] = "unknown",
	[TRUTH_TRUE] = "true",
};

void
explain_signals_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs)
{
	const struct event *ev = sigs->event;
	const struct value unknown = value_unknown();
	char text[ATTR_NAME_SIZE];
	const char *name;
	size_t i;

	writer_object(s, NULL);
	for (i = 0; i < SIGNAL__MAX; i++)
		writer_value(s, signal_name((enum signal)i), &sigs->value[i]);
	for (i = 0; i < ev->n_attrs; i++)
		writer_value(
		    s, attr_name(ev->attrs[i].name, text), &ev->attrs[i].value);
	for (i = 0; rs != NULL && (name = rule_attr(rs, i)) != NULL; i++)
		if (event_attr(ev, name) == NULL)
			writer_value(s, attr_name(name, text), &unknown);
	if (rs != NULL)
		explain_velocities_json(s, rs, sigs);
	writer_end(s);
}

void
explain_rules_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs)
{
	struct value values[RULE_VALUES_MAX];
	size_t i;

	rule_values(rs, sigs, values);
	writer_array(s, NULL);
	for (i = 0; i < rs->n_rules; i++)
		explain_add_rule(s, &rs->rules[i], values, rs,
		    rule_silenced(&rs->rules[i], sigs->silences));
	writer_end(s);
}

void
explain_model_json(
    struct str *s, const struct model *m, const struct sample *sample)
{
	writer_object(s, NULL);
	writer_text(s, "version", sample->model);
	writer_number(s, "p", sample->p);
	writer_number(s, "pEven", sample->p_even);
	writer_number(s, "bias", m == NULL ? NAN : m->bias);
	writer_number(s, "baseRate", m == NULL ? NAN : m->base_rate);
	if (m == NULL) {
		writer_null(s, "calibration");
		writer_null(s, "terms");
	} else {
		writer_object(s, "calibration");
		writer_number(s, "a", m->calibration.a);
		writer_number(s, "b", m->calibration.b);
		writer_end(s);
		add_terms(s, m, sample);
	}
	writer_end(s);
}

void
explain_learned_json(struct str *s, const struct reason *reasons, size_t n,
    const struct score *rules)
{
	const struct reason *rule;
	size_t i;

	writer_array(s, NULL);
	for (i = 0; i < n; i++) {
		writer_object(s, NULL);
		writer_text(s, "tag", reasons[i].tag);
		writer_int(s, "points", reasons[i].points);
		rule =
		    rules == NULL ? NULL : score_reason(rules, reasons[i].tag);
		writer_number(s, "rulesPoints",
		    rule == NULL ? NAN : (double)rule->points);
		writer_end(s);
	}
	writer_end(s);
}

void
explain_policy_json(
    struct str *s, const struct policy *p, const struct band *band)
{
	writer_object(s, NULL);
	writer_text(s, "id", p->id);
	writer_text(s, "version", p->version);
	writer_text(s, "onError", policy_on_error_name(p->on_error));
	if (band == NULL)
		writer_null(s, "band");
	else {
		writer_object(s, "band");
		writer_text(s, "verdict", verdict_name(band->verdict));
		writer_number(s, "min", band->min);
		writer_number(s, "max", band->max);
		writer_text(s, "reviewQueue",
		    band->verdict == VERDICT_REVIEW ? policy_queue(band)
						    : NULL);
		writer_end(s);
	}
	writer_end(s);
}

void
explain_changes_json(struct str *s, const struct counterfactuals *changes)
{
	writer_object(s, NULL);
	add_change(s, "stricter", &changes->stricter);
	add_change(s, "milder", &changes->milder);
	writer_int(s, "tried", (int64_t)changes->tried);
	writer_bool(s, "complete", changes->complete);
	writer_end(s);
}

static void
explain_add_rule(struct str *s, const struct rule *rule,
    const struct value *values, const struct ruleset *rs, bool silenced)
{
	struct rule_explain why;
	struct str dsl;
	size_t i;

	rule_explain(rule, values, &why);
	str_init(&dsl, s->arena);
	rule_print(&dsl, rule);
	writer_object(s, NULL);
	writer_text(s, "id", rule->id);
	writer_text(s, "tag", rule->tag);
	writer_int(s, "points", rule->points);
	writer_text(s, "dsl", str_text(&dsl));
	writer_text(s, "truth", truths[why.truth]);
	writer_bool(s, "silenced", silenced);
	writer_array(s, "because");
	for (i = 0; i < why.n && i < RULE_EXPLAIN_MAX; i++)
		add_because(s, rule, &why.by[i], values, rs);
	writer_end(s);
	writer_int(s, "more", (int64_t)(why.n - i));
	writer_end(s);
}

static void
add_because(struct str *s, const struct rule *rule,
    const struct rule_comparison *by, const struct value *values,
    const struct ruleset *rs)
{
	char name[RULE_VALUE_NAME_SIZE];
	struct str text;

	str_init(&text, s->arena);
	rule_print_comparison(&text, rule, by);
	writer_object(s, NULL);
	writer_text(s, "comparison", str_text(&text));
	writer_text(s, "truth", truths[by->truth]);
	rule_value_name(rs, by->signal, name);
	writer_text(s, "signal", name);
	writer_value(s, "value", &values[by->signal]);
	writer_end(s);
}

void
explain_velocities_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs)
{
	char name[RULE_VALUE_NAME_SIZE];
	struct value value;
	size_t i;

	for (i = 0; i < rs->n_velocities; i++) {
		value =
		    velocity_value_of(sigs->velocities, rs->velocities[i].id);
		rule_value_name(rs, (uint16_t)(RULE_VELOCITY + i), name);
		writer_value(s, name, &value);
	}
}

static const char *
attr_name(const char *name, char text[ATTR_NAME_SIZE])
{
	snprintf(text, ATTR_NAME_SIZE, "attr.%s", name);
	return text;
}

static void
add_change(struct str *s, const char *name, const struct counterfactual *c)
{
	const struct value unknown = value_unknown();
	char text[ATTR_NAME_SIZE];

	if (c->verdict == 0) {
		writer_null(s, name);
		return;
	}
	writer_object(s, name);
	writer_text(
	    s, "signal", c->attr ? attr_name(c->signal, text) : c->signal);
	writer_value(s, "from", &c->from);
	writer_value(s, "to", c->other ? &unknown : &c->to);
	writer_bool(s, "other", c->other);
	writer_text(s, "verdict", verdict_name(c->verdict));
	writer_int(s, "score", c->score);
	writer_end(s);
}

static void
add_terms(struct str *s, const struct model *m, const struct sample *sample)
{
	struct model_risk risk;
	double x[FEATURE__MAX];
	int i;

	features_extract(&sample->signals, sample->rules_score, x);
	model_risk(m, x, &risk);
	writer_array(s, "terms");
	for (i = 0; i < FEATURE__MAX; i++) {
		writer_object(s, NULL);
		writer_text(s, "feature", feature_name((enum feature)i));
		writer_number(s, "value", model_input(&m->range[i], x[i]));
		writer_number(s, "weight", m->weight[i]);
		writer_number(s, "term", risk.term[i]);
		writer_end(s);
	}
	writer_end(s);
}
