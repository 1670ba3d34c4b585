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
	double parts; /* numbers are tried in steps of 1 / parts */
	bool closed; /* no number is outside; otherwise the range is a guess */
	bool whole; /* only whole numbers; the range is closed */
	bool known; /* never unknown */

	/* Of a text: if both are NULL, any text is possible. */
	const char *const *words; /* all possible texts, then NULL */
	bool (*may)(const char *); /* returns whether a text is possible */
	const char *form; /* what these are: "a code of ISO 4217" */
};

/* The range of a signal; SIGNAL__MAX gives the range of attributes. */
const struct signal_range *signal_range_of(enum signal sig);

/* Whether the signal can have this text. */
bool signal_range_has_text(const struct signal_range *range, const char *text);

/* Round n to the nearest multiple of 1 / parts. */
double signal_range_round(const struct signal_range *d, double n);

/*
 * The nearest multiple of 1 / parts that is above n if way is 1, and below n if
 * way is -1.  If n is so large that doubles do not have such steps, return the
 * next double.
 */
double signal_range_next(const struct signal_range *d, double n, int way);

#endif
