/* SPDX-License-Identifier: ISC */
/* The scoring model: a logistic regression over signals and rules.score. */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include <stddef.h>
#include <stdint.h>

struct str;

/*
 * One input: its value over scale, cut to [0, 1], times weight.  Booleans are
 * 0 or 1; what is unknown is 0.
 */
struct model_feature {
	const char *name; /* a signal's, or rules.score */
	double scale;
	double weight;
};

struct model {
	const char *source; /* where it was loaded from, "bundled" */
	const char *provenance; /* "synthetic-demo" or "operator-supplied" */
	const char *trained_at; /* a date */
	double auc; /* both of events later than those it was fitted on */
	double accuracy;
	int64_t samples; /* that it was fitted on */
	double bias;
	const struct model_feature *features; /* in the order of the vector */
	size_t n_features;
};

/* The demonstration model that comes with the service; core/model.tbl. */
const struct model *model_bundled(void);

/* Bytes that a model takes in memory. */
size_t model_size(const struct model *m);

/*
 * Append the members source, provenance, trainedAt, metrics, bias and features
 * of a JSON object, without braces.
 */
void model_json(struct str *s, const struct model *m);

#endif
