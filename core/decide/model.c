/* SPDX-License-Identifier: ISC */
/* The scoring model: the risk of an event, the bundled model, and JSON. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/writer.h"
#include "core/decide/model.h"

#define DEMO "synthetic-demo"

static double logistic_sigmoid(double z);
static void add_metrics(struct str *s, const struct model_metrics *m);
static void add_calibration_pair(struct str *s, const struct model *m);

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
	ret->z = z;
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
	unsigned int i;

	writer_text(s, "source", m->source);
	writer_text(s, "provenance", m->provenance);
	writer_text(s, "version", m->version);
	writer_text(s, "trainedAt", m->trained_at);
	add_metrics(s, &m->metrics);
	writer_number(s, "bias", m->bias);
	writer_number(s, "baseRate", m->base_rate);
	add_calibration_pair(s, m);
	writer_int(s, "featuresVersion", m->features_version);
	writer_array(s, "features");
	for (i = 0; i < FEATURE__MAX; i++) {
		writer_object(s, NULL);
		writer_text(s, "name", feature_name((enum feature)i));
		writer_number(s, "weight", m->weight[i]);
		writer_number(s, "min", m->range[i].min);
		writer_number(s, "max", m->range[i].max);
		writer_end(s);
	}
	writer_end(s);
}

void
model_file_json(struct str *s, const struct model *m)
{
	int i;

	writer_object(s, NULL);
	str_addc(s, '\n');
	writer_int(s, "featuresVersion", m->features_version);
	str_add(s, ",\n");
	writer_array(s, "featureNames");
	for (i = 0; i < FEATURE__MAX; i++)
		writer_text(s, NULL, feature_name((enum feature)i));
	writer_end(s);
	str_add(s, ",\n");
	writer_array(s, "weights");
	for (i = 0; i < FEATURE__MAX; i++)
		writer_number(s, NULL, m->weight[i]);
	writer_end(s);
	str_add(s, ",\n");
	writer_array(s, "ranges");
	for (i = 0; i < FEATURE__MAX; i++) {
		writer_array(s, NULL);
		writer_number(s, NULL, m->range[i].min);
		writer_number(s, NULL, m->range[i].max);
		writer_end(s);
	}
	writer_end(s);
	str_add(s, ",\n");
	writer_number(s, "bias", m->bias);
	str_add(s, ",\n");
	writer_text(s, "trainedAt", m->trained_at);
	str_add(s, ",\n");
	writer_number(s, "baseRate", m->base_rate);
	str_add(s, ",\n");
	add_calibration_pair(s, m);
	str_add(s, ",\n");
	add_metrics(s, &m->metrics);
	str_addc(s, '\n');
	writer_end(s);
	str_addc(s, '\n');
}

/* For a large negative z, exp() gives infinity and the result is 0. */
static double
logistic_sigmoid(double z)
{
	return 1 / (1 + exp(-z));
}

/* Append the metrics; leave out those that are unknown. */
static void
add_metrics(struct str *s, const struct model_metrics *m)
{
	const struct {
		const char *name;
		double value;
	} more[] = {
		{ "averagePrecision", m->average_precision },
		{ "cardPrecision100", m->card_precision },
		{ "brier", m->brier },
		{ "logLoss", m->log_loss },
	};
	size_t i;

	writer_object(s, "metrics");
	writer_number(s, "auc", m->auc);
	writer_number(s, "accuracy", m->accuracy);
	writer_int(s, "samples", m->samples);
	for (i = 0; i < nitems(more); i++)
		if (!isnan(more[i].value))
			writer_number(s, more[i].name, more[i].value);
	writer_end(s);
}

static void
add_calibration_pair(struct str *s, const struct model *m)
{
	writer_object(s, "calibration");
	writer_number(s, "a", m->calibration.a);
	writer_number(s, "b", m->calibration.b);
	writer_end(s);
}
