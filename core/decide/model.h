/* SPDX-License-Identifier: ISC */
/* The scoring model: a logistic regression over the feature vector. */
#ifndef CORE_DECIDE_MODEL_H
#define CORE_DECIDE_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/signal/features.h"

struct str;

/* What a file may hold; assay-model(5). */
#define MODEL_FILE_MAX 65536 /* bytes */
#define MODEL_WEIGHT_MAX 1000000 /* of weights and bias, either way */
#define MODEL_CALIBRATION_MAX 1000 /* of a, and of b either way */

/* Where a model is from that did not come with the program. */
#define MODEL_OPERATOR "operator-supplied"

/* Of a logistic regression's log odds z: probability 1 / (1 + e^-(a z + b)). */
struct model_calibration {
	double a; /* above 0 */
	double b;
};

/*
 * How well it did on events later than those it was fitted on.  What is NAN is
 * not known; auc and accuracy always are.
 */
struct model_metrics {
	double auc;
	double accuracy;
	double average_precision;
	double card_precision; /* at 100 cards a day */
	double brier;
	double log_loss;
	int64_t samples; /* that it was fitted on */
};

/* Strings live as long as the model; everything is finite but metrics. */
struct model {
	const char *source; /* where it was loaded from, "bundled" */
	const char *provenance; /* "synthetic-demo" or MODEL_OPERATOR */
	const char *version; /* what replay samples name it by */
	const char *trained_at; /* a date, or a time */
	int features_version; /* FEATURES_VERSION, or it does not serve */
	double weight[FEATURE__MAX];
	double bias;
	double base_rate; /* share of fraud where it was fitted; 0 < it < 1 */
	struct model_calibration calibration;
	struct model_metrics metrics;
};

/* What a model makes of an event. */
struct model_risk {
	double term[FEATURE__MAX]; /* weight times feature */
	double p; /* of fraud, where it is as rare as at the base rate */
	double p_even; /* the same where every other event is fraud */
};

/* The demonstration model that comes with the service; core/decide/model.tbl.
 */
const struct model *model_bundled(void);

/*
 * The risk of an event by its features.  Pure: equal inputs, equal risk, to
 * the last digit.
 */
void model_risk(const struct model *m, const double features[FEATURE__MAX],
    struct model_risk *ret);

/* Whether a model is for demonstration, and its scores mean nothing. */
bool model_demonstrates(const struct model *m);

/* Bytes that a model takes in memory. */
size_t model_size(const struct model *m);

/*
 * Append the members source, provenance, version, trainedAt, metrics, bias,
 * baseRate, calibration, featuresVersion and features of a JSON object,
 * without braces.
 */
void model_json(struct str *s, const struct model *m);

/*
 * Append the file of a model, which body_model() reads back as the same, to
 * the last digit.  source, provenance and version are no part of it.
 */
void model_file_json(struct str *s, const struct model *m);

#endif
