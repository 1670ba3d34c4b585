/* SPDX-License-Identifier: ISC */
/* The feature vector of models, the same for training and for scoring. */
#ifndef CORE_SIGNAL_FEATURES_H
#define CORE_SIGNAL_FEATURES_H

struct signals;

#define FEATURES_VERSION 2 /* increase it with every change of the vector */

enum feature {
#define FEATURE(ident, name, signal, transform, scale) FEATURE_##ident,
#include "core/signal/features.tbl"
#undef FEATURE
	FEATURE__MAX
};

/*
 * Compute the features of an event from its signals and rules_score, the
 * weighted total of the rules that fired.  Each feature is from 0 to 1,
 * whatever the signals are.  Equal inputs give exactly equal features.
 */
void features_extract(
    const struct signals *sigs, int rules_score, double ret[FEATURE__MAX]);

/* The name of a feature, such as "velocity.attemptsLast2m". */
const char *feature_name(enum feature feature);

#endif
