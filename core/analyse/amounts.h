/* SPDX-License-Identifier: ISC */
/* Sums of the amounts of events, by currency. */
#ifndef CORE_ANALYSE_AMOUNTS_H
#define CORE_ANALYSE_AMOUNTS_H

struct signals;
struct str;

#define AMOUNTS_CURRENCIES 8 /* of one sum; further ones do not count */

/* Zero it before the first event. */
struct amounts {
	struct {
		char currency[4]; /* "": free */
		double sum;
	} of[AMOUNTS_CURRENCIES];
};

/* Add the amount of an event, if it has an amount and a currency. */
void amounts_add(struct amounts *amounts, const struct signals *sigs);

/*
 * Append the sums as a JSON object, with up to four decimals:
 * {"EUR":550,"USD":500.25}.
 */
void amounts_json(
    struct str *s, const char *name, const struct amounts *amounts);

#endif
