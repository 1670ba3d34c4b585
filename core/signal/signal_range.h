/* SPDX-License-Identifier: ISC */
/* The range of each signal. */
#ifndef CORE_SIGNAL_SIGNAL_RANGE_H
#define CORE_SIGNAL_SIGNAL_RANGE_H

#include <stdbool.h>

#include "core/signal/signals.h"

/* The values that a signal can have. */
struct signal_range {
	double least; /* of a number */
	double most;
	double parts; /* number of steps from 0 to 1 */
	bool whole; /* only whole numbers */
	bool known; /* never unknown */

	/* Of a text: if both are NULL, any text is possible. */
	const char *const *words; /* all possible texts, then NULL */
	bool (*may)(const char *); /* returns whether a text is possible */
};

/* The range of a signal; SIGNAL__MAX gives the range of attributes. */
const struct signal_range *signal_range_of(enum signal sig);

/* The nearest number on a step. */
double signal_range_round(const struct signal_range *d, double n);

/*
 * The nearest number on a step that is above n if way is 1, below n if way is
 * -1.  If a double cannot represent such a step, return the next double.
 */
double signal_range_next(const struct signal_range *d, double n, int way);

#endif
