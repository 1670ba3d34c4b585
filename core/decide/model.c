/* SPDX-License-Identifier: ISC */
/* The scoring model: the risk of an event, the bundled model, and JSON. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/decide/model.h"

#define DEMO "synthetic-demo"

static double logistic_sigmoid(double z);
static void add_text(struct str *s, const char *before, const char *text);
static void model_add_number(struct str *s, const char *before, double n);
static void add_metrics(struct str *s, const struct model_metrics *m);
static void add_features(struct str *s, const struct model *m);

/*
 * The table is included for the members, for the weights and for the ranges.
 */
static const struct model bundled = {
#define MODEL(at, rate, intercept, stretch, shift)                             \
	.version = DEMO "@" at, .trained_at = (at), .base_rate = (rate),       \
	.bias = (intercept), .calibration = { .a = (stretch), .b = (shift) },
#define METRICS(n, area, right, precision, cards, squares, loss)               \
	.metrics = {                                                           \
		.auc = (area),                                                 \
		.accuracy = (right),                                           \
		.average_precision = (precision),                              \
		.card_precision = (cards),                                     \
		.brier = (squares),                                            \
		.log_loss = (loss),                                            \
		.samples = (n),                                                \
	},
#define WEIGHT(ident, value, least, most)
#include "core/decide/model.tbl"
#undef MODEL
#undef METRICS
#undef WEIGHT
#define MODEL(at, rate, intercept, stretch, shift)
#define METRICS(n, area, right, precision, cards, squares, loss)
	.weight = {
#define WEIGHT(ident, value, least, most) [FEATURE_##ident] = (value),
#include "core/decide/model.tbl"
#undef WEIGHT
	},
	.range = {
#define WEIGHT(ident, value, least, most)                                      \
	[FEATURE_##ident] = { (least), (most) },
#include "core/decide/model.tbl"
#undef WEIGHT
	},
#undef MODEL
#undef METRICS
	.source = "bundled",
	.provenance = DEMO,
	.features_version = FEATURES_VERSION,
};

const struct model *
model_bundled(void)
{
	return &bundled;
}

double
model_input(const struct model_range *range, double x)
{
	return x < range->min ? range->min : x > range->max ? range->max : x;
}

double
model_reach(const struct model *m, enum feature *ret_feature)
{
	double reach, most = -1;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		reach = m->calibration.a * fabs(m->weight[i]) *
		    (m->range[i].max - m->range[i].min);
		if (reach > most) {
			most = reach;
			*ret_feature = (enum feature)i;
		}
	}
	return most;
}

void
model_risk(const struct model *m, const double features[FEATURE__MAX],
    struct model_risk *ret)
{
	double z = m->bias;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		ret->term[i] =
		    m->weight[i] * model_input(&m->range[i], features[i]);
		z += ret->term[i];
	}
	z = m->calibration.a * z + m->calibration.b;
	ret->p = logistic_sigmoid(z);

	/* Subtract the log odds of the base rate: that gives even odds. */
	ret->p_even =
	    logistic_sigmoid(z - log(m->base_rate / (1 - m->base_rate)));
}

bool
model_demonstrates(const struct model *m)
{
	return strcmp(m->provenance, DEMO) == 0;
}

size_t
model_size(const struct model *m)
{
	return sizeof(*m) + strlen(m->source) + strlen(m->provenance) +
	    strlen(m->version) + strlen(m->trained_at) + 4;
}

void
model_json(struct str *s, const struct model *m)
{
	add_text(s, "\"source\":", m->source);
	add_text(s, ",\"provenance\":", m->provenance);
	add_text(s, ",\"version\":", m->version);
	add_text(s, ",\"trainedAt\":", m->trained_at);
	str_addc(s, ',');
	add_metrics(s, &m->metrics);
	model_add_number(s, ",\"bias\":", m->bias);
	model_add_number(s, ",\"baseRate\":", m->base_rate);
	model_add_number(s, ",\"calibration\":{\"a\":", m->calibration.a);
	model_add_number(s, ",\"b\":", m->calibration.b);
	add_features(s, m);
}

void
model_file_json(struct str *s, const struct model *m)
{
	int i;

	str_addf(s, "{\n\"featuresVersion\":%d,\n\"featureNames\":[",
	    m->features_version);
	for (i = 0; i < FEATURE__MAX; i++)
		add_text(s, i == 0 ? "" : ",", feature_name((enum feature)i));
	for (i = 0; i < FEATURE__MAX; i++)
		model_add_number(
		    s, i == 0 ? "],\n\"weights\":[" : ",", m->weight[i]);
	for (i = 0; i < FEATURE__MAX; i++) {
		model_add_number(
		    s, i == 0 ? "],\n\"ranges\":[[" : ",[", m->range[i].min);
		model_add_number(s, ",", m->range[i].max);
		str_addc(s, ']');
	}
	model_add_number(s, "],\n\"bias\":", m->bias);
	add_text(s, ",\n\"trainedAt\":", m->trained_at);
	model_add_number(s, ",\n\"baseRate\":", m->base_rate);
	model_add_number(s, ",\n\"calibration\":{\"a\":", m->calibration.a);
	model_add_number(s, ",\"b\":", m->calibration.b);
	str_add(s, "},\n");
	add_metrics(s, &m->metrics);
	str_add(s, "\n}\n");
}

/* For a large negative z, exp() gives infinity and the result is 0. */
static double
logistic_sigmoid(double z)
{
	return 1 / (1 + exp(-z));
}

static void
add_text(struct str *s, const char *before, const char *text)
{
	str_add(s, before);
	str_json(s, text);
}

static void
model_add_number(struct str *s, const char *before, double n)
{
	str_add(s, before);
	str_number(s, n);
}

/* Append the metrics; leave out those that are unknown. */
static void
add_metrics(struct str *s, const struct model_metrics *m)
{
	const struct {
		const char *before;
		double value;
	} more[] = {
		{ ",\"averagePrecision\":", m->average_precision },
		{ ",\"cardPrecision100\":", m->card_precision },
		{ ",\"brier\":", m->brier },
		{ ",\"logLoss\":", m->log_loss },
	};
	size_t i;

	model_add_number(s, "\"metrics\":{\"auc\":", m->auc);
	model_add_number(s, ",\"accuracy\":", m->accuracy);
	str_addf(s, ",\"samples\":%" PRId64, m->samples);
	for (i = 0; i < nitems(more); i++)
		if (!isnan(more[i].value))
			model_add_number(s, more[i].before, more[i].value);
	str_addc(s, '}');
}

static void
add_features(struct str *s, const struct model *m)
{
	unsigned int i;

	str_addf(
	    s, "},\"featuresVersion\":%d,\"features\":[", m->features_version);
	for (i = 0; i < FEATURE__MAX; i++) {
		add_text(s, i == 0 ? "{\"name\":" : ",{\"name\":",
		    feature_name((enum feature)i));
		model_add_number(s, ",\"weight\":", m->weight[i]);
		model_add_number(s, ",\"min\":", m->range[i].min);
		model_add_number(s, ",\"max\":", m->range[i].max);
		str_addc(s, '}');
	}
	str_addc(s, ']');
}
