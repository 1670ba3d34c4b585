/* SPDX-License-Identifier: ISC */
/* The feature vector of models: one for those who fit and those who serve. */
#ifndef CORE_SIGNAL_FEATURES_H
#define CORE_SIGNAL_FEATURES_H

struct signals;

#define FEATURES_VERSION 1 /* of the vector; raised by any change to it */

enum feature {
#define FEATURE(ident, name, signal, transform, scale) FEATURE_##ident,
#include "core/signal/features.tbl"
#undef FEATURE
	FEATURE__MAX
};

/*
 * The features of an event by its signals and by the total of the rules that
 * fired, weighted.  Each is 0 to 1, and finite whatever the signals are.
 * Pure: equal inputs, equal vector, to the last digit.
 */
void features_extract(
    const struct signals *sigs, int rules_score, double ret[FEATURE__MAX]);

/* "velocity.attemptsLast2m". */
const char *feature_name(enum feature feature);

#endif
