/* SPDX-License-Identifier: ISC */
/* What signals can be. */
#ifndef CORE_SIGNAL_SIGNAL_RANGE_H
#define CORE_SIGNAL_SIGNAL_RANGE_H

#include <stdbool.h>

#include "core/signal/signals.h"

/* What a signal can be. */
struct signal_range {
	double least; /* of a number */
	double most;
	double parts; /* steps in one */
	bool whole;
	bool known; /* never unknown */
	const char *const *words; /* all that a text can be, then NULL */
	bool (*may)(const char *); /* else what says whether it can */
};

/* The domain of a signal; SIGNAL__MAX stands for any attribute. */
const struct signal_range *signal_range_of(enum signal sig);

/* The nearest number that is a whole number of steps. */
double signal_range_round(const struct signal_range *d, double n);

/*
 * The nearest such number above n, or for a way of -1 below; where numbers are
 * too large for steps the next one that there is.
 */
double signal_range_next(const struct signal_range *d, double n, int way);

#endif
