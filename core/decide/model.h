/* SPDX-License-Identifier: ISC */
/* The scoring model: a logistic regression over the features. */
#ifndef CORE_DECIDE_MODEL_H
#define CORE_DECIDE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/signal/features.h"

struct str;

/* Limits of a model file; assay-model(5). */
#define MODEL_FILE_MAX 65536 /* bytes */
#define MODEL_WEIGHT_MAX 1000000 /* magnitude of a weight and of the bias */
#define MODEL_CALIBRATION_MAX 1000 /* magnitude of a and b */

/*
 * A model in which one feature can move the log odds by more is extreme: the
 * other features cannot outweigh that one.
 */
#define MODEL_REACH_MAX 50

/* The provenance of every model but the bundled one. */
#define MODEL_OPERATOR "operator-supplied"

/*
 * Platt scaling: the probability for log odds z of the regression is
 * 1 / (1 + e^-(a z + b)).
 */
struct model_calibration {
	double a; /* above 0 */
	double b;
};

/*
 * The quality of a model, measured on events later than those that it was
 * fitted to.  NAN is unknown; auc and accuracy are never NAN.
 */
struct model_metrics {
	double auc;
	double accuracy;
	double average_precision;
	double card_precision; /* of the 100 riskiest cards of each day */
	double brier;
	double log_loss;
	int64_t samples; /* number of events that it was fitted to */
};

/*
 * The values of a feature that a model knows from its training, within 0 to 1.
 * It takes a lower or higher value for min or max.
 */
struct model_range {
	double min;
	double max;
};

/* The strings live as long as the model.  Only metrics may be NAN. */
struct model {
	const char *source; /* where it was loaded from, or "bundled" */
	const char *provenance; /* "synthetic-demo" or MODEL_OPERATOR */
	const char *version; /* identifies the model in samples */
	const char *trained_at; /* a date, or a date and time */
	int features_version; /* must be FEATURES_VERSION to score events */
	double weight[FEATURE__MAX];
	struct model_range range[FEATURE__MAX];
	double bias;
	double base_rate; /* share of fraud in its training data; 0 < it < 1 */
	struct model_calibration calibration;
	struct model_metrics metrics;
};

/* The result of a model for one event. */
struct model_risk {
	double term[FEATURE__MAX]; /* weight times feature within its range */
	double z; /* log odds of fraud, after calibration */
	double p; /* probability of fraud, at the base rate */
	double p_even; /* the same if half of all events were fraud */
};

/* The demonstration model in the programs, core/decide/model.tbl. */
const struct model *model_bundled(void);

/* Return the value that a model takes for x: the nearest one in its range. */
double model_input(const struct model_range *range, double x);

/*
 * Return the most by which one feature can move the log odds, after
 * calibration, and the feature in *ret_feature.
 */
double model_reach(const struct model *m, enum feature *ret_feature);

/*
 * Compute the risk of an event from its features.  Equal inputs give exactly
 * equal results.
 */
void model_risk(const struct model *m, const double features[FEATURE__MAX],
    struct model_risk *ret);

/*
 * Whether the model was trained on synthetic traffic, so that its scores say
 * nothing about real events.
 */
bool model_demonstrates(const struct model *m);

/* The size of a model with its strings, in bytes of memory. */
size_t model_size(const struct model *m);

/*
 * Append the members source, provenance, version, trainedAt, metrics, bias,
 * baseRate, calibration, featuresVersion and features of a JSON object,
 * without braces.
 */
void model_json(struct str *s, const struct model *m);

/*
 * Append the model as a model file, assay-model(5).  model_file_read() reads it
 * back with exactly the same numbers.  A file does not contain source,
 * provenance and version.
 */
void model_file_json(struct str *s, const struct model *m);

#endif
