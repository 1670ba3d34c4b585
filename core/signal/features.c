/* SPDX-License-Identifier: ISC */
/* Compute the feature vector of models that features.tbl defines. */
#include "config.h"

#include <assert.h>
#include <math.h>

#include "core/base/value.h"
#include "core/signal/features.h"
#include "core/signal/signals.h"

#define SIGNAL_RULES_SCORE SIGNAL__MAX /* not a signal: the rules' total */

enum transform { LINEAR = 1, LOG, SQRT, MISSING, TRANSFORM__MAX };

/* One row of features.tbl. */
struct feature_row {
	const char *name;
	enum signal signal;
	enum transform transform;
	double scale;
};

static double transform_linear(const struct value *v, double scale);
static double log_of(const struct value *v, double scale);
static double sqrt_of(const struct value *v, double scale);
static double transform_missing(const struct value *v, double scale);
static double value_as_number(const struct value *v);
static double clamp_unit(double x);

static double (*const transforms[TRANSFORM__MAX])(
    const struct value *, double) = {
	[LINEAR] = transform_linear,
	[LOG] = log_of,
	[SQRT] = sqrt_of,
	[MISSING] = transform_missing,
};

static const struct feature_row rows[FEATURE__MAX] = {
#define FEATURE(ident, name, signal, transform, scale)                         \
	[FEATURE_##ident] = { name, SIGNAL_##signal, transform, scale },
#include "core/signal/features.tbl"
#undef FEATURE
};

void
features_extract(
    const struct signals *sigs, int rules_score, double ret[FEATURE__MAX])
{
	const struct value rules = value_number(rules_score);
	const struct value *v;
	const struct feature_row *row;
	int i;

	for (i = 0; i < FEATURE__MAX; i++) {
		row = &rows[i];
		v = row->signal == SIGNAL_RULES_SCORE
		    ? &rules
		    : &sigs->value[row->signal];
		ret[i] = transforms[row->transform](v, row->scale);
	}
}

const char *
feature_name(enum feature feature)
{
	assert(feature < FEATURE__MAX);
	return rows[feature].name;
}

static double
transform_linear(const struct value *v, double scale)
{
	return clamp_unit(value_as_number(v) / scale);
}

static double
log_of(const struct value *v, double scale)
{
	return clamp_unit(log1p(fmax(value_as_number(v), 0)) / log1p(scale));
}

static double
sqrt_of(const struct value *v, double scale)
{
	return sqrt(clamp_unit(value_as_number(v) / scale));
}

static double
transform_missing(const struct value *v, double scale)
{
	return v->type == VALUE_UNKNOWN ? scale : 0;
}

/* A boolean is 0 or 1; a string or an unknown value is 0. */
static double
value_as_number(const struct value *v)
{
	if (v->type == VALUE_BOOL)
		return v->flag ? 1 : 0;
	return v->type == VALUE_NUMBER ? v->number : 0;
}

/* Clamp to [0, 1]; NaN becomes 0. */
static double
clamp_unit(double x)
{
	return fmin(fmax(x, 0), 1);
}
