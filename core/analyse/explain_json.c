/* SPDX-License-Identifier: ISC */
/* The parts of an explanation as JSON. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/analyse/explain.h"
#include "core/base/arena.h"
#include "core/base/str.h"
#include "core/decide/model.h"
#include "core/decide/sample.h"
#include "core/event/event.h"
#include "core/rule/rule_explain.h"
#include "core/signal/features.h"
#include "core/signal/signals.h"

#define ATTR_PREFIX "attr."

static void explain_add_rule(struct str *s, const struct rule *rule,
    const struct value *values, const struct ruleset *rs);
static void add_because(struct str *s, const struct rule *rule,
    const struct rule_comparison *by, const struct value *values,
    const struct ruleset *rs);
static void add_dsl(struct str *s, const struct rule *rule);
static void add_signal_member(
    struct str *s, const char *prefix, const char *name, const struct value *v);
static void add_name(struct str *s, const char *prefix, const char *name);
static void explain_add_number(struct str *s, const char *before, double n);
static void add_change(
    struct str *s, const char *before, const struct counterfactual *c);
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
	const char *name;
	size_t i;

	for (i = 0; i < SIGNAL__MAX; i++) {
		str_addc(s, i == 0 ? '{' : ',');
		add_signal_member(
		    s, "", signal_name((enum signal)i), &sigs->value[i]);
	}
	for (i = 0; i < ev->n_attrs; i++) {
		str_addc(s, ',');
		add_signal_member(
		    s, ATTR_PREFIX, ev->attrs[i].name, &ev->attrs[i].value);
	}
	for (i = 0; rs != NULL && (name = rule_attr(rs, i)) != NULL; i++) {
		if (event_attr(ev, name) != NULL)
			continue;
		str_addc(s, ',');
		add_signal_member(s, ATTR_PREFIX, name, &unknown);
	}
	str_addc(s, '}');
}

void
explain_rules_json(
    struct str *s, const struct ruleset *rs, const struct signals *sigs)
{
	struct value values[RULE_VALUES_MAX];
	size_t i;

	rule_values(rs, sigs, values);
	str_addc(s, '[');
	for (i = 0; i < rs->n_rules; i++) {
		str_add(s, i == 0 ? "" : ",");
		explain_add_rule(s, &rs->rules[i], values, rs);
	}
	str_addc(s, ']');
}

void
explain_model_json(
    struct str *s, const struct model *m, const struct sample *sample)
{
	str_add(s, "{\"version\":");
	str_json(s, sample->model);
	explain_add_number(s, ",\"p\":", sample->p);
	explain_add_number(s, ",\"pEven\":", sample->p_even);
	if (m == NULL) {
		str_add(s,
		    ",\"bias\":null,\"baseRate\":null,"
		    "\"calibration\":null,\"terms\":null}");
		return;
	}
	explain_add_number(s, ",\"bias\":", m->bias);
	explain_add_number(s, ",\"baseRate\":", m->base_rate);
	explain_add_number(s, ",\"calibration\":{\"a\":", m->calibration.a);
	explain_add_number(s, ",\"b\":", m->calibration.b);
	str_add(s, "},\"terms\":");
	add_terms(s, m, sample);
	str_addc(s, '}');
}

void
explain_learned_json(struct str *s, const struct reason *reasons, size_t n,
    const struct score *rules)
{
	const struct reason *rule;
	size_t i;

	str_addc(s, '[');
	for (i = 0; i < n; i++) {
		str_add(s, i == 0 ? "{\"tag\":" : ",{\"tag\":");
		str_json(s, reasons[i].tag);
		str_addf(
		    s, ",\"points\":%d,\"rulesPoints\":", reasons[i].points);
		rule =
		    rules == NULL ? NULL : score_reason(rules, reasons[i].tag);
		if (rule == NULL)
			str_add(s, "null}");
		else
			str_addf(s, "%d}", rule->points);
	}
	str_addc(s, ']');
}

void
explain_policy_json(
    struct str *s, const struct policy *p, const struct band *band)
{
	str_add(s, "{\"id\":");
	str_json(s, p->id);
	str_add(s, ",\"version\":");
	str_json(s, p->version);
	str_addf(s,
	    ",\"onError\":\"%s\",\"band\":", policy_on_error_name(p->on_error));
	if (band == NULL) {
		str_add(s, "null}");
		return;
	}
	str_addf(s, "{\"verdict\":\"%s\"", verdict_name(band->verdict));
	explain_add_number(s, ",\"min\":", band->min);
	explain_add_number(s, ",\"max\":", band->max);
	str_add(s, ",\"reviewQueue\":");
	str_json(
	    s, band->verdict == VERDICT_REVIEW ? policy_queue(band) : NULL);
	str_add(s, "}}");
}

void
explain_changes_json(struct str *s, const struct counterfactuals *changes)
{
	add_change(s, "{\"stricter\":", &changes->stricter);
	add_change(s, ",\"milder\":", &changes->milder);
	str_add(s, ",\"tried\":");
	str_int(s, (int64_t)changes->tried);
	str_addf(s, ",\"complete\":%s}", changes->complete ? "true" : "false");
}

static void
explain_add_rule(struct str *s, const struct rule *rule,
    const struct value *values, const struct ruleset *rs)
{
	struct rule_explain why;
	size_t i;

	rule_explain(rule, values, &why);
	str_add(s, "{\"id\":");
	str_json(s, rule->id);
	str_add(s, ",\"tag\":");
	str_json(s, rule->tag);
	str_addf(s, ",\"points\":%d,\"dsl\":", rule->points);
	add_dsl(s, rule);
	str_addf(s, ",\"truth\":\"%s\",\"because\":[", truths[why.truth]);
	for (i = 0; i < why.n && i < RULE_EXPLAIN_MAX; i++) {
		str_add(s, i == 0 ? "" : ",");
		add_because(s, rule, &why.by[i], values, rs);
	}
	str_add(s, "],\"more\":");
	str_int(s, (int64_t)(why.n - i));
	str_addc(s, '}');
}

static void
add_because(struct str *s, const struct rule *rule,
    const struct rule_comparison *by, const struct value *values,
    const struct ruleset *rs)
{
	const bool attr = by->signal >= SIGNAL__MAX;
	struct str text;

	str_init(&text, s->arena);
	rule_print_comparison(&text, rule, by);
	str_add(s, "{\"comparison\":");
	str_json(s, str_text(&text));
	str_addf(s, ",\"truth\":\"%s\",\"signal\":", truths[by->truth]);
	add_name(s, attr ? ATTR_PREFIX : "",
	    attr ? rule_attr(rs, by->signal - SIGNAL__MAX)
		 : signal_name((enum signal)by->signal));
	str_add(s, ",\"value\":");
	str_value(s, &values[by->signal]);
	str_addc(s, '}');
}

/* The rule as canonical text. */
static void
add_dsl(struct str *s, const struct rule *rule)
{
	struct str text;

	str_init(&text, s->arena);
	rule_print(&text, rule);
	str_json(s, str_text(&text));
}

static void
add_signal_member(
    struct str *s, const char *prefix, const char *name, const struct value *v)
{
	add_name(s, prefix, name);
	str_addc(s, ':');
	str_value(s, v);
}

static void
add_name(struct str *s, const char *prefix, const char *name)
{
	char text[sizeof(ATTR_PREFIX) + EVENT_ATTR_NAME_MAX];

	snprintf(text, sizeof(text), "%s%s", prefix, name);
	str_json(s, text);
}

static void
explain_add_number(struct str *s, const char *before, double n)
{
	str_add(s, before);
	str_number(s, n);
}

static void
add_change(struct str *s, const char *before, const struct counterfactual *c)
{
	str_add(s, before);
	if (c->verdict == 0) {
		str_add(s, "null");
		return;
	}
	str_add(s, "{\"signal\":");
	add_name(s, c->attr ? ATTR_PREFIX : "", c->signal);
	str_add(s, ",\"from\":");
	str_value(s, &c->from);
	str_add(s, ",\"to\":");
	if (c->other)
		str_add(s, "null");
	else
		str_value(s, &c->to);
	str_addf(s, ",\"other\":%s,\"verdict\":\"%s\",\"score\":%d}",
	    c->other ? "true" : "false", verdict_name(c->verdict), c->score);
}

static void
add_terms(struct str *s, const struct model *m, const struct sample *sample)
{
	struct model_risk risk;
	double x[FEATURE__MAX];
	int i;

	features_extract(&sample->signals, sample->rules_score, x);
	model_risk(m, x, &risk);
	for (i = 0; i < FEATURE__MAX; i++) {
		str_add(s, i == 0 ? "[{\"feature\":" : ",{\"feature\":");
		str_json(s, feature_name((enum feature)i));
		explain_add_number(
		    s, ",\"value\":", model_input(&m->range[i], x[i]));
		explain_add_number(s, ",\"weight\":", m->weight[i]);
		explain_add_number(s, ",\"term\":", risk.term[i]);
		str_addc(s, '}');
	}
	str_addc(s, ']');
}
